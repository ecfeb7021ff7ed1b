"""Where a study that follows a design stands: what each look said, and what it has saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import ParameterError
from rejoinder.human_evaluation.by_people.replies import RatedReplies
from rejoinder.human_evaluation.grades import Scale, check_scale
from rejoinder.human_evaluation.rater_effects import RaterEffects, effects_fact
from rejoinder.human_evaluation.summary import judgements_hash
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted
from rejoinder.meta_evaluation.matching import match
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.planning.design import FEWEST_CORRECTED, RatingDesign
from rejoinder.result import TableResult
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.conventions import NO_SPREAD
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.group_sequential import (
    SPENT,
    Monitoring,
    reach_of_pairs,
    spent,
    wider_for_all,
)
from rejoinder.statistics.monitored_difference import (
    BETTER,
    CLOSED,
    FUTILE,
    GO_ON,
    LookEstimate,
    StudyCourse,
    follow,
)
from rejoinder.statistics.power import MOST_ITEMS
from rejoinder.statistics.prediction_powered import CorrectedMean, corrected_mean
from rejoinder.statistics.sequential_design import FIRST_LOOK, FOR_PAIRS
from rejoinder.tables.checks.arguments import strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.selection import pairs_of, without_systems
from rejoinder.tables.types import Ratings

PAIRS = {
    "a": pl.String, "b": pl.String, "says": pl.String, "rated": pl.Int64, "most": pl.Int64,
    "information": pl.Float64, "looks": pl.Int64, "late": pl.Int64, "boundary": pl.Float64, "z": pl.Float64,
    "power_left": pl.Float64, "mean": pl.Float64, "repeated_low": pl.Float64, "repeated_high": pl.Float64,
    "estimate": pl.Float64, "low": pl.Float64, "high": pl.Float64, "p": pl.Float64, "reason": pl.String,
}  # fmt: skip
"""The table of pairs."""

LOOKS = {
    "a": pl.String, "b": pl.String, "rated": pl.Int64, "information": pl.Float64, "mean": pl.Float64,
    "repeated_low": pl.Float64, "repeated_high": pl.Float64, "z": pl.Float64, "boundary": pl.Float64,
    "power_left": pl.Float64, "says": pl.String,
}  # fmt: skip
"""The table of looks."""

SAVED = {"lever": pl.String, "ratings": pl.Float64, "share": pl.Float64}
"""The table of what was saved."""


@dataclass(frozen=True, eq=False, repr=False)
class DesignProgress(TableResult):
    """A study that follows a design, until now.

    Attributes:
        pairs: For each ``a`` and ``b`` what the last look ``says`` (``go on``, ``better``, ``futile``,
            ``undecided``, ``closed``: it goes on, and one of both cannot be the best);
            the items ``rated`` until it, of at most ``most``; ``information``, as a share of
            what is planned; how many ``looks``; how many items were rated after the end (``late``); its
            ``z`` and ``boundary``; ``power_left`` under the planned effect; the ``mean`` of the look with the
            repeated interval, which holds at all looks together; once it has ended the median-unbiased
            ``estimate`` with the stage-wise interval ``low``, ``high`` and ``p``; ``reason`` where there is
            no look.
        looks: The same of every look.
        saved: By ``lever`` the ``ratings`` that were saved against three raters an item without looks, and
            their ``share``; empty while the study goes on.
        finished: Systems that need no more ratings: each of their pairs has ended, or, where the design asks
            for the best system, another one is better.
        notes: What the figures rest on.
        signature: Everything that they follow from.
    """

    pairs: pl.DataFrame
    looks: pl.DataFrame
    saved: pl.DataFrame
    finished: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str

    def document(self, view: View = AS_USUAL) -> Document:
        """What is decided, every look, and what was saved."""
        from rejoinder.planning.progress_tables import progress

        return progress(self.pairs, self.looks, self.saved, self.notes)

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder compare --ratings --design --json`` prints."""
        return self.json_of("pairs", "looks", "saved", "finished", "notes", "signature")


def follow_design(
    ratings: Frame | Ratings,
    design: RatingDesign | str | Path,
    scores: Scores | Frame | None = None,
    a: str | None = None,
    b: str | None = None,
    *,
    criterion: str | None = None,
    without: Sequence[str] = (),
    scale: Scale | None = None,
    rater_effects: RaterEffects | None = None,
    seed: int = 12345,
) -> DesignProgress:
    """Says where a study that follows a design stands.

    The order of the rows of ``ratings`` is that in which answers came; an item counts once it has all its
    ratings, and looks are recomputed from that order, so that what a look decided does not change. Ratings
    that came after the end are in the estimate, not in the decision.

    Several pairs share one constant by which the boundaries are multiplied, so that all pairs and looks
    together err in 5 of 100 studies at most; see `group_sequential.wider_for_all`. It is smaller at the looks
    after a pair was decided. A design whose goal is the best system leaves out those that cannot be it.

    Args:
        ratings: The ratings until now, of one criterion.
        design: The design, or its file.
        scores: A judge's scores of all items, where the design has a judge. Several are averaged.
        a: A system; None follows every pair.
        b: Another system; None follows ``a`` with every other.
        criterion: Which criterion, where there are several.
        without: Systems to leave out.
        scale: The worst and the best grade that could be given.
        rater_effects: ``random``: raters are a sample of all raters; ``fixed``: they are the only ones. None:
            random where there are four raters or more with names.
        seed: Random seed of what is drawn where a judge's scores are matched with the ratings.

    Raises:
        InputError: The ratings or the design break their rules.
        ParameterError: A parameter is unknown, or scores are given for a design without a judge, or missing.
    """
    check_draws(0, seed)
    if not isinstance(design, RatingDesign):
        design = RatingDesign.read(design)
    if design.judge != (scores is not None):
        raise ParameterError(
            "the design corrects ratings by a judge: give the judge's scores of all items too"
            if design.judge
            else "the design has no judge: leave the scores out, or plan a design with one"
        )
    without = strings(without, "without", "systems")
    table = without_systems(
        taken(Ratings, ratings).of_criterion(criterion, one=True).table(), without
    )
    if scale is not None:
        check_scale(table, scale)
    notes: list[str] = []
    if scores is None:
        replies = RatedReplies.of_table(table, None, scale, rater_effects)
        ids = table.get_column("id").unique(maintain_order=True).to_list()
    else:
        known = scores_of(scores, Scores, "rejoinder.follow_design(ratings, design, scores)")
        rated, more, _ = match(known, table, None, "mean", without, seed, scale)
        notes += more
        replies = RepliesWithRatings.of(known, rated, table, scale, rater_effects)
        ids = known.items.get_column("id").to_list()
    study = _Study(replies, _order(table, ids), design)
    places = pairs_of(replies.systems, a, b)
    courses = study.courses(places)
    notes += study.notes(places, courses)
    return DesignProgress(
        pl.DataFrame([study.row(*each) for each in courses.items()], schema=PAIRS, orient="row"),
        pl.DataFrame(
            [row for each in courses.items() for row in study.look_rows(*each)], schema=LOOKS, orient="row"
        ),
        pl.DataFrame(study.saved(courses), schema=SAVED, orient="row"),
        tuple(replies.systems[each] for each in study.finished(courses)),
        tuple(notes),
        f"design:{design.name}|most:{design.most}|every:{design.every}|effect:{design.effect:g}|"
        f"{effects_fact([replies.rule])}|seed:{seed}|"
        f"hash:{judgements_hash(table)}|version:{__version__}",
    )  # fmt: skip


def _order(table: pl.DataFrame, ids: Sequence[str]) -> Indices:
    """By item the place of its last rating in the order of the answers: int64 [n], -1 without one."""
    last = dict(table.with_row_index("place").group_by("id").agg(pl.col("place").max()).iter_rows())
    return np.array([last.get(each, -1) for each in ids], dtype=np.int64)


class _Study:
    """The ratings of a study in the order in which they came.

    Args:
        replies: All ratings, with a judge's scores or without.
        order: By item the place of its last rating.
        design: The design.
    """

    def __init__(self, replies: RatedReplies, order: Indices, design: RatingDesign) -> None:
        self.replies, self.order, self.design = replies, order, design
        self.wider: dict[tuple[int, ...], float] = {}
        self.saves: dict[tuple[int, int], float] = {}
        self.worse: set[int] = set()

    def courses(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], StudyCourse]:
        """By pair its looks until now."""
        looks = {pair: self._looks(*pair) for pair in places}
        reached = self._reached(places)

        def wider(rated: int) -> float:
            """Of the pairs that no earlier look has decided, or closed."""
            still = tuple(k for k, pair in enumerate(places) if not ends.get(pair, rated) < rated)
            if still not in self.wider:
                self.wider[still] = wider_for_all(reached[:, still]) if still[1:] else 1.0
            return self.wider[still]

        decided: dict[tuple[int, int], int] | None = None
        ends: dict[tuple[int, int], int] = {}
        courses: dict[tuple[int, int], StudyCourse] = {}
        while decided != ends:  # each pair that is decided lowers the others' later boundaries
            decided = ends
            courses = {
                pair: follow(
                    [each for each, _ in own if each.rated in self.design.looks],
                    self.design.plan,
                    wider,
                    own[-1][0] if own else None,
                )
                for pair, own in looks.items()
            }
            ends = {
                pair: course.looks[-1].estimate.rated
                for pair, course in courses.items()
                if course.says == BETTER
            }
            if self.design.goal == "best":
                lost: dict[int, int] = {}
                for pair, rated in ends.items():
                    worse = pair[int(courses[pair].looks[-1].z > 0)]
                    lost[worse] = min(rated, lost.get(worse, rated))
                self.worse = {*lost}
                ends |= {
                    pair: min(lost.get(each, MOST_ITEMS) for each in pair)
                    for pair in places
                    if self.worse & {*pair}
                }
        return courses

    def _reached(self, places: Sequence[tuple[int, int]]) -> Floats:
        """See `group_sequential.reach_of_pairs`."""
        if len(places) < 2:
            return np.empty((0, len(places)))
        times = np.array(self.design.looks) / self.design.most
        total = [spent(t) for t in times] if self.design.stopping else [SPENT]
        boundaries = Monitoring.of(times.tolist(), total).boundaries
        finite = np.isfinite(boundaries)
        rng = np.random.default_rng(FOR_PAIRS)
        return reach_of_pairs(boundaries[finite], times[finite], places, rng)

    def _looks(self, a: int, b: int) -> list[tuple[LookEstimate, CorrectedMean]]:
        """The estimates at the numbers of items of the design, and of all items."""
        both = self.replies.rated[a] & self.replies.rated[b]
        came = np.flatnonzero(both)[np.argsort(self.order[both], kind="stable")]
        number = came.size
        if number < min(FIRST_LOOK, self.design.most):
            return []
        planned = (each for each in self.design.looks if each < number)
        found = []
        for size in (*planned, number):
            seen = np.zeros(both.size, dtype=np.bool_)
            seen[came[:size]] = True
            mean = self._mean(a, b, seen)
            found.append((LookEstimate(size, mean.value, mean.error, mean.df), mean))
        return found

    def _mean(self, a: int, b: int, seen: NDArray[np.bool_]) -> CorrectedMean:
        """The difference by the items seen so far; corrected by the judges' mean from 60 on."""
        replies = self.replies
        labels = replies.labels_of(a, b) - replies.severity_of(a, b, seen).labels
        labels = np.where(seen, labels, np.nan)
        judged = self._predictions(a, b) if seen.sum() >= FEWEST_CORRECTED else None
        items = np.flatnonzero(seen) if judged is None else replies.items_of(a, b)
        single = replies.single_of(a, b)
        if single is not None:
            own = replies.rated_items(a, b)
            kept = seen[own][single.item]
            place = np.cumsum(seen[own]) - 1
            single = single._replace(
                item=place[single.item[kept]], rater=single.rater[kept], sign=single.sign[kept],
                score=single.score[kept],
            )  # fmt: skip
        predictions = np.zeros(items.size) if judged is None else judged[items]
        weight = 0.0 if judged is None else None
        mean = corrected_mean(
            labels[items], predictions, replies.group[items], None, single, weight
        )
        if judged is not None:
            alone = np.flatnonzero(seen)
            zeros = np.zeros(alone.size)
            without = corrected_mean(labels[alone], zeros, replies.group[alone], None, single, 0.0)
            self.saves[a, b] = 1 - (mean.error / without.error) ** 2
        return mean

    def _predictions(self, a: int, b: int) -> Floats | None:
        """The judges' differences on every item, each on its own scale, averaged; None without spread."""
        if not isinstance(self.replies, RepliesWithRatings):
            return None
        given = self.replies.predictions_of(a, b)
        spread = np.nanstd(given, axis=1)
        varied = given[spread > NO_SPREAD] / spread[spread > NO_SPREAD, None]
        return varied.mean(axis=0) if len(varied) else None

    def row(self, pair: tuple[int, int], course: StudyCourse) -> dict[str, Any]:
        """The columns of a pair."""
        names = self._names(pair)
        if not course.looks:
            both = int((self.replies.rated[pair[0]] & self.replies.rated[pair[1]]).sum())
            first = min(FIRST_LOOK, self.design.most)
            reason = f"{counted(both, 'rated item')}; the first look is at {first}"
            return names | {"says": GO_ON, "rated": both, "most": self.design.most, "looks": 0,
                            "late": 0, "reason": reason}  # fmt: skip
        last = self.look_rows(pair, course)[-1]
        ended = course.says != GO_ON
        if not ended and not self.goes_on(pair, course):
            last["says"] = CLOSED
        ends = {"estimate": course.median, "low": course.low, "high": course.high, "p": course.p}
        return {
            **last, "most": self.design.most, "looks": len(course.looks), "late": course.late,
            **(ends if ended else dict.fromkeys(ends)), "reason": None,
        }  # fmt: skip

    def look_rows(self, pair: tuple[int, int], course: StudyCourse) -> list[dict[str, Any]]:
        """The columns of every look of a pair."""
        return [
            {
                **self._names(pair), "rated": each.estimate.rated, "information": each.fraction,
                "mean": each.estimate.value, "repeated_low": _finite(each.low),
                "repeated_high": _finite(each.high), "z": each.z, "boundary": _finite(each.boundary),
                "power_left": each.power_left, "says": each.says,
            }
            for each in course.looks
        ]  # fmt: skip

    def _names(self, pair: tuple[int, int]) -> dict[str, Any]:
        return dict(zip("ab", (self.replies.systems[each] for each in pair), strict=True))

    def finished(self, courses: dict[tuple[int, int], StudyCourse]) -> list[int]:
        """The systems that need no more ratings."""
        going = {each for pair, course in courses.items() if self.goes_on(pair, course)
                 for each in pair}  # fmt: skip
        return sorted({each for pair in courses for each in pair} - going)

    def goes_on(self, pair: tuple[int, int], course: StudyCourse) -> bool:
        """Whether a pair needs more ratings; not if one of both is decided to be no best one."""
        return course.says == GO_ON and not self.worse & {*pair}

    def saved(self, courses: dict[tuple[int, int], StudyCourse]) -> list[dict[str, Any]]:
        """Ratings saved against three raters an item without looks, once every pair has ended."""
        if any(self.goes_on(*each) for each in courses.items()) or not courses:
            return []
        design = self.design
        ends = [
            (each.looks[-1].estimate.rated, each.late) for each in courses.values() if each.looks
        ]
        used = design.raters * max(rated + late for rated, late in ends)
        late = used - design.raters * max(rated for rated, _ in ends)
        own = sorted({each for pair in courses for each in pair})
        early = used - design.raters * self.replies.rated[own].sum() / len(own)
        one = design.fixed if design.one is None or design.raters > 1 else design.one
        rows: list[tuple[str, float]] = [
            ("one rater an item in place of three", design.fixed - one)
        ]
        judge = 0.0
        if self.saves:
            judge = (used - late) * float(np.mean([s / (1 - s) for s in self.saves.values()]))
            rows.append(("the judge", judge))
        rows.append(("the looks", one - (used - late) - judge))
        if late:
            rows.append(("ratings that came after the end", -late))
        if early:
            rows.append(("systems that were finished earlier", early))
        rows.append(("in all", design.fixed - used + early))
        return [
            {"lever": lever, "ratings": float(number), "share": number / design.fixed}
            for lever, number in rows
        ]

    def notes(
        self, places: Sequence[tuple[int, int]], courses: dict[tuple[int, int], StudyCourse]
    ) -> list[str]:
        """For whom the intervals are, by what boundaries are multiplied, and what came late."""
        design = self.design
        notes = [self.replies.rule.note, "looks are taken in the order of the rows of the ratings"]
        systems = len({each for pair in places for each in pair})
        planned = ""
        if systems != design.systems:
            planned = f"; the planned maximum is that of {counted(design.systems, 'system')}"
        if len(places) > 1 and (wider := self.wider.values()):
            notes.append(
                f"{len(places)} pairs: the boundaries of one pair are multiplied by {max(wider):.3f}, and by "
                "less when pairs are decided, so that all pairs and looks together err in at most 5 of 100 "
                "studies" + planned
            )
        left = {each for pair in courses for each in pair} - self.worse
        if self.worse and len(left) == 1:
            notes.append(f"the best system is {_listed([*left], self.replies.systems)}")
        if finished := self.finished(courses):
            notes.append("no more ratings are needed of " + _listed(finished, self.replies.systems))
        futile = [pair for pair, each in courses.items() if each.says == FUTILE]
        if futile:
            notes.append(
                "futile: if the planned difference were true, the study would show it with a power below "
                "20%; it may go on, since the boundaries do not rest on an end here"
            )
        late = [pair for pair, each in courses.items() if each.late]
        if late:
            notes.append(
                f"{len(late)} of {counted(len(places), 'pair')} {'has' if len(late) == 1 else 'have'} items "
                "that were rated after the pair's end: they are in its estimate and interval, not in the "
                "decision"
            )
        single = (np.isfinite(self.replies.single).sum(axis=2) if self.replies.single is not None
                  else np.isfinite(self.replies.ratings).astype(np.int64))  # fmt: skip
        if design.raters == 1 and (several := int((single.max(axis=0) > 1).sum())):
            notes.append(
                f"{counted(several, 'item')} with more than one rater, where the design has one: each counts "
                "once, by its mean rating"
            )
        return notes


def _listed(places: Sequence[int], names: Sequence[str]) -> str:
    return ", ".join(names[each] for each in places)


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
