"""The tails of Student's t and of the beta distribution."""

from __future__ import annotations

import math
from functools import lru_cache

# The continued fraction ends where a step changes it by less than this; TINY stands for zero in it.
CLOSE, TINY = 1e-15, 1e-300
STEPS = 10_000

FARTHEST = 1e150
"""Beyond it the square of t would be infinite."""


def two_sided_p(t: float, df: float) -> float:
    """How likely a |T| of at least ``|t|`` is under Student's t with ``df`` degrees of freedom.

    ``P(|T| >= |t|) = I_x(df / 2, 1 / 2)`` with ``x = df / (df + t^2)``, the regularised incomplete
    beta function (DLMF 8.17). From 0 to 1; accurate in the far tail, where one less the
    distribution function would be 0. NaN where t is NaN or df is not positive.

    >>> round(two_sided_p(2.228138852, 10), 6)
    0.05
    """
    if math.isnan(t) or not df > 0:
        return math.nan
    return incomplete_beta(df / (df + t * t), df / 2, 0.5)


def upper_tail(t: float, df: float) -> float:
    """How likely a T of at least ``t`` is under Student's t: the p of a test to one side."""
    half = two_sided_p(t, df) / 2
    return half if t > 0 else 1 - half


@lru_cache
def t_quantile(level: float, df: float) -> float:
    """How many standard errors on either side hold ``level`` of Student's t distribution.

    The t with ``two_sided_p(t, df) = 1 - level``, by Newton's method from 0: the tail is convex, so that
    each step ends before it. NaN where df is not positive.

    Args:
        level: The coverage, within (0, 1).
        df: Degrees of freedom.

    >>> round(t_quantile(0.95, 10), 6)
    2.228139
    """
    if not df > 0:
        return math.nan
    t, log_scale = 0.0, _log_beta(df / 2, 0.5) + math.log(df) / 2
    step = math.inf
    while step > CLOSE * t and t < FARTHEST:
        density = math.exp(-(df + 1) / 2 * math.log1p(t * t / df) - log_scale)
        step = (two_sided_p(t, df) - (1 - level)) / (2 * density) if density else 0.0
        t += max(step, 0.0)
    return t


def degrees_of_freedom(level: float, reach: float) -> float:
    """The degrees of freedom with which so many standard errors hold ``level``: of `t_quantile` the inverse.

    By bisection, from 0.1 to 10,000 degrees, beyond which the normal distribution is as good.

    >>> round(degrees_of_freedom(0.95, 2.228138852), 6)
    10.0
    """
    low, high = 0.1, 1e4
    while high - low > 1e-8 * high:
        middle = math.sqrt(low * high)
        if two_sided_p(reach, middle) > 1 - level:
            low = middle
        else:
            high = middle
    return high


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for x in [0, 1] and positive a, b.

    >>> incomplete_beta(0.25, 1, 1)  # the uniform distribution
    0.25
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    # The fraction converges fast below the mean of the distribution; above it, the mirror image is.
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    log_front = a * math.log(x) + b * math.log1p(-x) - _log_beta(a, b)
    return math.exp(log_front) / a / _continued_fraction(x, a, b)


def beta_quantile(share: float, a: float, b: float) -> float:
    """Below which value so large a share of a beta distribution lies: of `incomplete_beta` the inverse.

    0 where a is 0, 1 where b is: all of the distribution lies there. NaN where one is.

    >>> round(beta_quantile(0.25, 1, 1), 12)
    0.25
    """
    if math.isnan(a + b) or a <= 0 or b <= 0:
        return math.nan if math.isnan(a + b) else float(b <= 0)
    low, high = 0.0, 1.0
    while high - low > CLOSE * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if incomplete_beta(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return high


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _continued_fraction(x: float, a: float, b: float) -> float:
    """``1 + d_1 / (1 + d_2 / (1 + ...))`` of DLMF 8.17.22, by Lentz's method."""
    value = numerator = 1.0
    denominator = 0.0
    for step in range(1, STEPS):
        m = step // 2
        if step % 2:
            d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        denominator = 1 / (_not_zero(1 + d * denominator))
        numerator = _not_zero(1 + d / numerator)
        value *= numerator * denominator
        if abs(numerator * denominator - 1) < CLOSE:
            break
    return value


def _not_zero(number: float) -> float:
    return number if abs(number) > TINY else TINY
