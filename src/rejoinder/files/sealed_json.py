"""JSON objects that hold the hash of their own content, so that a damaged one is never believed.

The hash stands under the key ``"sha256"``. It finds damage and careless editing, and is no signature.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from rejoinder.files.strict_json import strict_json

KEY = "sha256"


def sealed(value: Mapping[str, Any]) -> dict[str, Any]:
    """The object with its hash as the last key.

    >>> list(sealed({"loss": 2.5}))
    ['loss', 'sha256']
    """
    return {**value, KEY: digest(value)}


def digest(value: Mapping[str, Any]) -> str:
    """The hash of all of an object but the hash itself; the order of its keys does not matter."""
    rest = {key: each for key, each in value.items() if key != KEY}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def unsealed(text: str | bytes) -> tuple[dict[str, Any], bool]:
    """The object of a JSON text without its hash, and whether it had one.

    Raises:
        ValueError: It is no JSON object, or not the one that the hash was made of.

    >>> unsealed('{"loss": 2.5}')
    ({'loss': 2.5}, False)
    """
    value = strict_json(text)
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    if KEY in value and value[KEY] != digest(value):
        raise ValueError("the content is not what its hash was made of")
    return {key: each for key, each in value.items() if key != KEY}, KEY in value
