"""The best, worst or median of k samples of a prompt, and pass@k: over all subsets, so without bias."""

from __future__ import annotations

import math

import numpy as np

from rejoinder.kernels.arrays import Floats


def order_of_k(values: Floats, k: int, rank: int) -> Floats:
    """The r-th smallest of k samples, expected over all subsets of k of a prompt's n samples.

    ``sum_i x_(i) C(i - 1, r - 1) C(n - i, k - r) / C(n, k)`` over the sorted samples, without bias
    whatever n is, if n does not depend on the values. Of passes (1) and failures (0) with c passes the
    greatest (r = k) is pass@k, ``1 - C(n - c, k) / C(n, k)`` (Chen et al. 2021, arXiv 2107.03374), and the
    smallest (r = 1) is pass^k, ``C(c, k) / C(n, k)`` (Yao et al. 2024, arXiv 2406.12045).

    Args:
        values: float64 [J, ...], the samples of each prompt; NaN where it has fewer than J.
        k: How many are taken.
        rank: r, from 1 (the smallest) to k (the greatest).

    Returns:
        float64 [...]; NaN where a prompt has fewer than k samples.

    >>> order_of_k(np.array([0.0, 1.0, 0.0, 0.0]), 2, 2)  # 1 - C(3, 2) / C(4, 2)
    array(0.5)
    """
    rows = np.sort(values.reshape(len(values), -1), axis=0)  # NaN last
    counts = (~np.isnan(rows)).sum(axis=0)
    result = np.full(counts.size, np.nan)
    for n in np.unique(counts[counts >= k]).tolist():
        ordered = rows[:n, counts == n]
        # As steps from the smallest upwards, so that equal samples have exactly their own value.
        result[counts == n] = ordered[0] + _reached(n, k, rank)[1:] @ np.diff(ordered, axis=0)
    return result.reshape(values.shape[1:])


def median_of_k(values: Floats, k: int) -> Floats:
    """The median of k samples, expected over all subsets; of an even k the mean of the two in the middle.

    Args:
        values: As for `order_of_k`.
        k: How many are taken.
    """
    low, high = (order_of_k(values, k, rank) for rank in ((k + 1) // 2, k // 2 + 1))
    return (low + high) / 2


def _reached(n: int, k: int, rank: int) -> Floats:
    """How likely the r-th smallest of k of n samples is not below the i-th of all: float64 [n].

    In whole numbers until the one division, since the binomials are far larger than the shares.
    """
    ways = [math.comb(i, rank - 1) * math.comb(n - 1 - i, k - rank) for i in range(n)]
    tails = np.cumsum(np.array(ways[::-1], dtype=object))[::-1]
    return np.array([each / tails[0] for each in tails], dtype=np.float64)
