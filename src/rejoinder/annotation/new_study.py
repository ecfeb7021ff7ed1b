"""The file of a new study: its settings, its questions, and what it was made of."""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Iterable, Mapping
from typing import Any

from rejoinder.annotation.questions import Question, Questions
from rejoinder.annotation.task import Example, Task, task_json
from rejoinder.files.checksums import json_digest
from rejoinder.files.database import make_database
from rejoinder.files.provenance_within import keep_record
from rejoinder.studies.tables import STUDY


def identity(task: Task, questions: Questions) -> str:
    """The checksum of what a study asks."""
    return json_digest(
        [dataclasses.asdict(task), [list(map(vars, block)) for block in questions.blocks]]
    )


def make_study(
    path: str | os.PathLike[str],
    task: Task,
    questions: Questions,
    record: Mapping[str, Any] | None = None,
) -> None:
    """Makes the file of a new study.

    Args:
        path: The file, which must not exist.
        task: The settings.
        questions: The questions to be rated.
        record: What the study is made of, in the form of ``files.provenance``; None: not recorded.

    Raises:
        InputError: Something stands there, or it cannot be written.
    """

    def fill(connection: sqlite3.Connection) -> None:
        _fill(connection, task, questions)
        if record is not None:
            keep_record(connection, record)

    make_database(path, STUDY, fill)


def _fill(connection: sqlite3.Connection, task: Task, questions: Questions) -> None:
    values = {
        "task": task_json(task),
        "admin": secrets.token_urlsafe(24),
        "join": secrets.token_urlsafe(24),
        "made": str(time.time()),
        "identity": identity(task, questions),
        "notes": json.dumps(questions.notes),
    }
    connection.executemany("INSERT INTO study (key, value) VALUES (?, ?)", values.items())
    for kind, examples in (("training", task.training), ("attention", task.attention)):
        for place, example in enumerate(examples, start=1):
            _insert(connection, kind, [_example_question(f"{kind} {place}", example)], example)
    for block in questions.blocks:
        _insert(connection, "rated", block)


def _example_question(name: str, example: Example) -> Question:
    systems = tuple(str(place) for place in range(1, len(example.replies) + 1))
    return Question(name, example.context, systems, example.replies, 1.0)


def _insert(
    connection: sqlite3.Connection,
    kind: str,
    questions: Iterable[Question],
    example: Example | None = None,
) -> None:
    block = connection.execute("INSERT INTO block (kind) VALUES (?)", (kind,)).lastrowid
    for each in questions:
        content: dict[str, Any] = {"context": each.context, "replies": each.replies}
        if example is not None:
            content |= {"answers": example.answers, "explanation": example.explanation}
        connection.execute(
            "INSERT INTO question (block, item, content, systems, probability) VALUES (?, ?, ?, ?, ?)",
            (
                block,
                each.item,
                json.dumps(content, ensure_ascii=False),
                json.dumps(each.systems, ensure_ascii=False),
                each.probability,
            ),
        )
