"""Soft pairwise accuracy: pairs of systems, and how sure ratings and metrics are of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted
from rejoinder.meta_evaluation.evidence import (
    CorrelationRow,
    Draws,
    Evidence,
    Pair,
    Rated,
    at_once,
    no_interval,
    texts_at,
)
from rejoinder.metrics.engine.resampling import all_swaps, permutation_swaps, swapped_differences
from rejoinder.metrics.engine.rows import Rows, rows_of
from rejoinder.metrics.means import mean, mean_rows
from rejoinder.progress import Progress
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import NOISE, p_of_drawn
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.power import MOST_ENUMERATED
from rejoinder.statistics.soft_pairwise import (
    metric_swaps,
    reached,
    renamed,
    soft_pairwise_accuracy,
    without_each_system,
)
from rejoinder.statistics.system_jackknife import difference_interval, share_interval

SOFT = "soft"
"""The name of the accuracy among the coefficients."""

LEAST_ITEMS = 2
"""On a single item every swap gives the same difference, or its opposite."""

INCOMPLETE = "systems are rated on different items, so they cannot change places: there is no test"
FEW_SYSTEMS = "with {systems} systems no p can be below {least:g}"


class SoftPairs(Evidence):
    """Pairs of systems, each with the p-values that the first is better: by people and by metrics.

    Args:
        rated: Scores and ratings.
        draws: Number of permutations, and the seed.

    Raises:
        ParameterError: There is one rated system, or no two share two rated items.
    """

    def __init__(self, rated: Rated, draws: Draws) -> None:
        self.rated, self.draws = rated, draws
        self.labels = list(rated.subjects)
        present = ~np.isnan(rated.grid)
        if len(rated.systems) < 2:
            raise ParameterError(
                f"protocol 'soft': one rated system, {one_of(rated.systems)}; it compares systems"
            )
        every = list(combinations(range(len(rated.systems)), 2))
        self.shared = np.array([present[a] & present[b] for a, b in every])
        enough = self.shared.sum(axis=1) >= LEAST_ITEMS
        if not enough.any():
            raise ParameterError(
                "protocol 'soft': no two systems are rated on the same two items; rate their replies to "
                "the same items, or take protocol 'turn'"
            )
        self.pairs, self.shared = np.array(every)[enough], self.shared[enough]
        self.notes: list[str] = []
        if not enough.all():
            self.notes.append(
                f"soft: {int((~enough).sum())} of {counted(len(every), 'pair')} of systems left out: "
                f"they share fewer than {LEAST_ITEMS} rated items"
            )
        self.complete = bool(present.all())
        human = rows_of(mean_rows(np.nan_to_num(rated.grid).T.ravel()), len(rated.systems))
        self.human = self._p(human, mean) if draws.permutations else None
        self.metrics: dict[str, Floats] = {}

    def names(self, correlations: Sequence[str]) -> Sequence[str]:
        """The accuracy stands in the place of coefficients."""
        return (SOFT,)

    def prepare(self, correlations: Sequence[str], progress: Progress | None = None) -> None:
        """The p-values of every metric, once."""
        if self.metrics or self.human is None:
            return
        subjects = self.rated.subjects.values()
        values = at_once(lambda subject: self._p(subject.rows, subject.score), subjects)
        self.metrics = dict(zip(self.labels, values, strict=True))

    def _p(self, rows: Rows, score: Callable[[Floats], Floats]) -> Floats:
        """The p-value of each pair that its first system is better: float64 [pairs]."""
        values = np.empty(len(self.pairs))
        patterns, place = np.unique(self.shared, axis=0, return_inverse=True)
        for number, items in enumerate(patterns):
            which = place.ravel() == number
            values[which] = self._p_on(rows.pick(items), score, self.pairs[which], items, number)
        return values

    def _p_on(
        self,
        rows: Rows,
        score: Callable[[Floats], Floats],
        pairs: Indices,
        items: NDArray[np.bool_],
        number: int,
    ) -> Floats:
        """Of pairs that share just these items; swaps are the same for people and every metric."""
        n, trials = int(items.sum()), self.draws.permutations
        if self.rated.cluster is not None:
            clusters = Groups.of(self.rated.cluster[items], n)
            rows, n = rows.summed(clusters), len(clusters)
        exact = n < MOST_ENUMERATED and 1 << n <= trials
        rng = np.random.default_rng([self.draws.seed, 5, number])
        swaps = [all_swaps(n)] if exact else permutation_swaps(n, trials, rng)
        values = score(rows.sums())
        observed, above, tried = values[pairs[:, 0]] - values[pairs[:, 1]], 0.0, 0
        for _, permuted in swapped_differences(rows, score, pairs, swaps):
            above, tried = above + reached(permuted, observed), tried + permuted.shape[1]
        # The observed replies are one more swap, which ties with itself.
        return np.asarray(above / tried if exact else (above + 0.5) / (tried + 1))

    def row(self, label: str, correlation: str) -> CorrelationRow:
        """The accuracy, its jackknife over systems, and a test in which systems change names."""
        more = {"chance": math.nan}
        n, reason = len(self.pairs), self._reason(label)
        if reason or self.human is None:
            return CorrelationRow(math.nan, n, reason=reason, more=more)
        metric = self.metrics[label]
        value = soft_pairwise_accuracy(self.human, metric)
        without = without_each_system(self.human, metric, self.pairs)
        interval = share_interval(value, without)
        p, why = math.nan, None
        if self.complete:
            trials, rng = self.draws.permutations, np.random.default_rng([self.draws.seed, 6])
            by_chance = renamed(self.human, metric, self.pairs, trials, rng)
            more["chance"] = chance = float(by_chance.mean())
            p = p_of_drawn([by_chance - chance], value - chance)
        else:
            why = f"{INCOMPLETE} and no chance"
        reasons = no_interval(interval, why)
        return CorrelationRow(value, n, interval.low, interval.high, p, reasons, more)

    def _reason(self, label: str) -> str | None:
        """Why there is no accuracy."""
        self.prepare([SOFT])
        if self.human is None:
            return f"its p-values are of permutations: give {Argument('permutations', 1000)}"
        undefined = int(np.isnan(self.metrics[label]).sum())
        pairs = counted(len(self.pairs), "pair")
        return f"undefined on swapped replies of {undefined} of {pairs}" if undefined else None

    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """The difference of two metrics, its jackknife over systems, and the test by systems."""
        n, reason = len(self.pairs), self._reason(a) or self._reason(b)
        if reason or self.human is None:
            return Pair(math.nan, math.nan, n, reason=reason)
        human, both = self.human, (self.metrics[a], self.metrics[b])
        of_a, of_b = (soft_pairwise_accuracy(human, metric) for metric in both)
        without = [without_each_system(human, metric, self.pairs) for metric in both]
        interval = difference_interval(of_a - of_b, without[0] - without[1])
        p, why = self._swapped(a, b)
        reasons = no_interval(interval, why)
        return Pair(of_a, of_b, n, interval.low, interval.high, p, reason=reasons)

    def _swapped(self, a: str, b: str) -> tuple[float, str | None]:
        """P of the exchange of whole systems' scores, and why there is none or none that is small."""
        if not self.complete or self.human is None:
            return math.nan, INCOMPLETE
        values = np.concatenate([self._standardised(a), self._standardised(b)])
        if not np.isfinite(values).all():
            return math.nan, "no test: a metric has no score with a reply left out"
        systems, trials = len(self.rated.systems), self.draws.permutations
        rows = rows_of(mean_rows(values.T.ravel()), 2 * systems)
        places = [self.pairs + systems * np.array([s, t]) for s in range(2) for t in range(2)]
        p_values = self._p_on(rows, mean, np.concatenate(places), self.shared[0], 0)
        mixed, rng = p_values.reshape(2, 2, -1), np.random.default_rng([self.draws.seed, 7])
        p, least = metric_swaps(self.human, mixed, self.pairs, trials, rng)
        note = FEW_SYSTEMS.format(systems=systems, least=least) if least > SIGNIFICANT else None
        return p, note

    def _standardised(self, label: str) -> Floats:
        """What each reply adds to its system's score, on one level and scale: float64 [S, n].

        The jackknife's pseudo-values, which are a mean's own values; each item's mean over systems is
        taken away, and all are divided by their root mean square.
        """
        subject = self.rated.subjects[label]
        n, whole = self.shared.shape[1], subject.score(subject.rows.sums())[:, None]
        left_out = subject.sign * subject.rows.left_out(subject.metric)
        values = n * whole - (n - 1) * left_out
        values = values - values.mean(axis=0)
        scale = float(np.sqrt((values**2).mean()))
        return values / scale if scale > NOISE else np.zeros_like(values)

    def observations(self) -> pl.DataFrame:
        """A row for each pair: ``system_a``, ``system_b``, ``items``, and the p-values."""
        self.prepare([SOFT])
        undefined = np.full(len(self.pairs), np.nan)
        return pl.DataFrame(
            {
                "system_a": texts_at(self.rated.systems, self.pairs[:, 0]),
                "system_b": texts_at(self.rated.systems, self.pairs[:, 1]),
                "items": self.shared.sum(axis=1),
                "group": np.arange(len(self.pairs)),
                "human": undefined if self.human is None else self.human,
                **{label: self.metrics.get(label, undefined) for label in self.labels},
            }
        )
