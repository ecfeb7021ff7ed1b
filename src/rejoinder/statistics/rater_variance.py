"""How much a difference of mean ratings varies because other people might have rated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups


class SingleRatings(NamedTuple):
    """The single ratings of two systems' replies, which come to a label for each item.

    The label of an item is the mean rating of the first system's reply less that of the second's.

    Args:
        item: int64 [k], the place of the item among the n labelled ones.
        rater: int64 [k], who rated: 0 to R - 1.
        sign: float64 [k], 1 for a reply of the first system, -1 for one of the second.
        score: float64 [k].
    """

    item: Indices
    rater: Indices
    sign: Floats
    score: Floats


class RaterVariance(NamedTuple):
    """The part of a variance that raters add.

    Args:
        value: The variance; 0 where raters differ no more than their items let them.
        raters: How many there are.
    """

    value: float
    raters: int

    def beside(self, variance: float, df: float) -> tuple[float, float]:
        """Both variances together, and their degrees of freedom by Satterthwaite (1946).

        >>> RaterVariance(1.0, 3).beside(1.0, 28.0)[1].__round__(2)  # 4 / (1 / 28 + 1 / 2)
        7.47
        """
        total = variance + self.value
        if not self.value > 0:
            return total, df
        return total, total**2 / (variance**2 / df + self.value**2 / (self.raters - 1))


def rater_variance(
    ratings: SingleRatings,
    groups: Groups,
    share: Floats,
    correction: Floats,
    of_items: float = 1.0,
) -> RaterVariance:
    """The variance of a mean of labels that is due to raters, beside that of items.

    A resample of raters, beside and independent of one of items (Owen 2007), adds
    ``R / (R - 1) (sum_r psi_r^2 - sum_g sum_r (c_gr - c_g)^2)``: c_gr is what the ratings of rater r
    contribute to the estimate in cluster g, c_g its mean over raters, psi_r its sum over clusters. The
    second sum is what the first would be if a rater were no more alike across items than two raters.

    Args:
        ratings: The single ratings.
        groups: The clusters of the n labelled items.
        share: float64 [n], how much each item counts; they add up to 1.
        correction: float64 [n], what is added to each label before it is averaged.
        of_items: The share of the variance of items that stands beside this one: below 1 where the items
            are a large part of a fixed set, so that how two raters of an item differ counts here.

    Returns:
        The variance, 0 for one rater: how raters differ cannot be seen in one.
    """
    raters = int(ratings.rater.max()) + 1
    if raters < 2:
        return RaterVariance(0.0, raters)
    n = share.size
    first = ratings.sign > 0
    side = ratings.item * 2 + first
    number = np.bincount(side, minlength=2 * n)[side]
    level = np.empty(ratings.score.size)
    for these in (first, ~first):  # the mean rating of each system, its items counting as they do
        counts = share[ratings.item[these]] / number[these]
        level[these] = counts @ ratings.score[these]
    part = ratings.sign * (ratings.score - level) / number
    part += (correction - share @ correction)[ratings.item] / (2 * number)
    cluster = np.empty(n, dtype=np.int64)
    cluster[groups.order] = np.repeat(np.arange(len(groups)), groups.size)
    cells = np.zeros((len(groups), raters))
    np.add.at(cells, (cluster[ratings.item], ratings.rater), share[ratings.item] * part)
    within = cells - cells.mean(axis=1, keepdims=True)
    more = float((cells.sum(axis=0) ** 2).sum() - of_items * (within**2).sum())
    return RaterVariance(max(0.0, raters / (raters - 1) * more), raters)
