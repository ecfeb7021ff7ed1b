"""Conversations as chat models are trained on them, one per row (``messages.py``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import stem_of
from rejoinder.messages import more
from rejoinder.tables.assembly.additional_columns import scalar_column
from rejoinder.tables.assembly.items import Items, Rows
from rejoinder.tables.assembly.messages import LISTS, PAIR, ChatTurn, held_in, is_pair, said
from rejoinder.tables.format import Asked, FileHead, Format, Shape
from rejoinder.tables.io.json_lines import convert
from rejoinder.tables.io.json_table import read_json_rows
from rejoinder.tables.notes import note
from rejoinder.tables.origin import Draft, TestSetDraft
from rejoinder.tables.schemas import CONTEXTS, RESPONSES


class _Named(msgspec.Struct, gc=False):
    id: str | int = ""
    system: str | None = None


@dataclass(frozen=True)
class _Conversation:
    id: str
    turns: list[ChatTurn]
    row: dict[str, Any]
    path: Path
    number: int

    @property
    def where(self) -> str:
        return f"{self.path}, row {self.number}"


def read_testset(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One item per row: a last message of the assistant's is the reference, the rest the context."""
    items, beside = Items(), _Beside()
    for each in _conversations(paths):
        _refuse_bad(each)
        texts = [turn.text for turn in each.turns]
        replies = [(texts.pop(), None, None)] if each.turns[-1].is_reply else []
        items.add(each.id, texts, replies, (str(each.path), each.number))
        beside.add(each)
    return items.draft(beside.columns(paths))


def read_turns(paths: Sequence[Path], asked: Asked) -> TestSetDraft:
    """One item ``<id>.<k>`` for the k-th message of the assistant's, if anything stands before it.

    The column ``conversation`` holds the id: turns of one conversation are not independent.
    """
    items, beside = Items(), _Beside()
    kept, without = 0, []
    for each in _conversations(paths):
        _refuse_bad(each)
        texts = [turn.text for turn in each.turns]
        replies = [place for place, turn in enumerate(each.turns) if turn.is_reply]
        for k, place in enumerate(replies, start=1):
            if place:
                reply = (texts[place], None, None)
                where = str(each.path), each.number
                items.add(f"{each.id}.{k}", texts[:place], [reply], where, each.id)
                beside.add(each)
        kept += any(replies)
        without += [] if any(replies) else [each.where]
    if without:
        if not kept:
            raise InputError(
                f"{without[0]}: no reply of the assistant's to anything{more(len(without))}; expected one "
                "in some row at least"
            )
        note("silent", without[0], rows=len(without))
    return items.draft(beside.columns(paths))


def read_responses(path: Path, asked: Asked) -> Draft:
    """The last message of every row; where no row names a system, the file's stem is the system."""
    replies, unnamed = Rows(RESPONSES), True
    for each in _conversations([path]):
        if not each.turns[-1].is_reply:
            raise InputError(
                f"{each.where}: ends with a message of the user's; expected the assistant's, which "
                "is the reply"
            )
        system = _named(each.row, "system", each.where).system
        unnamed = unnamed and system is None
        replies.add((str(path), each.number), system, each.id, each.turns[-1].text)
    draft = replies.draft()
    named = draft.frame.with_columns(pl.lit(stem_of(path)).alias("system"))
    return Draft(named, draft.origin) if unnamed else draft


def _is_chat(head: FileHead) -> bool:
    """Whether the first object holds messages, and no item or reply as ``jsonl`` has them.

    A text may speak of "messages", and a completion stands after its prompt.
    """
    row = head.row
    if not isinstance(row, dict) or "references" in row or ("id" in row and "text" in row):
        return False
    if is_pair(row):  # a prompt, its completion and a reference are one table of all
        return not any(name in row for name in ("reference", "target", "gold", "answer"))
    return any(isinstance(row.get(key), list) for key in LISTS)


FORMATS = (
    Format(
        "chat",
        "JSON Lines of chats: messages, conversations, or prompt and completion",
        [Shape(each, also=_is_chat) for each in ("json list", "json object")],
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
    for path in paths:
        instructions = 0
        for number, row in read_json_rows(path):
            where = f"{path}, row {number}"
            count += 1
            named = named if count > 1 else "id" in row
            if named != ("id" in row):
                differs = (
                    "no id, but rows above it have one" if named else "the first row with an id"
                )
                raise InputError(f"{where}: {differs}; give every row an id, or none")
            turns, left_out = said(row, where)
            instructions += left_out
            name = str(_named(row, "id", where).id) if named else str(count)
            yield _Conversation(name, turns, row, path, number)
        if instructions:
            note("instructions", path, messages=instructions)


def _named(row: dict[str, Any], column: str, where: str) -> _Named:
    return convert({column: row[column]} if column in row else {}, _Named, where)


def _refuse_bad(each: _Conversation) -> None:
    """TRL's unpaired preferences: a completion that was judged bad is no reference."""
    if each.row.get("label") is False and held_in(each.row, each.where) == PAIR:
        raise InputError(
            f"{each.where}: 'label' is false, which is a completion judged bad; expected good ones; "
            "leave such rows out, or write them as jsonl with a negative weight"
        )


class _Beside:
    """The additional columns: scalars are kept, lists and objects (``tools``) are not."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, dict[str, Any]]] = []

    def add(self, each: _Conversation) -> None:
        known = {*LISTS, *held_in(each.row, each.where), "id"}
        rest = {name: value for name, value in each.row.items() if name not in known}
        self._rows.append((each.where, rest))

    def columns(self, paths: Sequence[Path]) -> list[pl.Series]:
        rows = [row for _, row in self._rows]
        nested = {n for row in rows for n, value in row.items() if isinstance(value, list | dict)}
        names = {name for row in rows for name in row}
        if left_out := nested | (names & CONTEXTS.keys()):
            note("columns not read", ", ".join(map(str, paths)), columns=sorted(left_out))
        return [
            scalar_column(name, [row.get(name) for row in rows], lambda i: self._rows[i][0])
            for name in sorted(names - left_out)
        ]
