"""How likely a test finds that two systems pass different shares of items, and how many items it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.conventions import LEVEL
from rejoinder.statistics.intervals import normal_quantile
from rejoinder.statistics.paired_rates import mcnemar
from rejoinder.statistics.student import incomplete_beta

MOST_ITEMS = 100_000
"""An answer beyond is none: it would take minutes to enumerate."""
REACH = 8
"""Outcomes beyond so many standard deviations are not enumerated: they have less than 1e-14."""
LASTING = 10
"""Power rises by fits and starts: a number of items is enough where so many numbers beyond are too."""


def paired_power(items: int, discordant: float, difference: float, alpha: float) -> float:
    """How likely McNemar's exact p on the same items is below alpha: enumerated.

    It is the p of the randomization test that decides in ``compare``, but for the permutations drawn.

    Args:
        items: How many items.
        discordant: The true share of the items that one of the two systems alone passes.
        difference: The true difference of the two rates, at most ``discordant``.
        alpha: The level.

    >>> round(paired_power(463, 0.14, 0.05, 0.05), 3)
    0.8
    """
    first = (1 + abs(difference) / discordant) / 2
    number, chance = _binomial(items, discordant)
    chances = [_found(m, round(first, 12), alpha) for m in number.tolist()]
    return float(chance @ np.array(chances))


@lru_cache(maxsize=100_000)
def _found(discordant: int, first: float, alpha: float) -> float:
    """How likely the exact p is below alpha where so many items tell, of which the first has such a share."""
    k = _critical(discordant, alpha)
    if k < 0:
        return 0.0
    rest = discordant - k
    return incomplete_beta(1 - first, rest, k + 1) + incomplete_beta(first, rest, k + 1)


@lru_cache(maxsize=100_000)
def _critical(discordant: int, alpha: float) -> int:
    """The most losses of so many items that tell with an exact p below alpha; -1 where there are none."""
    near = discordant / 2 - normal_quantile(1 - alpha) * math.sqrt(discordant) / 2
    k = max(0, math.ceil(near))
    while k >= 0 and not mcnemar(discordant - k, k).exact < alpha:
        k -= 1
    return k


def separate_power(items: int, first: float, second: float, alpha: float) -> float:
    """How likely the interval of the difference of rates on other items excludes 0: enumerated.

    It does where the z test of the pooled rates rejects; see `SeparateRates.interval`.

    Args:
        items: How many items each of the two systems has.
        first: The true rate of the first.
        second: The true rate of the second.
        alpha: The level; 0.05 for a 95% interval.

    >>> round(separate_power(424, 0.9, 0.95, 0.05), 3)
    0.801
    """
    (x, of_x), (y, of_y) = (_binomial(items, p) for p in (first, second))
    pooled = (x[:, None] + y) / (2 * items)
    error = np.sqrt(pooled * (1 - pooled) * 2 / items)
    apart = np.abs(x[:, None] - y) / items
    return float(of_x @ (apart > normal_quantile(1 - alpha) * error) @ of_y)


def _binomial(n: int, p: float) -> tuple[Indices, Floats]:
    """The numbers of passes of n items that are likely at all, and their probabilities."""
    if p <= 0 or p >= 1:
        return np.array([n if p >= 1 else 0]), np.ones(1)
    reach = REACH * math.sqrt(n * p * (1 - p)) + REACH
    k = np.arange(max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1)
    ways = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in k.tolist()]
    return k, np.exp(np.array(ways) + k * math.log(p) + (n - k) * math.log1p(-p))


def fewest_items(power_on: Callable[[int], float], power: float, near: float) -> int | None:
    """The smallest number of items from which on the power is as wanted; None beyond `MOST_ITEMS`.

    Args:
        power_on: The power on a number of items.
        power: The power that is wanted.
        near: About so many items, by a closed form.
    """
    low, high = 1, max(4, math.ceil(near))
    while power_on(min(high, MOST_ITEMS)) < power:
        if high >= MOST_ITEMS:
            return None
        low, high = high, high * 2
    high = min(high, MOST_ITEMS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_on(middle) >= power else (middle, high)
    beyond = 0
    while beyond < LASTING:
        beyond += 1
        if power_on(high + beyond) < power:
            high, beyond = high + beyond + 1, -1
    return high


def paired_items(discordant: float, difference: float, power: float, alpha: float) -> float:
    """About how many items McNemar's test takes on the same items: Miettinen's closed form (1968).

    ``(z_a sqrt(D) + z_b sqrt(D - d^2))^2 / d^2``. Where few items tell, the exact test takes more.

    Args:
        discordant: D, the share of items on which one system alone passes.
        difference: d, the difference of the two rates.
        power: The power of the test.
        alpha: The significance level of the two-sided test.
    """
    z_a, z_b = normal_quantile(1 - alpha), _one_sided(power)
    squared = difference**2
    return (
        z_a * math.sqrt(discordant) + z_b * math.sqrt(max(0.0, discordant - squared))
    ) ** 2 / squared


def separate_items(first: float, second: float, power: float, alpha: float) -> float:
    """About how many items a side two rates take on other items: the z test's closed form.

    ``(z_a sqrt(2 q (1 - q)) + z_b sqrt(p1 (1 - p1) + p2 (1 - p2)))^2 / (p1 - p2)^2``, q their mean.

    Args:
        first: p1, the rate of the first system.
        second: p2, the rate of the second system.
        power: The power of the test.
        alpha: The significance level of the two-sided test.
    """
    z_a, z_b = normal_quantile(1 - alpha), _one_sided(power)
    q = (first + second) / 2
    spread = first * (1 - first) + second * (1 - second)
    return (z_a * math.sqrt(2 * q * (1 - q)) + z_b * math.sqrt(spread)) ** 2 / (first - second) ** 2


def _one_sided(power: float) -> float:
    """The normal deviate below which a share ``power`` lies, from one half on."""
    return normal_quantile(2 * power - 1) if power > 0.5 else 0.0


def all_must_pass(rate: float, level: float = LEVEL) -> int:
    """How many items there must be, of which all pass, for a lower end of Wilson's interval at a rate.

    n of n has the lower end ``n / (n + z^2)``.

    >>> all_must_pass(0.90), all_must_pass(0.95)
    (35, 73)
    """
    return max(1, math.ceil(normal_quantile(level) ** 2 * rate / (1 - rate)))
