"""A study that follows a design: it is looked at while answers come, and ends when it is clear."""

from __future__ import annotations

import bisect
import json
import sqlite3
import threading
from pathlib import Path
from typing import Any, NamedTuple

from rejoinder.annotation.assignment import FINISHED
from rejoinder.annotation.study import Study, write_setting
from rejoinder.annotation.task import Task
from rejoinder.errors import InputError, ParameterError
from rejoinder.planning.design import RatingDesign
from rejoinder.planning.design_progress import DesignProgress, follow_design
from rejoinder.statistics.group_sequential import SPENT, spent
from rejoinder.statistics.monitored_difference import GO_ON
from rejoinder.statistics.sequential_design import FIRST_LOOK
from rejoinder.studies.judgements import judgements
from rejoinder.tables.formats.study import table_of
from rejoinder.tables.types import Ratings

DESIGN, ENDED = "design", "design:ended"
"""The rows of the settings that hold the design, and whether a look has ended the study."""


class LookShown(NamedTuple):
    """A look as those who run the study may see it: not which system is better.

    Args:
        a: A system.
        b: The other.
        rated: The items rated until it.
        information: Their share of the planned information.
        spent: What the looks until this one have spent of false alarms.
        says: What the look says.
    """

    a: str
    b: str
    rated: int
    information: float
    spent: float
    says: str


class DesignState(NamedTuple):
    """Where a study that follows a design stands.

    Args:
        rated: The items of which one rater has rated the replies of every system.
        most: The planned maximum.
        next_look: The number of items at the next look; None: the study has ended.
        looks: Every look of every pair.
        notes: What they rest on.
    """

    rated: int
    most: int
    next_look: int | None
    looks: tuple[LookShown, ...]
    notes: tuple[str, ...]

    @property
    def ended(self) -> bool:
        """Whether every pair is decided, futile, or at the planned maximum."""
        return self.next_look is None

    @property
    def left(self) -> int:
        """How many more ratings there will be at most."""
        return 0 if self.ended else max(0, self.most - self.rated)

    def __str__(self) -> str:
        """In one line."""
        rated = f"{self.rated} of at most {self.most} items rated"
        rest = "the study has ended" if self.ended else f"the next look is at {self.next_look}"
        last = {f"{each.a} and {each.b}": each.says for each in self.looks}
        return "; ".join([rated, rest, *(f"{pair}: {says}" for pair, says in last.items())])

    def as_json(self) -> dict[str, Any]:
        """The object of ``design`` in the JSON of ``rejoinder annotate serve``."""
        looks = [each._asdict() for each in self.looks]
        return {**self._asdict(), "looks": looks, "ended": self.ended, "left": self.left}


def check_design(design: RatingDesign, task: Task, items: int) -> None:
    """Raises where a study cannot follow a design.

    Args:
        design: The design.
        task: The settings of the study.
        items: How many items it has.

    Raises:
        ParameterError: It has a judge, another number of raters, or the study asks for something else.
        InputError: The study has too few items.
    """
    if design.judge:
        raise ParameterError(
            "the design corrects ratings by a judge, whose scores a served study does not have; plan a "
            "design without a judge, or serve without the design and follow it with "
            "'rejoinder compare', which takes the study and the judge's scores"
        )
    wrong = {
        "raters": (design.raters, 1, "plan one of one rater an item, for more items"),
        "kind": (task.kind, "pointwise", "ask for grades"),
        "criteria": (len(task.criteria), 1, "ask for one criterion"),
        "raters_per_question": (task.raters_per_question, 1, "leave it out"),
    }
    for name, (got, expected, remedy) in wrong.items():
        if got != expected:
            raise ParameterError(
                f"a study that follows a design: {name} is {got}; expected {expected}; {remedy}"
            )
    if items < design.most:
        raise InputError(
            f"the study has {items} items, and the design goes on until {design.most}; add items, or plan a "
            "design for a pool of as many as there are"
        )


class FollowedDesign:
    """The looks at a study, taken when enough items are rated.

    Args:
        study: The study.
        design: The design.
    """

    def __init__(self, study: Study, design: RatingDesign) -> None:
        self.study, self.design = study, design
        self._lock = threading.RLock()
        self._looked = -1

    @classmethod
    def of(cls, study: Study, path: Path | None = None) -> FollowedDesign | None:
        """The design that a study follows; None: it follows none.

        Args:
            study: The study.
            path: A design, which a study without an answer takes over.

        Raises:
            InputError: The file is no design, the study follows another one, or has answers already.
            ParameterError: The study cannot follow it.
        """
        with study.database.transaction() as db:
            row = db.execute("SELECT value FROM study WHERE key = ?", (DESIGN,)).fetchone()
        if path is None:
            return None if row is None else cls(study, RatingDesign.of_text(row[0], "the study"))
        design = RatingDesign.read(path)
        if row is None:
            with study.database.transaction() as db:
                (answers,) = db.execute("SELECT count(*) FROM answer").fetchone()
                (items,) = db.execute(
                    "SELECT count(DISTINCT item) FROM question JOIN block ON block.id = question.block "
                    "WHERE kind = 'rated'"
                ).fetchone()
                (alone,) = db.execute(
                    "SELECT count(*) FROM block WHERE kind = 'rated' AND 1 = "
                    "(SELECT count(*) FROM question WHERE question.block = block.id)"
                ).fetchone()
                check_design(design, study.task, items)
                if answers or alone:
                    raise InputError(
                        f"{study.database.path}: the study was made without a design: "
                        + ("it has answers already" if answers else "its items are not rated whole")
                        + "; make a new one with the design"
                    )
                db.execute("INSERT INTO study (key, value) VALUES (?, ?)", (DESIGN, design.text))
        elif RatingDesign.of_text(row[0], "the study") != design:
            raise InputError(
                f"{path}: the study follows another design; leave the design out to go on with its own"
            )
        return cls(study, design)

    def look(self) -> None:
        """Takes the looks that are due, and ends the study, or opens it again after a rater was taken out.

        Answers that come meanwhile are stored: who calls waits, nobody else.
        """
        with self._lock:
            due = self._due()
            if due != self._looked:
                self.state()
                self._looked = due

    def _due(self) -> int:
        """How many looks there are to be taken by now; after the last one every rating counts."""
        with self.study.database.transaction() as db:
            rated = _rated(db)
        looks = self.design.looks
        return bisect.bisect_right(looks, rated) + max(0, rated - looks[-1])

    def state(self) -> DesignState:
        """Where the study stands; whether it has ended is kept with it."""
        with self._lock:
            rated, progress = self._progress()
            pairs = [] if progress is None else progress.pairs.to_dicts()
            ended = bool(pairs) and all(each["says"] != GO_ON for each in pairs)
            finished = json.dumps(() if progress is None else progress.finished)
            with self.study.database.transaction() as db:
                write_setting(db, ENDED, "yes" if ended else "no")
                write_setting(db, FINISHED, finished)
        looks = [] if progress is None else progress.looks.to_dicts()
        following = (each for each in self.design.looks if each > rated)
        return DesignState(
            rated,
            self.design.most,
            None if ended else next(following, rated + 1),
            tuple(
                LookShown(
                    each["a"], each["b"], each["rated"], each["information"],
                    self._spent(each), each["says"],
                )
                for each in looks
            ),
            () if progress is None else progress.notes,
        )  # fmt: skip

    def _spent(self, look: dict[str, Any]) -> float:
        if look["rated"] >= self.design.most:
            return SPENT
        return spent(look["information"]) if self.design.stopping else 0.0

    def _progress(self) -> tuple[int, DesignProgress | None]:
        """The number of rated items, and what the looks until now say; None before the first."""
        with self.study.database.transaction() as db:
            rated = _rated(db)
        if rated < min(FIRST_LOOK, self.design.most):
            return rated, None
        given = [each for each in judgements(self.study.database) if each.kind == "rated"]
        table = Ratings.of(table_of(self.study.task.kind, given))
        return rated, follow_design(table, self.design)


def _rated(db: sqlite3.Connection) -> int:
    """How many items are rated whole, by raters who were not taken out."""
    (number,) = db.execute(
        "SELECT count(*) FROM (SELECT assignment.block FROM assignment "
        "JOIN block ON block.id = assignment.block WHERE kind = 'rated' AND state <> 'released' "
        "AND rater NOT IN (SELECT CAST(substr(key, 10) AS INTEGER) FROM study "
        "WHERE key GLOB 'standing:*' AND value = 'out') "
        "GROUP BY rater, assignment.block HAVING min(state IN ('answered', 'reopened')))"
    ).fetchone()
    return number
