"""The difference of two systems' mean ratings: paired over the items they share, or unpaired."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups, dominated_variance, freedom_of, influences
from rejoinder.statistics.conventions import NO_SPREAD, too_few_groups
from rejoinder.statistics.intervals import SAME
from rejoinder.statistics.skewed_mean import Inference, t_inference


def paired_difference(differences: Floats, groups: NDArray[np.generic] | None = None) -> Inference:
    """The mean of the differences of items that both systems have.

    Args:
        differences: float64 [n], at least one.
        groups: [n], the cluster of each item; None takes each item by itself.

    >>> paired_difference(np.array([1.0, 0.0, 2.0, 1.0])).interval.low.__round__(3)
    -0.299
    """
    clusters = Groups.of(groups, differences.size)
    noun = "items" if groups is None else "clusters"
    return mean_inference(differences, clusters, too_few_groups(len(clusters), noun))


def mean_inference(values: Floats, groups: Groups, reason: str | None = None) -> Inference:
    """The mean of grouped values, with its interval and its test by Student's t.

    The standard error is the jackknife's over the groups, or that of `dominated_variance` where it gives one.

    Args:
        values: float64 [n], at least one.
        groups: The groups.
        reason: Why there is no interval; None where there is one.
    """
    mean = float(values.mean())
    influence = influences((values - mean) / values.size, groups.code, len(groups))
    reason, df = reason or _constant(influence), groups.freedom
    if not reason and (dominated := dominated_variance(values, groups)):
        # Of the influences nothing but their sum of squares is used where one group is large.
        influence *= math.sqrt(dominated.variance / float((influence**2).sum()))
        df = dominated.df
    return t_inference(mean, influence, df, reason, sizes=groups.size)


def _constant(influence: Floats) -> str | None:
    if np.isnan(influence).any():
        return "all items of one of the systems are in one cluster"
    return SAME if float((influence**2).sum()) <= NO_SPREAD**2 else None


class Unpaired(NamedTuple):
    """How far the difference of the means of two systems errs that share no item.

    Args:
        influence: float64 [g], what each item, or cluster, adds to the error; the squares add up to the
            variance.
        df: The degrees of freedom of that variance.
        reason: Why there is no interval.
        sizes: [g], how much each cluster counts; None without clusters.
    """

    influence: Floats
    df: float
    reason: str | None
    sizes: Floats | None = None


def unpaired_influence(
    a: Floats,
    b: Floats,
    groups_of_a: NDArray[np.generic] | None = None,
    groups_of_b: NDArray[np.generic] | None = None,
) -> Unpaired:
    """What items, or clusters, add to the error of the difference of the means of two systems.

    Without clusters Welch's t (1947), whose degrees of freedom follow from both variances. With them
    the jackknife over the clusters of both (see `influences`): a conversation that has items of both
    systems counts once.

    Args:
        a: float64 [n_a], at least one, like ``b``.
        b: float64 [n_b].
        groups_of_a: [n_a], the cluster of each item; None takes each item by itself.
        groups_of_b: [n_b].

    >>> a, b = np.array([3.0, 4.0, 5.0, 4.0]), np.array([1.0, 2.0, 3.0, 2.0])
    >>> found = unpaired_influence(a, b)
    >>> round(float((found.influence**2).sum()), 4), round(found.df, 4)  # 1/6 + 1/6
    (0.3333, 6.0)
    """
    if groups_of_a is not None and groups_of_b is not None:
        clusters = Groups.of(np.concatenate([groups_of_a, groups_of_b]), a.size + b.size)
        g, moved, shares = len(clusters), np.zeros(len(clusters)), np.zeros(len(clusters))
        for sign, side, code in ((1, a, clusters.code[: a.size]), (-1, b, clusters.code[a.size :])):
            moved += sign * influences((side - side.mean()) / side.size, code, g)
            shares += np.bincount(code, minlength=g) / side.size
        reason = too_few_groups(g, "clusters") or _constant(moved)
        return Unpaired(moved, freedom_of(shares), reason, shares)
    if reason := too_few_groups(min(a.size, b.size), "items"):
        return Unpaired(np.zeros(a.size + b.size), math.nan, reason)
    parts = [
        sign * (side - side.mean()) / math.sqrt(side.size * (side.size - 1))
        for sign, side in ((1, a), (-1, b))
    ]
    of_a, of_b = (float((part**2).sum()) for part in parts)
    squares = of_a**2 / (a.size - 1) + of_b**2 / (b.size - 1)
    df = (of_a + of_b) ** 2 / squares if squares > 0 else 0.0
    influence = np.concatenate(parts)
    return Unpaired(influence, df, _constant(influence))
