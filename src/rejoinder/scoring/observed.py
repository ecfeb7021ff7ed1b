"""Observations of one number from each metric and one from people, and their correlation.

`Observed` serves the system protocol; `Replies` adds what single replies tell beside it, for the
turn protocol: people against people, and the agreement within each system.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from rejoinder.agreement import intervals, testing
from rejoinder.agreement.correlation import correlation_named
from rejoinder.agreement.intervals import Interval, percentiles
from rejoinder.agreement.raters import human_correlations
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.scoring.evidence import (
    Draws,
    Evidence,
    Pair,
    Rated,
    Row,
    at_once,
    no_interval,
    undefined,
)


class Observed(Evidence):
    """Observations of one number from each metric and one from people.

    Args:
        scores: By label, float64 [N].
        human: float64 [N].
        groups: [N], what is drawn together.
        keys: What identifies each observation, its group last.
        draws: How much is drawn.
        drawn: What the groups are called.
        least: With fewer groups there is no interval; 0 leaves it to the bootstrap.
        raters: float64 [N, raters] where raters are to be drawn too.
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
        self.resampled: dict[tuple[str, str], Floats] = {}

    def names(self, correlations: Sequence[str]) -> Sequence[str]:
        """All of them."""
        return correlations

    def row(self, label: str, correlation: str) -> Row:
        """Value, cluster bootstrap and permutation test."""
        x, y = self.scores[label], self.human
        value = float(correlation_named(correlation)(x, y))
        reason = undefined(x, y)
        if reason:
            return Row(math.nan, y.size, reason=reason)
        interval = self._interval(label, correlation)
        p = math.nan
        if self.draws.permutations:
            p = float(
                testing.permutation_p(
                    x, y, correlation, self.draws.permutations, self.draws.rng, self.groups
                )
            )
        return Row(value, y.size, interval.low, interval.high, p, no_interval(interval))

    def _interval(self, label: str, correlation: str) -> Interval:
        too_few = self._too_few()
        if too_few or not self.draws.resamples:
            return Interval(math.nan, math.nan, reason=too_few)
        if self.raters is None:
            return percentiles(self._resampled(label, correlation))
        return intervals.bootstrap_over_raters(
            self.scores[label],
            self.raters,
            correlation,
            self.groups,
            self.draws.resamples,
            self.draws.rng,
        )

    def _too_few(self) -> str | None:
        number = np.unique(self.groups).size
        least = max(self.least, intervals.LEAST_GROUPS)
        return f"fewer than {least} {self.drawn} to resample" if number < least else None

    def _resampled(self, label: str, correlation: str) -> Floats:
        key = label, correlation
        if key not in self.resampled:
            self.resampled[key] = intervals.resampled(
                self.scores[label],
                self.human,
                correlation,
                self.groups,
                self.draws.resamples,
                self.draws.rng,
            )
        return self.resampled[key]

    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """The difference resample by resample, the paired permutation, and Williams' test."""
        x1, x2, y = self.scores[a], self.scores[b], self.human
        measure = correlation_named(correlation)
        r12, r13, r23 = (float(r) for r in (measure(x1, y), measure(x2, y), measure(x1, x2)))
        reason = undefined(x1, y) or undefined(x2, y)
        if reason:
            return Pair(r12, r13, y.size, reason=reason)
        too_few = self._too_few()
        interval = Interval(math.nan, math.nan, reason=too_few)
        if self.draws.resamples and not too_few:
            drawn = self._resampled(a, correlation) - self._resampled(b, correlation)
            interval = percentiles(drawn)
        p = math.nan
        if self.draws.permutations:
            p = testing.paired_permutation(
                x1, x2, y, correlation, self.draws.permutations, self.draws.rng, self.groups
            ).p
        williams = testing.williams(r12, r13, r23, y.size)
        ends = interval.low, interval.high
        return Pair(r12, r13, y.size, *ends, p, williams, no_interval(interval))

    def observations(self) -> pl.DataFrame:
        """The keys, ``human``, and a column for each metric."""
        return self.keys.with_columns(
            pl.Series("human", self.human),
            *(pl.Series(label, values) for label, values in self.scores.items()),
        )


class Replies(Observed):
    """Turn-level observations, which single raters and single systems have too."""

    def __init__(self, rated: Rated, draws: Draws, resample_raters: bool) -> None:
        rated, left_out = rated.scored()
        super().__init__(
            rated.segments,
            rated.human,
            rated.item,
            _reply_keys(rated),
            draws,
            "contexts",
            raters=rated.matrix if resample_raters else None,
        )
        self.rated = rated
        self.notes += left_out

    def people(self, correlations: Sequence[str]) -> list[tuple[str, str, Row]]:
        """Each rater against the mean of the others, where there are several."""
        matrix = self.rated.matrix
        if matrix.shape[1] < 2:
            return []
        rows = []
        for correlation in correlations:
            told = human_correlations(matrix, correlation, what="replies")
            for label, value in (("human (avg)", told.average), ("human (max)", told.maximum)):
                n = int(((~np.isnan(matrix)).sum(axis=1) > 1).sum())
                reason = told.reason or "single raters against the others: no interval, no test"
                rows.append((label, correlation, Row(value, n, reason=reason)))
        return rows

    def within(self, correlation: str) -> list[dict[str, Any]]:
        """Each system by itself, then the mean of those that are defined.

        Where all systems are rated on the same contexts, the mean's interval draws these contexts
        for all systems at once.
        """
        places = [np.flatnonzero(self.rated.system == s) for s in range(len(self.rated.systems))]
        contexts = [self.groups[each] for each in places]
        alike = all(np.array_equal(contexts[0], each) for each in contexts)
        tasks = [(label, each) for label in self.labels for each in places]

        def one(task: tuple[str, Indices]) -> tuple[Row, Floats]:
            label, place = task
            part = Observed(
                {label: self.scores[label][place]},
                self.human[place],
                self.groups[place],
                self.keys[place],
                self.draws._replace(permutations=0),
                self.drawn,
            )
            row = part.row(label, correlation)
            return row, part.resampled.get((label, correlation), np.empty(0))

        done = at_once(one, tasks)
        rows = []
        for start, label in enumerate(self.labels):
            of_label = done[start * len(places) : (start + 1) * len(places)]
            rows += [
                within_row(label, correlation, system, row)
                for system, (row, _) in zip(self.rated.systems, of_label, strict=True)
            ]
            rows.append(within_row(label, correlation, "mean", _mean(of_label, alike)))
        return rows


def within_row(label: str, correlation: str, system: str, row: Row) -> dict[str, Any]:
    """A row of the table of agreement within systems."""
    return {
        "metric": label,
        "correlation": correlation,
        "system": system,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "n": row.n,
        "reason": row.reason,
    }


def _mean(rows: Sequence[tuple[Row, Floats]], alike: bool) -> Row:
    """The mean over the systems that have a correlation; their resamples share the contexts."""
    defined = [(row, drawn) for row, drawn in rows if not math.isnan(row.value)]
    n = sum(row.n for row, _ in defined)
    if not defined:
        return Row(math.nan, n, reason="undefined within every system")
    value = float(np.mean([row.value for row, _ in defined]))
    left = len(rows) - len(defined)
    words = [f"undefined within {left} of {len(rows)} systems, left out"] if left else []
    interval = Interval(math.nan, math.nan)
    if not alike:
        interval = Interval(math.nan, math.nan, reason="systems are rated on different contexts")
    elif all(drawn.size for _, drawn in defined):
        interval = percentiles(np.mean([drawn for _, drawn in defined], axis=0))
    words += [told for told in [no_interval(interval)] if told]
    return Row(value, n, interval.low, interval.high, reason="; ".join(words) or None)


def _reply_keys(rated: Rated) -> pl.DataFrame:
    systems = np.array(rated.systems, dtype=object)[rated.system]
    ids = np.array(rated.ids, dtype=object)[rated.item]
    return pl.DataFrame(
        {
            "system": pl.Series(systems, dtype=pl.String),
            "id": pl.Series(ids, dtype=pl.String),
            "group": rated.item,
        }
    )
