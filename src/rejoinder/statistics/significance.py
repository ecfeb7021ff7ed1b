"""Is a correlation more than chance, and is one metric's higher than another's?"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import NOISE, check_permutations, p_of_drawn, p_of_draws
from rejoinder.statistics.correlation import (
    average_ranks,
    correlation_named,
    matched,
    of_orders,
    pearson,
    standardised,
)
from rejoinder.statistics.student import two_sided_p


class Difference(NamedTuple):
    """One correlation less another, and how likely so large a difference is by chance."""

    difference: float
    p: float


class Williams(NamedTuple):
    """Williams' t with its two-sided p-value."""

    t: float
    p: float


def permutation_p(
    x: Floats,
    y: Floats,
    correlation: str,
    permutations: int,
    rng: np.random.Generator,
    groups: NDArray[np.generic] | None = None,
) -> Floats:
    """How likely a correlation at least as strong is if x and y have nothing to do with each other.

    ``p = (c + 1) / (n + 1)``, two-sided: c of n permutations of y have ``|r*| >= |r|``. The smallest
    p is 1 / (n + 1), the largest 1. NaN where the correlation is undefined.

    Observations are permuted one by one, which takes them for independent. With ``groups``
    (contexts) whole groups of one size change places, and a group's observations are shuffled among
    themselves: what makes a context's replies alike stays together, in y as in x, so that likeness
    alone is not taken for evidence. A group whose size no other has is only shuffled within. That is
    exact where the groups are exchangeable and their observations too; an effect of systems that
    runs across contexts is not allowed for.

    Args:
        x: Scores of one metric or of several, on the same permutations (float64 [..., n]).
        y: Ratings (float64 [n]).
        correlation: A name of `CORRELATIONS`.
        permutations: How many.
        rng: Where the randomness comes from.
        groups: [n], a label for each observation.

    Returns:
        float64 [...], a p-value for each metric.

    Raises:
        ParameterError: No such correlation, or fewer than one permutation.
        InputError: x, y and groups differ in length.

    >>> x = np.arange(8.0)
    >>> float(permutation_p(x, x, "spearman", 999, np.random.default_rng(0)))
    0.001
    """
    measure = correlation_named(correlation)
    check_permutations(permutations)
    x, y = matched(x, y)
    if y.ndim != 1:
        raise InputError(f"permutation_p: y has shape {y.shape}; give one vector of ratings")
    r, permuted = np.asarray(measure(x, y)), of_orders(x, y, measure)
    reached = np.zeros(r.shape)
    for orders in Groups.of(groups, y.size).permuted(permutations, rng, width=max(1, r.size)):
        reached += (np.abs(permuted(orders)) >= np.abs(r)[..., None] - NOISE).sum(axis=-1)
    return np.where(np.isnan(r), np.nan, p_of_draws(reached, permutations))[()]


def paired_permutation(
    x1: Floats,
    x2: Floats,
    y: Floats,
    correlation: str,
    permutations: int,
    rng: np.random.Generator,
    groups: NDArray[np.generic] | None = None,
) -> Difference:
    """Tests whether two metrics agree with people equally well, on the same items.

    Under the hypothesis it does not matter which of the two scored an item, so a coin for each item
    decides whether their scores there are swapped, and both correlations are taken anew. The scales
    must be one for that. For Pearson both are standardised (mean 0, deviation 1), for the rank
    coefficients both are ranked; neither changes the coefficient itself, and each hands over just
    what the coefficient sees. (Deutsch, Dror and Roth 2021 standardise in every case; a z-score of
    one metric next to one of another has no rank of its own meaning.) Two-sided,
    ``p = (c + 1) / (n + 1)``; a swap that leaves a metric without variation counts as reaching.

    The signs are taken as they are: turn a metric whose lower scores are better around first.

    Args:
        x1: Scores of a metric (float64 [n]).
        x2: float64 [n], of another.
        y: Ratings (float64 [n]).
        correlation: A name of `CORRELATIONS`.
        permutations: How many.
        rng: Where the randomness comes from.
        groups: [n], a label for each observation: whole groups (contexts) are swapped.

    Returns:
        ``r(x1, y) - r(x2, y)`` and p; both NaN where either is undefined.

    Raises:
        ParameterError: No such correlation, or fewer than one permutation.
        InputError: The vectors differ in length.

    >>> y = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> paired_permutation(y, 10 * y, y, "pearson", 99, np.random.default_rng(0))
    Difference(difference=0.0, p=1.0)
    """
    measure = correlation_named(correlation)
    check_permutations(permutations)
    x1, y = matched(x1, y)
    x2, y = matched(x2, y)
    difference = float(measure(x1, y) - measure(x2, y))
    if math.isnan(difference):
        return Difference(math.nan, math.nan)
    common = standardised if measure is pearson else average_ranks
    x1, x2 = common(x1), common(x2)
    again = (
        measure(np.where(swapped, x2, x1), y) - measure(np.where(swapped, x1, x2), y)
        for swapped in Groups.of(groups, y.size).swaps(permutations, rng, width=3)
    )
    return Difference(difference, p_of_drawn(again, difference))


def williams(r12: float, r13: float, r23: float, n: int) -> Williams:
    """Williams' test of two correlations that share a variable: is r12 other than r13?

    ``t = (r12 - r13) sqrt((n - 1)(1 + r23) / (2 K (n - 1) / (n - 3) + (r12 + r13)^2 / 4 (1 - r23)^3))``
    ``K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23``, with n - 3 degrees of freedom, two-sided
    (Williams 1959; Steiger 1980; for metrics, Graham and Baldwin 2014).

    Made for Pearson's r of independent normal observations; `paired_permutation` assumes less. In a
    simulation (docs/studies/coverage.md) two equally good metrics differ at 5% in 5% of the sets for
    Pearson and Spearman, and in less than 0.5% for Kendall, whose tau varies less than r: for it the
    test hardly ever finds a difference. Where observations are not independent (five replies to a
    context that are alike) it says so in 16% for Pearson and Spearman.

    Args:
        r12: Correlation of variable 1 (people) with 2 (a metric).
        r13: Of variable 1 with 3 (another metric).
        r23: Of the two metrics with each other.
        n: Observations.

    Returns:
        t, above 0 where r12 is the higher, and p. NaN where a correlation is NaN, n < 4, the two
        metrics correlate perfectly (there is nothing to test), or no data could have these three
        correlations at once.

    Raises:
        ParameterError: A correlation is outside [-1, 1].

    >>> t, p = williams(0.4, 0.5, 0.1, n=103)
    >>> round(t, 2), round(p, 2)
    (-0.89, 0.37)
    """
    for name, r in (("r12", r12), ("r13", r13), ("r23", r23)):
        if abs(r) > 1 + NOISE:
            raise ParameterError(f"williams: {name}={r!r} is outside [-1, 1]; give a correlation")
    if n < 4 or any(map(math.isnan, (r12, r13, r23))) or abs(r23) > 1 - NOISE:
        return Williams(math.nan, math.nan)
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if k < -NOISE:
        return Williams(math.nan, math.nan)
    mean = (r12 + r13) / 2
    variance = 2 * max(k, 0.0) * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if variance <= 0:
        return Williams(math.nan, math.nan)
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / variance)
    return Williams(t, two_sided_p(t, n - 3))
