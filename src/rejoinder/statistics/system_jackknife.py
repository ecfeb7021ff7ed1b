"""The interval of a statistic of few systems: leave out one system at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.conventions import LEVEL, PERFECT, check_level
from rejoinder.statistics.intervals import Interval, jackknife_interval

# Of three systems each leaves two, whose differences have one sign but for noise.
LEAST_SYSTEMS = 4

TOO_FEW = f"fewer than {LEAST_SYSTEMS} systems"


def correlation_interval(value: float, without: Floats, level: float = LEVEL) -> Interval:
    """The interval of a correlation, by the jackknife over systems on Fisher's scale.

    ``tanh(atanh r -+ t se)``, ``se^2 = (S - 1) / S sum_s (z_s - mean z)^2``, z_s the atanh of the
    correlation without system s, t Student's quantile with S - 2 degrees of freedom: a correlation
    of S systems has no more. (Jackknife: Efron and Stein 1981; for correlations between systems,
    docs/studies/coverage.md has the simulation.)

    Args:
        value: The correlation.
        without: The correlation without each system in turn (float64 [S]).
        level: The coverage.

    Returns:
        The interval; none where there are fewer than 4 systems, where a correlation is undefined, 1
        or -1, or where all of `without` are equal.

    Raises:
        ParameterError: The level is outside (0, 1).

    >>> interval = correlation_interval(0.5, np.array([0.3, 0.4, 0.5, 0.6, 0.7]))
    >>> round(interval.low, 2), round(interval.high, 2)
    (-0.61, 0.95)
    """
    if max(abs(value), np.abs(without).max(initial=0.0)) > PERFECT:
        which = "" if abs(value) > PERFECT else " without one of the systems"
        return Interval.none(f"the correlation is 1 or -1{which}")
    return _interval(math.atanh(value), np.arctanh(without), level, math.tanh)


def difference_interval(value: float, without: Floats, level: float = LEVEL) -> Interval:
    """The interval of a difference of two correlations, by the jackknife over systems.

    As `correlation_interval`, without Fisher's transformation; cut at -2 and 2.

    Args:
        value: The difference.
        without: The difference without each system.
        level: Confidence level, between 0 and 1.

    >>> interval = difference_interval(0.1, np.array([0.0, 0.1, 0.1, 0.1, 0.2]))
    >>> round(interval.low, 2), round(interval.high, 2)
    (-0.3, 0.5)
    """
    return _interval(value, without, level, lambda end: min(2.0, max(-2.0, end)))


def share_interval(value: float, without: Floats, level: float = LEVEL) -> Interval:
    """The interval of a share of pairs of systems, by the jackknife over systems on the logit scale.

    As `correlation_interval`; the share goes from 0 to 1.

    Args:
        value: The share.
        without: The share without each system.
        level: Confidence level, between 0 and 1.

    >>> interval = share_interval(0.8, np.array([0.7, 0.8, 0.8, 0.8, 0.9]))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.2, 0.98)
    """
    if max(abs(2 * each - 1) for each in (value, *without.tolist())) > PERFECT:
        return Interval.none("it is 0 or 1, with all systems or without one of them")
    logits = np.arctanh(2 * without - 1)
    return _interval(math.atanh(2 * value - 1), logits, level, lambda z: (1 + math.tanh(z)) / 2)


def _interval(
    value: float, without: Floats, level: float, back: Callable[[float], float]
) -> Interval:
    check_level(level)
    if without.size < LEAST_SYSTEMS:
        return Interval.none(TOO_FEW)
    if np.isnan(without).any():
        return Interval.none("the correlation is undefined without one of the systems")
    return jackknife_interval(value, without, without.size - 2, level, back)
