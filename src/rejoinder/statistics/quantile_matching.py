"""Quantile matching: a monotone map that gives scores the distribution of other numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats

LEAST_PAIRS = 2
"""The fewest pairs that a map is fitted to; with so few it is rough, and the caller says how many."""


@dataclass(frozen=True, eq=False)
class QuantileMap:
    """The map from a score to the number of the same rank: ``F_y^-1(F_x(score))``.

    Between two scores of the sample it is a straight line; a score below the least or above the
    greatest gets the least or the greatest number. Equal scores share the mean of the numbers of
    their ranks, so that the mean over the sample is exactly that of the numbers; without ties the
    whole distribution is.

    Attributes:
        scores: The distinct scores of the sample, ascending (float64 [d]).
        values: The number of each (float64 [d]).
    """

    scores: Floats
    values: Floats

    @classmethod
    def fitted(cls, scores: Floats, numbers: Floats) -> QuantileMap:
        """Fits the map to a sample. Which score belongs to which number does not matter.

        Args:
            scores: float64 [n], finite.
            numbers: float64 [n], finite.

        Raises:
            InputError: There are fewer than two pairs, or all scores are equal.

        >>> QuantileMap.fitted(np.array([3.0, 1.0, 2.0]), np.array([-1.0, 0.0, 1.0]))(np.array([1.5]))
        array([-0.5])
        """
        if scores.size < LEAST_PAIRS:
            raise InputError(
                f"weights_from: {scores.size} rated replies with a score; expected at least {LEAST_PAIRS} to "
                "match the scores with the ratings; rate more replies, or leave the ratings out"
            )
        distinct, ranks = np.unique(np.sort(scores), return_inverse=True)
        if distinct.size == 1:
            raise InputError(
                f"weights_from: every rated reply has the score {distinct[0]:g}, so the scores cannot be "
                "matched with the ratings; choose another metric, or leave the ratings out"
            )
        sums = np.bincount(ranks, weights=np.sort(numbers))
        return cls(distinct, sums / np.bincount(ranks))

    def __call__(self, scores: Floats) -> Floats:
        """The numbers of scores: float64 [...]; NaN stays NaN."""
        return np.interp(scores, self.scores, self.values)
