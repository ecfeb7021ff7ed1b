"""The rows of assignments and answers: which may be answered, and which answer is the last."""

from __future__ import annotations

import json
import sqlite3

from rejoinder.annotation.choices import Choices
from rejoinder.errors import InputError

LONGEST_SECONDS = 1e7  # four months


def assigned(
    db: sqlite3.Connection, rater: int, number: int
) -> tuple[str, list[int], float | None, str]:
    """State, arrangement, time of being shown and kind of an assignment that a rater may answer."""
    row = None
    if 0 < number < 1 << 63:  # SQLite's integers
        row = db.execute(
            "SELECT state, arrangement, shown, kind FROM assignment "
            "JOIN block ON block.id = assignment.block "
            "WHERE assignment.id = ? AND rater = ?",
            (number, rater),
        ).fetchone()
    if row is None:
        raise InputError("This question is not one of yours.")
    state, arrangement, shown, kind = row
    if state == "released":
        raise InputError(
            "This question was given to somebody else because it stayed open for too long. "
            "Nothing is missing: go on with the next one."
        )
    return state, json.loads(arrangement), shown, kind


def is_new(
    db: sqlite3.Connection, number: int, kind: str, at: float | None, given: tuple[Choices, str]
) -> bool:
    """Whether an answer of a page is to be stored; see `Study.answers_of_page`."""
    rows = db.execute(
        "SELECT at, choices, comment FROM answer WHERE assignment = ?", (number,)
    ).fetchall()
    if not rows:
        return True
    if kind == "training":  # its answer was explained, and stays
        return False
    if at is not None:
        return at > max(row[0] for row in rows)
    return given not in [(json.loads(row[1]), row[2]) for row in rows]


def last_answer(db: sqlite3.Connection, number: int) -> tuple[Choices, str] | None:
    """The last answer to an assignment: what was chosen, and the comment; None: there is none."""
    row = db.execute(
        "SELECT choices, comment FROM answer WHERE assignment = ? ORDER BY revision DESC LIMIT 1",
        (number,),
    ).fetchone()
    return None if row is None else (json.loads(row[0]), row[1])


def undoable(db: sqlite3.Connection, rater: int) -> int | None:
    """The last question answered before the one that is open now; training cannot be changed."""
    row = db.execute(
        "SELECT assignment.id FROM assignment JOIN block ON block.id = assignment.block "
        "WHERE rater = :rater AND state = 'answered' AND kind <> 'training' AND position < coalesce("
        "(SELECT min(position) FROM assignment WHERE rater = :rater AND state IN ('open', 'reopened')),"
        " 1 << 60) ORDER BY position DESC LIMIT 1",
        {"rater": rater},
    ).fetchone()
    return None if row is None else row[0]


def store_answer(
    db: sqlite3.Connection,
    number: int,
    now: float,
    seconds: float | None,
    choices: Choices,
    comment: str,
) -> None:
    """Adds an answer to an assignment, which is answered then.

    A time that no answer takes (a clock was set meanwhile) is unknown.
    """
    if seconds is not None and not 0 <= seconds < LONGEST_SECONDS:
        seconds = None
    db.execute(
        "INSERT INTO answer (assignment, revision, at, seconds, choices, comment) "
        "SELECT ?, coalesce(max(revision), 0) + 1, ?, ?, ?, ? FROM answer WHERE assignment = ?",
        (number, now, seconds, json.dumps(choices), comment, number),
    )
    db.execute(
        "UPDATE assignment SET state = 'answered', revisions = revisions + 1 WHERE id = ?",
        (number,),
    )
