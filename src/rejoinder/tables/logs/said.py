"""What was said, in the objects in which tools keep prompts and replies."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.messages import Argument, Placeholder, listed
from rejoinder.tables.logs.role_messages import (
    INSTRUCTIONS,
    PARTS,
    REPLIES,
    Message,
    content_of,
    joined,
    name_of_class,
    role_of,
    type_of,
)
from rejoinder.tables.schemas import ALIASES

_ALTERNATIVES = ("choices", "candidates", "generations")
"""Keys of lists each of which holds a reply."""
_ANYTHING = ("data", "content", "output")
"""Keys under which words stand where no known word does."""
_INSIDE = (
    "messages", "contents", "conversation", "conversations", "turns", "dialog", *_ALTERNATIVES,
    "message", "kwargs", *_ANYTHING,
)  # fmt: skip
"""Keys under which the words stand, the outermost first."""

_HISTORIES = ("chat_history", "history", "conversation_history")
"""Keys of an object under which the turns before its question stand."""
_PROMPTS = ("context", *ALIASES["context"], "inputs", "user_input", "query", "text", "request")
_ANSWERS = ("answer", "text", *ALIASES["text"], "generation", "result", "content")
_REFERENCES = ("text", "output", "expected", "expected_response", *ALIASES["reference"])
_COLUMNS = {"prompt": "context", "reply": "text", "reference": "reference"}
_WORDS = {"prompt": _PROMPTS, "reply": _ANSWERS, "reference": _REFERENCES}


def turns_of_prompt(value: Any, where: object) -> list[str]:
    """The turns of a prompt, oldest first, without instructions, and without what is no text."""
    return [each.text for each in spoken(value, where) if each.text]


def spoken(value: Any, where: object) -> list[Message]:
    """The same with roles, with empty turns and those that are no text."""
    return [each for each in _turns(value, where, "prompt") if each.role not in INSTRUCTIONS]


def replies_in(value: Any, where: object) -> list[str]:
    """The replies to one prompt: texts, or the last turn of the assistant in each conversation."""
    if isinstance(value, str) and (inner := _decoded(value, "reply")) is not None:
        return replies_in(inner, where)
    if several := _alternatives(value):
        return [text for each in several for text in replies_in(each, where)]
    turns = _turns(value, where, "reply")
    if any(each.role for each in turns):
        spoken = [each.text for each in turns if each.role in REPLIES and each.text is not None]
        return spoken[-1:]
    return [each.text for each in turns if each.text is not None]


def _alternatives(value: Any) -> list[Any]:
    """The choices among which a reply is, each by itself; none in a text, a message, a conversation."""
    if isinstance(value, list) and len(value) == 1:
        return _alternatives(value[0])
    if not isinstance(value, dict) or role_of(value):
        return []
    name = next((each for each in _INSIDE if isinstance(value.get(each), list | dict)), "")
    if name not in _ALTERNATIVES or not isinstance(value[name], list):
        return _alternatives(value[name]) if name else []
    return [each for one in value[name] for each in (one if isinstance(one, list) else [one])]


def references_in(value: Any, where: object) -> list[str]:
    """The texts of references."""
    return [each.text for each in _turns(value, where, "reference") if each.text]


def _turns(value: Any, where: object, what: str) -> list[Message]:
    if isinstance(value, str):
        inner = _decoded(value, what)
        return [Message("", value)] if inner is None else _turns(inner, where, what)
    if isinstance(value, list):
        if value and all(isinstance(each, dict) and type_of(each) in PARTS for each in value):
            return [Message("", joined(value, where))]
        return [turn for each in value for turn in _turns(each, where, what)]
    if isinstance(value, dict):
        return _in_object(value, where, what)
    return [] if value is None else [Message("", msgspec.json.encode(value).decode())]


def _in_object(value: dict[str, Any], where: object, what: str) -> list[Message]:
    role = role_of(value)
    if role:
        content = content_of(value)
        if isinstance(content, list) and all(isinstance(each, dict) for each in content):
            return [Message(role, joined(content, where))]
        texts = [each.text for each in _turns(content, where, "reply") if each.text is not None]
        if len(texts) > 1:
            raise InputError(
                f"{where}: a message with {len(texts)} texts; expected one; a message of several is a list "
                'of parts ({"type": "text", "text": ...})'
            )
        return [Message(role, texts[0] if texts else None)]
    if isinstance(parts := value.get("parts"), list):
        return [Message("", joined(parts, where))]
    known = [name for name in _WORDS[what] if isinstance(each := value.get(name), str) and each]
    for name in _INSIDE:
        if isinstance(value.get(name), list | dict) and not (known and name in _ANYTHING):
            inner = _turns(value[name], where, what)
            named = name_of_class(value)
            return [Message(named, each.text) for each in inner] if named else inner
    texts = {name: each for name, each in value.items() if _is_said(each)}
    known = [name for name in _WORDS[what] if name in texts]
    if len(texts) > 1 and len(known) == 1:
        asked = _turns(texts[known[0]], where, what)
        before = [name for name in _HISTORIES if what == "prompt" and name in texts]
        turns = [turn for name in before for turn in _turns(texts[name], where, what)]
        if turns and turns[-1].role not in REPLIES and [turns[-1].text] == [e.text for e in asked]:
            return turns  # the history ends with the question
        return [*turns, *asked]
    if what != "prompt" and not known and (empty := value.keys() & _WORDS[what]):
        return [Message("", "")] * any(value[name] == "" for name in empty)
    if len(texts) > 1:
        raise InputError(
            f"{where}: an object with {listed(value)}, several of which may be the {what}; expected one "
            f"of them; name it with {Argument('columns', {_COLUMNS[what]: Placeholder('COLUMN.KEY')})}"
        )
    return [turn for each in texts.values() for turn in _turns(each, where, what)]


def _is_said(value: Any) -> bool:
    """Whether a value of an object may be words: no number, nothing empty, no address of an object."""
    if isinstance(value, str):
        return bool(value) and not value.startswith("weave:///")
    return isinstance(value, list | dict) and bool(value)


def _decoded(text: str, what: str) -> Any:
    """The messages that a cell holds as JSON, or as Python prints them; None where it is a text."""
    value = decoded(text)
    if what == "reply":
        return value if _has_messages(value) else None
    inner = value[0] if isinstance(value, list) and len(value) else value
    known: Collection[str] = _WORDS[what] if what == "prompt" else ()
    if isinstance(inner, dict) and (
        role_of(inner) or any(isinstance(inner.get(name), list) for name in _INSIDE)
        or (len(inner) == 1 and inner.keys() <= set(known))
    ):  # fmt: skip
        return value
    return None


def decoded(value: Any) -> Any:
    """The list or object that a cell holds as JSON, or as Python prints it; any other value as it is.

    >>> decoded('[{"a": 1}]'), decoded("{'a': None}"), decoded("[see below"), decoded(2)
    ([{'a': 1}], {'a': None}, '[see below', 2)
    """
    if isinstance(value, str) and value[:1] in ("[", "{"):
        for decode in (msgspec.json.decode, ast.literal_eval):
            try:
                return decode(value)
            except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                continue
    return value


def _has_messages(value: Any) -> bool:
    """Whether a message with a role is in a value, where messages stand."""
    if isinstance(value, list):
        return any(_has_messages(each) for each in value)
    return isinstance(value, dict) and bool(
        role_of(value) or name_of_class(value) or any(_has_messages(value.get(n)) for n in _INSIDE)
    )


def at(row: Any, paths: str, absent: Sequence[Any] = (None, "", [], {})) -> Any:
    """The value at the first of several paths that leads to one; None where none does.

    A path is names and places parted by points. A table that has no objects has the whole path, or its
    beginning, as the name of a column. ``*/value`` are all columns that end so, by what stands before.
    A value at ``json:path`` is JSON in a text. ``absent`` are the values that count as none.

    Args:
        row: The object.
        paths: The paths, separated by blanks.
        absent: The values that count as none.

    >>> at({"a": {"b": [1, 2]}}, "x a.b.1"), at({"a.b": 3, "a.c": 4}, "a"), at({"q/v": 1}, "*/v")
    (2, {'b': 3, 'c': 4}, {'q': 1})
    """
    values = (_at_one(row, path) for path in paths.split())
    return next((each for each in values if each not in absent), None)


def _at_one(row: Any, path: str) -> Any:
    if path.startswith("*"):
        end = path[1:]
        ending = {
            name.removesuffix(end): value for name, value in row.items() if name.endswith(end)
        }
        return ending or None
    value = _at(row, path.removeprefix("json:"))
    if path.startswith("json:") and isinstance(value, str):
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return value  # it was cut short
    return value


def _at(value: Any, path: str) -> Any:
    if not path:
        return value
    if isinstance(value, list):
        first, _, rest = path.partition(".")
        return (
            _at(value[int(first)], rest) if first.isdecimal() and int(first) < len(value) else None
        )
    if not isinstance(value, dict):
        return None
    for name, rest in _splits(path):
        if value.get(name) is not None and (inner := _at(value[name], rest)) is not None:
            return inner
    below = {
        name.removeprefix(f"{path}."): each
        for name, each in value.items()
        if name.startswith(f"{path}.") and each not in (None, "")
    }
    return below or None


def _splits(path: str) -> Iterator[tuple[str, str]]:
    names = path.split(".")
    for count in range(len(names), 0, -1):
        yield ".".join(names[:count]), ".".join(names[count:])
