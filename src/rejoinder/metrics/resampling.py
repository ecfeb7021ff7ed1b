"""Resampling: many weighted sums of rows as one matrix product."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.kernels.bags import multiplicities

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric
    from rejoinder.metrics.rows import Rows

# The matrix of multiplicities is drawn in blocks of about this many numbers.
BLOCK = 1 << 22

# Sums are scored so many numbers at a time: what the processor's cache holds.
NARROW = 1 << 19

LEAST_ITEMS = 4
"""Of fewer items there is no interval, as `agreement.intervals` has it: resamples hold too few
distinct ones to tell of a spread."""

INTERVAL = (0.025, 0.975)
Z2 = NormalDist().inv_cdf(INTERVAL[1]) ** 2

# Resampled values this close together are equal but for rounding: they show no spread.
NO_SPREAD = 1e-12


def bootstrap_counts(n: int, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each of ``n`` items stands in each bootstrap resample, in blocks.

    Yields:
        float64 [b, n], rows that sum to n; the blocks' b add up to ``resamples``.
    """
    size = max(1, min(resamples, BLOCK // max(n, 1)))
    for done in range(0, resamples, size):
        drawn = draws(n, min(size, resamples - done), rng)
        yield multiplicities(drawn.astype(np.int64, copy=False), n)


def draws(n: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """The items of each resample: whole numbers below ``n``, [resamples, n], with replacement."""
    kind = np.uint16 if n <= 1 << 16 else np.int64  # small numbers are drawn twice as fast
    return rng.integers(0, n, size=(resamples, n), dtype=kind)


def permutation_masks(n: int, trials: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Which of ``n`` items are swapped in each trial of approximate randomization, in blocks.

    Yields:
        float64 [b, n] of 0 and 1; the blocks' b add up to ``trials``.
    """
    size = max(1, min(trials, BLOCK // max(n, 1)))
    for done in range(0, trials, size):
        b = min(size, trials - done)
        bits = np.frombuffer(rng.bytes(-(-b * n // 8)), dtype=np.uint8)
        yield np.unpackbits(bits, count=b * n).reshape(b, n).astype(np.float64)


def all_masks(n: int) -> Floats:
    """Every choice of ``n`` items to swap: float64 [2^n, n] of 0 and 1."""
    return (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(np.float64)


def bootstrap_scores(
    metric: Metric, rows: Rows, n: int, resamples: int, rng: np.random.Generator
) -> Floats:
    """The scores of every system in every resample: float64 [S, resamples]."""
    blocks = [
        metric.score(rows.totals(counts))
        for drawn in bootstrap_counts(n, resamples, rng)
        for counts in narrow(drawn, rows)
    ]
    return np.concatenate(blocks, axis=1)


def narrow(counts: Floats, rows: Rows) -> Iterator[Floats]:
    """Cuts a block of multiplicities so that the totals of all systems stay few numbers."""
    size = max(1, NARROW // max(1, rows.width * rows.systems))
    for begin in range(0, len(counts), size):
        yield counts[begin : begin + size]


def intervals(
    metric: Metric, values: Floats, resampled: Floats, n: int | None = None
) -> tuple[Floats, Floats]:
    """The 95% percentile bootstrap interval of each system over items (Efron 1979).

    Where every resample gives the same value there is no spread to see, which is no certainty: 8 of
    8 may be chance. Then there is no interval, but of a share of items Wilson's (1927), which at 0
    is ``[0, z^2 / (n + z^2)]`` and at 1 its mirror.

    A resample repeats items, so it shows fewer distinct n-grams than the whole: for metrics of bags
    the resampled scores are shifted to have the value as their mean, and only their spread counts.

    Args:
        metric: What scored.
        values: float64 [S], scores or differences of scores.
        resampled: float64 [S, resamples].
        n: How many items; None where the values are differences.

    Returns:
        Lower and upper ends, float64 [S] each; NaN for none.
    """
    if not metric.summable:
        resampled = resampled + (values - resampled.mean(axis=1))[:, None]
    low, high = np.quantile(resampled, INTERVAL, axis=1)
    still = np.ptp(resampled, axis=1) <= NO_SPREAD
    low[still] = high[still] = np.nan
    if metric.share and n:
        for s in np.flatnonzero(still & ((values == 0) | (values == 1))):
            low[s], high[s] = values[s] * n / (n + Z2), (values[s] * n + Z2) / (n + Z2)
    return low, high


def within(metric: Metric, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """An interval of scores, cut off where the metric ends: centred ones may reach beyond."""
    return np.clip(low, *metric.bounds), np.clip(high, *metric.bounds)
