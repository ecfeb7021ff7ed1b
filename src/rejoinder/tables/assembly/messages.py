"""Who said what in a row of a chat file: OpenAI's and TRL's messages, ShareGPT's turns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rejoinder.errors import InputError, one_of
from rejoinder.messages import listed, meant, quoted
from rejoinder.tables.io.json_lines import convert

LISTS = ("messages", "conversations", "conversation")
"""The columns that may hold a conversation, the first one that is not null counting."""

PAIR = ("prompt", "completion")
"""The columns that hold a conversation together."""

_SPEAKERS = {"user": False, "human": False, "assistant": True, "gpt": True}  # who replies
_INSTRUCTIONS = ("system", "developer")


@dataclass(frozen=True)
class ChatTurn:
    """A message of the user's or the assistant's.

    Attributes:
        text: What was said.
        is_reply: Whether the assistant said it.
    """

    text: str
    is_reply: bool


class _Part(msgspec.Struct, gc=False):
    type: str
    text: str | None = None


class _Message(msgspec.Struct, gc=False):
    role: str | None = None
    from_: str | None = msgspec.field(name="from", default=None)
    content: str | list[_Part] | None = None
    value: str | list[_Part] | None = None
    tool_calls: Any = None
    function_call: Any = None


class _Row(msgspec.Struct):
    messages: list[_Message] = []
    conversations: list[_Message] = []
    conversation: list[_Message] = []
    prompt: str | list[_Message] = []
    completion: str | list[_Message] = []


def said(row: dict[str, Any], where: str) -> tuple[list[ChatTurn], int]:
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


def held_in(row: dict[str, Any], where: str) -> Sequence[str]:
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
    if role in _INSTRUCTIONS:
        return None
    if role not in _SPEAKERS:
        raise InputError(f"{where}: {_unknown(role)}")
    if message.tool_calls or message.function_call:
        raise InputError(
            f"{where}: calls a tool; expected text alone; leave such conversations out"
        )
    content = message.value if message.content is None else message.content
    return ChatTurn(_text(content, where), _SPEAKERS[role])


def _unknown(role: str | None) -> str:
    roles = (*_SPEAKERS, *_INSTRUCTIONS)
    if role is None:
        return f"no 'role' (or 'from'); expected {one_of(roles)}"
    hint = meant(role, roles)
    remedy = f"did you mean '{hint}'?" if hint else "leave such conversations out"
    return f"role {quoted(role)}; expected {one_of(roles)}; {remedy}"


def _text(content: str | list[_Part] | None, where: str) -> str:
    """A text; several parts follow each other with nothing between, as chat templates write them."""
    if isinstance(content, str):
        return content
    if not content:
        raise InputError(
            f'{where}: no text; expected one, which is "" where the message is empty; leave out '
            "conversations that hold anything else"
        )
    for i, part in enumerate(content):
        if part.type != "text" or part.text is None:
            empty = " without a text" if part.type == "text" else ""
            raise InputError(
                f"{where}.content[{i}]: a part of the type {quoted(part.type)}{empty}; expected "
                "text alone; leave such conversations out"
            )
    return "".join(part.text or "" for part in content)
