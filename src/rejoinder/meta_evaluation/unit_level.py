"""The unit protocol: differences of two systems on units of items (Galley et al. 2015, section 5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from threading import Lock
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Floats, Indices, Table
from rejoinder.kernels.bags import bag_totals
from rejoinder.kernels.units import unit_sums
from rejoinder.meta_evaluation.evidence import (
    TWO,
    CorrelationRow,
    Draws,
    Evidence,
    Pair,
    Rated,
    Subject,
    at_once,
    no_interval,
    texts_at,
)
from rejoinder.meta_evaluation.unit_assignments import BLOCK, LEAST_UNITS, UnitSettings, design
from rejoinder.metrics.engine.rows import BagMatrix, Matrix
from rejoinder.progress import Progress
from rejoinder.statistics.conventions import UNDEFINED_SHARE, p_of_drawn
from rejoinder.statistics.correlation import reason_undefined
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.intervals import Interval, percentiles
from rejoinder.statistics.ranked import Ranked, measured, without_rounding
from rejoinder.statistics.system_jackknife import correlation_interval, difference_interval
from rejoinder.statistics.system_swaps import system_swaps

# Permutation tests and intervals look at the first assignments, whose mean stands for that of all:
# at as many as have this many units together, and at 10 where those have no more than the second
# number. Few units to an assignment need many assignments: with 15 units and 10 assignments the p of
# one correlation was 0.001 under one seed and 0.35 under another.
TESTED_UNITS = 5_000
TESTED = 10
MOST_TESTED_UNITS = 20_000

# Permuted ratings are summed so many at a time, to stay in the processor's cache.
AT_ONCE = 128


class Differences(NamedTuple):
    """What was observed of some assignments.

    Args:
        scores: By label, float64 [b, u].
        human: float64 [b, u].
    """

    scores: dict[str, Floats]
    human: Floats


class UnitObservations(Evidence):
    """Observations of units, for many assignments of items to them.

    Of most assignments only the coefficients are kept; the first few are kept whole, for the
    permutation tests, the intervals and for those who want to look at observations.

    Args:
        rated: Scores and ratings.
        settings: Which units there are.
        draws: Number of permutations, and the seed.
        why: Why there are units of the chosen pairs only, as a note says it.
    """

    no_test = "systems are rated on different items"
    """Why there is no permutation test, where there is none."""

    def __init__(
        self, rated: Rated, settings: UnitSettings, draws: Draws, why: str = "as asked"
    ) -> None:
        self.rated, self.draws = rated, draws
        self.assignments = assignments = settings.assignments
        self.design, self.notes = design(rated, settings, draws.seed, why)
        self.labels = list(rated.subjects)
        least = min(TESTED, MOST_TESTED_UNITS // self.n)
        self.tested = max(1, min(assignments, max(least, TESTED_UNITS // self.n)))
        self.over: dict[tuple[str, str], Floats] = {}
        self.chance: dict[tuple[str, str], Floats] = {}
        self.without: dict[tuple[str, str], Floats] = {}
        self.table, self.spans = _side_by_side(rated)
        self._centred: dict[str, Floats] = {}
        self._lock = Lock()
        self.first = self._block(0, self.tested)

    @property
    def n(self) -> int:
        """How many observations an assignment has."""
        return self.design.pair.size

    def prepare(self, correlations: Sequence[str], progress: Progress | None = None) -> None:
        """Goes through all assignments, and permutations, once for every metric and coefficient."""
        new = [each for each in correlations if (self.labels[0], each) not in self.over]
        if not new:
            return
        keys = [(label, correlation) for label in self.labels for correlation in new]
        self.over |= {key: np.empty(self.assignments) for key in keys}
        blocks = range(0, self.assignments, BLOCK)
        chunks = range(0, self.draws.permutations if self._complete else 0, AT_ONCE)
        self.chance |= {key: np.zeros(self.draws.permutations) for key in keys}
        ranked = {label: Ranked(x) for label, x in self.first.scores.items()}
        systems = np.unique(self.design.pairs)
        self.without |= {key: np.full((systems.size, self.tested), np.nan) for key in keys}
        tasks: list[Callable[[], None]] = [
            *(partial(self._assign, begin, new) for begin in blocks),
            *(partial(self._permute, begin, new, ranked) for begin in chunks),
            *(partial(self._leave_out, s, system, new) for s, system in enumerate(systems)),
        ]
        at_once(lambda task: task(), tasks, progress)

    def _assign(self, begin: int, correlations: Sequence[str]) -> None:
        """The coefficients of a block of assignments."""
        number = min(BLOCK, self.assignments - begin)
        differences = self._block(begin // BLOCK, number)
        y = Ranked(differences.human)
        for label, x in differences.scores.items():
            for correlation, value in measured(Ranked(x), y, correlations):
                self.over[label, correlation][begin : begin + number] = value

    def _leave_out(self, place: int, system: int, correlations: Sequence[str]) -> None:
        """The coefficients of the first assignments without the units of one system."""
        others = (self.design.pairs != system).all(axis=1)[self.design.pair]
        if np.count_nonzero(others) < LEAST_UNITS:
            return
        y = Ranked(self.first.human[:, others])
        for label, x in self.first.scores.items():
            for correlation, value in measured(Ranked(x[:, others]), y, correlations):
                self.without[label, correlation][place] = value

    def _block(self, block: int, number: int) -> Differences:
        """Sums the units of some assignments, and takes the differences."""
        size, n = self.design.size, len(self.rated.ids)
        members, turned = self.design.assigned(block, number)
        pairs = self.design.pairs[self.design.pair]
        sign = np.where(turned, -1.0, 1.0)
        a, b = (
            unit_sums(self.table, np.tile(pairs[:, side] * n, number), members.ravel(), size)
            for side in (0, 1)
        )
        scores = {}
        for label, subject in self.rated.subjects.items():
            if isinstance(subject.rows, BagMatrix):
                values = self._bags(subject, subject.rows, members)
            else:
                span = self.spans[label]
                values = subject.score(a[:, span]) - subject.score(b[:, span])
            scores[label] = sign * without_rounding(values.reshape(number, -1))
        human = without_rounding((a[:, -1] - b[:, -1]) / size).reshape(number, -1)
        return Differences(scores, sign * human)

    def _bags(self, subject: Subject, bags: BagMatrix, members: Indices) -> Floats:
        """The differences of a metric whose rows are bags: float64 [b, u]."""
        pairs = self.design.pairs[self.design.pair]
        values = np.empty((2, *members.shape[:2]))
        for side in (0, 1):
            for s in np.unique(pairs[:, side]):
                of = pairs[:, side] == s
                values[side][:, of] = self._bag_scores(subject, bags, members[:, of], s)
        return values[0] - values[1]

    def _bag_scores(
        self, subject: Subject, bags: BagMatrix, members: Indices, system: int
    ) -> Floats:
        """The scores of one system on units, by a metric whose rows are bags: float64 [b, u]."""
        values = np.empty(members.shape[:2])
        for b, units in enumerate(members):
            counts = np.zeros((len(units), len(self.rated.ids)))
            np.put_along_axis(counts, units, 1.0, axis=1)
            ends = bags.first[system], bags.last[system]
            values[b] = subject.score(bag_totals(bags.codes, *ends, counts, bags.width))
        return values

    @property
    def centred(self) -> dict[str, Floats]:
        """The scores of the two systems of every unit of the first assignments, centred.

        Less the mean over all systems of the unit's scores, which is how hard the unit's items are.

        Returns:
            By label, float64 [2, t, u].
        """
        with self._lock:
            if not self._centred:
                self._centred = self._two_sides()
            return self._centred

    def _two_sides(self) -> dict[str, Floats]:
        members = self.design.assigned(0, self.tested).members
        n, units = len(self.rated.ids), members.shape[0] * members.shape[1]
        systems = range(len(self.rated.systems))
        sums = [
            unit_sums(self.table, np.full(units, s * n), members.ravel(), self.design.size)
            for s in systems
        ]
        ends = self.design.pairs[self.design.pair].T
        both = {}
        for label, subject in self.rated.subjects.items():
            if isinstance(subject.rows, BagMatrix):
                each = [self._bag_scores(subject, subject.rows, members, s) for s in systems]
            else:
                each = [subject.score(one[:, self.spans[label]]) for one in sums]
            scores = np.stack(each).reshape(len(systems), *members.shape[:2])
            scores = without_rounding(scores - _mean_of_defined(scores))
            both[label] = np.stack([scores[end, :, np.arange(self.n)].T for end in ends])
        return both

    def _permute(self, begin: int, correlations: Sequence[str], ranked: dict[str, Ranked]) -> None:
        """The mean coefficients over the first assignments, under some permutations of ratings.

        Systems change names and contexts change places, each by one permutation for the whole
        table: what is alike within a system or a context stays so, and only what ties ratings to
        scores is gone.
        """
        number = min(AT_ONCE, self.draws.permutations - begin)
        rng = np.random.default_rng([self.draws.seed, 3, begin // AT_ONCE])
        grid = self.rated.grid
        rated = np.flatnonzero(~np.isnan(grid[0]))
        moved = np.zeros((number, *grid.shape))
        for b in range(number):
            moved[b][:, rated] = grid[rng.permutation(len(grid))][:, rng.permutation(rated)]
        table = np.ascontiguousarray(moved.reshape(number, -1).T)
        members, turned = self.design.assigned(0, self.tested)
        pairs = self.design.pairs[self.design.pair] * len(self.rated.ids)
        for t, units in enumerate(members):
            a, b = (
                unit_sums(
                    table, np.ascontiguousarray(pairs[:, side]), units.ravel(), units.shape[1]
                )
                for side in (0, 1)
            )
            human = without_rounding(((a - b) / units.shape[1]).T) * np.where(turned[t], -1.0, 1.0)
            y = Ranked(human)
            for label, x in ranked.items():
                for correlation, value in measured(x.of(t), y, correlations):
                    chance = self.chance[label, correlation]
                    chance[begin : begin + number] += value / self.tested

    def row(self, label: str, correlation: str) -> CorrelationRow:
        """The mean over assignments, its interval by the jackknife over systems, and the spread."""
        self.prepare([correlation])
        over = self.over[label, correlation]
        reason = self._reason(label, correlation)
        if reason:
            return CorrelationRow(math.nan, self.n, reason=reason, more=_spread(None))
        defined = over[~np.isnan(over)]
        value = float(defined.mean())
        interval = correlation_interval(value, self._without(label, correlation))
        p, why = self._p(label, correlation)
        reasons, spread = no_interval(interval, why), _spread(percentiles(defined))
        return CorrelationRow(value, self.n, interval.low, interval.high, p, reasons, spread)

    def _without(self, label: str, correlation: str) -> Floats:
        """The mean coefficient without each system in turn: float64 [S]; NaN where undefined."""
        each = self.without[label, correlation]
        undefined = np.isnan(each)
        mostly_defined = undefined.mean(axis=1) <= UNDEFINED_SHARE
        sums = np.where(undefined, 0.0, each).sum(axis=1)
        return np.where(mostly_defined, sums / np.maximum(1, (~undefined).sum(axis=1)), np.nan)

    def _reason(self, label: str, correlation: str) -> str | None:
        """Why the mean over assignments is undefined, or says nothing; None where it is neither."""
        if self.n == 2:
            return TWO
        if self.n < 2:
            return "1 unit: a correlation needs at least 3"
        coefficients = self.over[label, correlation]
        undefined = np.isnan(coefficients)
        if undefined.sum() <= UNDEFINED_SHARE * coefficients.size:
            return None
        x, y = self.first.scores[label], self.first.human
        reasons = [reason_undefined(x[t], y[t]) for t in range(self.tested)]
        why = next((each for each in reasons if each), "too little variation")
        return f"undefined in {undefined.sum()} of {coefficients.size} assignments: {why}"

    @cached_property
    def _complete(self) -> bool:
        """Whether every system is rated on the same items."""
        present = ~np.isnan(self.rated.grid)
        return bool((present == present[0]).all())

    def _p(self, label: str, correlation: str) -> tuple[float, str | None]:
        if not self.draws.permutations:
            return math.nan, None
        if not self._complete:
            return math.nan, f"no test: {self.no_test}"
        observed = self.over[label, correlation][: self.tested].mean()
        return p_of_drawn([self.chance[label, correlation]], float(observed)), None

    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """The difference of the means, its jackknife interval, and a swap of whole systems.

        There is no Williams' test: it takes units for independent, and these share systems.
        """
        reason = self._reason(a, correlation) or self._reason(b, correlation)
        if reason:
            return Pair(math.nan, math.nan, self.n, reason=reason)
        r1, r2 = (float(np.nanmean(self.over[label, correlation])) for label in (a, b))
        without = self._without(a, correlation) - self._without(b, correlation)
        interval = difference_interval(r1 - r2, without)
        p, why = math.nan, None
        if self.draws.permutations:
            first, second, human = self.centred[a], self.centred[b], self.first.human
            pairs = self.design.pairs[self.design.pair]
            turned = self.design.assigned(0, self.tested).turned
            trials, rng = self.draws.permutations, np.random.default_rng([self.draws.seed, 4])
            p, least = system_swaps(first, second, human, pairs, turned, correlation, trials, rng)
            if least > SIGNIFICANT:
                systems = np.unique(self.design.pairs).size
                why = f"no p can be below {least:g}, with {systems} systems and these permutations"
        reason = no_interval(interval, why)
        return Pair(r1, r2, self.n, interval.low, interval.high, p, reason=reason)

    def observations(self) -> pl.DataFrame:
        """The units of the first assignment: ``system_a``, ``system_b``, ``unit``, ``group``, ..."""
        pairs = self.design.pairs[self.design.pair]
        turned = self.design.assigned(0, self.tested).turned[0]
        pairs = np.where(turned[:, None], pairs[:, ::-1], pairs)
        starts = np.flatnonzero(np.diff(self.design.pair, prepend=-1))
        return pl.DataFrame(
            {
                "system_a": texts_at(self.rated.systems, pairs[:, 0]),
                "system_b": texts_at(self.rated.systems, pairs[:, 1]),
                "unit": np.arange(self.n) - starts[self.design.pair],
                "group": self.design.pair,
                "human": self.first.human[0],
                **{label: values[0] for label, values in self.first.scores.items()},
            }
        )


def _side_by_side(rated: Rated) -> tuple[Table, dict[str, slice]]:
    """The rows of all metrics, the rating last, float64 [S * n, k], and each metric's columns."""
    columns, spans, at = [], {}, 0
    for label, subject in rated.subjects.items():
        if isinstance(subject.rows, Matrix):
            width = subject.rows.width
            columns.append(subject.rows.values.reshape(-1, width))
            spans[label] = slice(at, at + width)
            at += width
    grid = np.nan_to_num(rated.grid).reshape(-1, 1)  # no unit holds a reply without a rating
    return np.ascontiguousarray(np.concatenate([*columns, grid], axis=1)), spans


def _mean_of_defined(x: Floats) -> Floats:
    """The mean along the first axis without NaNs; 0 where there is nothing else."""
    defined = ~np.isnan(x)
    return np.where(defined, x, 0.0).sum(axis=0) / np.maximum(1, defined.sum(axis=0))


def _spread(interval: Interval | None) -> dict[str, float]:
    low, high = (interval.low, interval.high) if interval else (math.nan, math.nan)
    return {"spread_low": low, "spread_high": high}
