"""Shares of judgements, of which several may stand on one item."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import LEVEL
from rejoinder.statistics.intervals import Interval, normal_quantile


def wilson(p: float, n: float, level: float = LEVEL) -> Interval:
    """Wilson's score interval (1927) of a share p of n observations.

    ``(p + z^2 / 2n +- z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)``. n need not be whole:
    it may be an `effective_size`. Within [0, 1], and never of width 0: 8 of 8 is not certainty.

    Raises:
        ParameterError: p outside [0, 1], n not above 0, or a level outside (0, 1).

    >>> interval = wilson(0.8, 10)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.49, 0.943)
    """
    if not (0 <= p <= 1 and n > 0):
        raise ParameterError(f"wilson: p={p!r} of n={n!r}; give a share within [0, 1], n above 0")
    low, high = wilson_ends(np.array([p]), n, level)
    return Interval(float(low[0]), float(high[0]))


def wilson_ends(shares: Floats, n: float, level: float = LEVEL) -> tuple[Floats, Floats]:
    """The ends of `wilson` for many shares at once, float64 [s] each; NaN where a share is."""
    z = normal_quantile(level)
    middle = shares + z**2 / (2 * n)
    spread = z * np.sqrt(shares * (1 - shares) / n + z**2 / (4 * n**2))
    low, high = (middle - spread) / (1 + z**2 / n), (middle + spread) / (1 + z**2 / n)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def effective_size(values: Floats, groups: NDArray[np.generic]) -> float:
    """How many independent observations a mean of grouped ones is worth.

    Judgements of one item by several people are alike: their mean varies as that of n / deff
    independent ones would, ``deff = V / (s^2 / n)`` with ``s^2 = sum (y - p)^2 / (n - 1)`` and V the
    variance of the mean by groups, ``V = g / (g - 1) sum_i (sum_j (y_ij - p))^2 / n^2`` for g groups
    (Kish 1965; put into Wilson's interval as Kott and Carr 1997 do).

    Args:
        values: float64 [n].
        groups: [n], the group of each.

    Returns:
        From ``n^2 / sum_i n_i^2`` (all n_i of a group say the same: as many as there are groups,
        where these are of one size) to n (each speaks for itself); what the formula gives beyond is
        chance. The cautious end where the values do not vary or there is one group alone: then
        nothing can be estimated.

    Raises:
        InputError: No values, or other groups than values.

    >>> effective_size(np.array([1.0, 1.0, 0.0, 0.0]), np.array([1, 1, 2, 2]))
    2.0
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise InputError(f"effective_size: shape {values.shape}; give one vector of values")
    clusters = Groups.of(groups, values.size)
    g, n = len(clusters), values.size
    least = n**2 / float((clusters.size**2).sum())
    off = values - values.mean()
    if g < 2 or values.min() == values.max():
        return least
    sums = np.add.reduceat(off[clusters.order], clusters.first)
    plain = (off**2).sum() / (n * (n - 1))
    grouped = g / (g - 1) * (sums**2).sum() / n**2
    return float(np.clip(n * plain / grouped, least, n)) if grouped > 0 else float(n)
