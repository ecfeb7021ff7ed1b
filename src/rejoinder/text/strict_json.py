"""JSON that is read back: every fault of it is a ValueError, and no key stands twice."""

from __future__ import annotations

import json
from typing import Any


def strict_json(text: str | bytes) -> Any:
    r"""The value of a JSON text.

    Raises:
        ValueError: It is no JSON, is nested too deeply, or an object has a key twice. (Python alone
            takes the last of the two, and ends in a RecursionError.)

    >>> strict_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> strict_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: the key 'a' stands in one object twice
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keyed = dict(pairs)
    if len(keyed) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r:.60} stands in one object twice")
    return keyed
