"""The tables of a study: each row has a checksum, and the rows of each table are counted.

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

NAMES = ("row_count", "study", "block", "question", "rater", "assignment", "answer")
"""The tables; each is named after those to which its rows refer."""

CHECKSUM = "checksum"

_TABLES = """
CREATE TABLE row_count (
    name TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    checksum TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE study (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    checksum TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE block (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('rated', 'training', 'attention')),
    given INTEGER NOT NULL DEFAULT 0,
    checksum TEXT NOT NULL DEFAULT ''
);
CREATE INDEX block_by_number ON block (kind, given, id);
CREATE TABLE question (
    id INTEGER PRIMARY KEY,
    block INTEGER NOT NULL REFERENCES block,
    item TEXT NOT NULL,
    content TEXT NOT NULL,
    systems TEXT NOT NULL,
    probability REAL,
    checksum TEXT NOT NULL DEFAULT ''
);
CREATE INDEX question_by_block ON question (block, id);
CREATE TABLE rater (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    digest BLOB NOT NULL UNIQUE,
    token TEXT NOT NULL,
    code TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('link', 'joined', 'page')),
    platform_id TEXT UNIQUE,
    begun REAL,
    consented REAL,
    checksum TEXT NOT NULL DEFAULT ''
);
CREATE TABLE assignment (
    id INTEGER PRIMARY KEY,
    rater INTEGER NOT NULL REFERENCES rater,
    block INTEGER NOT NULL REFERENCES block,
    question INTEGER NOT NULL REFERENCES question,
    position INTEGER NOT NULL,
    arrangement TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'reopened', 'released')),
    expires REAL,
    shown REAL,
    revisions INTEGER NOT NULL DEFAULT 0,
    checksum TEXT NOT NULL DEFAULT '',
    UNIQUE (rater, position),
    UNIQUE (rater, question)
);
CREATE INDEX assignment_by_block ON assignment (rater, block);
CREATE INDEX assignment_by_state ON assignment (state, expires);
CREATE TABLE answer (
    assignment INTEGER NOT NULL REFERENCES assignment,
    revision INTEGER NOT NULL,
    at REAL NOT NULL,
    seconds REAL,
    choices TEXT NOT NULL,
    comment TEXT NOT NULL,
    checksum TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (assignment, revision)
) WITHOUT ROWID;
"""


def checksum(*values: object) -> str:
    """The first 16 digits of the SHA-256 of a table's name and the values of a row, as JSON."""
    plain = [each.hex() if isinstance(each, bytes) else each for each in values]
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:16]


def add_checksum(connection: sqlite3.Connection) -> None:
    """Adds the function of the triggers to a connection."""
    connection.create_function(f"rejoinder_{CHECKSUM}", -1, checksum, deterministic=True)
    connection.execute(
        "PRAGMA trusted_schema = ON"
    )  # else some systems refuse functions in triggers


def make_tables(connection: sqlite3.Connection) -> None:
    """Makes the tables of a new study, and their triggers."""
    connection.executescript(_TABLES)
    for name, (columns, keys) in columns_of().items():
        here = " AND ".join(f"{key} = new.{key}" for key in keys)
        write = f"UPDATE {name} SET {CHECKSUM} = {_computed(name, columns)} WHERE {here};"
        count = f"UPDATE row_count SET number = number + 1 WHERE name = '{name}';"
        for when, what in (
            ("inserted AFTER INSERT", f"{write} {count}"),
            (f"updated AFTER UPDATE OF {', '.join(columns)}", write),
        ):
            connection.execute(f"CREATE TRIGGER {name}_{when} ON {name} BEGIN {what} END")
    connection.executemany(
        "INSERT INTO row_count (name, number) VALUES (?, 0)", [(name,) for name in NAMES[1:]]
    )


@functools.cache
def columns_of() -> dict[str, tuple[list[str], list[str]]]:
    """By table the columns that its checksum covers, and those of its key."""
    columns = {}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        for name in NAMES:
            rows = connection.execute(f"PRAGMA table_info({name})").fetchall()
            covered = [row[1] for row in rows if row[1] != CHECKSUM]
            columns[name] = covered, [row[1] for row in rows if row[5]]
    return columns


def _computed(name: str, columns: list[str]) -> str:
    return f"rejoinder_{CHECKSUM}('{name}', {', '.join(columns)})"


def fault_of(connection: sqlite3.Connection) -> str:
    """What is damaged in a study; empty where it is whole."""
    try:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            return found.replace("\n", " ")
        if not _schema() <= set(connection.execute(_SCHEMA).fetchall()):
            return "its tables have other columns or rules than expected"
        counts = dict(connection.execute("SELECT name, number FROM row_count").fetchall())
        for name, (columns, _) in columns_of().items():
            computed = _computed(name, columns)
            rows, other = connection.execute(
                f"SELECT count(*), coalesce(sum({CHECKSUM} IS NOT {computed}), 0) FROM {name}"
            ).fetchone()
            if other:
                return f"{other} of {rows} rows of the table '{name}' do not have their checksum"
            expected = counts.get(name, len(NAMES) - 1)
            if rows != expected:
                return f"the table '{name}' has {rows} rows; expected {expected}"
    except sqlite3.Error as error:
        return str(error)
    return ""


_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema"


@functools.cache
def _schema() -> frozenset[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        add_checksum(connection)
        make_tables(connection)
        return frozenset(connection.execute(_SCHEMA).fetchall())
