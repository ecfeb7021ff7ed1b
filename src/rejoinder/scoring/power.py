"""How likely a paired test finds a difference, and how many items it takes: closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

from rejoinder.agreement.holm import SIGNIFICANT

MOST_ITEMS = 1_000_000  # an answer beyond is none

QUANTILE = 1.96  # of a 95% range

_NORMAL = NormalDist()


def power(difference: float, error: float, items: int, alpha: float = SIGNIFICANT) -> float:
    """How likely a two-sided paired test at level ``alpha`` finds a true difference.

    The tails of the noncentral t with ``items - 1`` degrees of freedom, by Abramowitz and Stegun's
    approximation 26.7.10 (within 0.02 at 6 items, within 0.002 from 20 on). From ``alpha`` (no
    difference) to 1.

    Args:
        difference: The true difference of the two systems.
        error: The standard error of the difference on so many items.
        items: How many; fewer than `fewest` give NaN.
        alpha: The level of the test.

    >>> round(power(0.5, 0.5 / 2.802, 100_000), 3)
    0.8
    """
    if items < fewest(alpha) or not error > 0:
        return math.nan
    df, effect = items - 1, abs(difference) / error
    t = critical(alpha, df)
    spread = math.sqrt(1 + t * t / (2 * df))
    reach = t * (1 - 1 / (4 * df))
    return _NORMAL.cdf((effect - reach) / spread) + _NORMAL.cdf((-effect - reach) / spread)


def detectable(error: float, items: int, wanted: float = 0.8, alpha: float = SIGNIFICANT) -> float:
    """The smallest true difference that the test finds with power ``wanted`` (0.5 or more).

    `power` turned around; its far tail, below 0.003 there, is left out. NaN for fewer items than `fewest`.

    >>> round(detectable(1.0, 100_000), 2)
    2.8
    """
    if items < fewest(alpha):
        return math.nan
    df = items - 1
    t = critical(alpha, df)
    return error * (
        t * (1 - 1 / (4 * df)) + _NORMAL.inv_cdf(wanted) * math.sqrt(1 + t * t / (2 * df))
    )


def fewest(alpha: float = SIGNIFICANT) -> int:
    """The fewest items that can show anything: swapping all of n has p = 2 / 2^n, none less.

    >>> fewest(0.05)
    6
    """
    return math.ceil(math.log2(2 / alpha))


@lru_cache(maxsize=1 << 14)
def critical(alpha: float, df: int) -> float:
    """What Student's t exceeds in size with probability ``alpha``.

    The expansion of Abramowitz and Stegun, 26.7.5: within 0.001 for 5 degrees of freedom or more and
    alpha of 0.05.

    >>> round(critical(0.05, 10), 3)
    2.228
    """
    x = _NORMAL.inv_cdf(1 - alpha / 2)
    return (
        x
        + (x**3 + x) / (4 * df)
        + (5 * x**5 + 16 * x**3 + 3 * x) / (96 * df**2)
        + (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / (384 * df**3)
        + (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / (92160 * df**4)
    )


def least_items(enough: Callable[[int], bool], start: int = 1) -> int | None:
    """The smallest number of items that is enough, where more is never less.

    Returns:
        From ``start`` to 1,000,000; None where even that is too few.

    >>> least_items(lambda items: items >= 77)
    77
    """
    if not enough(MOST_ITEMS):
        return None
    low, high = start, MOST_ITEMS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low
