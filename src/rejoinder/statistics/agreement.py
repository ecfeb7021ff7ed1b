"""The measures of agreement among raters: each declares its facts and computes value and interval."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.alpha import (
    alpha_interval,
    krippendorff_alpha,
    reason_no_alpha,
    too_few_ratings,
)
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.kappa import AgainstOthers, mean_kappa, pooled_kappa, reason_unjudged
from rejoinder.statistics.raters import LEAST_SHARED


@dataclass(frozen=True, eq=False)
class Judgements:
    """What raters judged, as a matrix.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        groups: [units], the label of what each unit belongs to and is left out with (its item).
        paired: Whether a judgement compares two replies: 1, 0 or -1. Which of the two is called the
            first is arbitrary, and chance agreement must not depend on it: to a rater who does not
            know the systems both sides are alike. So every unit is measured from either side.
        units: What the units are called, in reasons.
        least: The fewest units that a rater must share with others to be judged by kappa.
    """

    matrix: Floats
    groups: NDArray[np.generic]
    paired: bool = False
    units: str = "units"
    least: int = LEAST_SHARED

    @cached_property
    def rows(self) -> Floats:
        """What is measured: the matrix, above its mirror image where judgements are paired."""
        return np.concatenate([self.matrix, -self.matrix]) if self.paired else self.matrix

    @cached_property
    def against_others(self) -> AgainstOthers:
        """Every rater's kappa against the others."""
        against = pooled_kappa(self.rows)
        return AgainstOthers(against.kappa, against.shared // (1 + self.paired))

    def reason_unjudged(self, rater: int) -> str | None:
        """Why a rater is not judged by kappa; None where the rater can be."""
        return reason_unjudged(self.against_others, rater, self.least, self.units)


class MeasuredAgreement(NamedTuple):
    """A measured agreement.

    Args:
        value: NaN where it is undefined.
        interval: 95%; none, with its reason, where it is undefined or the measure has none.
        n: On how many units, or raters, the value rests.
    """

    value: float
    interval: Interval
    n: int


class AgreementMeasure(ABC):
    """What every measure of agreement declares and computes.

    Attributes:
        source: The paper that defines it.
        bounds: Its lowest and its highest value: 1 is full agreement, 0 agreement by chance.
        paired: Whether it is reported for comparisons of two replies too.
    """

    source: ClassVar[str]
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    paired: bool = True

    @abstractmethod
    def measured(self, judgements: Judgements, interval: bool = True) -> MeasuredAgreement:
        """The agreement of raters; without its interval where none is wanted."""


@dataclass(frozen=True)
class Alpha(AgreementMeasure):
    """Krippendorff's alpha of one kind, with its interval by the jackknife over groups of units."""

    source = "Krippendorff 2011, Computing Krippendorff's Alpha-Reliability"
    kind: str
    paired: bool = True

    def measured(self, judgements: Judgements, interval: bool = True) -> MeasuredAgreement:
        """Alpha; n is the number of units with two judgements."""
        n = int(((~np.isnan(judgements.matrix)).sum(axis=1) > 1).sum())
        # Measured from either side a single unit would be two, so the units themselves are counted.
        reason = too_few_ratings(judgements.matrix) or reason_no_alpha(judgements.rows)
        if reason:
            return MeasuredAgreement(math.nan, Interval.none(reason), n)
        value = krippendorff_alpha(judgements.rows, self.kind)
        if not interval:
            return MeasuredAgreement(value, Interval.none(), n)
        groups = np.tile(judgements.groups, 1 + judgements.paired)
        return MeasuredAgreement(value, alpha_interval(judgements.rows, self.kind, groups), n)


class Kappa(AgreementMeasure):
    """The mean of the raters' linearly weighted kappas, each against all others; without an interval."""

    source = "Cohen 1968, Weighted kappa"

    def measured(self, judgements: Judgements, interval: bool = True) -> MeasuredAgreement:
        """The mean kappa; n is the number of raters who can be judged."""
        mean = mean_kappa(judgements.against_others, judgements.least, judgements.units)
        return MeasuredAgreement(mean.value, Interval.none(mean.reason), mean.judged)


AGREEMENT_MEASURES: dict[str, AgreementMeasure] = {
    "alpha nominal": Alpha("nominal"),
    "alpha ordinal": Alpha("ordinal"),
    # Wins, ties and losses have an order, and no distances.
    "alpha interval": Alpha("interval", paired=False),
    "kappa": Kappa(),
}
"""Every measure of agreement by its name."""
