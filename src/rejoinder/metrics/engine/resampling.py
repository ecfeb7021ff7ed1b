"""Resampling: many weighted sums of rows as one matrix product."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from rejoinder.kernels.arrays import Bytes, Floats, Indices
from rejoinder.kernels.bags import multiplicities
from rejoinder.kernels.swaps import chosen_sums
from rejoinder.metrics.engine.rows import Matrix, Rows

# The matrix of multiplicities is drawn in blocks of about this many numbers.
BLOCK = 1 << 22

# Sums are scored so many numbers at a time: what the processor's cache holds.
NARROW = 1 << 19

# So many bits of random swaps are used at a time: 8 MB.
BITS = 1 << 26


Block = TypeVar("Block", Floats, "ItemSwaps")


def bootstrap_counts(n: int, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each of ``n`` items stands in each bootstrap resample, in blocks.

    Args:
        n: Number of items.
        resamples: Number of resamples.
        rng: The random generator.

    Yields:
        float64 [b, n], rows that sum to n; the blocks' b add up to ``resamples``.
    """
    size = max(1, min(resamples, BLOCK // max(n, 1)))
    for done in range(0, resamples, size):
        items = draws(n, min(size, resamples - done), rng)
        yield multiplicities(items.astype(np.int64, copy=False), n)


def draws(n: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """The items of each resample: whole numbers below ``n``, [resamples, n], with replacement.

    Args:
        n: Number of items.
        resamples: Number of resamples.
        rng: The random generator.
    """
    kind = np.uint16 if n <= 1 << 16 else np.int64  # small numbers are drawn twice as fast
    return rng.integers(0, n, size=(resamples, n), dtype=kind)


@dataclass(frozen=True)
class ItemSwaps:
    """Which of n items are swapped in each of b trials, a bit for each.

    Attributes:
        n: How many items there are.
        bits: uint8, the highest bit of a byte first.
        starts: The place of each trial's first bit (int64 [b]).
    """

    n: int
    bits: Bytes
    starts: Indices

    def __len__(self) -> int:
        return self.starts.size

    def masks(self) -> Floats:
        """float64 [b, n] of 0 and 1."""
        first, last = int(self.starts[0]) >> 3, (int(self.starts[-1]) + self.n + 7) >> 3
        flat = np.unpackbits(self.bits[first:last])
        places = (self.starts - 8 * first)[:, None] + np.arange(self.n)
        return flat[places].astype(np.float64)

    def __getitem__(self, trials: slice) -> ItemSwaps:
        return ItemSwaps(self.n, self.bits, self.starts[trials])

    def totals(self, rows: Rows) -> Floats:
        """The rows of the swapped items, summed: float64 [S, b, k]."""
        if not isinstance(rows, Matrix):
            return rows.totals(self.masks())
        n, systems, k = rows.items.shape
        sums = chosen_sums(self.bits, self.starts, rows.items.reshape(n, systems * k))
        return sums.reshape(-1, systems, k).transpose(1, 0, 2)


def permutation_swaps(n: int, trials: int, rng: np.random.Generator) -> Iterator[ItemSwaps]:
    """Which of ``n`` items are swapped in each trial of approximate randomization, in blocks.

    Args:
        n: Number of items.
        trials: Number of trials.
        rng: The random generator.

    Yields:
        Swaps whose numbers of trials add up to ``trials``.
    """
    size = max(1, min(trials, BLOCK // max(n, 1)))
    parts: list[Bytes] = []
    starts: list[Indices] = []
    at = 0
    for done in range(0, trials, size):
        b = min(size, trials - done)
        bits = np.frombuffer(rng.bytes(-(-b * n // 8)), dtype=np.uint8)
        parts.append(bits)
        starts.append(8 * at + n * np.arange(b))
        at += bits.size
        if 8 * at >= BITS or done + b == trials:
            yield ItemSwaps(n, np.concatenate(parts), np.concatenate(starts))
            parts, starts, at = [], [], 0


def all_swaps(n: int) -> ItemSwaps:
    """Every choice of ``n`` items to swap: 2^n trials."""
    masks = np.arange(1 << n)[:, None] >> np.arange(n) & 1
    return ItemSwaps(n, np.packbits(masks.astype(np.uint8)), n * np.arange(1 << n))


def swapped_differences(
    rows: Rows, score: Callable[[Floats], Floats], pairs: Indices, swaps: Iterable[ItemSwaps]
) -> Iterator[tuple[ItemSwaps, Floats]]:
    """The differences of pairs of systems whose replies to some items are swapped.

    Swapping some items turns A's sum into A's less A's of these items and plus B's of these: their
    sums for all systems give those of all pairs.

    Args:
        rows: Of S systems and n items.
        score: Scores sums of rows.
        pairs: The systems A and B of each pair (int64 [p, 2]).
        swaps: The items that are swapped in each trial.

    Yields:
        The swaps of b trials, and float64 [p, b], the score of A less that of B; the b add up to all
        trials.
    """
    sums, (a, b) = rows.sums(), pairs.T
    for block in swaps:
        for part in narrow(block, rows):
            swapped = part.totals(rows)
            # As many pairs at a time as the processor's cache holds.
            batches = np.array_split(
                np.arange(len(a)), max(1, min(len(a), len(a) * swapped[0].size >> 16))
            )
            apart = np.empty((len(a), len(part)))
            for which in batches:
                moved = swapped[b[which]] - swapped[a[which]]
                of_a = score(sums[a[which]][:, None] + moved)
                apart[which] = of_a - score(sums[b[which]][:, None] - moved)
            yield part, apart


def narrow(counts: Block, rows: Rows) -> Iterator[Block]:
    """Cuts a block of resamples or swaps so that the totals of all systems stay few numbers."""
    size = max(1, NARROW // max(1, rows.width * rows.systems))
    for begin in range(0, len(counts), size):
        yield counts[begin : begin + size]
