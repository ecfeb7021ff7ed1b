"""How far a study is: its raters, its questions, and how far people agree so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rejoinder.annotation import assignment
from rejoinder.annotation.export import attention_of
from rejoinder.annotation.study import Rater, Study
from rejoinder.errors import RejoinderError
from rejoinder.human_evaluation.preference_summary import preferences
from rejoinder.human_evaluation.rating_summary import ratings
from rejoinder.studies.judgements import Judgement, judgements
from rejoinder.tables.formats.study import table_of

FAST_SECONDS = 2.0
"""A rater whose median answer takes less is flagged."""
_MOST_COMMENTS = 200
_RESAMPLES = 100  # of strengths, which the overview does not show


@dataclass(frozen=True)
class RaterProgress:
    """How far a rater is.

    Attributes:
        rater: The rater.
        counts: The questions answered, and those there are.
        asked: The attention questions answered.
        right: Those answered right.
        seconds: The median time of an answer; None: too few have a time.
    """

    rater: Rater
    counts: assignment.Counts
    asked: int
    right: int
    seconds: float | None

    @property
    def minutes(self) -> int | None:
        """About how many minutes the other questions will take; None: not known, or none is left."""
        return assignment.minutes(self.seconds, self.counts) or None

    @property
    def is_fast(self) -> bool:
        """Whether an answer takes less time than reading does."""
        return self.seconds is not None and self.seconds < FAST_SECONDS

    @property
    def state(self) -> str:
        """In a word or two."""
        if self.rater.standing != "active":
            return {"paused": "paused", "out": "taken out"}[self.rater.standing]
        if self.rater.consented is None:
            return "not begun"
        return "finished" if self.counts.answered >= self.counts.total else "at work"


@dataclass(frozen=True)
class Overview:
    """How far a study is.

    Attributes:
        questions: The number of questions to be rated.
        answers: The answers to them that there are.
        wanted: The answers that there will be.
        complete: The questions that as many raters as wanted have answered.
        raters: How far each rater is.
        agreement: The rows of ``RatingSummary.agreement``, or of ``PreferenceSummary.agreement``.
        reason: Why there is no agreement; empty where there is.
        comments: The last comments: rater, item and text.
        apart: The answers of raters who were taken out.
    """

    questions: int
    answers: int
    wanted: int
    complete: int
    raters: tuple[RaterProgress, ...]
    agreement: tuple[dict[str, Any], ...]
    reason: str
    comments: tuple[tuple[str, str, str], ...]
    apart: int


def overview(study: Study) -> Overview:
    """How far a study is now. It shows no results of systems: who looks at them may stop too early."""
    every = judgements(study.database)
    rated = [each for each in every if each.kind == "rated"]
    apart = judgements(study.database, apart=True)
    attention = {row[0]: row[1:] for row in attention_of(study, [*every, *apart]).iter_rows()}
    seconds: dict[str, list[float | None]] = {}
    for each in (*every, *apart):
        seconds.setdefault(each.rater, []).append(each.seconds)
    raters = study.raters()
    with study.database.transaction() as db:
        (questions,) = db.execute(
            "SELECT count(*) FROM question JOIN block ON block.id = question.block "
            "WHERE kind = 'rated'"
        ).fetchone()
        (complete,) = db.execute(
            "SELECT count(*) FROM (SELECT question FROM assignment "
            "JOIN block ON block.id = assignment.block WHERE kind = 'rated' "
            "AND rater NOT IN (SELECT CAST(substr(key, 10) AS INTEGER) FROM study "
            "WHERE key GLOB 'standing:*' AND value = 'out') "
            "AND state IN ('answered', 'reopened') GROUP BY question HAVING count(*) >= ?)",
            (study.task.raters_per_question,),
        ).fetchone()
        counts = [assignment.counts(db, study.task, rater.id) for rater in raters]
    progress = tuple(
        RaterProgress(
            rater,
            count,
            *attention.get(rater.name, (0, 0)),
            seconds=assignment.median_seconds(seconds.get(rater.name, ())),
        )
        for rater, count in zip(raters, counts, strict=True)
    )
    agreement, reason = _agreement(study, rated)
    wanted = questions * study.task.raters_per_question
    comments = [(each.rater, each.item, each.comment) for each in rated if each.comment]
    last = tuple(comments[-_MOST_COMMENTS:])
    return Overview(
        questions,
        len(rated),
        wanted,
        complete,
        progress,
        agreement,
        reason,
        last,
        sum(each.kind == "rated" for each in apart),
    )


def _agreement(study: Study, rated: list[Judgement]) -> tuple[tuple[dict[str, Any], ...], str]:
    if not rated:
        return (), "no answers yet"
    summarise = preferences if study.task.kind == "head-to-head" else ratings
    try:
        summary = summarise(table_of(study.task.kind, rated), resamples=_RESAMPLES)
    except RejoinderError as error:
        return (), str(error)
    return tuple(summary.agreement.to_dicts()), ""
