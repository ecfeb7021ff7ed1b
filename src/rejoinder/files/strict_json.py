"""JSON in which no object has a key twice; parsers alone take the last value without a word."""

from __future__ import annotations

import json
from typing import Any

import msgspec

_ESCAPES = "\\u003"  # with which the escape of a colon begins


class DuplicateKeyError(ValueError):
    """An object of JSON has a key twice.

    Attributes:
        key: The key.
    """

    def __init__(self, key: str) -> None:
        super().__init__(f"duplicate key {key!r:.60} in one object")
        self.key = key


def strict_json(text: str | bytes) -> Any:
    r"""The value of a JSON text.

    Raises:
        ValueError: It is no JSON, is nested too deeply, or an object has a key twice. (Python alone
            takes the last of the two, and ends in a RecursionError.)

    >>> strict_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> strict_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    rejoinder.files.strict_json.DuplicateKeyError: duplicate key 'a' in one object
    """
    try:
        return _strict(text)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def well_formed(value: Any) -> Any:
    r"""A value of JSON with U+FFFD in the place of every lone surrogate, which no UTF-8 file can hold.

    An escape stands for one ("\\ud83d"): half of an emoji that was cut off.

    Raises:
        ValueError: It is nested too deeply.

    >>> well_formed(["a\ud83d", 1]) == ["a\ufffd", 1]
    True
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return value


def check_keys(text: str, value: Any) -> None:
    r"""Checks that no object of a JSON text, decoded already, has a key twice.

    Exact, and several times faster than a strict parser: a parser that takes the last of two values
    loses a key and the colon behind it, and nothing adds a colon but its escape. So the value, written
    again, has as many colons as the text, or the text is parsed a second time.

    Args:
        text: The JSON text.
        value: What another parser made of it.

    Raises:
        DuplicateKeyError: An object has a key twice.
        RecursionError: It is nested too deeply.

    >>> check_keys('{"at": "10:30"}', {"at": "10:30"})
    >>> check_keys('{"at": "10:30", "at": "11"}', {"at": "11"})
    Traceback (most recent call last):
    rejoinder.files.strict_json.DuplicateKeyError: duplicate key 'at' in one object
    """
    if _ESCAPES in text or text.count(":") != msgspec.json.encode(value).count(b":"):
        _strict(text)


def _strict(text: str | bytes) -> Any:
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keyed = dict(pairs)
    if len(keyed) < len(pairs):
        keys = [key for key, _ in pairs]
        raise DuplicateKeyError(next(key for key in keys if keys.count(key) > 1))
    return keyed
