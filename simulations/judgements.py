"""Intervals of preferences, and of correlations over contexts and raters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups, effective_size
from rejoinder.statistics.contest_likelihood import Contests
from rejoinder.statistics.correlation_bootstrap import bootstrap_correlation, bootstrap_over_raters
from rejoinder.statistics.paired_comparisons import bootstrap_intervals, fit
from rejoinder.statistics.proportions import wilson
from simulations.study import COVERAGE, Row, SimulationStudy

SIZES = (10, 20, 66)
RESAMPLES = 400
STRENGTHS = np.array([0.6, 0.1, -0.2, -0.5])
FEWER = 4  # the bootstrap is dear: a quarter of the runs

TEXT = """
Shares of judgements: each item has a share of its own (beta distributed, mean 0.6), three people judge it,
and the interval is Wilson's at the effective number of judgements. Strengths: four systems, a contest of each
of the six pairs on every item, outcomes by Bradley and Terry's model; percentile bootstrap over items
(`preferences --bootstrap`).
Correlations: a metric that correlates with the true quality, ratings by four people who differ in severity
and taste and are drawn anew in each run, Pearson's r with the mean of the four. The truth is the mean r over
such panels, on as many contexts as one likes.

Wilson's intervals hold. The strengths' are somewhat too narrow. Those of a correlation over contexts
alone speak of the four people at hand, not of others, and so miss the truth about others, also with many
contexts; over contexts and raters they are better, but four raters do not show how raters differ.
"""


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Shares, strengths and correlations at every size."""
    few = max(2, runs // FEWER)
    for size in SIZES:
        yield _shares(size, runs, np.random.default_rng([seed, size, 1]))
    for size in SIZES:
        yield _strengths(size, few, np.random.default_rng([seed, size, 2]))
    for size in SIZES:
        yield from _correlations(size, few, np.random.default_rng([seed, size, 3]))


def _shares(size: int, runs: int, rng: np.random.Generator) -> Row:
    hits = 0
    for _ in range(runs):
        share = np.repeat(rng.beta(1.2, 0.8, size), 3)
        won = (rng.random(share.size) < share).astype(np.float64)
        interval = wilson(float(won.mean()), effective_size(won, np.repeat(np.arange(size), 3)))
        hits += interval.low <= 0.6 <= interval.high
    return Row("share of wins", "3 judges of an item", f"{size} items", COVERAGE, int(hits), runs)


def _strengths(size: int, runs: int, rng: np.random.Generator) -> Row:
    pairs = np.array([(i, j) for i in range(4) for j in range(i)])
    a, b = np.tile(pairs, (size, 1)).T
    item = np.repeat(np.arange(size), len(pairs))
    p = 1 / (1 + np.exp(STRENGTHS[b] - STRENGTHS[a]))
    hits = number = 0
    for _ in range(runs):
        winner = np.where(rng.random(a.size) < p, 1, -1)
        fitted, items = fit(Contests(a, b, winner, 4)), Groups.of(item, item.size)
        interval = bootstrap_intervals(fitted, items, RESAMPLES, rng)
        there = np.isfinite(interval.low)[:1]  # one system, so that runs are independent
        hits += int(
            (there & (interval.low <= STRENGTHS)[:1] & (interval.high >= STRENGTHS)[:1]).sum()
        )
        number += int(there.sum())
    return Row("Bradley-Terry strength", "4 systems", f"{size} items", COVERAGE, hits, number)


def _correlations(size: int, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    truth = float(np.mean([np.corrcoef(x, r.mean(axis=1))[0, 1] for x, r in
                           (_rated(20_000, rng) for _ in range(40))]))  # fmt: skip
    hits = np.zeros(2, int)
    number = np.zeros(2, int)
    for _ in range(runs):
        x, ratings = _rated(size, rng)
        ends = (
            bootstrap_correlation(x, ratings.mean(axis=1), "pearson", None, RESAMPLES, rng),
            bootstrap_over_raters(x, ratings, "pearson", None, RESAMPLES, rng),
        )
        hits += [each.low <= truth <= each.high for each in ends]
        number += [each.low == each.low for each in ends]
    for name, hit, there in zip(("contexts", "contexts and raters"), hits, number, strict=True):
        what = f"Pearson's r, bootstrap over {name}"
        yield Row(what, "4 raters", f"{size} contexts", COVERAGE, int(hit), int(there))


def _rated(size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A metric's scores [n], and the ratings of four people drawn anew [n, 4]."""
    quality = rng.normal(size=size)
    x = 0.7 * quality + 0.7 * rng.normal(size=size)
    taste = 1 + 0.4 * rng.normal(size=4)
    ratings = taste * quality[:, None] + 0.5 * rng.normal(size=4) + rng.normal(size=(size, 4))
    return x, ratings


STUDY = SimulationStudy(
    "Preferences and raters (`preferences`, `correlate --rater-effects random`)", TEXT, rows
)
