"""What raters answered in a study: the last answer of each rater to each question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rejoinder.files.database import Database
from rejoinder.messages import counted

_LAST = """
SELECT rater.id, rater.name, kind, question.id, item, systems, content, probability, position,
       arrangement, answer.seconds, answer.choices, answer.comment
FROM assignment
JOIN answer ON answer.assignment = assignment.id
JOIN question ON question.id = assignment.question
JOIN block ON block.id = assignment.block
JOIN rater ON rater.id = assignment.rater
LEFT JOIN answer AS first ON first.assignment = assignment.id AND first.revision = 1
WHERE answer.revision = revisions AND :apart = EXISTS (
    SELECT 1 FROM study WHERE key = 'standing:' || rater.id AND value = 'out'
)
ORDER BY first.at, rater.id, position
"""

_WITHOUT = """
SELECT count(DISTINCT assignment) FROM answer WHERE assignment NOT IN (
    SELECT assignment.id
    FROM assignment
    JOIN answer ON answer.assignment = assignment.id AND revision = revisions
    JOIN question ON question.id = assignment.question
    JOIN block ON block.id = assignment.block
    JOIN rater ON rater.id = assignment.rater
)
"""


@dataclass(frozen=True)
class Judgement:
    """The last answer of a rater to a question.

    Attributes:
        rater: The rater's pseudonym.
        kind: ``rated``, ``training`` or ``attention``.
        item: The id of the item.
        systems: The systems of the question, in its own order.
        probability: The probability with which the question was drawn.
        position: The place in the rater's order.
        arrangement: Which reply was shown in which place.
        seconds: How long it took; None: unknown.
        choices: What was chosen.
        comment: What was written.
        answers: The known answers of a training or attention question; else empty.
    """

    rater: str
    kind: str
    item: str
    systems: tuple[str, ...]
    probability: float
    position: int
    arrangement: tuple[int, ...]
    seconds: float | None
    choices: Mapping[str, Any]
    comment: str
    answers: Mapping[str, Any]


def judgements(database: Database, checked: bool = False, apart: bool = False) -> list[Judgement]:
    """Every last answer, in the order in which the questions were first answered.

    Args:
        database: The study.
        checked: Whether a damaged study is refused.
        apart: Whether the answers of raters who were taken out are given, instead of all others.
    """
    with database.transaction() as db:
        if checked:
            database.check(db)
        rows = db.execute(_LAST, {"apart": apart}).fetchall()
    return [
        Judgement(
            row[1], row[2], row[4], tuple(json.loads(row[5])), row[7], row[8],
            tuple(json.loads(row[9])), row[10], json.loads(row[11]), row[12],
            json.loads(row[6]).get("answers", {}),
        )
        for row in rows
    ]  # fmt: skip


def notes_of(database: Database) -> tuple[str, ...]:
    """What was found when a study was opened, and how many answers `judgements` cannot assign."""
    with database.transaction() as db:
        (number,) = db.execute(_WITHOUT).fetchone()
    if not number:
        return database.notes
    missing = "the rater, the question or the assignment is missing in the study"
    return (*database.notes, f"{counted(number, 'answer')} left out: {missing}")


def settings_of(database: Database) -> dict[str, Any]:
    """What a study asks for: ``kind`` (``pointwise``, ``head-to-head``, ``best-worst``), ``criteria``."""
    with database.transaction() as db:
        (task,) = db.execute("SELECT value FROM study WHERE key = 'task'").fetchone()
    return json.loads(task)
