"""Counting what lists contain: multiplicities of resampled items, weighted sums of bags."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.ahead import kernel
from rejoinder.kernels.arrays import Codes, Floats, Indices, Table


def bag_totals(codes: Indices, first: Indices, last: Indices, counts: Floats, width: int) -> Floats:
    """The count of each code in the bags, under every row of multiplicities.

    Args:
        codes: int64 [t], in 0 to ``width`` - 1.
        first: int64 [n], bag i holds codes[first[i]:last[i]].
        last: int64 [n].
        counts: float64 [b, n], how often each bag counts.
        width: V.

    Returns:
        float64 [b, V].
    """
    totals = np.zeros((counts.shape[0], width))
    contiguous = (np.ascontiguousarray(first), np.ascontiguousarray(last))
    _bag_totals(codes, *contiguous, np.ascontiguousarray(counts), totals)
    return totals


@kernel
def _bag_totals(
    codes: Indices, first: Indices, last: Indices, counts: Table, totals: Table
) -> None:
    for b in range(counts.shape[0]):
        for i in range(first.size):
            count = counts[b, i]
            if count != 0.0:
                for t in range(first[i], last[i]):
                    totals[b, codes[t]] += count


def multiplicities(draws: Codes, n: int) -> Floats:
    """The count of each of ``n`` items in each row of draws.

    Args:
        draws: int64 [b, d], in 0 to n - 1.
        n: How many items there are.

    Returns:
        float64 [b, n].
    """
    counts = np.zeros((draws.shape[0], n))
    _multiplicities(draws, counts)
    return counts


@kernel
def _multiplicities(draws: Codes, counts: Table) -> None:
    for b in range(draws.shape[0]):
        for k in range(draws.shape[1]):
            counts[b, draws[b, k]] += 1.0
