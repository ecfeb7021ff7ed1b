"""A file that holds the hash of its own bytes, so that a damaged one is known before it is parsed.

The hash stands in the file as ``sha256:`` and 64 hexadecimal digits (in the metadata of a Parquet
file, which its readers pass over); it is that of the file with zeros in their place. It tells what
was damaged or altered. It is no signature: who alters a file on purpose can seal it anew.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from pathlib import Path

MARK = b"sha256:"
DIGITS = 64
UNSEALED = (MARK + b"0" * DIGITS).decode()
"""What is written in the place of the hash, for ``seal`` to fill in."""


def seal(path: str | os.PathLike[str]) -> None:
    """Writes the hash of a file into it, where ``UNSEALED`` stands last.

    Raises:
        ValueError: It stands nowhere.
    """
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        place = data.rfind(UNSEALED.encode())
        if place < 0:
            raise ValueError(f"{path}: nothing to be sealed")
        digest = hashlib.sha256(data).hexdigest()
        begin = place + len(MARK)
        data[begin : begin + DIGITS] = digest.encode()


def sealed(path: str | os.PathLike[str]) -> bool | None:
    """Whether a file is as it was when it was sealed; None where it was never sealed.

    A file whose mark itself is damaged counts as one that was never sealed.
    """
    if not Path(path).stat().st_size:
        return None
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        place = data.rfind(MARK)
        begin, end = place + len(MARK), place + len(MARK) + DIGITS
        if place < 0 or end > len(data):
            return None
        digest = hashlib.sha256(data[:begin])
        digest.update(b"0" * DIGITS)
        digest.update(data[end:])
        return digest.hexdigest().encode() == data[begin:end]
