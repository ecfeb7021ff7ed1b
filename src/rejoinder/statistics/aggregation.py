"""From several ratings of a reply to one number, and from a scale of grades to weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.conventions import check_choice
from rejoinder.statistics.rating_matrix import checked_ratings, mean_ratings


class Aggregate(NamedTuple):
    """One number for each unit.

    Args:
        values: float64 [units], NaN where nobody rated the unit.
        constant_raters: How many raters gave one value throughout, and so 0 each time ("z" alone).
    """

    values: Floats
    constant_raters: int


def aggregate(matrix: Floats, how: str = "mean") -> Aggregate:
    """Brings each unit's ratings down to one number.

    ``mean`` and ``median`` are in the raters' own scale. ``z`` takes each rater's mean from their
    ratings and divides by their standard deviation (of their own ratings, divisor n), then averages:
    severe and lenient, bold and timid raters are put on one scale. A rater without spread says
    nothing about differences between units: their z-scores are 0, and they are counted.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        how: ``mean``, ``median`` or ``z``.

    Raises:
        ParameterError: No such way.
        InputError: The matrix is none.

    >>> aggregate(np.array([[1.0, 2.0], [np.nan, 4.0]]), "mean").values.tolist()
    [1.5, 4.0]
    """
    check_choice(AGGREGATIONS, raters=how)
    return AGGREGATIONS[how](checked_ratings(matrix))


def scale(mean: Floats, low: float, high: float) -> Floats:
    """Ratings on ``low`` to ``high`` as weights from -1 to 1: ``2 (s - low) / (high - low) - 1``.

    Galley et al. 2015, section 4.1, scale grades from 1 to 5 so. NaN stays NaN.

    Args:
        mean: Ratings or their means (float64 [...]).
        low: The worst grade that could be given, whether or not it was.
        high: The best.

    Raises:
        ParameterError: ``low`` is not below ``high``.
        InputError: A rating is outside of the two.

    >>> scale(np.array([1.0, 3.0, 4.5]), 1, 5).tolist()
    [-1.0, 0.0, 0.75]
    """
    if not -np.inf < low < high < np.inf:
        raise ParameterError(f"scale: low={low!r}, high={high!r}; the worst must be below the best")
    mean = np.asarray(mean, dtype=np.float64)
    outside = (mean < low) | (mean > high)
    if outside.any():
        place = int(np.flatnonzero(outside)[0])
        raise InputError(
            f"ratings: {mean.ravel()[place]} at unit {place} is outside the scale {low} to {high}; "
            "give the ends of the scale that people used"
        )
    return 2 * (mean - low) / (high - low) - 1


def _median(matrix: Floats) -> Aggregate:
    values = np.full(len(matrix), np.nan)
    rated = ~np.isnan(matrix).all(axis=1)
    if rated.any():
        values[rated] = np.nanmedian(matrix[rated], axis=1)
    return Aggregate(values, 0)


def _z(matrix: Floats) -> Aggregate:
    deviations = matrix - mean_ratings(matrix.T)
    spread = np.sqrt(mean_ratings(deviations.T**2))
    present = ~np.isnan(matrix)
    # By the values, not the spread: the mean of equal ratings may be off by a rounding error.
    low = np.where(present, matrix, np.inf).min(axis=0, initial=np.inf)
    high = np.where(present, matrix, -np.inf).max(axis=0, initial=-np.inf)
    constant = present.any(axis=0) & (low == high)
    z = np.where(constant, 0.0, deviations) / np.where(low < high, spread, 1.0)
    return Aggregate(mean_ratings(np.where(present, z, np.nan)), int(constant.sum()))


AGGREGATIONS: dict[str, Callable[[Floats], Aggregate]] = {
    "mean": lambda matrix: Aggregate(mean_ratings(matrix), 0),
    "median": _median,
    "z": _z,
}
