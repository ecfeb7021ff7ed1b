"""The bootstrap of a correlation, over contexts alone or over contexts and raters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import LEVEL, check_resamples, too_few_groups
from rejoinder.statistics.correlation import (
    Correlation,
    correlation_named,
    matched,
    reason_undefined,
)
from rejoinder.statistics.intervals import Interval, percentiles
from rejoinder.statistics.rating_matrix import checked_ratings, mean_ratings, weighted_means


def bootstrap_correlation(
    x: Floats,
    y: Floats,
    correlation: str,
    groups: NDArray[np.generic] | None,
    resamples: int,
    rng: np.random.Generator,
    level: float = LEVEL,
) -> Interval:
    """The percentile bootstrap interval of a correlation, over groups of observations.

    A resample draws as many groups (contexts) as there are, with replacement, each with all its
    observations (the cluster bootstrap: Davison and Hinkley 1997, section 3.8); the interval holds
    the middle ``level`` of the resampled correlations. Resamples without variation are left out and
    counted.

    Args:
        x: Scores (float64 [n]).
        y: Ratings (float64 [n]).
        correlation: A name of `CORRELATIONS`.
        groups: [n], a label for each observation; None takes each for a group of its own.
        resamples: How many.
        rng: Where the randomness comes from.
        level: The share of resamples within.

    Returns:
        The interval; none (NaN and the reason) where the correlation itself is undefined, there are
        fewer than 4 groups, more than 5% of the resamples have no variation, or all give the same.

    Raises:
        ParameterError: No such correlation, a level outside (0, 1), or fewer than one resample.
        InputError: x, y and groups differ in length.

    >>> x = np.arange(20.0)
    >>> y = x + 3 * (x % 2)
    >>> interval = bootstrap_correlation(x, y, "spearman", None, 100, np.random.default_rng(0))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.91, 0.99)
    """
    x, y = matched(x, y)
    reason = reason_undefined(x, y) or too_few_groups(len(Groups.of(groups, y.size)))
    if reason:
        correlation_named(correlation)
        return Interval.none(reason)
    return percentiles(resampled(x, y, correlation, groups, resamples, rng), level)


def resampled(
    x: Floats,
    y: Floats,
    correlation: str,
    groups: NDArray[np.generic] | None,
    resamples: int,
    rng: np.random.Generator,
) -> Floats:
    """The correlation in every bootstrap resample of the groups.

    Args:
        x: Scores of one metric or of several, which share the resamples (float64 [..., n]): their
            differences, too, may be taken resample by resample.
        y: Ratings (float64 [n]).
        correlation: A name of `CORRELATIONS`.
        groups: [n], a label for each observation; None takes each for a group of its own.
        resamples: How many.
        rng: Where the randomness comes from.

    Returns:
        float64 [..., resamples]; NaN where a resample has no variation.

    Raises:
        InputError: ``y`` is no vector.

    >>> resampled(np.arange(9.0), np.arange(9.0), "pearson", None, 3, np.random.default_rng(0)).tolist()
    [1.0, 1.0, 1.0]
    """
    measure = correlation_named(correlation)
    check_resamples(resamples)
    x, y = matched(x, y)
    if y.ndim != 1:
        raise InputError(f"resampled: y has shape {y.shape}; give one vector of ratings")
    values = np.full((*x.shape[:-1], resamples), np.nan)
    width = 1 + x.size // max(1, y.size)
    for rows, items in Groups.of(groups, y.size).resampled(resamples, rng, width):
        values[..., rows] = measure(x[..., items], y[items])
    return values


def bootstrap_over_raters(
    x: Floats,
    ratings: Floats,
    correlation: str,
    groups: NDArray[np.generic] | None,
    resamples: int,
    rng: np.random.Generator,
    level: float = LEVEL,
) -> Interval:
    """The same over contexts and raters: would other people, rating other contexts, say the same?

    A resample draws groups of observations and, independently, as many raters as there are, both
    with replacement, and averages the ratings anew. An observation that none of the drawn raters
    rated drops out of that resample. A resample holds fewer distinct raters than the data do, so its
    means are noisier and its correlations a little weaker: the interval leans towards 0, the more so
    the fewer raters there are.

    Args:
        x: Scores (float64 [n]).
        ratings: float64 [n, raters], NaN where there is none. Every observation needs one.
        correlation: A name of `CORRELATIONS`.
        groups: [n], a label for each observation; None takes each for a group of its own.
        resamples: How many.
        rng: Where the randomness comes from.
        level: The share of resamples within.

    Returns:
        The interval; none where `bootstrap_correlation` of the mean ratings has none, or where
        there is one rater: how raters differ cannot be seen in one.

    Raises:
        ParameterError: No such correlation, a level outside (0, 1), or fewer than one resample.
        InputError: The arrays differ in length.

    >>> x = np.arange(20.0)
    >>> both = np.stack([x, x + 3 * (x % 2)], axis=1)
    >>> interval = bootstrap_over_raters(x, both, "kendall-b", None, 100, np.random.default_rng(0))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.82, 1.0)
    """
    measure = correlation_named(correlation)
    check_resamples(resamples)
    ratings = checked_ratings(ratings)
    x, means = matched(x, mean_ratings(ratings))
    clusters = Groups.of(groups, means.size)
    reason = reason_undefined(x, means) or too_few_groups(len(clusters))
    ratings = ratings[:, np.isfinite(ratings).any(axis=0)]
    raters = ratings.shape[1]
    if not reason and raters < 2:
        reason = "one rater: how raters differ cannot be seen; resample contexts alone"
    if reason:
        return Interval.none(reason)
    values = np.full(resamples, np.nan)
    for rows, items in clusters.resampled(resamples, rng, width=4):
        counts = rng.multinomial(raters, np.full(raters, 1 / raters), size=rows.size)
        y = np.take_along_axis(weighted_means(ratings, counts.astype(np.float64)), items, axis=1)
        values[rows] = _present_only(measure, x[items], y)
    return percentiles(values, level)


def _present_only(measure: Correlation, x: Floats, y: Floats) -> Floats:
    """The correlation of each row's observations that have a rating: float64 [b, n] to [b]."""
    present = np.isfinite(y)
    values = np.asarray(measure(x, y))
    for row in np.flatnonzero(~present.all(axis=1)):
        values[row] = measure(x[row, present[row]], y[row, present[row]])
    return values
