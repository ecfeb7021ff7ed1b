"""Each rater against all the others: who is unreliable, and how well a person predicts people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.agreement.correlation import correlation_named
from rejoinder.agreement.kappa import pairwise_kappas
from rejoinder.agreement.ratings import checked_ratings, weighted_means
from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Indices

# A rater who shares fewer units with others than this is not judged by them.
LEAST_SHARED = 10


class AgainstOthers(NamedTuple):
    """Each rater's kappa against the others, and on how many units it rests.

    Args:
        kappa: float64 [raters], NaN where there is none.
        shared: int64 [raters], the rater's units that anybody else rated too.
    """

    kappa: Floats
    shared: Indices


class Reliability(NamedTuple):
    """Which raters fall below a threshold, and which could not be judged.

    Args:
        kappa: float64 [raters], against the others.
        shared: int64 [raters], the rater's units that anybody else rated too.
        unreliable: bool [raters], kappa is below the threshold: left out of results.
        unjudged: bool [raters], too few shared units, or no kappa: kept, and to be told so.
    """

    kappa: Floats
    shared: Indices
    unreliable: NDArray[np.bool_]
    unjudged: NDArray[np.bool_]


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


def kappa_against_others(
    matrix: Floats, weights: str = "linear", categories: Sequence[float] | None = None
) -> AgainstOthers:
    """Each rater's mean kappa with every other rater, weighted by the units that the two share.

    How one rater is held against several with kappa, a measure of two, is left open where raters
    below 0.1 are dropped (METHODS, section 5). We take the average of the pairs, so that each
    comparison is on the scale that people use; the mean of the others is no grade of it. Weights
    let pairs that share two units say little. Pairs without a kappa do not count.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        weights: See `weighted_kappa`.
        categories: See `weighted_kappa`.

    Raises:
        ParameterError: No such weights.
        InputError: The matrix is none, or a rating is not in ``categories``.

    >>> matrix = np.array([[1.0, 1.0, 2.0], [2.0, 2.0, 1.0], [3.0, 3.0, 3.0]])
    >>> kappa_against_others(matrix).kappa.tolist()
    [0.625, 0.625, 0.25]
    """
    matrix = checked_ratings(matrix)
    kappa, shared = pairwise_kappas(matrix, weights, categories)
    usable = ~np.isnan(kappa)
    number = np.where(usable, shared, 0)
    total = (number * np.where(usable, kappa, 0.0)).sum(axis=1)
    units = number.sum(axis=1)
    mean = np.where(units > 0, total, np.nan) / np.maximum(units, 1)
    present = ~np.isnan(matrix)
    met = present & (present.sum(axis=1, keepdims=True) > 1)
    return AgainstOthers(mean, met.sum(axis=0))


def unreliable(
    matrix: Floats,
    threshold: float = 0.1,
    least: int = LEAST_SHARED,
    weights: str = "linear",
    categories: Sequence[float] | None = None,
) -> Reliability:
    """Finds the raters whose kappa against the others is below a threshold.

    A rater who shares fewer than ``least`` units with others, or has no kappa at all, is not judged
    and stays: nothing is known against them. One pass: nobody is judged again after others went.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        threshold: Kappas below are unreliable.
        least: The fewest shared units to be judged by.
        weights: See `weighted_kappa`.
        categories: See `weighted_kappa`.

    Raises:
        ParameterError: A threshold that is not a number, or no such weights.
        InputError: The matrix is none, or a rating is not in ``categories``.

    >>> up = np.arange(12.0) % 5
    >>> unreliable(np.stack([up, up, up, 4 - up], axis=1)).unreliable.tolist()
    [False, False, False, True]
    """
    if math.isnan(threshold):
        raise ParameterError(f"threshold={threshold!r} is not a number; 0.1 is usual")
    kappa, shared = kappa_against_others(matrix, weights, categories)
    unjudged = (shared < least) | np.isnan(kappa)
    return Reliability(kappa, shared, ~unjudged & (kappa < threshold), unjudged)


def human_correlations(
    matrix: Floats, correlation: str, least: int = LEAST_SHARED
) -> HumanCorrelation:
    """The ceiling a metric is held against: "Human (Avg)" and "Human (Max)".

    Each rater's scores are correlated with the mean of all the others', over the units that the
    rater and somebody else rated; then the mean and the best over raters (Tao et al. 2018, table 2;
    that it is one against the rest they say of their scatter plots). Beside a metric's correlation
    with the mean of all it is a little low: the mean of the others has a rater less.

    The paper's raters rated everything. Where they did not, a rater with fewer than ``least`` shared
    units has no say: over three units the best of many raters reaches 1 by chance.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        correlation: A name of `CORRELATIONS`.
        least: The fewest shared units.

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
    return HumanCorrelation(math.nan, math.nan, each, _no_ceiling(matrix, least))


def _no_ceiling(matrix: Floats, least: int) -> str:
    present = ~np.isnan(matrix)
    if present.any(axis=0).sum() < 2:
        return "fewer than 2 raters"
    met = (present & (present.sum(axis=1, keepdims=True) > 1)).sum(axis=0)
    if met.max() < max(2, least):
        return f"no rater shares {max(2, least)} units with others"
    return "every rater, or the mean of the others, gives one value throughout"
