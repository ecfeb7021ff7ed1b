"""Files packed by gzip, unpacked in memory up to a bound."""

from __future__ import annotations

from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.sources import data_of

GZIP = b"\x1f\x8b"
"""The first bytes of a file that gzip packed."""

FREE = 8 << 20
"""Bytes that a file may always unpack to; a table of these takes some hundred MB of memory."""

MOST = 100
"""Beyond these, how many times its own size a file may unpack to; text packs 3 to 20 times, tables of
ratings up to 60 times."""

_PART = 1 << 20


def unpacked(path: Path, size: int = -1) -> bytes:
    """The content of a file that gzip packed.

    Args:
        path: The file.
        size: The number of bytes wanted; -1: all.

    Raises:
        InputError: It is cut off or altered, or unpacks to far more than text does.
    """
    import gzip  # for packed files alone
    import io
    import zlib

    parts, length = [], 0
    try:
        packed = data_of(path)
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            bound = max(FREE, MOST * len(packed))
            while size < 0 or length < size:
                part = file.read(_PART if size < 0 else min(_PART, size - length))
                if not part:
                    break
                parts.append(part)
                length += len(part)
                if length > bound:
                    raise InputError(
                        f"{path}: unpacks to more than {bound >> 20} MiB, over {MOST} times its size; "
                        "no table of text does; if it is sound, unpack it first (gunzip)"
                    )
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            f"{path}: a gzip file that is damaged: {error}; copy or download it again"
        ) from None
    return b"".join(parts)
