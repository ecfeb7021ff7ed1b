"""The record of a database, which goes on growing: within it, in a table of its own.

A record beside such a file would fit its content only until the next row.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rejoinder.errors import InputError
from rejoinder.files.checked_tables import FAULTS
from rejoinder.files.checksums import object_checksum, with_checksum
from rejoinder.files.provenance import FORMAT, VERSION, parsed_record
from rejoinder.files.sources import head_of

_TABLE = "rejoinder_provenance"
_SQLITE = b"SQLite format 3\x00"
_STEPS = 10**6
"""Of SQLite's machine, after which reading ends: in a stranger's file the table may be an endless view."""


def keep_record(connection: sqlite3.Connection, record: Mapping[str, Any]) -> None:
    """Writes the record of a new database into it, within the transaction that makes the database.

    Args:
        connection: The database.
        record: What is to be kept, in JSON's types; its ``content`` is None.
    """
    whole = json.dumps(with_checksum({FORMAT: VERSION, **record}), ensure_ascii=False)
    connection.execute(f"CREATE TABLE {_TABLE} (record BLOB NOT NULL)")
    connection.execute(f"INSERT INTO {_TABLE} VALUES (?)", (whole.encode("utf-8", "replace"),))


def record_within(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """The record within a database; None where the file is no database, or holds none.

    Raises:
        InputError: The record is damaged, or of a later version.
    """
    place = Path(path)
    if not place.is_file():  # to open a pipe would wait for its writer
        return None
    try:
        if head_of(place, len(_SQLITE)) != _SQLITE:
            return None
        address = f"file:{quote(os.fsencode(place.absolute()))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=5)) as connection:
            connection.set_progress_handler(lambda: 1, _STEPS)
            row = connection.execute(f"SELECT record FROM {_TABLE}").fetchone()
    except (OSError, *FAULTS):
        return None
    return None if row is None or not isinstance(row[0], bytes) else parsed_record(row[0], place)


def checksum_within(path: str | os.PathLike[str]) -> str | None:
    """The checksum of the record within a database; None where there is none that can be read."""
    try:
        record = record_within(path)
    except InputError:
        return None
    return None if record is None else object_checksum(record)
