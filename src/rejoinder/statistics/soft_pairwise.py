"""Soft pairwise accuracy: are a metric and people equally sure of which of two systems is better?

Thompson, Mathur, Deutsch and Khayrallah 2024 (arXiv 2409.09598). p_ij is the one-sided p-value of a
paired permutation test that system i is better than system j: near 0 where i is clearly better, near
1 where j is, about 1/2 where nobody can tell.
"""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.system_swaps import Flags, SystemCoins, SystemSwaps


def reached(permuted: Floats, observed: Floats) -> Floats:
    """How many permuted differences are above the observed one, equal ones counted by half.

    With the halves ``p_ij + p_ji = 1``, so that the order of the systems does not matter. (The paper
    counts equal ones in full: p of i against j and p of j against i then overlap.)

    Args:
        permuted: The differences of the systems of each pair on permuted replies (float64 [pairs, b]).
        observed: float64 [pairs].

    Returns:
        float64 [pairs]; NaN where a difference is undefined.

    >>> reached(np.array([[0.1, 0.3, 0.2, -0.2]]), np.array([0.2])).tolist()
    [1.5]
    """
    above = permuted - observed[:, None]
    counts = (above > NOISE).sum(axis=1) + (np.abs(above) <= NOISE).sum(axis=1) / 2
    return np.where(np.isnan(above).any(axis=1), np.nan, counts)


def soft_pairwise_accuracy(people: Floats, metric: Floats) -> float:
    """``1 - mean |p^people - p^metric|`` over the pairs of systems (equation 5 of the paper).

    1: the metric is exactly as sure as people are, of every pair. 0: it is certain of the opposite of
    what people are certain of. A metric that cannot tell any two systems apart gets 1/2 where people
    are certain.

    Args:
        people: float64 [pairs], p-values by the ratings.
        metric: float64 [pairs], by a metric.

    Returns:
        From 0 to 1; NaN without a pair, or where a p-value is NaN.

    >>> soft_pairwise_accuracy(np.array([0.0, 0.5, 1.0]), np.array([0.1, 0.5, 0.8]))
    0.9
    """
    return float(1 - np.abs(people - metric).mean()) if people.size else float("nan")


def without_each_system(people: Floats, metric: Floats, pairs: Indices) -> Floats:
    """The accuracy over the pairs that are not of a system, for each system in turn.

    Args:
        people: float64 [pairs].
        metric: float64 [pairs].
        pairs: The two systems of each pair (int64 [pairs, 2]).

    Returns:
        float64 [S].
    """
    others = ((pairs != system).all(axis=1) for system in np.unique(pairs))
    return np.array([soft_pairwise_accuracy(people[rest], metric[rest]) for rest in others])


def renamed(
    people: Floats, metric: Floats, pairs: Indices, trials: int, rng: np.random.Generator
) -> Floats:
    """The accuracy when the systems of the ratings change names at random.

    Args:
        people: float64 [pairs], of every two of S systems.
        metric: float64 [pairs].
        pairs: The earlier system first (int64 [pairs, 2]).
        trials: How many permutations of the systems.
        rng: Where the randomness comes from.

    Returns:
        float64 [trials].
    """
    systems = int(pairs.max()) + 1
    table = np.full((systems, systems), 0.5)
    table[pairs[:, 0], pairs[:, 1]] = people
    table[pairs[:, 1], pairs[:, 0]] = 1 - people
    orders = rng.permuted(np.tile(np.arange(systems), (trials, 1)), axis=1)
    moved = table[orders[:, pairs[:, 0]], orders[:, pairs[:, 1]]]
    return 1 - np.abs(moved - metric).mean(axis=1)


def metric_swaps(
    people: Floats, mixed: Floats, pairs: Indices, permutations: int, rng: np.random.Generator
) -> SystemSwaps:
    """Tests whether two metrics are equally accurate, by exchanging the scores of whole systems.

    A coin for each system decides which metric's scores it has in all of its pairs, and both
    accuracies are taken anew. For that the metrics must have one scale and one level. The paper
    exchanges the scores of single segments. That asks about these systems alone, and where two metrics
    prefer systems of their own, by chance, it finds a difference between equally good metrics in 35 to
    75% of simulated sets; whole systems err in 2 to 7% (docs/studies/coverage.md).

    All coins turned around give the same difference with its sign turned, so the first system's
    coin stays. Where the other 2^(S - 1) ways are no more than ``permutations``, all are taken.

    Args:
        people: The p-values by the ratings (float64 [pairs]).
        mixed: float64 [2, 2, pairs], the p-values where the first system of a pair has the scores of
            one metric (or the other), and the second system those of one (or the other).
        pairs: int64 [pairs, 2], of every two of S systems.
        permutations: How many exchanges at most.
        rng: Where the randomness comes from, if not all are taken.

    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> same = np.full((2, 2, 3), 0.3)
    >>> metric_swaps(np.array([0.1, 0.2, 0.9]), same, pairs, 100, np.random.default_rng(0))
    SystemSwaps(p=1.0, least=0.25)
    """
    every = np.arange(len(pairs))

    def accuracies(first: Flags, second: Flags) -> Floats:
        each = mixed[first.astype(np.int64), second.astype(np.int64), every]
        return 1 - np.abs(each - people).mean(axis=1)

    one, other = (soft_pairwise_accuracy(people, mixed[k, k]) for k in range(2))
    return SystemCoins(int(pairs.max()) + 1, permutations).swaps(
        one - other, pairs, lambda a, b: accuracies(a, b) - accuracies(~a, ~b), rng
    )
