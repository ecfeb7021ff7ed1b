"""The matrix of ratings: float64 [units, raters], NaN where a rater did not rate a unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups


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


def rater_groups(matrix: Floats) -> Indices:
    """The connected part of the table of units and raters that each unit is in: int64 [units], from 0.

    Raters of different parts have no unit in common, not even by way of others: they cannot be compared.

    Args:
        matrix: float64 [units, raters], NaN where missing; every unit has a rating.

    >>> rater_groups(np.array([[1, 2, np.nan], [np.nan, 3, np.nan], [np.nan, np.nan, 4]])).tolist()
    [0, 0, 1]
    """
    unit, rater = np.nonzero(np.isfinite(matrix))
    least = np.arange(matrix.shape[1])
    while True:
        of_unit = np.full(len(matrix), matrix.shape[1])
        np.minimum.at(of_unit, unit, least[rater])
        before, least = least, least.copy()
        np.minimum.at(least, rater, of_unit[unit])
        if np.array_equal(before, least):
            return np.unique(of_unit, return_inverse=True)[1]


Severity = Literal["adjusted", "kept"]
"""Whether the severity of raters is taken off their ratings, or left in the means."""

STEPS = 20, 6
"""Steps to the additive fit without a cluster, with fewer than so many clusters and with more: each step
multiplies what is missing by about the share of a rater's ratings that the cluster has."""

FEW_CLUSTERS = 100


@dataclass(frozen=True)
class RaterEffects:
    """The additive fit of a matrix of ratings: a rating is that of its unit, that of its rater, and noise.

    Attributes:
        matrix: float64 [units, raters], NaN where missing; every unit has a rating.
        shares: The share of each rating in its unit's mean (float64 [units, raters]).
        normal: The normal equations of the severities (float64 [raters, raters]).
        inverse: Their pseudo-inverse: the covariance of the severities for noise of variance 1.
        severities: float64 [raters], by how much each rater's ratings lie above those of others of the
            same units, by least squares; on average over the units 0.
        part: The part of each unit (int64 [units]); see `rater_groups`.
    """

    matrix: Floats
    shares: Floats
    normal: Floats
    inverse: Floats
    severities: Floats
    part: Indices

    @classmethod
    def of(cls, matrix: Floats, how: Severity = "adjusted") -> RaterEffects:
        """Fits a matrix; ``kept``: raters are taken as equally severe, and all as comparable.

        >>> effects = RaterEffects.of(np.array([[1.0, 2.0], [3.0, 4.0], [np.nan, 6.0]]))
        >>> effects.severities.round(6).tolist(), effects.means.round(6).tolist()
        ([-0.666667, 0.333333], [1.666667, 3.666667, 5.666667])
        """
        present = np.isfinite(matrix).astype(np.float64)
        shares = present / present.sum(axis=1, keepdims=True)
        normal = np.diag(present.sum(axis=0)) - present.T @ shares
        none = np.zeros(len(matrix), dtype=np.int64)
        if how == "kept":
            return cls(matrix, shares, 0 * normal, 0 * normal, normal[0] * 0, none)
        part = rater_groups(matrix)
        inverse = np.linalg.pinv(normal, hermitian=True)
        apart = np.nan_to_num(matrix - mean_ratings(matrix)[:, None])
        severities = inverse @ apart.sum(axis=0)
        return cls(matrix, shares, normal, inverse, severities - (shares @ severities).mean(), part)

    def connected(self, group: Indices | None = None) -> bool:
        """Whether all raters can be compared; or those of each group of units, int64 [units]."""
        if group is None:
            return not self.part.any()
        parts = set(zip(group.tolist(), self.part.tolist(), strict=True))
        return len(parts) == len(set(group.tolist()))

    @property
    def means(self) -> Floats:
        """The units' mean ratings without the severity of their raters: float64 [units]."""
        return mean_ratings(self.matrix) - self.shares @ self.severities

    @property
    def residuals(self) -> Floats:
        """What the fit leaves of each rating: float64 [units, raters], 0 where there is none."""
        return np.nan_to_num(self.matrix - self.severities - self.means[:, None])

    @property
    def rank(self) -> int:
        """How many degrees of freedom the severities take."""
        return round(float((self.inverse * self.normal).sum()))

    def changes(self, cluster: Indices) -> Floats:
        """How the severities change without each cluster of units: float64 [clusters, raters].

        Without cluster g the normal equations N and their right side lose its part: the change c solves
        ``N c = N_g c - (the residuals of g, summed by rater)``.

        Args:
            cluster: int64 [units], from 0, each with a unit.
        """
        groups, present = Groups.of(cluster, len(cluster)), self.shares > 0
        residuals = groups.sums(-self.residuals)
        change = np.zeros(residuals.shape)
        for _ in range(STEPS[len(groups) >= FEW_CLUSTERS]):
            move = change[cluster]
            move = np.where(present, move - (self.shares * move).sum(axis=1, keepdims=True), 0.0)
            change = (residuals + groups.sums(move)) @ self.inverse
        return change
