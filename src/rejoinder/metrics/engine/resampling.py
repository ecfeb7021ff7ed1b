"""Resampling: many weighted sums of rows as one matrix product."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.kernels.bags import multiplicities
from rejoinder.metrics.engine.rows import Rows

# The matrix of multiplicities is drawn in blocks of about this many numbers.
BLOCK = 1 << 22

# Sums are scored so many numbers at a time: what the processor's cache holds.
NARROW = 1 << 19


def bootstrap_counts(n: int, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each of ``n`` items stands in each bootstrap resample, in blocks.

    Yields:
        float64 [b, n], rows that sum to n; the blocks' b add up to ``resamples``.
    """
    size = max(1, min(resamples, BLOCK // max(n, 1)))
    for done in range(0, resamples, size):
        items = draws(n, min(size, resamples - done), rng)
        yield multiplicities(items.astype(np.int64, copy=False), n)


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


def swapped_differences(
    rows: Rows, score: Callable[[Floats], Floats], pairs: Indices, masks: Iterable[Floats]
) -> Iterator[Floats]:
    """The differences of pairs of systems whose replies to some items are swapped.

    Swapping the items of a mask turns A's sum into ``A - mask @ A + mask @ B``: one product gives
    the sums of all systems, and with them those of all pairs.

    Args:
        rows: Of S systems and n items.
        score: Scores sums of rows.
        pairs: int64 [p, 2], the systems A and B of each pair.
        masks: float64 [b, n] of 0 and 1 each: the items that are swapped in each trial.

    Yields:
        float64 [p, b], the score of A less that of B; the b add up to all trials.
    """
    sums, (a, b) = rows.sums(), pairs.T
    for block in masks:
        for mask in narrow(block, rows):
            swapped = rows.totals(mask)
            # As many pairs at a time as the processor's cache holds.
            parts = np.array_split(
                np.arange(len(a)), max(1, min(len(a), len(a) * swapped[0].size >> 16))
            )
            apart = np.empty((len(a), len(mask)))
            for part in parts:
                moved = swapped[b[part]] - swapped[a[part]]
                of_a = score(sums[a[part]][:, None] + moved)
                apart[part] = of_a - score(sums[b[part]][:, None] - moved)
            yield apart


def narrow(counts: Floats, rows: Rows) -> Iterator[Floats]:
    """Cuts a block of multiplicities so that the totals of all systems stay few numbers."""
    size = max(1, NARROW // max(1, rows.width * rows.systems))
    for begin in range(0, len(counts), size):
        yield counts[begin : begin + size]
