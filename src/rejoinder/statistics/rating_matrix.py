"""The matrix of ratings: float64 [units, raters], NaN where a rater did not rate a unit."""

from __future__ import annotations

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats


def checked_ratings(matrix: Floats) -> Floats:
    """The matrix as float64 [units, raters].

    Raises:
        InputError: It has not two axes, or a rating is infinite.
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim != 2:
        raise InputError(f"ratings: shape {matrix.shape}; give [units, raters], NaN where missing")
    infinite = np.argwhere(np.isinf(matrix))
    if infinite.size:
        unit, rater = infinite[0]
        raise InputError(
            f"ratings: {matrix[unit, rater]} at unit {unit}, rater {rater}; "
            "a rating is a finite number, or NaN where it is missing"
        )
    return matrix


def mean_ratings(matrix: Floats) -> Floats:
    """The mean of each unit's ratings: float64 [units]; NaN where it has none.

    >>> mean_ratings(np.array([[1.0, 2.0], [np.nan, 5.0], [np.nan, np.nan]])).tolist()
    [1.5, 5.0, nan]
    """
    return weighted_means(matrix, np.ones((1, matrix.shape[1])))[0]


def weighted_means(matrix: Floats, counts: Floats) -> Floats:
    """Mean ratings where raters count several times or not at all.

    Args:
        matrix: float64 [units, raters].
        counts: float64 [b, raters], how often each rater counts.

    Returns:
        float64 [b, units]; NaN where no rating is left.
    """
    present = np.isfinite(matrix)
    number = counts @ present.T.astype(np.float64)
    total = counts @ np.where(present, matrix, 0.0).T
    return np.where(number > 0, total, np.nan) / np.where(number > 0, number, 1.0)
