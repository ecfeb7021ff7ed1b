"""Conversations as chat models are trained on them: OpenAI's and TRL's, ShareGPT's, Alpaca's, ChatML."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError, one_of
from rejoinder.files.reading import read_text, stem_of
from rejoinder.messages import Place, listed, more, quoted
from rejoinder.tables.assembly.column_roles import folded
from rejoinder.tables.assembly.gathered import GatheredItems, Rows
from rejoinder.tables.format import Asked, FileHead, Format, Shape
from rejoinder.tables.io.json_lines import convert
from rejoinder.tables.io.json_table import read_json_rows
from rejoinder.tables.item_clusters import CONVERSATION
from rejoinder.tables.logs.role_messages import (
    INSTRUCTIONS,
    SPEAKERS,
    TOOLS,
    joined,
    text_of_part,
    type_of,
    unknown_role,
)
from rejoinder.tables.notes import left_out, note
from rejoinder.tables.parts import Draft, TestSetDraft
from rejoinder.tables.schemas import ALIASES, CONTEXTS, FALLBACKS, HINTS, RESPONSES

_BLANK_BEFORE_REPLY = re.compile(r"<\|im_end\|>\s*?\n\s*?\n\s*<\|im_start\|>(assistant|gpt)\n")
_START, _END_OF_TEXT = "<|im_start|>", "<|endoftext|>"
_BLOCK = re.compile(r"<\|im_start\|>(\w+)\n((?:(?!<\|im_start\|>).)*?)<\|im_end\|>", re.DOTALL)


class NoTextError(InputError):
    """A message is no text: it calls a tool, or has a picture."""


class _Named(msgspec.Struct, gc=False):
    id: str | int | None = None
    system: str | None = None


class _Alpaca(msgspec.Struct):
    instruction: str
    output: str
    input: str | None = None
    history: list[tuple[str, str]] | None = None
    text: str | None = None  # all of it once more, in the prompt of the training


_NOT_OF_ALPACA = {
    *(name for column in ("system", "reference") for name in (column, *HINTS[column])),
    *("references", "response", "reply", "messages"),
} - set(_Alpaca.__struct_fields__)


@dataclass(frozen=True)
class _Conversation:
    id: str
    turns: list[ChatTurn]
    row: dict[str, Any]
    place: Place


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One item per row: a last message of the assistant's is the reference, the rest the context."""
    items = GatheredItems()
    for each in _conversations(paths):
        _refuse_bad(each)
        texts = [turn.text for turn in each.turns]
        replies = [(texts.pop(), None, None)] if each.turns[-1].is_reply else []
        items.add(each.id, texts, replies, each.place, about=_about(each))
    return _draft(items, paths)


def read_turns(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One item ``<id>.<k>`` for the k-th message of the assistant's, if anything stands before it.

    The column ``conversation`` holds the id: turns of one conversation are not independent.

    Raises:
        InputError: A conversation has no reply of the assistant.
    """
    items = GatheredItems()
    answered, without = 0, []
    for each in _conversations(paths):
        _refuse_bad(each)
        texts = [turn.text for turn in each.turns]
        replies = [place for place, turn in enumerate(each.turns) if turn.is_reply]
        for k, place in enumerate(replies, start=1):
            if place:
                reply = (texts[place], None, None)
                name = f"{each.id}.{k}"
                items.add(name, texts[:place], [reply], each.place, each.id, _about(each))
        answered += any(replies)
        without += [] if any(replies) else [each.place]
    if without:
        if not answered:
            raise InputError(
                f"{without[0]}: no reply of the assistant's to anything{more(len(without))}; expected one "
                "in some row at least"
            )
        note("silent", without[0], rows=len(without))
    return _draft(items, paths)


def read_responses(path: Path, asked: Asked) -> Draft:
    """The last message of every row; where no row names a system, the file's stem is the system.

    Raises:
        InputError: A conversation ends with a message of the user.
    """
    replies, unnamed = Rows(RESPONSES), True
    for each in _conversations([path]):
        if not each.turns[-1].is_reply:
            raise InputError(
                f"{each.place}: ends with a message of the user's; expected the assistant's, which "
                "is the reply"
            )
        system = _named(each.row, "system", each.place)
        unnamed = unnamed and system is None
        replies.add(each.place, system, each.id, each.turns[-1].text)
    draft = replies.draft()
    named = draft.frame.with_columns(pl.lit(stem_of(path)).alias("system"))
    return Draft(named, draft.origin) if unnamed else draft


def _is_chat(head: FileHead) -> bool:
    """Whether the first object holds messages, and no item or reply as ``jsonl`` has them.

    A text may speak of "messages", and a completion stands after its prompt.
    """
    row = head.row
    if is_alpaca(row):
        return True
    if not isinstance(row, dict) or "references" in row or ("id" in row and "text" in row):
        return False
    if is_pair(row):  # beside a reference or a system, the completion is a reply
        others = {"system", *ALIASES["system"], "reference", "target", "gold", "answer"}
        return not {*map(folded, row)} & others
    return any(isinstance(row.get(key), list) for key in LISTS)


FORMATS = (
    Format(
        "chat",
        "chats: JSON of messages, conversations, or prompt and completion; ChatML; Alpaca's rows",
        [
            *(Shape(each, also=_is_chat) for each in ("json list", "json object")),
            Shape("text", (_START,)),
        ],
        {"test set": read_testset, "responses": read_responses},
    ),
    Format(
        "chat-turns",
        "the same with every reply of the assistant's as an item, to train on; by name alone",
        (),
        {"test set": read_turns},
    ),
)


def _conversations(paths: Sequence[Path]) -> Iterator[_Conversation]:
    """The rows of the files; where they have no ids they are called "1", "2", ..."""
    count, named = 0, False
    every = {path: list(_rows(path)) for path in paths}
    column = _id_column([row for rows in every.values() for _, row in rows])
    for path, rows in every.items():
        instructions, before = 0, count
        no_texts: list[NoTextError] = []
        for number, row in rows:
            place = Place(str(path), number)
            count += 1
            id = _named({"id": row.get(column)}, "id", place)
            named = named if count > 1 else id is not None
            if named != (id is not None):
                differs = (
                    "no id, but rows above it have one" if named else "the first row with an id"
                )
                raise InputError(f"{place}: {differs}; give every row an id, or none")
            name = str(count) if id is None else id
            try:
                turns, without = said(row, place)
            except NoTextError as error:
                no_texts.append(error)
                continue
            instructions += without
            yield _Conversation(name, turns, row, place)
        if instructions:
            note("instructions", path, messages=instructions)
        if no_texts and len(no_texts) == count - before:
            raise no_texts[0]
        left_out(
            path, len(no_texts), "conversation", "with calls of tools or other parts than text"
        )


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The conversations of JSON, or of ChatML, as objects."""
    text = read_text(path).replace("\r\n", "\n")
    if not text.lstrip().startswith(_START):
        for number, row in read_json_rows(path):
            yield number, _alpaca_messages(row, Place(str(path), number)) if is_alpaca(row) else row
        return
    messages, number, end = [], 1, 0
    # Blank lines part conversations where none stands before a reply.
    are_parted = _BLANK_BEFORE_REPLY.search(text) is None
    for block in _BLOCK.finditer(text):
        between = text[end : block.start()]
        if between.replace(_END_OF_TEXT, "").strip():
            break
        blank = are_parted and between.count("\n") > 1
        begins = blank or _END_OF_TEXT in between or block[1] in INSTRUCTIONS
        if messages and begins:
            yield number, {"messages": messages}
        if begins or not messages:
            messages, number = [], text.count("\n", 0, block.start()) + 1
        messages.append({"role": block[1], "content": block[2]})
        end = block.end()
    if text[end:].replace(_END_OF_TEXT, "").strip():
        raise InputError(
            f"{path}, row {text.count(chr(10), 0, end) + 1}: text outside of a message; expected "
            f"{_START}ROLE, its text, and <|im_end|>"
        )
    yield number, {"messages": messages}


def is_alpaca(row: Any) -> bool:
    """Whether a row is one of Alpaca: an instruction, perhaps an input to it, and the output.

    Beside all three there may be columns that no other table of replies has.
    """
    names, known = {"instruction", "output"}, {"id", *_Alpaca.__struct_fields__}
    if not isinstance(row, dict) or not names <= set(row):
        return False
    return set(row) <= known or ("input" in row and not {*map(folded, row)} & _NOT_OF_ALPACA)


def _alpaca_messages(row: dict[str, Any], where: Place) -> dict[str, Any]:
    """A row of Alpaca as messages; the input follows the instruction, as its prompts have it."""
    given = convert(row, _Alpaca, where)
    asked = "\n".join(filter(None, (given.instruction, given.input)))
    turns = [turn for pair in given.history or [] for turn in pair]
    roles = ("user", "assistant") * (len(turns) // 2 + 1)
    texts = zip(roles, (*turns, asked, given.output), strict=True)
    messages = [{"role": role, "content": text} for role, text in texts]
    beside = {name: row[name] for name in row if name not in _Alpaca.__struct_fields__}
    return {**beside, "messages": messages}


def _id_column(rows: Sequence[dict[str, Any]]) -> str:
    """The column of ids: ``id``, else an alias that each row has, and no system twice."""
    if any(row.get("id") is not None for row in rows):
        return "id"
    systems = [_first(row, ("system", *ALIASES["system"], *FALLBACKS["system"])) for row in rows]
    for name in (*ALIASES["id"], *FALLBACKS["id"], f"{CONVERSATION}_id"):
        ids = [str(row[name]) for row in rows if row.get(name) is not None]
        if len(ids) == len(rows) == len(set(zip(systems, ids, strict=True))):
            return name
    return "id"


def _first(row: dict[str, Any], names: Sequence[str]) -> str:
    return str(next((row[each] for each in names if row.get(each) is not None), ""))


def _named(row: dict[str, Any], column: str, where: Place) -> str | None:
    """What a row is called in a column or its first alias; None where it has none."""
    names = (column, *ALIASES[column], *FALLBACKS[column])
    name = next((each for each in names if row.get(each) is not None), column)
    value = getattr(convert({column: row.get(name)}, _Named, where), column)
    return None if value is None else str(value)


def _refuse_bad(each: _Conversation) -> None:
    """TRL's unpaired preferences: a completion that was judged bad is no reference."""
    if each.row.get("label") is False and held_in(each.row, each.place) == PAIR:
        raise InputError(
            f"{each.place}: 'label' is false, which is a completion judged bad; expected good ones; "
            "leave such rows out, or write them as jsonl with a negative weight"
        )


def _about(each: _Conversation) -> dict[str, Any]:
    """What a row says beside its messages."""
    known = {*LISTS, *held_in(each.row, each.place), "id"}
    return {name: value for name, value in each.row.items() if name not in known}


def _draft(items: GatheredItems, paths: Sequence[Path]) -> TestSetDraft:
    """The items with their additional columns: scalars are kept, lists and objects (``tools``) are not."""
    names = {name for about in items.about for name in about}
    nested = names & CONTEXTS.keys() | {
        name
        for about in items.about
        for name, value in about.items()
        if isinstance(value, list | dict)
    }
    if nested:
        note("columns not read", ", ".join(map(str, paths)), columns=sorted(nested))
    return items.draft(sorted(names - nested))


LISTS = ("messages", "conversations", "conversation")
"""The columns that may hold a conversation, the first one that is not null counting."""

PAIR = ("prompt", "completion")
"""The columns that hold a conversation together."""


@dataclass(frozen=True)
class ChatTurn:
    """A message of the user's or the assistant's.

    Attributes:
        text: What was said.
        is_reply: Whether the assistant said it.
    """

    text: str
    is_reply: bool


class _Message(msgspec.Struct, gc=False):
    role: str | None = None
    from_: str | None = msgspec.field(name="from", default=None)
    content: str | list[dict[str, Any]] | None = None
    value: str | list[dict[str, Any]] | None = None
    parts: list[dict[str, Any]] | None = None
    tool_calls: Any = None
    function_call: Any = None


class _Row(msgspec.Struct):
    messages: list[_Message] = []
    conversations: list[_Message] = []
    conversation: list[_Message] = []
    prompt: str | list[_Message] = []
    completion: str | list[_Message] = []


def said(row: dict[str, Any], where: Place) -> tuple[list[ChatTurn], int]:
    """The turns of a row, oldest first, and how many instructions stood between them.

    Args:
        row: The decoded object.
        where: File and row, for messages.

    Raises:
        InputError: The row holds no messages, or one that is not plain text of the user's or the
            assistant's.
    """
    keys = held_in(row, where)
    values = convert({key: row[key] for key in keys}, _Row, where)
    turns: list[ChatTurn | None] = []
    for key in keys:
        given = getattr(values, key)
        if isinstance(given, str):
            turns.append(ChatTurn(given, key == "completion"))
        else:
            turns += [_turn(each, f"{where}: {key}[{i}]") for i, each in enumerate(given)]
    spoken = [turn for turn in turns if turn is not None]
    if not spoken:
        raise InputError(f"{where}: nobody says anything; expected at least one message")
    return spoken, len(turns) - len(spoken)


def held_in(row: dict[str, Any], where: Place) -> Sequence[str]:
    """The columns that a row's messages stand in.

    Raises:
        InputError: There are none.
    """
    for key in LISTS:
        if row.get(key) is not None:
            return (key,)
    if is_pair(row):
        return PAIR
    raise InputError(
        f"{where}: no messages; got {listed(row)}, expected a list in {one_of(LISTS)}, or 'prompt' "
        "and 'completion'"
    )


def is_pair(row: Collection[str]) -> bool:
    """Whether a row has a prompt and its completion."""
    return all(key in row for key in PAIR)


def _turn(message: _Message, where: str) -> ChatTurn | None:
    role = message.from_ if message.role is None else message.role
    if role in INSTRUCTIONS:
        return None
    if role in TOOLS:
        raise NoTextError(f"{where}: the answer of a tool; expected one conversation of text alone")
    if role not in SPEAKERS:
        raise InputError(f"{where}: {unknown_role(role)}")
    if message.tool_calls or message.function_call:
        raise NoTextError(f"{where}: calls a tool; expected one conversation of text alone")
    # Vercel's AI SDK marks with such a part where a model goes on after a call.
    parts = [each for each in message.parts or () if type_of(each) != "step-start"]
    given = (message.content, message.value, parts or None)
    content = next((each for each in given if each is not None), None)
    return ChatTurn(_text(content, where), SPEAKERS[role])


def _text(content: str | list[dict[str, Any]] | None, where: str) -> str:
    if isinstance(content, str):
        return content
    if not content:
        raise InputError(
            f'{where}: no text; expected one, which is "" where the message is empty; leave out '
            "conversations that hold anything else"
        )
    for i, part in enumerate(content):
        if text_of_part(part, where) is None:
            raise NoTextError(
                f"{where}.content[{i}]: a part of the type {quoted(type_of(part))} without a text; "
                "expected one conversation of text alone"
            )
    return joined(content, where) or ""
