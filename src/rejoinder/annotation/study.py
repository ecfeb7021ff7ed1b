"""A study: its questions, its raters and their answers, in one file."""

from __future__ import annotations

import functools
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from rejoinder.annotation import assignment
from rejoinder.annotation.choices import Choices, choices_of, comment_of, form_of, is_right
from rejoinder.annotation.new_study import identity, make_study
from rejoinder.annotation.page_words import RaterError, say
from rejoinder.annotation.questions import Questions
from rejoinder.annotation.task import Task, task_of_json
from rejoinder.errors import InputError, one_of
from rejoinder.files.database import Database
from rejoinder.messages import quoted
from rejoinder.studies.tables import STUDY

_CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that looks like another
LONGEST_PLATFORM_ID = 200
_WALL_CLOCK = time.time

AnswerOfPage = Callable[[int, Mapping[str, str], float | None, float | None], None]
Origin = Literal["link", "joined", "page"]


@dataclass(frozen=True)
class Rater:
    """A rater of a study.

    Attributes:
        id: The number in the database.
        name: The pseudonym, which exported tables have.
        token: The secret part of the rater's link.
        code: The completion code.
        consented: When the rater agreed to take part, in seconds; None: not yet.
        origin: ``link``; ``joined`` by the common link; or ``page``, a self-contained page.
        platform_id: What a crowd platform calls the rater; None: nothing.
        own_name: The name that the rater or the study's owner gave; empty: none.
        standing: ``active``; ``paused``: gets no question; or ``out``: nor do the answers count.
    """

    id: int
    name: str
    token: str
    code: str
    consented: float | None
    origin: str
    platform_id: str | None
    own_name: str = ""
    standing: str = "active"


@dataclass(frozen=True)
class Shown:
    """A question as a rater sees it.

    Attributes:
        assignment: The number of the assignment.
        number: The place of the question among the rater's, from 1.
        training: Whether its answer will be explained.
        context: The turns, oldest first.
        replies: The replies, in the order in which they are shown.
        form: The fields of the form with what was chosen before; empty for a new question.
        comment: The comment that was written before.
        counts: How far the rater is.
        may_undo: Whether there is an answer that can be changed.
        minutes: About how many minutes the rest will take; None: not known yet.
    """

    assignment: int
    number: int
    training: bool
    context: tuple[str, ...]
    replies: tuple[str, ...]
    form: Mapping[str, str]
    comment: str
    counts: assignment.Counts
    may_undo: bool
    minutes: int | None = None


@dataclass(frozen=True)
class Feedback:
    """What is said of the answer to a training question.

    Attributes:
        right: Whether every known answer was given.
        answers: By criterion the known answer, in the order in which the replies were shown.
        explanation: Why.
    """

    right: bool
    answers: Mapping[str, str]
    explanation: str


def open_study(
    path: str | os.PathLike[str],
    task: Task,
    questions: Questions,
    record: Callable[[], Mapping[str, Any] | None] = lambda: None,
) -> tuple[Study, bool]:
    """Opens a study, which is made where there is none yet.

    Args:
        path: The file.
        task: The settings.
        questions: The questions to be rated.
        record: What a new study is made of, for ``rejoinder verify``; None: nothing is recorded.

    Returns:
        The study, and whether it was there already.

    Raises:
        InputError: The study that stands there has other questions or settings.
    """
    there = os.path.exists(path)
    if not there:
        try:
            make_study(path, task, questions, record())
        except InputError:
            if not os.path.exists(path):
                raise
            there = True  # another process has made it since
    study = Study(path)
    if study.identity != identity(task, questions):
        study.close()
        raise InputError(
            f"{path}: the study that stands there has other questions or settings; go on with it by "
            "naming no test set and no settings, or name a new file"
        )
    return study, there


class Study:
    """An open study. Several threads, and several processes, may use it at once.

    Args:
        path: The file that `make_study` made.
        clock: The time in seconds. How long an answer took is measured by a clock that nobody sets,
            unless the study was opened anew meanwhile.
        reading: Whether nothing will be written.

    Attributes:
        task: The settings.
        admin: The secret part of the admin page's link.
        join: The secret part of the common link by which raters join.
        identity: The checksum of its questions and settings.
        notes: What was left out when it was made.

    Raises:
        InputError: It is no study, or cannot be opened.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        clock: Callable[[], float] = _WALL_CLOCK,
        reading: bool = False,
    ) -> None:
        self.database = Database(path, STUDY, reading)
        self._clock = clock
        self._steady = time.monotonic if clock is _WALL_CLOCK else clock
        self._since: dict[int, float] = {}
        with ExitStack() as opening:
            opening.callback(self.database.close)
            with self.database.transaction() as db:
                values = dict(db.execute("SELECT key, value FROM study").fetchall())
            self.task = task_of_json(values["task"])
            self.admin = values["admin"]
            self.join = values["join"]
            self.identity = values["identity"]
            self.notes = (*json.loads(values["notes"]), *self.database.notes)
            opening.pop_all()

    def close(self) -> None:
        """Closes the file."""
        self.database.close()

    def add_rater(
        self, origin: Origin = "link", platform_id: str | None = None, own_name: str = ""
    ) -> Rater:
        """Adds a rater with a link that nobody can guess.

        Args:
            origin: How the rater comes.
            platform_id: What a crowd platform calls the rater; who is known already gets the same link.
            own_name: The name that the study's owner gave; empty: none.

        Raises:
            RaterError: Another rater has this name.
        """
        with self.database.transaction() as db:
            return self._add_rater(db, origin, platform_id, own_name)

    def join_rater(self, platform_id: str | None, most: int, own_name: str = "") -> Rater | None:
        """Adds a rater who comes by the common link; one who is known already gets the same link.

        Args:
            platform_id: What a crowd platform calls the rater; None: nothing.
            most: The largest number of raters who can come so.
            own_name: The name that the rater gave; empty: none. It gives nobody another rater's link.

        Returns:
            The rater; None where as many have joined already.

        Raises:
            RaterError: Another rater has this name.
        """
        with self.database.transaction() as db:
            known = _rater_row(db, "platform_id = ?", platform_id)
            if known is not None:
                return known
            (joined,) = db.execute("SELECT count(*) FROM rater WHERE origin = 'joined'").fetchone()
            if joined >= most:
                return None
            return self._add_rater(db, "joined", platform_id, own_name)

    def add_rater_of_page(self) -> tuple[Rater, list[tuple[Shown, Feedback | None]]]:
        """Adds a rater of a page without a server, and returns the rater and the rater's `plan`.

        Raises:
            InputError: No question is left for another rater; then none is added.
        """
        with self.database.transaction() as db:
            rater = self._add_rater(db, "page", None)
            planned = self._plan(db, rater)
            if all(shown.training for shown, _ in planned):
                raise InputError(
                    f"{self.database.path}: every question has its raters already; make a study with "
                    "more raters per question"
                )
            return rater, planned

    def _add_rater(
        self, db: sqlite3.Connection, origin: Origin, platform_id: str | None, own_name: str = ""
    ) -> Rater:
        if platform_id is not None:
            row = _rater_row(db, "platform_id = ?", platform_id)
            if row is not None:
                return row
        if own_name and db.execute(_NAMED, (own_name,)).fetchone():
            raise RaterError("name_taken")
        token = secrets.token_urlsafe(24)
        code = self.task.completion_code or "".join(
            secrets.choice(_CODE_LETTERS) for _ in range(10)
        )
        (number,) = db.execute("SELECT coalesce(max(id), 0) + 1 FROM rater").fetchone()
        db.execute(
            "INSERT INTO rater (id, name, digest, token, code, origin, platform_id) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, f"r{number:03}", _digest(token), token, code, origin, platform_id),
        )
        if own_name:
            write_setting(db, f"name:{number}", own_name)
        return Rater(number, f"r{number:03}", token, code, None, origin, platform_id, own_name)

    def set_standing(self, number: int, standing: str) -> None:
        """Pauses a rater, takes a rater out, or lets one go on.

        The questions of a rater who is out are given to others.

        Raises:
            InputError: There is no such rater or standing.
        """
        if standing not in STANDINGS:
            raise InputError(f"standing: got {quoted(standing)}; expected {one_of(STANDINGS)}")
        with self.database.transaction() as db:
            rater = _rater_row(db, "id = ?", number)
            if rater is None:
                raise InputError(f"{self.database.path}: no rater {number}; name one of this study")
            change = (rater.standing == "out") - (standing == "out")
            if change:
                assignment.give_back(db, number, change)
            write_setting(db, f"standing:{number}", standing)

    def raters(self) -> list[Rater]:
        """All raters, in the order in which they were added."""
        with self.database.transaction() as db:
            rows = db.execute(f"SELECT {_RATER} FROM rater ORDER BY id").fetchall()
        return [Rater(*row) for row in rows]

    def add_links(self, number: int) -> None:
        """Adds raters until so many have a link of their own."""
        there = sum(each.origin == "link" for each in self.raters())
        for _ in range(number - there):
            self.add_rater()

    def rater(self, token: str) -> Rater | None:
        """The rater of a link; None: there is none."""
        with self.database.transaction() as db:
            return _rater_row(db, "digest = ?", _digest(token))

    def consent(self, rater: Rater) -> None:
        """Notes that a rater has read the instructions, and agreed to take part."""
        with self.database.transaction() as db:
            _consent(db, rater, self._clock())

    def current(self, rater: Rater, expires: bool = True) -> Shown | None:
        """The question that a rater is to answer now; None: all is done.

        Args:
            rater: The rater.
            expires: Whether the question may go to somebody else if it is not answered in time.
        """
        now = self._clock()
        with self.database.transaction() as db:
            number = assignment.current(db, self.task, rater.id, now, expires)
            if number is None:
                return None
            db.execute(
                "UPDATE assignment SET shown = ? WHERE id = ? AND shown IS NULL", (now, number)
            )
            self._since.setdefault(number, self._steady())
            return self._shown(db, rater, number)

    def plan(self, rater: Rater) -> list[tuple[Shown, Feedback | None]]:
        """All questions of a rater in their order, for a page that has no server.

        They are kept for this rater. With a training question comes what is said of a wrong answer.
        """
        with self.database.transaction() as db:
            return self._plan(db, rater)

    def _plan(self, db: sqlite3.Connection, rater: Rater) -> list[tuple[Shown, Feedback | None]]:
        numbers = assignment.plan(db, self.task, rater.id, self._clock())
        counts = assignment.counts(db, self.task, rater.id)  # of all: a count takes every question
        return [
            (shown, self._known(db, number) if shown.training else None)
            for number in numbers
            for shown in [self._shown(db, rater, number, counts)]
        ]

    def withdraw(self, rater: Rater) -> None:
        """Takes back the questions of a rater who has answered none."""
        with self.database.transaction() as db:
            assignment.withdraw(db, rater.id)

    def _known(self, db: sqlite3.Connection, number: int) -> Feedback:
        content, arrangement, _, _ = _asked(db, number)
        return self._feedback({}, content, arrangement)

    def _shown(
        self,
        db: sqlite3.Connection,
        rater: Rater,
        number: int,
        counts: assignment.Counts | None = None,
    ) -> Shown:
        content, arrangement, kind, _ = _asked(db, number)
        before = assignment.last_answer(db, number)
        counts = counts or assignment.counts(db, self.task, rater.id)
        return Shown(
            number,
            assignment.place(db, rater.id, number),
            kind == "training",
            tuple(content["context"]),
            tuple(content["replies"][reply] for reply in arrangement),
            form_of(self.task, before[0], arrangement) if before else {},
            before[1] if before else "",
            counts,
            assignment.undoable(db, rater.id) is not None,
            assignment.minutes_left(db, rater.id, counts),
        )

    def progress(self, rater: Rater) -> assignment.Counts:
        """How far a rater is."""
        with self.database.transaction() as db:
            return assignment.counts(db, self.task, rater.id)

    def answer(
        self, rater: Rater, number: int, form: Mapping[str, str], seconds: float | None = None
    ) -> Literal["", "example", "break"]:
        """Stores an answer; it is on the disk when this returns.

        An answer that is sent a second time is stored once; another answer to the same question takes
        its place, except in training.

        Args:
            rater: The rater.
            number: The assignment, as it was shown.
            form: The fields of the form.
            seconds: How long the rater took; None: since the question was first shown.

        Returns:
            What comes before the next question: an ``example``, of which `feedback` has something to say;
            the offer of a ``break``; or nothing.

        Raises:
            InputError: The assignment is not the rater's, went to somebody else, or the form is not
                complete; the message is for the rater.
        """
        now = self._clock()
        with self.database.transaction() as db:
            state, arrangement, shown, kind = assignment.assigned(db, rater.id, number)
            before = assignment.last_answer(db, number) if state == "answered" else None
            if before is None or kind != "training":
                choices = choices_of(self.task, form, arrangement)
                comment = comment_of(self.task, form)
                since = self._since.pop(number, None)
                if seconds is None and since is not None:
                    seconds = self._steady() - since
                taken = seconds if seconds is not None else (now - shown if shown else None)
                if before != (choices, comment):
                    assignment.store_answer(db, number, now, taken, choices, comment)
            if kind == "training":
                return "example"
            due = state == "open" and self._break_is_due(db, rater)
        return "break" if due else ""

    def _break_is_due(self, db: sqlite3.Connection, rater: Rater) -> bool:
        answered = assignment.answered(db, rater.id)
        if self.task.break_every is None or answered % self.task.break_every:
            return False
        return assignment.counts(db, self.task, rater.id).total > answered

    @contextmanager
    def answers_of_page(self, rater: Rater) -> Iterator[AnswerOfPage]:
        """One transaction for the answers that a rater gave on a page without a server.

        The body is given a function, which stores an answer by the number of its assignment, the
        fields of the form, how long it took and when it was given (both in seconds; None: unknown). An
        answer is stored only if it is newer than the one that is there; one without a time, only if it
        was not stored before. The rater has agreed to take part. Where the body raises, nothing is
        stored.
        """
        now = self._clock()
        with self.database.transaction() as db:
            _consent(db, rater, now)

            def store(
                number: int, form: Mapping[str, str], seconds: float | None, at: float | None
            ) -> None:
                _, arrangement, _, kind = assignment.assigned(db, rater.id, number)
                choices = choices_of(self.task, form, arrangement)
                comment = comment_of(self.task, form)
                if assignment.is_new(db, number, kind, at, (choices, comment)):
                    assignment.store_answer(
                        db, number, now if at is None else at, seconds, choices, comment
                    )

            yield store

    def _feedback(
        self, choices: Choices, content: Mapping[str, Any], arrangement: Sequence[int]
    ) -> Feedback:
        right = is_right(self.task, choices, content["answers"])
        answers = {
            self.task.criterion(name).asked: _in_words(self.task, name, answer, arrangement)
            for name, answer in content["answers"].items()
        }
        return Feedback(right, answers, content["explanation"])

    def undo(self, rater: Rater) -> bool:
        """Opens a rater's last answer again, and returns whether there was one.

        The answer that was given counts until another takes its place.
        """
        with self.database.transaction() as db:
            number = assignment.undoable(db, rater.id)
            if number is None:
                return False
            db.execute("UPDATE assignment SET state = 'reopened' WHERE id = ?", (number,))
            return True

    def may_undo(self, rater: Rater) -> bool:
        """Whether a rater has an answer that can be changed."""
        with self.database.transaction() as db:
            return assignment.undoable(db, rater.id) is not None

    def feedback(self, rater: Rater, number: int) -> Feedback | None:
        """What is said of a rater's answer to a training question; None: there is no such answer."""
        with self.database.transaction() as db:
            content, arrangement, *whose = _asked(db, number)
            given = assignment.last_answer(db, number)
        if given is None or whose != ["training", rater.id]:
            return None
        return self._feedback(given[0], content, arrangement)

    def example_of(self, rater: Rater, number: int) -> Shown | None:
        """A training question of a rater as it was shown, for its explanation; None: it is none."""
        with self.database.transaction() as db:
            if _asked(db, number)[2:] != ("training", rater.id):
                return None
            return self._shown(db, rater, number)


STANDINGS = ("active", "paused", "out")
_NOTE = "(SELECT value FROM study WHERE key = '{0}:' || rater.id)"
_RATER = (
    "id, name, token, code, consented, origin, platform_id, "
    f"coalesce({_NOTE.format('name')}, ''), coalesce({_NOTE.format('standing')}, 'active')"
)
_NAMED = "SELECT 1 FROM study WHERE key GLOB 'name:*' AND value = ?"


def write_setting(db: sqlite3.Connection, key: str, value: str) -> None:
    """Writes a setting, or what is known of a rater, which stands beside them: `salvage` looks there.

    Args:
        db: The database of the study.
        key: What the setting is called.
        value: Its value.
    """
    db.execute(
        "INSERT INTO study (key, value) VALUES (?, ?) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def _asked(db: sqlite3.Connection, number: int) -> tuple[Any, list[int], str, int]:
    """Content, arrangement, kind and rater of an assignment; empty where there is none."""
    row = db.execute(
        "SELECT content, arrangement, kind, assignment.rater FROM assignment "
        "JOIN question ON question.id = assignment.question "
        "JOIN block ON block.id = assignment.block WHERE assignment.id = ?",
        (number,),
    ).fetchone()
    return ({}, [], "", 0) if row is None else (json.loads(row[0]), json.loads(row[1]), *row[2:])


def _rater_row(db: sqlite3.Connection, where: str, value: object) -> Rater | None:
    row = db.execute(f"SELECT {_RATER} FROM rater WHERE {where}", (value,)).fetchone()
    return None if row is None else Rater(*row)


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def _consent(db: sqlite3.Connection, rater: Rater, now: float) -> None:
    db.execute("UPDATE rater SET consented = ? WHERE id = ? AND consented IS NULL", (now, rater.id))


def _in_words(task: Task, name: str, answer: Any, arrangement: Sequence[int]) -> str:
    """A known answer as the rater saw it, in the language of the page."""
    sentence = functools.partial(say, task.sentences)
    shown = {reply + 1: place for place, reply in enumerate(arrangement, start=1)}
    if task.kind == "pointwise":
        words = dict(task.criterion(name).points)
        grades = answer if isinstance(answer, list | tuple) else [answer]
        return sentence("or").join(
            f"{grade} ({words[grade]})" if words[grade] else str(grade) for grade in grades
        )
    if task.kind == "head-to-head":
        if answer == "tie":
            return sentence("known_tie")
        return sentence("known_reply", number=shown[answer])
    return sentence("known_ends", **{end: shown[place] for end, place in answer.items()})
