"""The file of a ledger: an SQLite database with a row for each run and for each of its numbers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.files.checked_tables import Layout
from rejoinder.files.database import Database, make_database, refuse_network
from rejoinder.files.replacing import check_target
from rejoinder.ledger.numbers import Number
from rejoinder.ledger.registrations import now

_TABLES = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    verb TEXT NOT NULL,
    version TEXT NOT NULL,
    seed INTEGER,
    command TEXT NOT NULL,
    settings TEXT NOT NULL,
    signatures TEXT NOT NULL,
    lower TEXT NOT NULL,
    inputs TEXT NOT NULL,
    notes TEXT NOT NULL,
    checksum TEXT NOT NULL DEFAULT ''
);
CREATE TABLE number (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    of_table TEXT NOT NULL,
    name TEXT NOT NULL,
    system TEXT NOT NULL,
    metric TEXT NOT NULL,
    about TEXT NOT NULL,
    value REAL,
    low REAL,
    high REAL,
    checksum TEXT NOT NULL DEFAULT ''
);
CREATE INDEX number_by_metric ON number (metric, run);
CREATE TABLE baseline (
    name TEXT PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run,
    at TEXT NOT NULL,
    checksum TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
"""

LEDGER = Layout(
    _TABLES,
    ("run", "number", "baseline"),
    application=0x524A4C47,
    version=1,
    kind="ledger",
    entry="run",
    log=False,
    remedies={
        "absent": "name another file, or record a run first",
        "foreign": "name a ledger, or a new file",
        "version": "; it was written by a later version of Rejoinder: install that",
        "damaged": "restore a copy of it, or begin a new one with another file name",
    },
)
"""What a database of a ledger is."""
_TEXTS = ("command", "settings", "signatures", "lower", "inputs", "notes")
"""Columns of a run that are JSON."""


def check_ledger(path: str | os.PathLike[str]) -> None:
    """Raises an InputError where a run could not be appended: another file, a later version, no folder."""
    if Path(path).exists():
        Database(path, LEDGER, reading=True, checked=False).close()
        return
    check_target(path)
    refuse_network(Path(os.path.realpath(path)), LEDGER)


def append(path: str | os.PathLike[str], run: Mapping[str, Any], numbers: Iterable[Number]) -> int:
    """Appends a run and its numbers to a ledger, all of it or nothing, and returns the run's number.

    Several processes may append at the same time.

    Args:
        path: The ledger; it is made where there is none.
        run: The facts of the run by column, in JSON's types; the time is added.
        numbers: What it measured.

    Raises:
        InputError: The ledger cannot be written, or is another file.
    """
    if not Path(path).exists():
        try:
            make_database(path, LEDGER, lambda connection: None)
        except InputError:
            if not Path(path).is_file():  # else another process has made it meanwhile
                raise
    facts = {
        "at": now(),
        **{name: json.dumps(value) if name in _TEXTS else value for name, value in run.items()},
    }
    with closing(Database(path, LEDGER, checked=False)) as database, database.transaction() as db:
        marks = ", ".join("?" * len(facts))
        number = db.execute(
            f"INSERT INTO run ({', '.join(facts)}) VALUES ({marks})", tuple(facts.values())
        ).lastrowid
        db.executemany(
            "INSERT INTO number (run, of_table, name, system, metric, about, value, low, high) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(number, *each) for each in numbers],
        )
    return int(number or 0)


def contents(path: str | os.PathLike[str]) -> dict[str, list[dict[str, Any]]]:
    """The rows of a ledger by table (``run``, ``number``, ``baseline``), in the order of their numbers.

    Raises:
        InputError: There is no such ledger, a row is altered or missing, or a later version wrote it.
    """
    alone = not os.access(path, os.W_OK)  # else what a killed writer left is taken back first
    tables: dict[str, list[dict[str, Any]]] = {}
    with closing(Database(path, LEDGER, reading=alone)) as database, database.transaction() as db:
        for name in LEDGER.names:
            columns, (by, *_) = LEDGER.columns[name]
            rows = db.execute(f"SELECT {', '.join(columns)} FROM {name} ORDER BY {by}")
            tables[name] = [dict(zip(columns, row, strict=True)) for row in rows]
    for run in tables["run"]:
        run.update({name: json.loads(run[name]) for name in _TEXTS})
    return tables
