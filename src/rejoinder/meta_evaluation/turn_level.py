"""Observations of one number from each metric and one from people, and their correlation.

`Observations` serves the system protocol; `TurnObservations` serves the turn protocol, and adds the agreement
within each system and that of people with people.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.human_evaluation.rater_effects import RaterRule
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted, merged
from rejoinder.meta_evaluation.evidence import (
    CorrelationRow,
    Draws,
    Evidence,
    Pair,
    Rated,
    at_once,
    no_interval,
    texts_at,
    undefined,
)
from rejoinder.statistics import correlation_bootstrap, intervals, significance
from rejoinder.statistics.conventions import LEAST_GROUPS
from rejoinder.statistics.correlation import correlation_named
from rejoinder.statistics.intervals import Interval, percentiles
from rejoinder.statistics.raters import human_correlations
from rejoinder.statistics.within_systems import WithinSystems, mean_of_defined

POOLED = (
    "over the replies of all systems, differences between systems count as evidence, so the pooled "
    "value has no p; the test is that of the mean within systems"
)

OTHER_SYSTEMS = "the row is the mean over the other"
"""In the reason of a mean that leaves out systems without a coefficient."""


class Observations(Evidence):
    """Observations of one number from each metric and one from people.

    Args:
        scores: By label, float64 [N].
        human: float64 [N].
        groups: [N], what is resampled and permuted as a whole.
        keys: What identifies each observation, its group last.
        draws: Number of permutations and resamples, and the seed.
        drawn: What the groups are called.
        least: With fewer groups there is no interval; 0 leaves it to the bootstrap.
        raters: float64 [N, raters] where raters are to be resampled too.
    """

    def __init__(
        self,
        scores: dict[str, Floats],
        human: Floats,
        groups: Indices,
        keys: pl.DataFrame,
        draws: Draws,
        drawn: str,
        least: int = 0,
        raters: Floats | None = None,
    ) -> None:
        self.scores, self.human, self.groups, self.keys = scores, human, groups, keys
        self.draws, self.drawn, self.least, self.raters = draws, drawn, least, raters
        self.labels = list(scores)
        self.notes: list[str] = []
        if draws.resamples and np.unique(groups).size >= least:
            self.notes += intervals.few_groups(np.unique(groups).size, drawn)
        self.resampled: dict[tuple[str, str, bytes], Floats] = {}

    def usable(self, *labels: str) -> NDArray[np.bool_]:
        """The observations that a row of these metrics is made of: bool [N]."""
        return np.ones(self.human.size, dtype=np.bool_)

    def row(self, label: str, correlation: str) -> CorrelationRow:
        """Value, cluster bootstrap and permutation test."""
        usable = self.usable(label)
        x, y = self.scores[label][usable], self.human[usable]
        value = float(correlation_named(correlation)(x, y))
        reason = undefined(x, y)
        if reason:
            return CorrelationRow(math.nan, y.size, reason=reason)
        interval = self._interval(label, correlation, usable)
        p = math.nan
        if self.draws.permutations:
            draws, groups = self.draws, self.groups[usable]
            p = float(
                significance.permutation_p(x, y, correlation, draws.permutations, draws.rng, groups)
            )
        return CorrelationRow(value, y.size, interval.low, interval.high, p, no_interval(interval))

    def _interval(self, label: str, correlation: str, usable: NDArray[np.bool_]) -> Interval:
        too_few = self._too_few(usable)
        if too_few or not self.draws.resamples:
            return Interval.none(too_few)
        if self.raters is None:
            return percentiles(self._resampled(label, correlation, usable))
        x, y, groups = self.scores[label][usable], self.raters[usable], self.groups[usable]
        return correlation_bootstrap.bootstrap_over_raters(
            x, y, correlation, groups, self.draws.resamples, self.draws.rng
        )

    def _too_few(self, usable: NDArray[np.bool_]) -> str | None:
        number = np.unique(self.groups[usable]).size
        least = max(self.least, LEAST_GROUPS)
        return f"fewer than {least} {self.drawn} to resample" if number < least else None

    def _resampled(self, label: str, correlation: str, usable: NDArray[np.bool_]) -> Floats:
        key = label, correlation, usable.tobytes()
        if key not in self.resampled:
            x, y, groups = self.scores[label][usable], self.human[usable], self.groups[usable]
            self.resampled[key] = correlation_bootstrap.resampled(
                x, y, correlation, groups, self.draws.resamples, self.draws.rng
            )
        return self.resampled[key]

    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """The difference resample by resample, the paired permutation, and Williams' test."""
        usable = self.usable(a, b)
        x1, x2, y = self.scores[a][usable], self.scores[b][usable], self.human[usable]
        measure = correlation_named(correlation)
        r12, r13, r23 = (float(r) for r in (measure(x1, y), measure(x2, y), measure(x1, x2)))
        reason = undefined(x1, y) or undefined(x2, y)
        if reason:
            return Pair(r12, r13, y.size, reason=reason)
        too_few = self._too_few(usable)
        interval = Interval.none(too_few)
        if self.draws.resamples and not too_few:
            first, second = (self._resampled(label, correlation, usable) for label in (a, b))
            interval = percentiles(first - second)
        p = math.nan
        if self.draws.permutations:
            draws, groups = self.draws, self.groups[usable]
            p = significance.paired_permutation(
                x1, x2, y, correlation, draws.permutations, draws.rng, groups
            ).p
        williams = significance.williams(r12, r13, r23, y.size)
        ends = interval.low, interval.high
        return Pair(r12, r13, y.size, *ends, p, williams, no_interval(interval))

    def observations(self) -> pl.DataFrame:
        """The keys, ``human``, and a column for each metric."""
        return self.keys.with_columns(
            pl.Series("human", self.human),
            *(pl.Series(label, values) for label, values in self.scores.items()),
        )


class TurnObservations(Observations):
    """Turn-level observations, which single raters and single systems have too.

    Each metric is correlated over the replies that it can score by themselves, two metrics over
    those that both can. A metric that scores fewer than half of the replies is undefined.
    """

    def __init__(self, rated: Rated, draws: Draws, rule: RaterRule | None = None) -> None:
        super().__init__(
            rated.segments,
            rated.human,
            rated.group,
            _reply_keys(rated),
            draws,
            rated.groups_are,
            raters=rated.matrix if rule and rule.random else None,
        )
        self.rated = rated
        self.several = len(rated.systems) > 1
        self.means: dict[tuple[str, str], CorrelationRow] = {}
        self.notes += self._unscored()
        if self.several:
            what = "replies" if rated.contexts == "contexts" else "dialogues"
            self.notes.append(POOLED.replace("replies", what))
        if rule and draws.resamples:
            self.over_raters = rule.random
            also = f"; that of the mean within systems is over {rated.groups_are} alone"
            self.notes.append(rule.note + also * (self.several and rule.random))

    def usable(self, *labels: str) -> NDArray[np.bool_]:
        """The replies that all these metrics can score by themselves, bool [N].

        All replies for a metric that can score fewer than half of them: it is undefined.
        """
        missing = [np.isnan(self.scores[label]) for label in labels]
        rare = [each for each in missing if each.sum() <= each.size / 2]
        return ~np.logical_or.reduce(rare) if rare else np.ones(self.human.size, dtype=np.bool_)

    def _unscored(self) -> list[str]:
        """Notes on replies that a metric cannot score by themselves."""
        lost = {label: int((~self.usable(label)).sum()) for label in self.labels}
        replies = counted(self.human.size, "rated reply", "rated replies")
        return merged(
            (
                label,
                f"{number} of {replies} left out of its own row, without a score under this metric; other "
                "metrics keep them",
            )
            for label, number in lost.items()
            if number
        )

    def row(self, label: str, correlation: str) -> CorrelationRow:
        """As for any observations; of several systems, the mean within systems stands beside it.

        The pooled p is then called so, and there is no ``p``: it takes differences between systems
        for evidence.
        """
        pooled = super().row(label, correlation)
        if not self.several:
            return pooled
        mean = self.mean_within(label, correlation)
        return pooled._replace(p=math.nan, more={**_columns(mean), "pooled_p": pooled.p})

    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """As for any observations; of several systems, the difference within them stands beside it."""
        pooled = super().pair(a, b, correlation)
        if not self.several:
            return pooled
        usable = self.usable(a, b)
        x1, x2, data = self.scores[a][usable], self.scores[b][usable], self._within(usable)
        difference, interval, p = data.difference(x1, x2, correlation), _NONE, math.nan
        if self.draws.resamples:
            interval = data.difference_interval(x1, x2, correlation)
        if self.draws.permutations:
            number, rng = self.draws.permutations, self.draws.rng
            p = data.paired_permutation(x1, x2, correlation, number, rng).p
        n, reason = data.y.size, no_interval(interval)
        more = _columns(CorrelationRow(difference, n, interval.low, interval.high, p, reason))
        # Williams' test is of the pooled observations too, and takes them for independent.
        williams = significance.Williams(math.nan, math.nan)
        more |= {"pooled_p": pooled.p}
        return pooled._replace(p=math.nan, williams=williams, more=more)

    def people(self, correlations: Sequence[str]) -> list[tuple[str, str, CorrelationRow]]:
        """Each rater against the mean of the others, where there are several."""
        matrix = self.rated.matrix
        if matrix.shape[1] < 2:
            return []
        rows = []
        for correlation in correlations:
            pooled = human_correlations(matrix, correlation, what="replies")
            inside = [
                human_correlations(matrix[self.rated.system == s], correlation, what="replies")
                for s in range(len(self.rated.systems))
            ]
            within = {
                "human (avg)": mean_of_defined(np.array([each.average for each in inside])),
                "human (max)": mean_of_defined(np.array([each.maximum for each in inside])),
            }
            for label, value in (("human (avg)", pooled.average), ("human (max)", pooled.maximum)):
                n = int(((~np.isnan(matrix)).sum(axis=1) > 1).sum())
                reason = pooled.reason or "single raters against the others: no interval, no test"
                more = {"within": within[label]} if self.several else {}
                rows.append(
                    (label, correlation, CorrelationRow(value, n, reason=reason, more=more))
                )
        return rows

    def mean_within(self, label: str, correlation: str) -> CorrelationRow:
        """The mean over systems of each system's own coefficient; its interval and its test."""
        key = label, correlation
        if key not in self.means:
            self.means[key] = self._mean_within(label, correlation)
        return self.means[key]

    def _mean_within(self, label: str, correlation: str) -> CorrelationRow:
        usable = self.usable(label)
        x, data = self.scores[label][usable], self._within(usable)
        each = data.coefficients(x, correlation)
        defined = ~np.isnan(each)
        sizes = np.bincount(data.system, minlength=len(self.rated.systems))
        n = int(sizes[: each.size][defined].sum())
        if not defined.any():
            return CorrelationRow(math.nan, n, reason="undefined within every system")
        left = len(self.rated.systems) - int(defined.sum())
        words = [
            f"undefined within {left} of {len(self.rated.systems)} systems, left out; "
            f"{OTHER_SYSTEMS} {int(defined.sum())}"
        ]
        interval, p = _NONE, math.nan
        if self.draws.resamples:
            interval = data.interval(x, correlation)
        if self.draws.permutations:
            p = data.permutation_p(x, correlation, self.draws.permutations, self.draws.rng)
        reasons = [*(words if left else []), *filter(None, [no_interval(interval)])]
        value = data.mean(x, correlation)
        return CorrelationRow(value, n, interval.low, interval.high, p, "; ".join(reasons) or None)

    def _within(self, usable: NDArray[np.bool_]) -> WithinSystems:
        cluster = None if self.rated.cluster is None else self.groups[usable]
        system, item = self.rated.system[usable], self.rated.item[usable]
        return WithinSystems(self.human[usable], system, item, cluster, self.rated.systems)

    def within(self, correlation: str) -> list[dict[str, Any]]:
        """Each system by itself, then the mean of those that are defined."""
        places = [self.rated.system == s for s in range(len(self.rated.systems))]
        tasks = [(label, each) for label in self.labels for each in places]

        def one(task: tuple[str, NDArray[np.bool_]]) -> CorrelationRow:
            label, place = task
            place = place & self.usable(label)
            part = Observations(
                {label: self.scores[label][place]},
                self.human[place],
                self.groups[place],
                self.keys.filter(pl.Series(place)),
                self.draws,
                self.drawn,
            )
            return part.row(label, correlation)

        of_systems = iter(at_once(one, tasks))
        means = at_once(lambda label: self.mean_within(label, correlation), self.labels)
        rows = []
        for label, mean in zip(self.labels, means, strict=True):
            key = {"metric": label, "correlation": correlation}
            of_system = [(system, next(of_systems)) for system in self.rated.systems]
            rows += [
                key | {"system": system} | row.columns()
                for system, row in [*of_system, ("mean", mean)]
            ]
        return rows


_NONE = Interval.none()


def _columns(mean: CorrelationRow) -> dict[str, float | str | None]:
    """The mean within systems as columns beside the pooled value."""
    return {
        "within": mean.value,
        "within_low": mean.low,
        "within_high": mean.high,
        "within_p": mean.p,
        "within_reason": mean.reason,
    }


def _reply_keys(rated: Rated) -> pl.DataFrame:
    systems, ids = texts_at(rated.systems, rated.system), texts_at(rated.ids, rated.item)
    return pl.DataFrame({"system": systems, "id": ids, "group": rated.group})
