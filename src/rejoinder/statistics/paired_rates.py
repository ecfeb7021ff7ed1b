"""Rates of passes of two systems: the interval of their difference, and tests of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import LEVEL, NO_SPREAD
from rejoinder.statistics.equivalence import MarginTests
from rejoinder.statistics.intervals import normal_quantile
from rejoinder.statistics.proportions import share_size
from rejoinder.statistics.student import incomplete_beta

HALVINGS = 60
"""Steps of a bisection of [-1, 1]: beyond, two doubles lie no closer."""

Score = Callable[[Floats], Floats]
"""How many standard errors, under a true difference, the difference lies above that: of each pair."""


class PairedRates(NamedTuple):
    """What two systems did on the same items, of p pairs of systems: float64 [p] each.

    Args:
        wins: How many items the first alone passed; a part of a pass counts as that part.
        losses: How many the second alone passed.
        items: How many items there are.
    """

    wins: Floats
    losses: Floats
    items: Floats

    @classmethod
    def of(cls, differences: Floats, groups: Groups | None = None) -> PairedRates:
        """The counts of differences of passes; of clustered items as many as these are worth.

        Args:
            differences: 1 where the first system alone passed, within [-1, 1] (float64 [p, n]).
            groups: Which items are not independent; None: each is. Counts are multiplied by ``n_eff / n``,
                n_eff the `share_size` of the differences.
        """
        n = differences.shape[1]
        of = groups or Groups.of(None, n)
        worth = np.array([share_size(each, of, np.abs(each)) for each in differences])
        wins = np.maximum(differences, 0.0).sum(axis=1)
        losses = np.maximum(-differences, 0.0).sum(axis=1)
        return cls(wins * worth / n, losses * worth / n, worth)

    @property
    def differences(self) -> Floats:
        """The difference of the two rates: float64 [p]."""
        return (self.wins - self.losses) / self.items

    def score(self, delta: Floats) -> Floats:
        """Tango's statistic (1998): how far the difference lies above a true one, in standard errors.

        ``(b - c - n delta) / sqrt(n (2 q + delta (1 - delta)))`` with q the likeliest share of items
        that the second alone passes, ``(sqrt(B^2 - 4 A C) - B) / 2 A``, ``A = 2 n``,
        ``B = -b - c + (2 n - b + c) delta``, ``C = -c delta (1 - delta)``. 0 where numerator and
        denominator are.

        Args:
            delta: float64 [p], within [-1, 1].
        """
        b, c, n = self
        linear = -b - c + (2 * n - b + c) * delta
        root = np.sqrt(np.maximum(linear**2 + 8 * n * c * delta * (1 - delta), 0.0))
        variance = n * ((root - linear) / (2 * n) + delta * (1 - delta))
        return _ratio(b - c - n * delta, variance)

    def interval(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Tango's score interval (1998) of the difference of two rates: lower and upper ends, [p] each.

        All true differences whose `score` is within the normal quantile. Within [-1, 1], and never of
        width 0: two systems that both pass 8 of 8 may differ.

        >>> low, high = PairedRates(*np.array([[9.0], [3.0], [32.0]])).interval()
        >>> round(float(low[0]), 3), round(float(high[0]), 3)
        (-0.027, 0.39)
        """
        return score_interval(self.score, self.differences, level)

    def margin_tests(self, margin: float) -> MarginTests:
        """One-sided score tests of the differences against a margin; at 5% the 90% `interval` agrees."""
        return score_tests(self.score, self.differences, margin)


class SeparateRates(NamedTuple):
    """The passes of two systems on different items, of p pairs of systems: float64 [p] each.

    Args:
        first: How many items the first system passed.
        of_first: Of how many.
        second: How many the second passed.
        of_second: Of how many.
    """

    first: Floats
    of_first: Floats
    second: Floats
    of_second: Floats

    @property
    def differences(self) -> Floats:
        """The difference of the two rates: float64 [p]."""
        return self.first / self.of_first - self.second / self.of_second

    def score(self, delta: Floats) -> Floats:
        """Mee's statistic (1984): how far the difference lies above a true one, in standard errors.

        The error is that of the likeliest pair of rates that differ by ``delta`` (the cubic root of
        Miettinen and Nurminen 1985); for a delta of 0 that of the two rates pooled.

        Args:
            delta: float64 [p], within [-1, 1].
        """
        x1, n1, x2, n2 = self
        n = n1 + n2
        l2 = (n1 + 2 * n2) * delta - n - x1 - x2
        l1 = (n2 * delta - n - 2 * x2) * delta + x1 + x2
        l0 = x2 * delta * (1 - delta)
        q = l2**3 / (3 * n) ** 3 - l1 * l2 / (6 * n**2) + l0 / (2 * n)
        p = np.sign(q) * np.sqrt(np.maximum(l2**2 / (3 * n) ** 2 - l1 / (3 * n), 0.0))
        cosine = np.divide(q, p**3, out=np.zeros_like(q), where=np.abs(p) ** 3 > 0)
        angle = (math.pi + np.arccos(np.clip(cosine, -1.0, 1.0))) / 3
        p2 = np.clip(
            2 * p * np.cos(angle) - l2 / (3 * n), np.maximum(0, -delta), np.minimum(1, 1 - delta)
        )
        p1 = p2 + delta
        return _ratio(self.differences - delta, p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)

    def interval(self, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Mee's score interval (1984) of the difference of two rates: lower and upper ends, [p] each.

        It excludes 0 exactly where the z test of the pooled rates does.

        >>> low, high = SeparateRates(*np.array([[56.0], [70.0], [48.0], [80.0]])).interval()
        >>> round(float(low[0]), 3), round(float(high[0]), 3)
        (0.053, 0.338)
        """
        return score_interval(self.score, self.differences, level)

    def margin_tests(self, margin: float) -> MarginTests:
        """One-sided score tests of the differences against a margin."""
        return score_tests(self.score, self.differences, margin)


def score_interval(score: Score, differences: Floats, level: float) -> tuple[Floats, Floats]:
    """All true differences that a score test does not reject: lower and upper ends, float64 [p] each.

    Args:
        score: The statistic of the test, at a true difference.
        differences: The observed differences, [p].
        level: Confidence level, between 0 and 1.
    """
    z = normal_quantile(level)
    return _end(score, differences, z, -1.0), _end(score, differences, z, 1.0)


def _end(score: Score, differences: Floats, reach: float, limit: float) -> Floats:
    """How far towards a limit the score is within ``reach`` of 0: by bisection."""
    inside, outside = differences, np.full(differences.shape, limit)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = np.abs(score(middle)) <= reach
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return inside


def score_tests(score: Score, differences: Floats, margin: float) -> MarginTests:
    """One-sided score tests of differences of rates against a margin, which is below 1."""
    from_lower = score(np.full(differences.shape, -margin))
    from_higher = score(np.full(differences.shape, margin))
    tail = np.vectorize(lambda z: math.erfc(z / math.sqrt(2)) / 2, otypes=[np.float64])
    return MarginTests(
        not_lower=tail(from_lower),
        not_higher=tail(-from_higher),
        lower=tail(-from_lower),
        higher=tail(from_higher),
    )


def _ratio(apart: Floats, variance: Floats) -> Floats:
    """``apart / sqrt(variance)``: 0 where both are 0, infinite where the variance alone is."""
    error = np.sqrt(np.maximum(variance, 0.0))
    far = np.where(np.abs(apart) > NO_SPREAD, np.copysign(np.inf, apart), 0.0)
    return np.divide(apart, error, out=far, where=error > NO_SPREAD)


class McNemar(NamedTuple):
    """The p-values of McNemar's exact test.

    Args:
        exact: Of the exact test, which errs in less than the level.
        mid_p: The same less half of what the observed outcome adds to each tail (Lancaster 1961): its
            errors are near the level, and hardly ever above.
    """

    exact: float
    mid_p: float


def mcnemar(wins: int, losses: int) -> McNemar:
    """McNemar's exact test (1947) that two systems pass the same share of items, and its mid-p.

    Of the items that one of the two alone passes each falls to either side like a coin. ``mid_p`` is
    Fagerland, Lydersen and Laake's (2013); 1 where there is no such item.

    Args:
        wins: How many items the first system alone passed.
        losses: How many the second.

    >>> p = mcnemar(6, 1)  # (1 + 7) / 2^7 on either side; less 7 / 2^7
    >>> round(p.exact, 7), round(p.mid_p, 7)
    (0.125, 0.0703125)
    """
    discordant, least = wins + losses, min(wins, losses)
    # P(X <= k) of m coins is I_1/2(m - k, k + 1).
    tail = incomplete_beta(0.5, discordant - least, least + 1) if discordant > least else 1.0
    return McNemar(min(1.0, 2 * tail), min(1.0, 2 * tail - coins(discordant, least)))


def coins(number: int, heads: int) -> float:
    """How likely so many of a number of coins show heads."""
    log = math.lgamma(number + 1) - math.lgamma(heads + 1) - math.lgamma(number - heads + 1)
    return math.exp(log - number * math.log(2))
