"""Queries of a database in the place of a file: ``sqlite:FILE?SELECT ...``, ``duckdb:FILE?SELECT ...``.

The rows of a query are written as JSON Lines into a folder that is removed when the program ends, and are
read from there as those of any file. A database is opened to be read alone.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.errors import InputError
from rejoinder.files.sources import QUERIES

if TYPE_CHECKING:
    import tempfile

SCHEMES = ("sqlite:", "duckdb:")
_HOW = "write sqlite:FILE?SELECT ..."


def file_of(query: str) -> Path:
    """The file of the rows of a query; it has the name of the database, and one query has one file.

    Raises:
        InputError: It is no query, more than one, not read only, or the database cannot be read; or a
            column has no name of its own, or holds bytes.
    """
    import hashlib

    scheme, _, rest = query.partition(":")
    database, mark, statement = rest.partition("?")
    if not mark or not statement.strip():
        raise InputError(f"{query}: no query; {_HOW.replace('sqlite', scheme)}")
    if not Path(database).is_file():
        raise InputError(f"{query}: no such file: {database}; check the path")
    read = _sqlite if scheme == "sqlite" else _duckdb
    lines = b"".join(_lines(query, read(query, database, statement)))
    if not lines:
        raise InputError(f"{query}: the query has no rows; expected at least one")
    folder = Path(_folder().name) / hashlib.sha256(query.encode() + lines).hexdigest()[:12]
    file = folder / f"{Path(database).stem}.jsonl"
    folder.mkdir(exist_ok=True)
    file.write_bytes(lines)
    QUERIES[os.fspath(file)] = query
    return file


def query_of(path: str | os.PathLike[str]) -> str | None:
    """The query whose rows a file has; None: it is a file of the user's."""
    return QUERIES.get(os.fspath(path))


def as_given(path: str | os.PathLike[str]) -> str:
    """A path as the user gave it: the query of a file of rows."""
    return query_of(path) or os.fspath(path)


def tables_of(database: str) -> list[str]:
    """The tables of a SQLite database; none where they cannot be read."""
    named = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name"
    try:
        _, *rows = _sqlite(database, database, named)
    except InputError:
        return []
    return [str(name) for (name,) in rows]


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed at the end, also where the program is told to end."""
    import signal
    import tempfile
    import threading

    folder = tempfile.TemporaryDirectory(prefix=f"rejoinder-{os.getpid()}-")

    def end(number: int, frame: object) -> None:
        folder.cleanup()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    usual = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if usual and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, end)
    return folder


def _lines(query: str, rows: Iterator[tuple[Any, ...]]) -> Iterator[bytes]:
    from decimal import Decimal

    import msgspec

    names = [str(name) for name in next(rows)]
    if len(set(names)) < len(names):
        raise InputError(f"{query}: two columns of one name; name one of them: SELECT ... AS NAME")
    for row in rows:
        if any(isinstance(each, bytes) for each in row):
            name = next(n for n, each in zip(names, row, strict=True) if isinstance(each, bytes))
            raise InputError(f"{query}: the column {name!r} holds bytes; select columns of text")
        cells = (float(each) if isinstance(each, Decimal) else each for each in row)
        yield msgspec.json.encode(dict(zip(names, cells, strict=True))) + b"\n"


def _sqlite(query: str, database: str, statement: str) -> Iterator[tuple[Any, ...]]:
    """The names of the columns, and the rows."""
    import sqlite3
    import urllib.parse

    reading = {
        *(sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ),
        *(sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE),
    }
    address = f"file:{urllib.parse.quote(os.path.abspath(database))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in reading else sqlite3.SQLITE_DENY
            )
            cursor = connection.execute(statement)
            yield tuple(each[0] for each in cursor.description or ())
            yield from cursor
    except (sqlite3.Error, sqlite3.Warning, UnicodeError) as error:
        raise InputError(
            f"{query}: the query fails: {error}; expected one statement that reads alone (SELECT ...)"
        ) from None


def _duckdb(query: str, database: str, statement: str) -> Iterator[tuple[Any, ...]]:
    """The same of DuckDB, where it is installed."""
    try:
        import duckdb  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise InputError(
            f"{query}: DuckDB is not installed; install it (pip install duckdb), or write the rows to a file "
            "first (duckdb FILE \"COPY (SELECT ...) TO 'rows.parquet'\")"
        ) from None
    try:
        statements = duckdb.extract_statements(statement)
        if [each.type for each in statements] != [duckdb.StatementType.SELECT]:
            raise InputError(f"{query}: expected one statement that reads alone (SELECT ...)")
        settings = {"enable_external_access": "false"}  # a query reads its own database alone
        with duckdb.connect(database, read_only=True, config=settings) as connection:
            cursor = connection.execute(statement)
            yield tuple(each[0] for each in cursor.description or ())
            yield from cursor.fetchall()
    except duckdb.Error as error:
        raise InputError(f"{query}: the query fails: {str(error).splitlines()[0]}") from None
