"""How well scores tell good replies from bad ones: within contexts, and pooled over them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.conventions import NOISE, p_of_draws
from rejoinder.statistics.intervals import middle

# Resampled counts are spread out over observations so many numbers at a time.
NUMBERS = 1 << 20

# Trials of the permutation test drawn at a time.
AT_ONCE = 512


@dataclass(frozen=True)
class Separation:
    """How well one metric separates good from bad replies.

    Attributes:
        contexts: float64 [c], each context's accuracy: of its pairs, ties half.
        ties: The share of tied pairs, averaged over contexts.
        zeros: The share of pairs of which both get 0 or less, likewise.
        auc: Pooled over contexts, each weighing alike.
        accuracies: float64 [resamples], of the bootstrap.
        aucs: float64 [resamples], of the same resamples.
        pairs: How many pairs.
    """

    contexts: Floats
    ties: float
    zeros: float
    auc: float
    accuracies: Floats
    aucs: Floats
    pairs: int

    @property
    def accuracy(self) -> float:
        """The mean over contexts."""
        return float(self.contexts.mean())

    def row(self) -> dict[str, Any]:
        """The row of a table."""
        low, high = middle(self.accuracies)
        auc_low, auc_high = middle(self.aucs)
        return {
            "accuracy": self.accuracy,
            "accuracy_low": low,
            "accuracy_high": high,
            "ties": self.ties,
            "zeros": self.zeros,
            "auc": self.auc,
            "auc_low": auc_low,
            "auc_high": auc_high,
            "contexts": self.contexts.size,
            "pairs": self.pairs,
        }


def separation(values: Floats, context: Indices, counts: Floats | None) -> Separation:
    """Accuracy within contexts and AUC over all of them, with their bootstrap.

    Args:
        values: The scores of the good and the bad reply of each pair (float64 [p, 2]).
        context: A label of the context of each pair (int64 [p]).
        counts: float64 [resamples, c], how often each context is drawn, in the order of the labels;
            None for no bootstrap.

    >>> result = separation(np.array([[0.5, 0.0], [0.2, 0.2]]), np.array([0, 1]), None)
    >>> result.accuracy, result.ties, result.auc  # of the four pooled pairs one is tied
    (0.75, 0.5, 0.875)
    """
    _, place = np.unique(context, return_inverse=True)
    sizes = np.bincount(place)
    good, bad = values[:, 0], values[:, 1]

    def averaged(of_pairs: np.ndarray) -> Floats:
        return np.bincount(place, of_pairs, sizes.size) / sizes

    tied = good == bad
    accuracy = averaged((good > bad) + tied / 2)
    aucs = _Pooled(values, place, 1 / sizes[place])
    return Separation(
        accuracy,
        float(averaged(tied).mean()),
        float(averaged(values.max(axis=1) <= 0).mean()),
        float(aucs.of(np.ones((1, sizes.size)))[0]),
        counts @ accuracy / counts.sum(axis=1) if counts is not None else np.zeros(0),
        aucs.of(counts) if counts is not None else np.zeros(0),
        len(values),
    )


def compared(
    a: Separation, b: Separation, permutations: int, rng: np.random.Generator
) -> dict[str, Any]:
    """One metric's accuracy less another's on the same pairs.

    The test swaps the two metrics context by context, by a coin: p = (c + 1) / (n + 1), two-sided.

    Args:
        a: Of one metric.
        b: Of the other, with the same contexts and resamples.
        permutations: How many; 0 gives NaN.
        rng: Where the randomness comes from.
    """
    each = a.contexts - b.contexts
    low, high = middle(a.accuracies - b.accuracies)
    auc_low, auc_high = middle(a.aucs - b.aucs)
    return {
        "difference": float(each.mean()),
        "low": low,
        "high": high,
        "p": _swapped(each, permutations, rng) if permutations else math.nan,
        "auc_difference": a.auc - b.auc,
        "auc_low": auc_low,
        "auc_high": auc_high,
        "contexts": each.size,
    }


def _swapped(each: Floats, permutations: int, rng: np.random.Generator) -> float:
    reach = abs(each.sum()) - NOISE * each.size
    reached = 0
    for done in range(0, permutations, AT_ONCE):
        coins = rng.integers(0, 2, (min(AT_ONCE, permutations - done), each.size), dtype=np.int8)
        reached += int((np.abs((2.0 * coins - 1) @ each) >= reach).sum())
    return p_of_draws(reached, permutations)


class _Pooled:
    """Good and bad replies of all contexts, sorted by score, ready to be weighted anew.

    Equal scores of one context and side are summed into one entry.
    """

    def __init__(self, values: Floats, place: Indices, weights: Floats) -> None:
        scores, rank = np.unique(values, return_inverse=True)
        rank = rank.reshape(values.shape)
        self.scores, self.contexts = scores.size, int(place.max()) + 1
        self.sides = [self._gathered(rank[:, side], place, weights) for side in (0, 1)]

    def _gathered(
        self, rank: Indices, place: Indices, weights: Floats
    ) -> tuple[Indices, Indices, Floats]:
        """Where each score's entries begin, and the context and weight of each entry."""
        keys, where = np.unique(rank * self.contexts + place, return_inverse=True)
        summed = np.bincount(where, weights).astype(np.float64)
        first = np.searchsorted(keys, np.arange(self.scores) * self.contexts)
        return first, keys % self.contexts, summed

    def of(self, counts: Floats) -> Floats:
        """The AUC under multiplicities of the contexts: float64 [b, c] to float64 [b]."""
        step = max(1, NUMBERS // max(each[1].size for each in self.sides))
        parts = [self._of(counts[at : at + step]) for at in range(0, len(counts), step)]
        return np.concatenate(parts)

    def _of(self, counts: Floats) -> Floats:
        good, bad = (self._by_score(counts, *side) for side in self.sides)
        below = np.cumsum(bad, axis=1) - bad / 2
        return (good * below).sum(axis=1) / (good.sum(axis=1) * bad.sum(axis=1))

    def _by_score(
        self, counts: Floats, first: Indices, context: Indices, weights: Floats
    ) -> Floats:
        """The weight at each score: float64 [b, scores]."""
        run = np.zeros((len(counts), context.size + 1))
        np.cumsum(counts[:, context] * weights, axis=1, out=run[:, 1:])
        return run[:, np.append(first[1:], context.size)] - run[:, first]
