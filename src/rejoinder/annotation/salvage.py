"""What is whole of a damaged study."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from rejoinder.annotation.study import Study
from rejoinder.errors import InputError
from rejoinder.files.checked_tables import COUNTS, FAULTS, add_checksum, checksum
from rejoinder.files.database import make_database, notes_of_log
from rejoinder.messages import counted, listed
from rejoinder.studies.judgements import judgements
from rejoinder.studies.tables import STUDY

_SETTINGS = {"admin": "", "identity": "", "join": "", "made": "", "notes": "[]", "task": ""}
"""The settings of a study, with what stands for those that are lost and that no judgement needs."""
_RATER_FACTS = ("name", "standing")
"""What the settings hold of each rater besides, where it is known."""
_WORDS = {"study": "setting"}


@contextmanager
def salvaged(path: str | os.PathLike[str]) -> Iterator[tuple[Study, list[str]]]:
    """A temporary study of those rows of a damaged one that have their checksums.

    The damaged file stays as it is. An answer is a judgement where its question, its rater and the
    answers that took its place are whole too.

    Yields:
        The study, and notes on what is lost.

    Raises:
        InputError: The file cannot be read, or the settings of the study are lost.
    """
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such study; name one that annotate has made")
    with tempfile.TemporaryDirectory() as folder:
        copy, new = Path(folder, Path(path).name), Path(folder, "whole")
        for suffix in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{os.fspath(path)}{suffix}", f"{copy}{suffix}")
        _lengthen(copy)
        with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            notes, rows = _read(connection, copy)
        settings = dict(rows["study"])
        if "task" not in settings:
            raise InputError(
                f"{path}: nothing can be salvaged, because what the study asks is lost "
                f"({'; '.join(notes)}); restore a copy of it"
            )
        rows["study"] = list((_SETTINGS | settings).items())
        make_database(new, STUDY, lambda connection: _fill(connection, rows))
        with closing(Study(new, reading=True)) as study:
            there = sum(len(judgements(study.database, apart=apart)) for apart in (False, True))
            if not there:
                raise InputError(
                    f"{path}: no answer is whole ({'; '.join(notes)}); restore a copy of it"
                )
            left = len({row[0] for row in rows["answer"]}) - there
            if left:
                notes.append(
                    f"{counted(left, 'answer')} left out, because the question, the rater, the assignment "
                    "or a later answer to it is lost"
                )
            yield study, notes


def _lengthen(path: Path) -> None:
    """Gives a file that was cut off the length that its head names: SQLite reads no shorter one."""
    with path.open("rb+") as file:
        head = file.read(32)
        size = int.from_bytes(head[16:18]) * int.from_bytes(head[28:32])
        there = file.seek(0, os.SEEK_END)
        if there < size < 1000 * there:
            file.truncate(size)


def _read(db: sqlite3.Connection, path: Path) -> tuple[list[str], dict[str, list[tuple[Any, ...]]]]:
    """Notes on what is lost, and by table the rows that are whole."""
    notes: list[str] = []
    with suppress(*FAULTS):
        notes += notes_of_log(db, path, STUDY)
    add_checksum(db)
    fault = STUDY.fault_of(db)
    counts = dict(_whole(db, COUNTS, (COUNTS, *STUDY.names)))
    most = path.stat().st_size
    numbers = {name: range(1, 1 + _number(db, name, counts, most)) for name in STUDY.names[1:-1]}
    of_raters = [f"{fact}:{number}" for fact in _RATER_FACTS for number in numbers["rater"]]
    keys = {"study": [*_SETTINGS, *of_raters], **numbers, "answer": numbers["assignment"]}
    rows = {name: _whole(db, name, each) for name, each in keys.items()}
    lost = [
        f"{counts[name] - len(each)} of {counted(counts[name], _WORDS.get(name, name))}"
        if name in counts
        else f"an unknown number of {_WORDS.get(name, name)}s ({len(each)} are whole)"
        for name, each in rows.items()
        if len(each) != counts.get(name)
    ]
    state = f"the study is damaged ({fault})" if fault else "the study is whole"
    return [*notes, f"{state}; lost: {listed(lost) if lost else 'nothing'}"], rows


def _number(db: sqlite3.Connection, name: str, counts: dict[str, int], most: int) -> int:
    """How many rows a table had; the largest number that is left where that is unknown."""
    if name in counts:
        return counts[name]
    with suppress(*FAULTS):
        (last,) = db.execute(f"SELECT coalesce(max(id), 0) FROM {name}").fetchone()
        return min(last, most)
    return 0


def _whole(db: sqlite3.Connection, name: str, keys: Iterable[object]) -> list[tuple[Any, ...]]:
    """The rows with these keys that have their checksums; each is looked for by itself."""
    rows: list[tuple[Any, ...]] = []
    columns, by = STUDY.columns[name]
    query = f"SELECT {', '.join(columns)}, checksum FROM {name} WHERE {by[0]} = ?"
    for key in keys:
        with suppress(*FAULTS):
            found = db.execute(query, (key,)).fetchall()
            rows += [row[:-1] for row in found if row[-1] == checksum(name, *row[:-1])]
    return rows


def _fill(connection: sqlite3.Connection, rows: dict[str, list[tuple[Any, ...]]]) -> None:
    for name, each in rows.items():
        columns, _ = STUDY.columns[name]
        marks = ", ".join("?" * len(columns))
        connection.executemany(
            f"INSERT OR IGNORE INTO {name} ({', '.join(columns)}) VALUES ({marks})", each
        )
