"""Files that hold the SHA-256 of their own content, so that a damaged one is known before it is used.

A JSON object has it under the key ``"sha256"``. Any other file has it as ``sha256:`` and 64 hexadecimal
digits (in the metadata of a Parquet file, which readers ignore), computed with zeros in their place.
It finds damage and careless editing, and is no signature: whoever alters a file on purpose can write a
new one.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rejoinder.files.sources import data_of
from rejoinder.files.strict_json import strict_json

KEY = "sha256"
MARK = b"sha256:"
DIGITS = 64
PLACEHOLDER = (MARK + b"0" * DIGITS).decode()
"""What is written in the place of the checksum, for `write_checksum` to replace."""


def write_checksum(path: str | os.PathLike[str]) -> None:
    """Writes the checksum of a file into it, in the place of the last ``PLACEHOLDER``.

    Raises:
        ValueError: There is none.
    """
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        place = data.rfind(PLACEHOLDER.encode())
        if place < 0:
            raise ValueError(f"{path}: no place for a checksum")
        digest = hashlib.sha256(data).hexdigest()
        begin = place + len(MARK)
        data[begin : begin + DIGITS] = digest.encode()


def is_undamaged(path: str | os.PathLike[str]) -> bool | None:
    """Whether a file is as it was when its checksum was written; None where it has no checksum.

    A file whose mark itself is damaged counts as one without a checksum.
    """
    content = data_of(Path(path))
    data, place = memoryview(content), content.rfind(MARK)
    begin, end = place + len(MARK), place + len(MARK) + DIGITS
    if place < 0 or end > len(data):
        return None
    digest = hashlib.sha256(data[:begin])
    digest.update(b"0" * DIGITS)
    digest.update(data[end:])
    return digest.hexdigest().encode() == data[begin:end]


def with_checksum(value: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object with its checksum as the last key.

    >>> list(with_checksum({"loss": 2.5}))
    ['loss', 'sha256']
    """
    return {**value, KEY: object_checksum(value)}


def object_checksum(value: Mapping[str, Any]) -> str:
    """The checksum of a JSON object without the key ``"sha256"``; the order of keys does not matter."""
    return json_digest({key: each for key, each in value.items() if key != KEY})


def json_digest(value: Any) -> str:
    """The SHA-256 of a value as JSON, 64 hexadecimal digits; the order of keys does not matter."""
    plain = json.loads(json.dumps(value))  # with the keys that a file has: text
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def without_checksum(text: str | bytes) -> dict[str, Any]:
    """The object of a JSON text without its checksum.

    Raises:
        ValueError: It is no JSON object, has no checksum, or its checksum is another.

    >>> without_checksum(json.dumps(with_checksum({"loss": 2.5})))
    {'loss': 2.5}
    """
    value = strict_json(text)
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    if KEY not in value:
        raise ValueError("it has no checksum")
    if value.pop(KEY) != object_checksum(value):
        raise ValueError("the content does not match its checksum")
    return value
