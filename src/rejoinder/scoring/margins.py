"""Differences of systems beside a margin: equivalent, not worse, or worse by more than it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS
from rejoinder.scoring.measurements import Measurements
from rejoinder.statistics.equivalence import MarginTests, margin_tests
from rejoinder.statistics.holm import SIGNIFICANT, holm

WORSE, NOT_WORSE, NOT_CLEAR, UNDEFINED = "worse", "not worse", "not clear", "undefined"
"""The verdicts of ``compare`` with ``worse_by``."""


class Margins(NamedTuple):
    """The margins that pairs of systems are tested against, in the metrics' own range.

    Args:
        equivalence: The largest difference that does not matter; None for no such test.
        worse_by: The largest loss that is accepted; None for no such test.
    """

    equivalence: float | None = None
    worse_by: float | None = None

    def check(self, scores: Measurements) -> None:
        """Raises where a margin is no such number, or no system can be worse by more.

        Raises:
            ParameterError: Such a margin; or no metric ranks systems.
        """
        if self.equivalence is not None and not 0 < self.equivalence < np.inf:
            raise ParameterError(
                Argument("margin", self.equivalence),
                " must be above 0: the largest difference that does not matter",
            )
        if self.worse_by is None:
            return
        named = Argument("worse_by", self.worse_by)
        if not 0 <= self.worse_by < np.inf:
            raise ParameterError(named, " must be 0 or above: the largest loss that is accepted")
        ranking = {label: each for label, each in scores.measured.items() if each.metric.ranks}
        if not ranking:
            raise ParameterError(
                Argument("worse_by"),
                f": {', '.join(scores.measured)} says nothing of better and "
                "worse; measure a metric that ranks systems, for example bleu",
            )
        for label, each in ranking.items():
            low, high = each.metric.bounds
            if self.worse_by >= high - low:
                raise ParameterError(
                    named,
                    f": {label} is from {low:g} to {high:g}, so "
                    "no system can be worse by more; the margin is in the metric's own range, where "
                    "0.01 is one point of BLEU",
                )

    def columns(
        self,
        metric: Metric,
        tests: Callable[[float], MarginTests],
        pairs: int,
        p_lost: Floats | float = np.nan,
    ) -> dict[str, Floats]:
        """The columns of the tests of differences a - b; none without a margin.

        Args:
            metric: Says which values are better, and whether systems are ranked by it.
            tests: The one-sided tests of the differences against a margin.
            pairs: How many differences there are.
            p_lost: The randomization test's p of a greater loss than ``worse_by``, which stands where
                there is no other test (float64 [p]).
        """
        columns: dict[str, Floats] = {}
        if self.equivalence is not None:
            of = tests(self.equivalence)
            of_a = of.not_lower if metric.higher_is_better else of.not_higher
            columns |= {"margin": np.full(pairs, self.equivalence)}
            columns |= _with_holm("p_equivalence", of.equivalent)
            columns |= _with_holm("p_noninferiority", of_a)
        if self.worse_by is not None:
            ranks = np.nan if not metric.ranks else 1.0
            of, higher = tests(self.worse_by), metric.higher_is_better
            p_worse = of.lower if higher else of.higher
            p_worse = ranks * np.where(np.isnan(p_worse), p_lost, p_worse)
            p_not_worse = ranks * (of.not_lower if higher else of.not_higher)
            columns |= {"worse_by": np.full(pairs, self.worse_by)}
            columns |= _with_holm("p_worse", p_worse)
            columns |= _with_holm("p_not_worse", p_not_worse)
        return columns


def t_tests(differences: Floats, errors: Floats, df: float, margin: float) -> MarginTests:
    """One-sided t tests against a margin; see `margin_tests`. NaN where ``df`` is: too few items."""
    return margin_tests(
        differences, np.full(errors.shape, np.nan) if math.isnan(df) else errors, df, margin
    )


def _with_holm(name: str, p: Floats) -> dict[str, Floats]:
    """A p-value of each pair, before and after Holm's correction over the pairs."""
    return {name: p, f"{name}_holm": holm(p)}


def with_verdicts(table: pl.DataFrame, scores: Measurements) -> pl.DataFrame:
    """The table with the column ``verdict``: what is known of ``a`` against the baseline ``b``.

    - ``worse``: a loss greater than the margin is shown (``p_worse_holm`` below 5%): by Student's t,
      or where there is no interval by a randomization test.
    - ``not worse``: a loss greater than the margin is excluded (``p_not_worse_holm`` below 5%), or
      the difference is 0 whichever item is left out, and not because both scores are 0 under a metric
      that vanishes (BLEU-4 without a match of four words), which other items would change.
    - ``not clear``: neither.
    - ``undefined``: the difference is.
    - null: the metric does not rank systems.

    Args:
        table: The rows of ``compare``, with the columns of ``worse_by``.
        scores: What was compared.
    """
    verdicts = [_verdict(row, scores) for row in table.iter_rows(named=True)]
    return table.with_columns(verdict=pl.Series(verdicts, dtype=pl.String))


def _verdict(row: dict[str, float], scores: Measurements) -> str | None:
    metric = scores.measured[str(row["metric"])].metric
    if not metric.ranks:
        return None
    loss = -row["difference"] if metric.higher_is_better else row["difference"]
    if np.isnan(loss):
        return UNDEFINED
    if row["p_worse_holm"] < SIGNIFICANT:
        return WORSE
    if row["p_not_worse_holm"] < SIGNIFICANT:
        return NOT_WORSE
    same = loss == 0 and np.isnan(row["p_not_worse"])
    enough = row["clusters" if scores.cluster else "n"] >= LEAST_ITEMS
    hidden = metric.vanishes and row["value_a"] == 0
    return NOT_WORSE if same and enough and not hidden else NOT_CLEAR
