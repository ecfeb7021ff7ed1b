"""Metrics whose score is a plain mean over replies, each scored by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.base import Metric
from rejoinder.metrics.contract import Part


@dataclass(frozen=True)
class MeanMetric(Metric):
    """``1/n sum_i s_i``: a row is a reply's own score ``s_i`` and a 1 that counts it.

    A reply that cannot be scored (its item has no reference) has a row of NaN.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The sum of the replies' scores, and how many replies."""
        return ("sum", "count")

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 2] to float64 [...]; NaN where no reply was summed."""
        return mean(totals)

    def parts(self, totals: Floats) -> dict[str, Part]:
        """The mean's numerator and denominator."""
        return {"sum": float(totals[0]), "count": float(totals[1])}


MEASURES = {"f": 0, "precision": 2, "recall": 3}
"""Each measure with the column that sums it."""


class PrecisionAndRecall(MeanMetric):
    """A mean metric of F, precision and recall, one of which is its score."""

    measure: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The sum of the replies' F, how many replies, and the sums of their P and R."""
        return ("sum", "count", "precision", "recall")

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 4] to float64 [...]; NaN where no reply was summed."""
        return mean(totals[..., [MEASURES[self.measure], 1]])

    def parts(self, totals: Floats) -> dict[str, Part]:
        """The means of F, P and R, and the sum and count that the mean of F is made of.

        P and R are NaN for scores that were kept before there were such columns.
        """
        means = {name: float(mean(totals[[k, 1]])) for name, k in MEASURES.items()}
        return {**means, **super().parts(totals)}


def mean(totals: Floats) -> Floats:
    """The quotient of two summed columns: float64 [..., 2] to float64 [...]; NaN for 0 / 0."""
    return quotient(totals[..., 0], totals[..., 1])


def quotient(top: Floats, bottom: Floats, undefined: float = np.nan) -> Floats:
    """``top / bottom``, or ``undefined`` where ``bottom`` is not positive."""
    defined = bottom > 0
    return np.where(defined, top / np.where(defined, bottom, 1.0), undefined)


def mean_rows(values: Floats) -> Floats:
    """The rows of replies scored by themselves: float64 [m] to float64 [m, 2], NaN kept.

    >>> mean_rows(np.array([0.5, np.nan]))
    array([[0.5, 1. ],
           [nan, nan]])
    """
    return np.stack([values, np.where(np.isnan(values), np.nan, 1.0)], axis=-1)
