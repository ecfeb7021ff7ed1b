"""Which question a rater gets next: drawn at random, each by so many raters, none twice by one.

A rater first gets the training questions in their order; then blocks (a question, or the turns of a
dialogue), each drawn at random among those that the fewest raters have so far; among these, at random
places, the attention questions. The order of replies within a question is drawn too. What was drawn
stands in the database, and stays.
"""

from __future__ import annotations

import json
import math
import sqlite3
import statistics
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rejoinder.annotation.choices import Choices
from rejoinder.annotation.page_words import RaterError
from rejoinder.annotation.task import Task

FINISHED = "design:finished"
"""The row of the settings that holds the systems of which a design needs no more ratings."""

_OPEN = "('open', 'reopened')"
_FREE = "NOT EXISTS (SELECT 1 FROM assignment WHERE rater = :rater AND assignment.block = block.id)"


@dataclass(frozen=True)
class Counts:
    """How far a rater is.

    Attributes:
        answered: The questions answered, of all kinds.
        total: Those and the ones still to come, as far as is known now.
    """

    answered: int
    total: int


def current(
    db: sqlite3.Connection, task: Task, rater: int, now: float, expires: bool = True
) -> int | None:
    """The assignment that a rater is to answer now: the open one, or a new one; None: all is done.

    Args:
        db: A connection within a transaction.
        task: The settings of the study.
        rater: The rater's number.
        now: The time, in seconds.
        expires: Whether a new question may go to somebody else if it is not answered in time.
    """
    row = db.execute(
        f"SELECT id FROM assignment WHERE rater = ? AND state IN {_OPEN} ORDER BY position LIMIT 1",
        (rater,),
    ).fetchone()
    if row is not None:
        return row[0]
    block = _next_block(db, task, rater, now)
    if block is None:
        return None
    return _assign(db, task, rater, block, now + 60 * task.reserved_minutes if expires else None)


def plan(db: sqlite3.Connection, task: Task, rater: int, now: float) -> list[int]:
    """Gives a rater all questions that there will be for this rater, and keeps them for the rater.

    Args:
        db: The open database of the study.
        task: The settings of the study.
        rater: The number of the rater.
        now: The time, in seconds since 1970.

    Returns:
        The assignments, in their order.
    """
    while (block := _next_block(db, task, rater, now)) is not None:
        _assign(db, task, rater, block, None)
    rows = db.execute(
        "SELECT id FROM assignment WHERE rater = ? AND state <> 'released' ORDER BY position",
        (rater,),
    )
    return [row[0] for row in rows.fetchall()]


def _next_block(db: sqlite3.Connection, task: Task, rater: int, now: float) -> int | None:
    training = _first_free(db, "training", rater)
    if training is not None:
        return training
    if attention_is_due(task, rater, *_numbers(db, rater)):
        attention = _random_free(db, task, "attention", rater, None)
        if attention is not None:
            return attention
    if room(db, task, rater) < 1:
        return None
    block = _random_free(db, task, "rated", rater, task.raters_per_question)
    if block is None and _release(db, now):
        block = _random_free(db, task, "rated", rater, task.raters_per_question)
    return block


def attention_is_due(task: Task, rater: int, rated: int, asked: int) -> bool:
    """Whether an attention question comes before the next of the others.

    Each block of ``attention_every`` questions has one, at a place drawn at random.

    Args:
        task: The settings of the study.
        rater: The rater's number.
        rated: The number of questions to be rated that the rater has had.
        asked: The number of attention questions.
    """
    block, place = divmod(rated, task.attention_every)
    if asked > block:
        return False
    rng = np.random.default_rng([task.seed, 2, rater, block])
    return asked < block or place >= int(rng.integers(1, task.attention_every))


def _numbers(db: sqlite3.Connection, rater: int) -> tuple[int, int]:
    """How many questions a rater has had that count, and how many for attention."""
    rows = db.execute(
        "SELECT kind, count(*) FROM assignment JOIN block ON block.id = assignment.block "
        "WHERE rater = ? GROUP BY kind",
        (rater,),
    ).fetchall()
    numbers = dict(rows)
    return numbers.get("rated", 0), numbers.get("attention", 0)


def room(db: sqlite3.Connection, task: Task, rater: int) -> int:
    """How many more questions a rater may get, by ``per_rater``; none once a look has ended the study.

    Args:
        db: The open database of the study.
        task: The settings of the study.
        rater: The number of the rater.
    """
    if db.execute("SELECT 1 FROM study WHERE key = 'design:ended' AND value = 'yes'").fetchone():
        return 0
    if task.per_rater is None:
        return 1 << 60
    row = db.execute(
        "SELECT count(*) FROM assignment JOIN block ON block.id = assignment.block "
        "WHERE rater = ? AND kind = 'rated' AND state <> 'released'",
        (rater,),
    ).fetchone()
    return task.per_rater - row[0]


def _first_free(db: sqlite3.Connection, kind: str, rater: int) -> int | None:
    row = db.execute(
        f"SELECT id FROM block WHERE kind = :kind AND {_FREE} ORDER BY id LIMIT 1",
        {"kind": kind, "rater": rater},
    ).fetchone()
    return None if row is None else row[0]


def _random_free(
    db: sqlite3.Connection, task: Task, kind: str, rater: int, most: int | None
) -> int | None:
    """A block that a rater has not had, at random among those that the fewest raters have."""
    values = {"kind": kind, "rater": rater, "most": 1 << 60 if most is None else most}
    least = db.execute(
        f"SELECT given FROM block WHERE kind = :kind AND given < :most AND {_FREE} "
        "ORDER BY given LIMIT 1",
        values,
    ).fetchone()
    if least is None:
        return None
    free = f"FROM block WHERE kind = :kind AND given = :given AND {_FREE}"
    values |= {"given": least[0]}
    (number,) = db.execute(f"SELECT count(*) {free}", values).fetchone()
    rng = np.random.default_rng([task.seed, 3, rater, _position(db, rater)])
    values |= {"place": int(rng.integers(number))}
    (block,) = db.execute(f"SELECT id {free} ORDER BY id LIMIT 1 OFFSET :place", values).fetchone()
    return block


def _position(db: sqlite3.Connection, rater: int) -> int:
    """The position of a rater's next question."""
    row = db.execute(
        "SELECT coalesce(max(position), 0) + 1 FROM assignment WHERE rater = ?", (rater,)
    ).fetchone()
    return row[0]


def _assign(
    db: sqlite3.Connection, task: Task, rater: int, block: int, expires: float | None
) -> int:
    """Gives a rater the questions of a block, and returns the first assignment."""
    position = _position(db, rater)
    rng = np.random.default_rng([task.seed, 4, rater, position])
    rows = db.execute("SELECT id, systems FROM question WHERE block = ? ORDER BY id", (block,))
    stored = db.execute("SELECT value FROM study WHERE key = ?", (FINISHED,)).fetchone()
    finished = set() if stored is None else {*json.loads(stored[0])}
    asked = [(each, json.loads(systems)) for each, systems in rows.fetchall()]
    # Once every system is finished there is no new item; whoever asks just then gets a whole one.
    open_ones = [each for each in asked if not finished.issuperset(each[1])] or asked
    first = None
    for place, (question, systems) in enumerate(open_ones):
        arrangement = rng.permutation(len(systems)).tolist()
        row = db.execute(
            "INSERT INTO assignment (rater, block, question, position, arrangement, state, expires) "
            "VALUES (?, ?, ?, ?, ?, 'open', ?)",
            (rater, block, question, position + place, json.dumps(arrangement), expires),
        )
        first = first or row.lastrowid
    db.execute("UPDATE block SET given = given + 1 WHERE id = ?", (block,))
    assert first is not None, "a block has a question"
    return first


def withdraw(db: sqlite3.Connection, rater: int) -> None:
    """Takes back all questions of a rater who has answered none."""
    db.execute(
        "UPDATE block SET given = given - 1 WHERE id IN "
        "(SELECT block FROM assignment WHERE rater = ? AND state = 'open')",
        (rater,),
    )
    db.execute(
        "UPDATE assignment SET state = 'released' WHERE rater = ? AND state = 'open'", (rater,)
    )


def give_back(db: sqlite3.Connection, rater: int, change: int) -> None:
    """Gives a rater's questions to others, or counts the rater's answers to them again.

    Args:
        db: A connection within a transaction.
        rater: The rater's number.
        change: -1 to give them to others; 1 to count them again.
    """
    if change < 0:
        _release(db, math.inf, "AND rater = :rater", rater)
    db.execute(
        "UPDATE block SET given = given + ? WHERE id IN "
        "(SELECT block FROM assignment WHERE rater = ? AND state <> 'released')",
        (change, rater),
    )


def _release(db: sqlite3.Connection, now: float, whose: str = "", rater: int = 0) -> int:
    """Takes back the questions that raters opened and left, and returns how many blocks.

    A block of which a question was answered stays with its rater.
    """
    rows = db.execute(
        f"SELECT rater, block FROM assignment WHERE true {whose} GROUP BY rater, block "
        "HAVING min(state) = 'open' AND max(state) = 'open' AND max(expires) < :now",
        {"now": now, "rater": rater},
    ).fetchall()
    for rater, block in rows:
        db.execute(
            "UPDATE assignment SET state = 'released' WHERE rater = ? AND block = ?", (rater, block)
        )
        db.execute("UPDATE block SET given = given - 1 WHERE id = ?", (block,))
    return len(rows)


def place(db: sqlite3.Connection, rater: int, number: int) -> int:
    """The place of an assignment among those of a rater, from 1.

    Args:
        db: The open database of the study.
        rater: The number of the rater.
        number: The id of the assignment.
    """
    row = db.execute(
        "SELECT count(*) FROM assignment WHERE rater = :rater AND state <> 'released' "
        "AND position <= (SELECT position FROM assignment WHERE id = :number)",
        {"rater": rater, "number": number},
    ).fetchone()
    return row[0]


def counts(db: sqlite3.Connection, task: Task, rater: int) -> Counts:
    """How far a rater is: what was answered, and what there is in all as far as is known now.

    Args:
        db: The open database of the study.
        task: The settings of the study.
        rater: The number of the rater.
    """
    answered, assigned = db.execute(
        "SELECT coalesce(sum(state IN ('answered', 'reopened')), 0), count(*) "
        "FROM assignment WHERE rater = ? AND state <> 'released'",
        (rater,),
    ).fetchone()
    free = dict(
        db.execute(
            "SELECT kind, count(*) FROM block JOIN question ON question.block = block.id "
            f"WHERE (kind <> 'rated' OR given < :most) AND {_FREE} GROUP BY kind",
            {"most": task.raters_per_question, "rater": rater},
        ).fetchall()
    )
    rated, asked = _numbers(db, rater)
    still = min(free.get("rated", 0), max(room(db, task, rater), 0))
    blocks = -(-(rated + still) // task.attention_every) if still else 0
    attention = min(free.get("attention", 0), max(blocks - asked, 0))
    return Counts(answered, assigned + free.get("training", 0) + still + attention)


def answered(db: sqlite3.Connection, rater: int) -> int:
    """How many questions a rater has answered."""
    (number,) = db.execute(
        "SELECT count(*) FROM assignment WHERE rater = ? AND state = 'answered'", (rater,)
    ).fetchone()
    return number


def minutes_left(db: sqlite3.Connection, rater: int, counts: Counts) -> int | None:
    """About how many minutes a rater's other questions will take; None: too few have a time.

    Args:
        db: A connection within a transaction.
        rater: The rater's number.
        counts: How far the rater is.
    """
    rows = db.execute(
        "SELECT seconds FROM answer JOIN assignment ON assignment.id = assignment "
        "WHERE rater = ? AND seconds IS NOT NULL",
        (rater,),
    ).fetchall()
    return minutes(median_seconds(row[0] for row in rows), counts)


def median_seconds(seconds: Iterable[float | None]) -> float | None:
    """The median time of an answer; None where fewer than ``FEWEST_TIMED`` have one."""
    known = [each for each in seconds if each is not None]
    return statistics.median(known) if len(known) >= FEWEST_TIMED else None


def minutes(median: float | None, counts: Counts) -> int | None:
    """About how many minutes a rater's other questions will take.

    >>> minutes(20.0, Counts(10, 40)), minutes(None, Counts(0, 40))
    (10, None)
    """
    return None if median is None else math.ceil(median * (counts.total - counts.answered) / 60)


FEWEST_TIMED = 5
"""So many answers with a time say how fast a rater is."""
LONGEST_SECONDS = 1e7  # four months


def assigned(
    db: sqlite3.Connection, rater: int, number: int
) -> tuple[str, list[int], float | None, str]:
    """State, arrangement, time of being shown and kind of an assignment that a rater may answer.

    Args:
        db: The open database of the study.
        rater: The number of the rater.
        number: The id of the assignment.

    Raises:
        InputError: The assignment is not one of the rater's, or was given to somebody else.
    """
    row = None
    if 0 < number < 1 << 63:  # SQLite's integers
        row = db.execute(
            "SELECT state, arrangement, shown, kind FROM assignment "
            "JOIN block ON block.id = assignment.block "
            "WHERE assignment.id = ? AND rater = ?",
            (number, rater),
        ).fetchone()
    if row is None:
        raise RaterError("not_yours")
    state, arrangement, shown, kind = row
    if state == "released":
        raise RaterError("given_away")
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

    Args:
        db: The open database of the study.
        number: The id of the assignment.
        now: The time, in seconds since 1970.
        seconds: How long the answer took; None: unknown.
        choices: What was chosen, by criterion.
        comment: What the rater wrote; may be empty.
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
