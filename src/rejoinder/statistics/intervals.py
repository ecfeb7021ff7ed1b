"""How sure a correlation is: the bootstrap over contexts and raters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import (
    FEW_GROUPS,
    LEAST_GROUPS,
    LEVEL,
    NO_SPREAD,
    UNDEFINED_SHARE,
    check_level,
    check_resamples,
    too_few_groups,
)
from rejoinder.statistics.correlation import (
    Correlation,
    correlation_named,
    matched,
    reason_undefined,
)
from rejoinder.statistics.rating_matrix import checked_ratings, mean_ratings, weighted_means


@dataclass(frozen=True)
class Interval:
    """A confidence interval; both ends are NaN where there is none, and ``reason`` says why.

    Args:
        low: Its lower end.
        high: Its upper end.
        undefined: How many resamples had no value and were left out.
        reason: Why there is no interval.
    """

    low: float
    high: float
    undefined: int = 0
    reason: str | None = None

    @classmethod
    def none(cls, reason: str | None = None, undefined: int = 0) -> Interval:
        """No interval, for this reason."""
        return cls(math.nan, math.nan, undefined, reason)


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
        x: float64 [n], scores.
        y: float64 [n], ratings.
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
        x: float64 [..., n], scores of one metric or of several, which share the resamples: their
            differences, too, may be taken resample by resample.
        y: float64 [n], ratings.
        correlation: A name of `CORRELATIONS`.
        groups: [n], a label for each observation; None takes each for a group of its own.
        resamples: How many.
        rng: Where the randomness comes from.

    Returns:
        float64 [..., resamples]; NaN where a resample has no variation.

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
    for rows, drawn in Groups.of(groups, y.size).resampled(resamples, rng, width):
        values[..., rows] = measure(x[..., drawn], y[drawn])
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
        x: float64 [n], scores.
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
    for rows, drawn in clusters.resampled(resamples, rng, width=4):
        counts = rng.multinomial(raters, np.full(raters, 1 / raters), size=rows.size)
        y = np.take_along_axis(weighted_means(ratings, counts.astype(np.float64)), drawn, axis=1)
        values[rows] = _of_present(measure, x[drawn], y)
    return percentiles(values, level)


def percentiles(values: Floats, level: float = LEVEL) -> Interval:
    """The middle ``level`` of resampled values, float64 [resamples]; NaNs are left out and counted.

    Resamples that all give one value show no spread at all, which is not certainty: 8 of 8 may be
    chance. There is no interval then.

    >>> percentiles(np.arange(101.0), level=0.5)
    Interval(low=25.0, high=75.0, undefined=0, reason=None)
    >>> percentiles(np.ones(100)).reason
    'every resample gives the same value, which is no certainty'
    """
    check_level(level)
    undefined = int(np.isnan(values).sum())
    if undefined > UNDEFINED_SHARE * values.size:
        reason = f"{undefined} of {values.size} resamples are undefined: too little variation"
        return Interval.none(reason, undefined)
    if values.size and np.nanmax(values) - np.nanmin(values) <= NO_SPREAD:
        reason = "every resample gives the same value, which is no certainty"
        return Interval.none(reason, undefined)
    return Interval(*middle(values, level), undefined)


def middle(values: Floats, level: float = LEVEL) -> tuple[float, float]:
    """The two ends of the middle ``level`` of values, NaNs left out; NaN where there is no value.

    >>> middle(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    if not values.size:
        return math.nan, math.nan
    low, high = np.nanquantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def normal_quantile(level: float) -> float:
    """How many standard deviations on either side hold ``level`` of a normal distribution.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    check_level(level)
    return NormalDist().inv_cdf((1 + level) / 2)


def few_groups(number: int, drawn: str) -> list[str]:
    """A note about intervals that resample fewer than 10 groups; none where there are more.

    Below 4 there is no interval, and its own reason says so.

    >>> few_groups(6, "contexts"), few_groups(3, "contexts")
    (['6 contexts alone: intervals of so few are rough; do not rely on them'], [])
    """
    if not LEAST_GROUPS <= number < FEW_GROUPS:
        return []
    return [f"{number} {drawn} alone: intervals of so few are rough; do not rely on them"]


def _of_present(measure: Correlation, x: Floats, y: Floats) -> Floats:
    """The correlation of each row's observations that have a rating: float64 [b, n] to [b]."""
    present = np.isfinite(y)
    values = np.asarray(measure(x, y))
    for row in np.flatnonzero(~present.all(axis=1)):
        values[row] = measure(x[row, present[row]], y[row, present[row]])
    return values
