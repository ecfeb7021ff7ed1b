"""Scores as ratings: a straight line, fitted on other items than those that it is used for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.clusters import Groups

FOLDS = 10


def cross_fitted(
    scores: Floats, ratings: Floats, groups: NDArray[np.generic], seed: int, folds: int = FOLDS
) -> Floats:
    """What ratings a least squares line gives for scores, each line fitted on the other folds.

    Args:
        scores: float64 [n], finite.
        ratings: float64 [n].
        groups: [n], the cluster of each; a cluster lies in one fold.
        seed: Of the folds.
        folds: How many, at most as many as there are clusters.

    Returns:
        float64 [n]; NaN for fewer than two clusters. Scores that do not vary give the mean rating.

    >>> x = np.arange(6.0)
    >>> cross_fitted(x, 2 * x + 1, x, 0).tolist()
    [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]
    """
    clusters = Groups.of(groups, scores.size)
    folds = min(folds, len(clusters))
    fitted = np.full(scores.size, np.nan)
    if folds < 2:
        return fitted
    fold = np.random.default_rng(seed).permutation(len(clusters))[clusters.code] % folds
    for each in range(folds):
        inside = fold == each
        x, y = scores[~inside], ratings[~inside]
        spread = float(((x - x.mean()) ** 2).sum())
        slope = float(((x - x.mean()) * (y - y.mean())).sum()) / spread if spread > 0 else 0.0
        fitted[inside] = y.mean() + slope * (scores[inside] - x.mean())
    return fitted
