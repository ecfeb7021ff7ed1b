"""Pairwise accuracy: does a metric order two replies to one context as people do?"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.correlation import matched


class PairwiseAccuracy(NamedTuple):
    """A share of pairs ordered alike, and the ties that were met.

    Args:
        accuracy: From 0 to 1; NaN without pairs.
        pairs: How many pairs it is made of.
        people_ties: Pairs that people rate alike.
        metric_ties: Pairs that the metric scores alike, or within epsilon.
    """

    accuracy: float
    pairs: int
    people_ties: int
    metric_ties: int


class _PairDifferences(NamedTuple):
    """Differences of scores and of ratings within groups, float64 [p], and the group of each."""

    dx: Floats
    dy: Floats
    group: NDArray[np.int64]


def pairwise_accuracy(
    x: Floats, y: Floats, groups: NDArray[np.generic] | None, epsilon: float = 0.0
) -> PairwiseAccuracy:
    """The share of pairs that metric and people order alike; ties are an answer like any other.

    ``(C + T_both) / (C + D + T_people + T_metric + T_both)`` (Deutsch, Foster and Freitag 2023,
    "Ties Matter", acc_eq): a pair that people rate alike is got right by a tie alone. Scores within
    ``epsilon`` of each other tie; `best_epsilon` finds the one that serves a metric best, without
    which a metric of many decimals is charged for every pair that people leave open.

    Args:
        x: Scores (float64 [n]).
        y: Ratings (float64 [n]).
        groups: [n], a label for each observation: pairs within a context are compared. None
            compares everything with everything.
        epsilon: The largest difference of scores that is a tie.

    Returns:
        The mean of the contexts' accuracies, as WMT has it; NaN where no context has two
        observations, or a value is not finite.

    Raises:
        ParameterError: A negative epsilon.
        InputError: x, y and groups differ in length.

    >>> people, metric = np.array([1.0, 2.0, 2.0, 3.0, 4.0]), np.array([2.0, 1.0, 1.5, 5.0, 3.0])
    >>> pairwise_accuracy(metric, people, None)
    PairwiseAccuracy(accuracy=0.6, pairs=10, people_ties=1, metric_ties=0)
    """
    if not epsilon >= 0:
        raise ParameterError(
            Argument("epsilon", epsilon), " is below 0; 0 takes equal scores alone for ties"
        )
    pairs = _pairs(x, y, groups)
    tied_x, tied_y = np.abs(pairs.dx) <= epsilon, pairs.dy == 0
    right = (tied_x & tied_y) | (~tied_x & ~tied_y & ((pairs.dx > 0) == (pairs.dy > 0)))
    accuracy = _share(_weights(pairs), right) if _usable(pairs) else math.nan
    return PairwiseAccuracy(accuracy, right.size, int(tied_y.sum()), int(tied_x.sum()))


def decided_accuracy(x: Floats, y: Floats, groups: NDArray[np.generic] | None) -> PairwiseAccuracy:
    """The same over the pairs that people decided: ``C / (C + D + T_metric)``, no ties.

    Pairs that people rate alike are left out (and counted); a metric's tie is wrong, for it does not
    say which is better (the accuracy of Kocmi et al. 2021, there of pairs of systems).

    Args:
        x: Scores (float64 [n]).
        y: Ratings (float64 [n]).
        groups: [n], a label for each observation; None compares everything with everything.

    Raises:
        InputError: x, y and groups differ in length.

    >>> decided_accuracy(np.array([0.1, 0.2, 0.2]), np.array([1.0, 2.0, 2.0]), None)
    PairwiseAccuracy(accuracy=1.0, pairs=2, people_ties=1, metric_ties=0)
    """
    pairs = _pairs(x, y, groups)
    decisive = pairs.dy != 0
    decided = _PairDifferences(pairs.dx[decisive], pairs.dy[decisive], pairs.group[decisive])
    right = (decided.dx != 0) & ((decided.dx > 0) == (decided.dy > 0))
    usable = _usable(decided) and _usable(pairs)
    accuracy = _share(_weights(decided), right) if usable else math.nan
    people_ties = int((pairs.dy == 0).sum())
    return PairwiseAccuracy(accuracy, right.size, people_ties, int((decided.dx == 0).sum()))


def best_epsilon(x: Floats, y: Floats, groups: NDArray[np.generic] | None) -> float:
    """The tie threshold that gives a metric its highest `pairwise_accuracy` (tie calibration).

    One epsilon for all contexts, among 0 and the differences that occur; the smallest where several
    serve alike. Widening it past a pair's difference gains the pair where people tie, loses it where
    it was ordered rightly, and changes nothing where it was not, so one sorted pass tries them all.

    Chosen on the very data that is then scored, it flatters a little, and every metric alike: that
    is what Deutsch et al. (2023) do, and what their numbers mean. Choose it on other data where some
    is at hand.

    Args:
        x: Scores (float64 [n]).
        y: Ratings (float64 [n]).
        groups: [n], a label for each observation; None compares everything with everything.

    Returns:
        Epsilon; NaN where the accuracy is.

    Raises:
        InputError: x, y and groups differ in length.

    >>> people, metric = np.array([1.0, 2.0, 2.0, 3.0, 4.0]), np.array([2.0, 1.0, 1.5, 5.0, 3.0])
    >>> best_epsilon(metric, people, None)
    0.5
    """
    pairs = _pairs(x, y, groups)
    weights = _weights(pairs)
    if not _usable(pairs):
        return math.nan
    distance = np.abs(pairs.dx)
    ordered = (pairs.dx > 0) == (pairs.dy > 0)
    gain = np.where(pairs.dy == 0, weights, np.where(ordered, -weights, 0.0))
    gain = np.where(distance == 0, 0.0, gain)  # these tie at epsilon 0
    candidates, place = np.unique(np.append(distance, 0.0), return_inverse=True)
    gained = np.cumsum(np.bincount(place[:-1], gain, candidates.size))
    # Sums of weights in another order differ by rounding: what is as good as the best is the best.
    return float(candidates[np.flatnonzero(gained >= gained.max() - 1e-12)[0]])


def _pairs(x: Floats, y: Floats, groups: NDArray[np.generic] | None) -> _PairDifferences:
    x, y = matched(x, y)
    if x.ndim != 1 or y.ndim != 1:
        raise InputError(f"pairs: shapes {x.shape} and {y.shape}; give one vector of each")
    clusters = Groups.of(np.zeros(x.size) if groups is None else groups, x.size)
    first, second, group = [], [], []
    for size in np.unique(clusters.size):
        alike = np.flatnonzero(clusters.size == size)
        members = clusters.members(alike[:, None])
        i, j = np.triu_indices(size, 1)
        first.append(members[:, i].ravel())
        second.append(members[:, j].ravel())
        group.append(np.repeat(alike, i.size))
    if not first:
        return _PairDifferences(np.empty(0), np.empty(0), np.empty(0, dtype=np.int64))
    i, j = np.concatenate(first), np.concatenate(second)
    with np.errstate(invalid="ignore"):
        return _PairDifferences(x[i] - x[j], y[i] - y[j], np.concatenate(group))


def _weights(pairs: _PairDifferences) -> Floats:
    """How much each pair counts: every context alike, as WMT has it, 1 in all; float64 [p]."""
    if not pairs.group.size:
        return np.empty(0)
    size = np.bincount(pairs.group)
    return 1 / size[pairs.group] / np.count_nonzero(size)


def _share(weights: Floats, right: NDArray[np.bool_]) -> float:
    """The weight of the right pairs; all of it is 1, whatever the rounding."""
    return 1.0 if right.all() and right.size else float((weights * right).sum())


def _usable(pairs: _PairDifferences) -> bool:
    return bool(pairs.dx.size and np.isfinite(pairs.dx).all() and np.isfinite(pairs.dy).all())
