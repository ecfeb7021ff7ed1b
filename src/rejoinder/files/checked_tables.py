"""Tables of a database in which each row has a checksum, and the rows of each table are counted.

Triggers write both within the transaction that writes the row. They find damage and careless editing,
and are no signature. A row that is edited by another program is refused, because the function of the
triggers is missing there; one that is removed is missing in the count.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass

FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged database raises: its bytes can be in what SQLite says, which Python decodes."""

CHECKSUM = "checksum"
COUNTS = "row_count"
"""The table with the number of rows of each other table."""

_COUNTS = """
CREATE TABLE row_count (
    name TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    checksum TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Layout:
    """The tables of a kind of database, and what messages say of it.

    Attributes:
        sql: Makes the tables and their indices; each table has a column `CHECKSUM`.
        names: The tables behind `COUNTS`; each is named after those to which its rows refer.
        application: What the file says it belongs to (SQLite's ``application_id``).
        version: The version of the tables (SQLite's ``user_version``).
        kind: What such a file is called: ``study``.
        entry: What it holds and must not lose: ``answer``.
        log: Whether it has a write-ahead log while it is open: for a file that many threads write.
        remedies: By what is wrong (``absent``, ``foreign``, ``version``, ``damaged``), what helps.
    """

    sql: str
    names: tuple[str, ...]
    application: int
    version: int
    kind: str
    entry: str
    log: bool
    remedies: dict[str, str]

    def make(self, connection: sqlite3.Connection) -> None:
        """Makes the tables of a new database, and their triggers, in a transaction that is not ended."""
        connection.executescript(f"BEGIN; {_COUNTS} {self.sql}")
        for name, (columns, keys) in self.columns.items():
            here = " AND ".join(f"{key} = new.{key}" for key in keys)
            write = f"UPDATE {name} SET {CHECKSUM} = {_computed(name, columns)} WHERE {here};"
            count = f"UPDATE {COUNTS} SET number = number + 1 WHERE name = '{name}';"
            for when, what in (
                ("inserted AFTER INSERT", f"{write} {count}"),
                (f"updated AFTER UPDATE OF {', '.join(columns)}", write),
            ):
                connection.execute(f"CREATE TRIGGER {name}_{when} ON {name} BEGIN {what} END")
        connection.executemany(
            f"INSERT INTO {COUNTS} (name, number) VALUES (?, 0)", [(name,) for name in self.names]
        )

    @functools.cached_property
    def columns(self) -> dict[str, tuple[list[str], list[str]]]:
        """By table the columns that its checksum covers, and those of its key."""
        columns = {}
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(_COUNTS + self.sql)
            for name in (COUNTS, *self.names):
                rows = connection.execute(f"PRAGMA table_info({name})").fetchall()
                covered = [row[1] for row in rows if row[1] != CHECKSUM]
                columns[name] = covered, [row[1] for row in rows if row[5]]
        return columns

    def fault_of(self, connection: sqlite3.Connection) -> str:
        """What is damaged in a database; empty where it is whole."""
        try:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                return found.replace("\n", " ")
            if not self._schema <= set(connection.execute(_SCHEMA).fetchall()):
                return "its tables have other columns or rules than expected"
            counts = dict(connection.execute("SELECT name, number FROM row_count").fetchall())
            for name, (columns, _) in self.columns.items():
                computed = _computed(name, columns)
                rows, other = connection.execute(
                    f"SELECT count(*), coalesce(sum({CHECKSUM} IS NOT {computed}), 0) FROM {name}"
                ).fetchone()
                if other:
                    return (
                        f"{other} of {rows} rows of the table '{name}' do not have their checksum"
                    )
                expected = counts.get(name, len(self.names))
                if rows != expected:
                    return f"the table '{name}' has {rows} rows; expected {expected}"
        except FAULTS as error:
            return str(error)
        return ""

    @functools.cached_property
    def _schema(self) -> frozenset[tuple[str, ...]]:
        with closing(sqlite3.connect(":memory:")) as connection:
            add_checksum(connection)
            self.make(connection)
            return frozenset(connection.execute(_SCHEMA).fetchall())


def _computed(name: str, columns: list[str]) -> str:
    return f"rejoinder_{CHECKSUM}('{name}', {', '.join(columns)})"


_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema"


def checksum(*values: object) -> str:
    """The first 16 digits of the SHA-256 of a table's name and the values of a row, as JSON."""
    plain = [each.hex() if isinstance(each, bytes) else each for each in values]
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:16]


def add_checksum(connection: sqlite3.Connection) -> None:
    """Adds the function of the triggers to a connection."""
    connection.create_function(f"rejoinder_{CHECKSUM}", -1, checksum, deterministic=True)
    # else some systems refuse functions in triggers
    connection.execute("PRAGMA trusted_schema = ON")
