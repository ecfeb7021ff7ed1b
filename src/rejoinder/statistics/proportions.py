"""Shares of judgements, of which several may stand on one item."""

from __future__ import annotations

import numpy as np

from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups, interval_size, mean_variance, of_freedom
from rejoinder.statistics.conventions import LEVEL, NO_SPREAD
from rejoinder.statistics.intervals import Interval, normal_quantile
from rejoinder.statistics.student import beta_quantile


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


def clopper_pearson_ends(
    shares: Floats, n: float | Floats, level: float = LEVEL
) -> tuple[Floats, Floats]:
    """The ends of Clopper and Pearson's exact interval (1934) of many shares, float64 [s] each.

    The shares of which the binomial distribution has ``(1 - level) / 2`` at or beyond the observed
    number x on either side, the quantiles of Beta(x, n - x + 1) and Beta(x + 1, n - x). It covers at
    least what it says, and is wider than `wilson`. NaN where a share is.

    Args:
        shares: float64 [s].
        n: How many observations, whole or not, of all shares or float64 [s].
        level: The coverage.

    >>> low, high = clopper_pearson_ends(np.array([1.0]), 20)
    >>> round(float(low[0]), 3), float(high[0])
    (0.832, 1.0)
    """
    tail, ends = (1 - level) / 2, []
    for share, each in zip(shares.tolist(), np.broadcast_to(n, shares.shape).tolist(), strict=True):
        x = share * each
        ends.append(
            (beta_quantile(tail, x, each - x + 1), beta_quantile(1 - tail, x + 1, each - x))
        )
    low, high = np.array(ends).reshape(-1, 2).T
    return low, high


def are_ends(values: Floats, ends: tuple[float, float] = (0.0, 1.0)) -> bool:
    """Whether every value is one of the two ends of its scale: a failure or a pass.

    >>> are_ends(np.array([0.0, 1.0])), are_ends(np.array([1.0, 5.0])), are_ends(np.array([0.5]))
    (True, False, False)
    """
    return bool(np.isin(values, ends).all())


def mean_on_scale(
    values: Floats, reach: float, ends: tuple[float, float], groups: Groups | None = None
) -> Interval | None:
    """Wilson's interval of a mean on a scale, where ``mean +- reach`` cannot be; None where it can.

    Where every value is one of the two ends, the mean is a share of passes, worth their `interval_size`.
    Where ``mean +- reach`` leaves the scale, Wilson's interval of as many passes and failures as have
    the same standard error: n with ``z sqrt(p (1 - p) / n) = reach``, on a scale from 0 to 1.

    Args:
        values: float64 [n].
        reach: How far the interval of the mean reaches by Student's t.
        ends: The least and the greatest value that there can be.
        groups: Which values are not independent; None: each is.

    >>> interval = mean_on_scale(np.ones(20), 0.0, (0, 1))
    >>> round(interval.low, 3), interval.high
    (0.839, 1.0)
    """
    (low, high), mean = ends, float(values.mean())
    p = (mean - low) / (high - low)
    if are_ends(values, ends):
        n = interval_size(values, groups or Groups.of(None, values.size))
    elif reach <= NO_SPREAD or (low <= mean - reach and mean + reach <= high):
        return None
    else:
        n = p * (1 - p) * (normal_quantile(LEVEL) * (high - low) / reach) ** 2
    interval = wilson(p, n)
    return Interval(low + (high - low) * interval.low, low + (high - low) * interval.high)


def share_interval(values: Floats, groups: Groups, n: float) -> Interval:
    """Wilson's interval of a mean of values within [0, 1]: of passes and failures, which are worth n.

    Where some lie between 0 and 1 (half a win for a tie) it is that of as many passes and failures as
    vary as much: n with ``sqrt(p (1 - p) / n)`` the standard error of the mean over groups, with the
    factor of `interval_size`.

    Args:
        values: float64 [n].
        groups: Which values are not independent.
        n: How many independent passes and failures they are worth, where all are 0 or 1.

    >>> values = np.array([0.0, 0.5, 0.5, 0.5, 0.5, 1.0])
    >>> round(share_interval(values, Groups.of(None, 6), 6).low, 3)
    0.274
    """
    p = float(values.mean())
    if not are_ends(values):
        variance = mean_variance(values, groups)
        n = len(groups)
        if variance > NO_SPREAD**2:
            n = p * (1 - p) / variance * of_freedom(groups)
    return wilson(p, n)


FEW_OFF_THE_END = 8
"""With fewer items off the nearer end of the scale their standard error is not to be relied on.

Items just off the end count for little: what counts is ``(sum d)^2 / sum d^2`` of the distances d."""


def share_size(values: Floats, groups: Groups, off: Floats | None = None) -> float:
    """How many passes and failures a mean of values is worth, for an interval of rates.

    Of items that pass or fail, or differ by a whole pass, their `interval_size`; so too where fewer than 8
    items are off the end (all others pass, or fail, or do not differ). Otherwise n with ``(D - p^2) / n``
    the variance of the mean p over groups, D that of the values without sign: an item whose value is a share
    of samples that pass is worth more than one pass or failure. With the factor of `of_freedom`.

    Args:
        values: Within [0, 1], or differences within [-1, 1] (float64 [n]).
        groups: Which values are not independent.
        off: How far each lies off the end (float64 [n]); None: off the end that is nearer to the mean.

    >>> round(share_size(np.array([0.0, 0.5] * 8), Groups.of(None, 16)), 1)
    45.0
    """
    p, variance, single = float(values.mean()), mean_variance(values, groups), off is None
    if off is None:
        off = 1 - values if p >= 0.5 else values
    hardly_off = off.sum() ** 2 < FEW_OFF_THE_END * (off**2).sum()
    if hardly_off or are_ends(off) or not variance > NO_SPREAD**2:
        return interval_size(values, groups, single)
    return float((np.abs(values).mean() - p * p) / variance) * of_freedom(groups)


def wilson_ends(shares: Floats, n: float | Floats, level: float = LEVEL) -> tuple[Floats, Floats]:
    """The ends of `wilson` for many shares at once, float64 [s] each; NaN where a share is.

    Args:
        shares: float64 [s].
        n: How many observations, of all shares or float64 [s].
        level: The coverage.
    """
    z = normal_quantile(level)
    middle = shares + z**2 / (2 * n)
    spread = z * np.sqrt(shares * (1 - shares) / n + z**2 / (4 * n**2))
    low, high = (middle - spread) / (1 + z**2 / n), (middle + spread) / (1 + z**2 / n)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)
