"""Confidence intervals: their two ends, the middle of resampled values, and why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.conventions import (
    FEW_GROUPS,
    LEAST_GROUPS,
    LEVEL,
    NO_SPREAD,
    UNDEFINED_SHARE,
    check_level,
)
from rejoinder.statistics.standard_error import standard_errors
from rejoinder.statistics.student import t_quantile

EQUAL = "no spread: all resamples have the same value"
SAME = "no spread: the value is the same whichever item, cluster or system is left out"
"""Why there is no interval where nothing varies: 8 equal ones of 8 may be chance."""

LARGE = 1 / 3
"""A cluster with a greater share of the items has a note."""


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


def percentiles(values: Floats, level: float = LEVEL) -> Interval:
    """The middle ``level`` of resampled values, float64 [resamples]; NaNs are left out and counted.

    Where all resamples give one value there is no interval.

    >>> percentiles(np.arange(101.0), level=0.5)
    Interval(low=25.0, high=75.0, undefined=0, reason=None)
    >>> percentiles(np.ones(100)).reason
    'no spread: all resamples have the same value'
    """
    check_level(level)
    undefined = int(np.isnan(values).sum())
    if undefined > UNDEFINED_SHARE * values.size:
        reason = f"{undefined} of {values.size} resamples are undefined: too little variation"
        return Interval.none(reason, undefined)
    if values.size and np.nanmax(values) - np.nanmin(values) <= NO_SPREAD:
        return Interval.none(EQUAL, undefined)
    return Interval(*middle(values, level), undefined)


def jackknife_interval(
    value: float,
    left_out: Floats,
    df: float,
    level: float = LEVEL,
    back: Callable[[float], float] = float,
) -> Interval:
    """The interval ``value +- t se`` of the jackknife, with Student's t.

    Args:
        value: The value, on the scale on which it varies alike everywhere (Fisher's, the logit).
        left_out: float64 [g], on that scale, with each item (cluster, system) left out.
        df: The degrees of freedom of t.
        level: The coverage.
        back: From that scale to the value's own.
    """
    check_level(level)
    error = float(standard_errors(left_out))
    if math.isnan(error):
        return Interval.none("undefined without one of the items, clusters or systems")
    if error <= NO_SPREAD:
        return Interval.none(SAME)
    reach = t_quantile(level, df) * error
    return Interval(back(value - reach), back(value + reach))


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
    from statistics import NormalDist

    check_level(level)
    return NormalDist().inv_cdf((1 + level) / 2)


def has_large_group(sizes: NDArray[np.generic]) -> bool:
    """Whether one cluster holds more than a third of the items, or of what else ``sizes`` [g] counts."""
    return bool(sizes.max(initial=0) > LARGE * sizes.sum())


def large_group(sizes: NDArray[np.generic], items: str = "items") -> list[str]:
    """A note where one cluster holds more than a third of the items: none below 4 clusters.

    >>> large_group(np.array([2, 2, 2, 2])), large_group(np.array([5, 1, 1, 1]))[0][:38]
    ([], 'one cluster holds 62% of the items: in')
    """
    if sizes.size < LEAST_GROUPS or not has_large_group(sizes):
        return []
    share = float(sizes.max()) / float(sizes.sum())
    return [
        f"one cluster holds {share:.0%} of the {items}: intervals depend on it more than on any other "
        "cluster; collect items in more clusters"
    ]


def few_groups(number: int, groups: str) -> list[str]:
    """A note about intervals that resample fewer than 10 groups; none where there are more.

    Below 4 there is no interval, and its own reason says so.

    >>> few_groups(6, "contexts"), few_groups(3, "contexts")
    (['6 contexts alone: intervals of so few are rough; do not rely on them'], [])
    """
    if not LEAST_GROUPS <= number < FEW_GROUPS:
        return []
    return [f"{number} {groups} alone: intervals of so few are rough; do not rely on them"]
