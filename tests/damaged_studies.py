"""Studies with answers, and their files as damaged disks, lost logs and editing by hand leave them."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import studies
from flipped_bits import drawn, flipped
from rejoinder.annotation.choices import LONGEST_COMMENT
from rejoinder.annotation.task import Example, Task

KINDS = ("flipped", "zeroed", "other")
TASK = Task(
    comments=True,
    attention=(Example(("Choose 1.",), ("Read.",), {"overall": 1}),),
    training=(Example(("Hi",), ("Ho",), {"overall": 5}, "A greeting."),),
)
PAGE = 4096


def answered(folder: Path) -> tuple[Path, list[tuple[bytes, bytes]]]:
    """A closed study that three raters answered, some questions twice.

    Returns:
        The file, and as it lay on the disk at ten moments before: its bytes and those of its log.
    """
    study, draw = studies.study(folder, TASK, items=20, systems=2), random.Random(3)
    path = study.database.path
    moments = []
    for rater in [study.add_rater() for _ in range(3)]:
        study.consent(rater)
        for number in itertools.count():
            shown = study.current(rater)
            if shown is None:
                break
            form = studies.form(TASK, shown, draw)
            if draw.random() < 0.3:
                form["comment"] = "So " * draw.choice([1, 30, LONGEST_COMMENT // 3])
            study.answer(rater, shown.assignment, form)
            if draw.random() < 0.2:
                study.undo(rater)
            if number % 12 == 11:
                log = path.with_name(f"{path.name}-wal")
                moments.append((path.read_bytes(), log.read_bytes()))
    study.close()
    return path, moments


def damaged(
    path: Path, moments: list[tuple[bytes, bytes]], kind: str, count: int, folder: Path
) -> Iterator[tuple[str, Path]]:
    """Damaged copies of a study: what was done, and the file."""
    raw = path.read_bytes()
    makers = {"flipped": _flipped, "zeroed": _zeroed}
    for number in range(count):
        copy = folder / f"{kind}-{number}.sqlite"
        if kind == "other":
            what = _otherwise(path, copy, moments, number)
        else:
            what, content = makers[kind](raw, number)
            copy.write_bytes(content)
        yield f"{kind} {number}: {what}", copy


def _flipped(raw: bytes, number: int) -> tuple[str, bytes]:
    place, bit = drawn(raw)[number]
    return f"bit {bit} of byte {place}", flipped(raw, place, bit)


def _zeroed(raw: bytes, number: int) -> tuple[str, bytes]:
    size = (512, PAGE)[number % 2]
    begin = size * random.Random(number).randrange(len(raw) // size)
    return f"bytes {begin} to {begin + size}", raw[:begin] + bytes(size) + raw[begin + size :]


def _otherwise(path: Path, copy: Path, moments: list[tuple[bytes, bytes]], number: int) -> str:
    raw, draw = path.read_bytes(), random.Random(number)
    kind = ("cut off", "doubled", "removed", "edited", "swapped", "lost log")[number % 6]
    if kind == "cut off":
        copy.write_bytes(raw[: draw.randrange(1, len(raw))])
    elif kind == "doubled":
        one, other = draw.sample(range(len(raw) // PAGE), 2)
        page = raw[one * PAGE : (one + 1) * PAGE]
        copy.write_bytes(raw[: other * PAGE] + page + raw[(other + 1) * PAGE :])
    elif kind == "lost log":
        content, log = moments[number // 6 % len(moments)]
        assert len(log) > 0
        copy.write_bytes(content)
    else:
        shutil.copy(path, copy)
        with closing(sqlite3.connect(copy)) as connection:
            return f"{kind}, {_by_hand(connection, kind, draw)}"
    return kind


EDITS = (
    ("answer", "choices", "'{\"overall\": 5}'"),
    ("answer", "choices", "'{'"),
    ("answer", "choices", "'{\"overall\": 77}'"),
    ("answer", "seconds", "-1e8"),
    ("answer", "comment", "'Changed.'"),
    ("question", "item", "'c0'"),
    ("question", "systems", "'[\"bot\"]'"),
    ("question", "probability", "0.01"),
    ("assignment", "block", "1"),
    ("assignment", "position", "position + 1000"),
    ("assignment", "arrangement", "'[]'"),
    ("rater", "name", "'r009'"),
    ("block", "kind", "'rated'"),
    ("study", "value", "'[]'"),
)
"""Table, column and value of what somebody sets by hand."""


def _by_hand(connection: sqlite3.Connection, kind: str, draw: random.Random) -> str:
    """Changes a row by SQL, with no trigger that would notice; they are there again afterwards."""
    triggers = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
    ).fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    if kind == "edited":
        table, column, value = draw.choice(EDITS)
        what = f"UPDATE {table} SET {column} = {value}"
    else:
        table = draw.choice(["answer", "answer", "question", "assignment", "rater", "study"])
        what = f"DELETE FROM {table}"
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    keys = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
    rows = connection.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall()
    where = " AND ".join(f"{key} = ?" for key in keys)
    one, other = draw.sample(rows, 2)
    if kind != "swapped":
        connection.execute(f"{what} WHERE {where}", one)
    else:
        rest = [name for name in columns if name not in keys]
        contents = [
            connection.execute(
                f"SELECT {', '.join(rest)} FROM {table} WHERE {where}", each
            ).fetchone()
            for each in (one, other)
        ]
        what = f"{table} {one} {other}"
        with suppress(sqlite3.IntegrityError):  # where both must differ, one alone is removed
            for each in (one, other):
                connection.execute(f"DELETE FROM {table} WHERE {where}", each)
            every = f"{', '.join([*keys, *rest])}"
            marks = ", ".join("?" * len(columns))
            for each, content in zip((other, one), contents, strict=True):
                connection.execute(
                    f"INSERT INTO {table} ({every}) VALUES ({marks})", each + content
                )
    for _, sql in triggers:
        connection.execute(sql)
    connection.commit()
    return re.sub(r"\s+", " ", what)
