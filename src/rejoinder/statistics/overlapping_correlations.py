"""How sure the difference of two correlations is that share a variable."""

from __future__ import annotations

import math

from rejoinder.statistics.intervals import Interval


def zou_interval(r12: float, r13: float, r23: float, one: Interval, other: Interval) -> Interval:
    """A 95% interval of r12 - r13, correlations that share variable 1 (Zou 2007, equation 15).

    ``L = r12 - r13 - sqrt((r12 - l)^2 + (u' - r13)^2 - 2 c (r12 - l)(u' - r13))`` and U likewise,
    with the intervals (l, u) and (l', u') of the two and c the correlation of their estimates,
    ``c = ((r23 - r12 r13 / 2)(1 - r12^2 - r13^2 - r23^2) + r23^3) / ((1 - r12^2)(1 - r13^2))``.

    Args:
        r12: Of people (1) with a metric (2).
        r13: Of people with another metric (3).
        r23: Of the two metrics.
        one: The interval of r12.
        other: The interval of r13.

    >>> from rejoinder.statistics.intervals import fisher_interval
    >>> ends = fisher_interval(0.396, 66), fisher_interval(0.179, 66)
    >>> interval = zou_interval(0.396, 0.179, 0.088, *ends)
    >>> round(interval.low, 3), round(interval.high, 3)  # Zou's own example
    (-0.093, 0.517)
    """
    if one.reason or other.reason:
        return one if one.reason else other
    c = (r23 - r12 * r13 / 2) * (1 - r12**2 - r13**2 - r23**2) + r23**3
    c = min(1.0, max(-1.0, c / ((1 - r12**2) * (1 - r13**2))))

    def reach(down: float, up: float) -> float:
        return math.sqrt(max(0.0, down**2 + up**2 - 2 * c * down * up))

    difference = r12 - r13
    return Interval(
        difference - reach(r12 - one.low, other.high - r13),
        difference + reach(one.high - r12, r13 - other.low),
    )
