"""Which files are studies of ``rejoinder annotate``, and how many questions they hold."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from rejoinder.files.sources import head_of

APPLICATION = 0x524A4E44
"""What a study's file says it belongs to (SQLite's ``application_id``)."""

_MAGIC = b"SQLite format 3\x00"
_PLACE = 68
"""Where the header of an SQLite file has its application id, 4 bytes, the highest first."""


def holds_study(path: Path) -> bool:
    """Whether a file is the study of ``annotate serve`` or ``annotate page``."""
    if not path.is_file():  # a pipe can be read once
        return False
    try:
        header = head_of(path, _PLACE + 4)
    except OSError:
        return False
    return header.startswith(_MAGIC) and header[_PLACE:] == APPLICATION.to_bytes(4, "big")


def counts_of(path: Path) -> dict[str, int]:
    """How many questions a study has; empty where the file is damaged.

    The file is read as it stands, without its log: what is answered meanwhile is not counted, and
    nothing is written beside it.
    """
    try:
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            (number,) = connection.execute("SELECT count(*) FROM question").fetchone()
    except (sqlite3.Error, OSError):
        return {}
    return {"questions": int(number)}
