"""The difference of two systems' mean ratings: paired over the items they share, or unpaired."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups, freedom_of, influences, mean_variance
from rejoinder.statistics.conventions import LEVEL, NO_SPREAD, too_few_groups
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.student import t_quantile, two_sided_p

SAME = "all items have the same difference, which is no certainty"


class MeanDifference(NamedTuple):
    """The difference of two means.

    Args:
        value: The difference.
        interval: 95%, with Student's t; none with its reason.
        p: Two-sided; NaN where there is no interval.
    """

    value: float
    interval: Interval
    p: float


def paired_difference(
    differences: Floats, groups: NDArray[np.generic] | None = None
) -> MeanDifference:
    """The mean of the differences of items that both systems have.

    Args:
        differences: float64 [n], at least one.
        groups: [n], the cluster of each item; None takes each item by itself.

    >>> paired_difference(np.array([1.0, 0.0, 2.0, 1.0])).interval.low.__round__(3)
    -0.299
    """
    clusters = Groups.of(groups, differences.size)
    variance = mean_variance(differences, clusters)
    noun = "items" if groups is None else "clusters"
    return _tested(float(differences.mean()), variance, len(clusters), clusters.freedom, noun)


def unpaired_difference(
    a: Floats,
    b: Floats,
    groups_of_a: NDArray[np.generic] | None = None,
    groups_of_b: NDArray[np.generic] | None = None,
) -> MeanDifference:
    """The difference of the means of two systems that share no item.

    Without clusters Welch's t (1947), whose degrees of freedom follow from both variances. With them
    the jackknife over the clusters of both (see `influences`): a conversation that has items of both
    systems counts once.

    Args:
        a: float64 [n_a], at least one, like ``b``.
        b: float64 [n_b].
        groups_of_a: [n_a], the cluster of each item; None takes each item by itself.
        groups_of_b: [n_b].

    >>> a, b = np.array([3.0, 4.0, 5.0, 4.0]), np.array([1.0, 2.0, 3.0, 2.0])
    >>> round(unpaired_difference(a, b).p, 4)  # t = 2 / sqrt(1/6 + 1/6), 6 degrees of freedom
    0.0134
    """
    value = float(a.mean() - b.mean())
    if groups_of_a is not None and groups_of_b is not None:
        clusters = Groups.of(np.concatenate([groups_of_a, groups_of_b]), a.size + b.size)
        g, moved, shares = len(clusters), 0.0, 0.0
        for sign, own, code in ((1, a, clusters.code[: a.size]), (-1, b, clusters.code[a.size :])):
            moved = moved + sign * influences((own - own.mean()) / own.size, code, g)
            shares = shares + np.bincount(code, minlength=g) / own.size
        variance = float(np.square(moved).sum())
        return _tested(value, variance, g, freedom_of(np.asarray(shares)), "clusters")
    if reason := too_few_groups(min(a.size, b.size), "items"):
        return MeanDifference(value, Interval.none(reason), math.nan)
    of_a, of_b = a.var(ddof=1) / a.size, b.var(ddof=1) / b.size
    variance = float(of_a + of_b)
    squares = of_a**2 / (a.size - 1) + of_b**2 / (b.size - 1)
    df = float(variance**2 / squares) if squares > 0 else 0.0
    return _tested(value, variance, min(a.size, b.size), df, "items")


def _tested(value: float, variance: float, number: int, df: float, noun: str) -> MeanDifference:
    """Interval and p of a difference with its variance over so many items or clusters."""
    reason = too_few_groups(number, noun)
    if not reason and math.isnan(variance):
        reason = "all items of one of the systems are in one cluster"
    if not reason and variance <= NO_SPREAD**2:
        reason = SAME
    if reason:
        return MeanDifference(value, Interval.none(reason), math.nan)
    error = math.sqrt(variance)
    reach = t_quantile(LEVEL, df) * error
    p = two_sided_p(value / error, df)
    return MeanDifference(value, Interval(value - reach, value + reach), p)
