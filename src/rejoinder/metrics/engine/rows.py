"""The measured rows of several systems on the same items, and their sums.

``Matrix`` holds short rows of numbers. ``BagMatrix`` holds rows as wide as a vocabulary (distinct-n,
entropy), kept as the list of what each reply contains. Both answer the same three questions, so that
resampling and significance are written once: what are the sums under these multiplicities, what
does each reply score by itself, and which rows remain when items are selected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices, Tokens
from rejoinder.kernels.bags import bag_totals
from rejoinder.metrics.contract import Contract, Statistics
from rejoinder.statistics.clusters import Groups

# Sums with an item left out are scored so many numbers at a time: what the processor's cache holds.
LEFT_OUT_AT_ONCE = 1 << 19


@dataclass(frozen=True)
class Matrix:
    """Rows of numbers.

    Attributes:
        items: Items, systems, statistics (float64 [n, S, k]); contiguous, so that a sum of items is
            a plain matrix product.
    """

    items: Floats

    @property
    def values(self) -> Floats:
        """float64 [S, n, k]: systems, items, statistics."""
        return self.items.transpose(1, 0, 2)

    @property
    def width(self) -> int:
        """How many numbers a sum has: k."""
        return self.items.shape[2]

    @property
    def systems(self) -> int:
        """How many systems there are: S."""
        return self.items.shape[1]

    def totals(self, counts: Floats) -> Floats:
        """The rows summed under multiplicities: float64 [b, n] to float64 [S, b, k]."""
        n, systems, k = self.items.shape
        sums = counts @ self.items.reshape(n, systems * k)
        return sums.reshape(-1, systems, k).transpose(1, 0, 2)

    def sums(self) -> Floats:
        """All rows summed: float64 [S, k]."""
        return self.items.sum(axis=0)

    def segments(self, metric: Contract) -> Floats:
        """What each reply scores by itself: float64 [S, n]."""
        return metric.score(self.values)

    def left_out(self, metric: Contract) -> Floats:
        """The score of every system with each item left out: float64 [S, n]."""
        sums, scores = self.sums()[:, None], np.empty((self.systems, len(self.items)))
        step = max(1, LEFT_OUT_AT_ONCE // max(1, self.width * self.systems))
        for begin in range(0, len(self.items), step):
            part = slice(begin, begin + step)
            scores[:, part] = metric.score(sums - self.values[:, part])
        return scores

    def pick(self, items: Indices | np.ndarray) -> Matrix:
        """The rows of the selected items (indices or bool [n])."""
        return Matrix(self.items[items])

    def of(self, systems: Sequence[int]) -> Matrix:
        """The rows of some systems, in this order."""
        return Matrix(np.ascontiguousarray(self.items[:, list(systems)]))

    def masked(self, answered: np.ndarray) -> Matrix:
        """The rows of what was answered (bool [S, n]), and zeros elsewhere, which add nothing."""
        return Matrix(np.where(answered.T[:, :, None], self.items, 0.0))

    def summed(self, groups: Groups) -> Matrix:
        """The sum of the rows of each group of items, in the place of the items."""
        return Matrix(groups.sums(self.items))


@dataclass(frozen=True)
class BagMatrix:
    """Rows as bags: row (s, i) holds ``codes[first[s, i]:last[s, i]]``, each counting 1.

    Attributes:
        codes: int64 [t], in 0 to V - 1, by their first place in the text.
        width: V, how many numbers a sum has.
        first: int64 [S, n].
        last: int64 [S, n].
    """

    codes: Indices
    width: int
    first: Indices
    last: Indices

    @property
    def systems(self) -> int:
        """How many systems there are: S."""
        return self.first.shape[0]

    def totals(self, counts: Floats) -> Floats:
        """The bags summed under multiplicities: float64 [b, n] to float64 [S, b, V]."""
        return np.stack(
            [
                bag_totals(self.codes, first, last, counts, self.width)
                for first, last in zip(self.first, self.last, strict=True)
            ]
        )

    def sums(self) -> Floats:
        """All bags summed: float64 [S, V]."""
        return self.totals(np.ones((1, self.first.shape[1])))[:, 0]

    def segments(self, metric: Contract) -> Floats:
        """What each reply scores by itself: float64 [S, n].

        Counts are sorted, and replies with as many different n-grams are scored together: replies with
        the same counts have the same score to the last bit, and tie.
        """
        scores = np.empty(self.first.shape)
        for system in range(self.systems):
            _, item, _, count, n = self._counted(system)
            count = count[np.lexsort((count, item))]
            sizes = np.bincount(item, minlength=n)
            begin = np.cumsum(sizes) - sizes
            for size in np.unique(sizes).tolist():
                same = np.flatnonzero(sizes == size)
                dense = (
                    count[begin[same, None] + np.arange(size)] if size else np.zeros((same.size, 1))
                )
                scores[system, same] = metric.score(dense)
        return scores

    def left_out(self, metric: Contract) -> Floats:
        """The score of every system with each item left out: float64 [S, n]."""
        return np.stack([metric.left_out(*self._counted(s)) for s in range(self.systems)])

    def _counted(self, system: int) -> tuple[Floats, Indices, Indices, Floats, int]:
        """What `BagMetric.left_out` takes: the sum, and each item's codes with their counts."""
        first, last = self.first[system], self.last[system]
        sizes, n = last - first, first.size
        item = np.repeat(np.arange(n), sizes)
        place = np.arange(item.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        codes = self.codes[np.repeat(first, sizes) + place]
        keys, counts = np.unique(item * self.width + codes, return_counts=True)
        sums = np.bincount(codes, minlength=self.width).astype(np.float64)
        width = max(1, self.width)
        return sums, keys // width, keys % width, counts.astype(np.float64), n

    def pick(self, items: Indices | np.ndarray) -> BagMatrix:
        """The rows of the selected items (indices or bool [n])."""
        return BagMatrix(self.codes, self.width, self.first[:, items], self.last[:, items])

    def of(self, systems: Sequence[int]) -> BagMatrix:
        """The rows of some systems, in this order."""
        return BagMatrix(
            self.codes, self.width, self.first[list(systems)], self.last[list(systems)]
        )

    def masked(self, answered: np.ndarray) -> BagMatrix:
        """The bags of what was answered (bool [S, n]), and empty ones elsewhere."""
        return replace(self, last=np.where(answered, self.last, self.first))

    def summed(self, groups: Groups) -> BagMatrix:
        """The bags of each group of items put together, in the place of the items."""
        first, last = self.first[:, groups.order], self.last[:, groups.order]
        sizes = (last - first).ravel()
        ends = np.cumsum(sizes)
        places = np.repeat(first.ravel() - ends + sizes, sizes) + np.arange(sizes.sum())
        lengths = np.add.reduceat(last - first, groups.first, axis=1)
        ends = np.cumsum(lengths).reshape(lengths.shape)
        return BagMatrix(self.codes[places], self.width, ends - lengths, ends)


Rows: TypeAlias = Matrix | BagMatrix


def joined(parts: Sequence[Statistics]) -> Statistics:
    """The statistics of slices of a batch, put together in their order."""
    dense = [part for part in parts if isinstance(part, np.ndarray)]
    if dense:
        return dense[0] if len(dense) == 1 else np.concatenate(dense)
    bags = [part for part in parts if isinstance(part, Tokens)]
    offsets = np.cumsum([0, *(part.fingerprints.size for part in bags)])
    return Tokens(
        np.concatenate([part.fingerprints for part in bags]),
        np.concatenate([part.first + by for part, by in zip(bags, offsets, strict=False)]),
        np.concatenate([part.last + by for part, by in zip(bags, offsets, strict=False)]),
    )


def rows_of(statistics: Statistics, systems: int) -> Rows:
    """Arranges statistics, measured item by item and within an item system by system.

    Args:
        statistics: Of ``n * systems`` replies.
        systems: How many systems answered each item.
    """
    if isinstance(statistics, np.ndarray):
        n = len(statistics) // systems
        return Matrix(statistics.reshape(n, systems, statistics.shape[1]))
    codes = codes_of(statistics.fingerprints)
    n = statistics.first.size // systems
    return BagMatrix(
        codes,
        int(codes.max(initial=-1)) + 1,
        statistics.first.reshape(n, systems).T.copy(),
        statistics.last.reshape(n, systems).T.copy(),
    )


def codes_of(fingerprints: np.ndarray) -> Indices:
    """A whole number for each fingerprint, from 0 on in the order of their first places.

    The order of the fingerprints themselves is another in every process; so would be the order in
    which a sum over the vocabulary is rounded, and its last digit.

    Args:
        fingerprints: uint64 [t].

    Returns:
        int64 [t].

    >>> codes_of(np.array([9, 4, 9, 7], dtype=np.uint64)).tolist()
    [0, 1, 0, 2]
    """
    _, firsts, places = np.unique(fingerprints, return_index=True, return_inverse=True)
    ranks = np.empty(firsts.size, dtype=np.int64)
    ranks[np.argsort(firsts)] = np.arange(firsts.size)
    return ranks[places]
