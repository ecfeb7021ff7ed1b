"""Each rater against the mean of the others: how well a person predicts people."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.correlation import correlation_named
from rejoinder.statistics.rating_matrix import checked_ratings, weighted_means

LEAST_SHARED = 10
"""The fewest units that a rater must share with others to be judged by them."""


class HumanCorrelation(NamedTuple):
    """How well single raters agree with the mean of the others.

    Args:
        average: "Human (Avg)", the mean over raters.
        maximum: "Human (Max)", the best rater.
        each: float64 [raters], NaN where a rater has none.
        reason: Why average and maximum are NaN, or None.
    """

    average: float
    maximum: float
    each: Floats
    reason: str | None


def human_correlations(
    matrix: Floats, correlation: str, least: int = LEAST_SHARED, what: str = "units"
) -> HumanCorrelation:
    """The human ceiling of a metric: "Human (Avg)" and "Human (Max)".

    Each rater's scores are correlated with the mean of all the others', over the units that the
    rater and somebody else rated; then the mean and the best over raters (Tao et al. 2018, table 2;
    that it is one against the rest they say of their scatter plots). Beside a metric's correlation
    with the mean of all it is a little low: the mean of the others has a rater less.

    The paper's raters rated everything. Where they did not, a rater with fewer than ``least`` shared
    units is left out: over three units the best of many raters reaches 1 by chance.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        correlation: A name of `CORRELATIONS`.
        least: The fewest shared units.
        what: What the units are, for the reason.

    Raises:
        ParameterError: No such correlation.
        InputError: The matrix is none.

    >>> up = np.arange(12.0)
    >>> human = human_correlations(np.stack([up, up, up + 1], axis=1), "spearman")
    >>> human.average, human.maximum
    (1.0, 1.0)
    """
    measure = correlation_named(correlation)
    matrix = checked_ratings(matrix)
    raters = matrix.shape[1]
    others = weighted_means(matrix, 1 - np.eye(raters)).T
    each = np.full(raters, np.nan)
    for rater in range(raters):
        shared = ~np.isnan(matrix[:, rater]) & ~np.isnan(others[:, rater])
        if shared.sum() >= max(2, least):
            each[rater] = measure(matrix[shared, rater], others[shared, rater])
    defined = each[~np.isnan(each)]
    if defined.size:
        return HumanCorrelation(float(defined.mean()), float(defined.max()), each, None)
    return HumanCorrelation(math.nan, math.nan, each, _no_ceiling(matrix, least, what))


def _no_ceiling(matrix: Floats, least: int, what: str) -> str:
    present = ~np.isnan(matrix)
    if present.any(axis=0).sum() < 2:
        return "fewer than 2 raters"
    met = (present & (present.sum(axis=1, keepdims=True) > 1)).sum(axis=0)
    if met.max() < max(2, least):
        return f"no rater shares {max(2, least)} {what} with others"
    return "every rater, or the mean of the others, gives one value throughout"
