"""How well the correlation of a metric with people would be known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument
from rejoinder.meta_evaluation.evidence import Rated, at_once, undefined
from rejoinder.planning.criterion import (
    FAR,
    Answer,
    Forecast,
    PlanningCriterion,
    Schema,
    forecast_columns,
    in_order,
    need_columns,
    spread,
)
from rejoinder.planning.pilot import Pilot, counts_references, few, whole
from rejoinder.planning.units import Units
from rejoinder.statistics.conventions import PERFECT
from rejoinder.statistics.correlation import correlation_named
from rejoinder.statistics.correlation_bootstrap import resampled
from rejoinder.statistics.intervals import percentiles
from rejoinder.statistics.power import QUANTILE, fewest, least_items

FEWEST_CORRELATED = 6
"""Fewer items, or clusters of them, are never planned for the interval of a correlation."""

UNDEFINED = "with so few references the correlation is undefined or perfect"

# Rank coefficients of normal variables to their Pearson's r (Pearson 1907, Greiner 1909), and back.
NORMAL: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "pearson": (float, float),
    "spearman": (
        lambda x: 2 * math.sin(math.pi * x / 6),
        lambda r: 6 / math.pi * math.asin(r / 2),
    ),
    "kendall-b": (lambda x: math.sin(math.pi * x / 2), lambda r: 2 / math.pi * math.asin(r)),
}


@dataclass(frozen=True)
class Correlations(PlanningCriterion):
    """The correlation of each metric with people, over single replies.

    Attributes:
        correlation: ``pearson``, ``spearman`` or ``kendall-b``.
        width: Wanted of its 95% interval; None where none is asked for.

    Raises:
        ParameterError: A setting is out of range.
    """

    correlation: str = "spearman"
    width: float | None = None

    tables: ClassVar[Mapping[str, Schema]] = {
        "correlations": forecast_columns("value", "width", "width_low", "width_high"),
        "correlation_needs": need_columns({"value": pl.Float64, "target": pl.Float64}),
    }

    def __post_init__(self) -> None:
        """Checks the settings."""
        if self.width is not None and not 0 < self.width < 2:
            raise ParameterError(
                Argument("width", self.width), " must lie between 0 and 2: a correlation's interval"
            )
        if self.correlation not in NORMAL:
            raise ParameterError(
                Argument("correlation", self.correlation), f" is unknown; choose {one_of(NORMAL)}"
            )

    def parameters(self) -> dict[str, Any]:
        """The width and the coefficient."""
        return {"width": self.width, "correlation": self.correlation}

    def assumptions(self, pilot: Pilot) -> list[str]:
        """Over what the coefficient is, and what is taken to stay."""
        if pilot.rated is None or not pilot.labels:
            return []
        by = "cluster" if pilot.scores.cluster else "context"
        return [
            f"{self.correlation} over single replies, resampled by {by}; with fewer references "
            "or other raters the correlation moves and its spread on Fisher's scale stays"
        ]

    def answer(self, pilot: Pilot) -> Answer:
        """A row for each metric, number of raters or references, and number of items."""
        if pilot.rated is None:
            return Answer({})
        expected = self._expected(pilot, pilot.rated)
        for references, subsets in pilot.with_fewer.items():
            expected += [
                self._with_fewer(each, references, [of.rated for of in subsets if of.rated])
                for each in expected
                if each.references is None
                and each.raters == pilot.pilot_raters
                and counts_references(pilot.scores, each.subject)
            ]
        expected = in_order(expected, pilot)
        needs = [] if self.width is None else [each.need(self.width) for each in expected]
        rows = [row for each in expected for row in each.rows(pilot.sizes)]
        return Answer({"correlations": rows, "correlation_needs": needs})

    def _expected(self, pilot: Pilot, rated: Rated) -> list[ExpectedCorrelation]:
        """The correlation of every metric with people, with all the references there are."""
        noise = pilot.noise
        raters = pilot.grades if not math.isnan(noise.each) else [whole(noise.raters)]
        forecasts = []
        correlated = at_once(lambda label: self._known(pilot, rated, label), pilot.labels)
        for label, (value, sigma, reason) in zip(pilot.labels, correlated, strict=True):
            for k in raters:
                expected, why = value, reason
                if not why and k != whole(noise.raters):
                    expected, why = moved(value, noise.factor(k), self.correlation)
                far = k > FAR * noise.raters
                forecasts.append(
                    ExpectedCorrelation(
                        label, k, None, pilot.contexts, expected, sigma, far, why or reason
                    )
                )
        return forecasts

    def _with_fewer(
        self, each: ExpectedCorrelation, references: int, subsets: list[Rated]
    ) -> ExpectedCorrelation:
        """The same with fewer references: the mean correlation that so many show in the pilot."""
        if each.reason:
            return replace(each, references=references, value=math.nan)
        value = float(np.mean([self._value(of, each.subject) for of in subsets]))
        if not abs(value) < PERFECT:
            return replace(each, references=references, value=math.nan, reason=UNDEFINED)
        return replace(each, references=references, value=value)

    def _value(self, rated: Rated, label: str) -> float:
        return float(correlation_named(self.correlation)(rated.segments[label], rated.human))

    def _known(self, pilot: Pilot, rated: Rated, label: str) -> tuple[float, float, str | None]:
        """Value, sigma of Fisher's z, and why there is none."""
        x, y, n = rated.segments[label], rated.human, pilot.contexts.number
        reason = undefined(x, y)
        if reason:
            return math.nan, math.nan, reason
        value = self._value(rated, label)
        if n < fewest():
            return value, math.nan, few(pilot.contexts)
        if abs(value) > PERFECT:
            return value, math.nan, "the correlation is perfect: it has no spread to plan from"
        rng = np.random.default_rng(pilot.seed)
        values = resampled(x, y, self.correlation, rated.group, pilot.resamples, rng)
        why = percentiles(values).reason
        if why:
            return value, math.nan, why
        values = np.arctanh(np.clip(values[~np.isnan(values)], -PERFECT, PERFECT))
        return value, float(values.std() * math.sqrt(n) * math.sqrt(n / (n - 1))), None


@dataclass(frozen=True)
class ExpectedCorrelation(Forecast):
    """How well the correlation of a metric with people would be known.

    Attributes:
        value: The correlation expected.
        sigma: The spread of its Fisher z: the standard error times sqrt(contexts), or sqrt(clusters).
    """

    subject: str
    raters: int | None
    references: int | None
    units: Units
    value: float
    sigma: float = math.nan
    far: bool = False
    reason: str | None = None

    def width(self, items: int) -> tuple[float, float, float]:
        """The width of the 95% interval on so many items, and from where to where it may lie.

        The ends allow for the pilot's own interval of the correlation (a strong one is known better)
        and for the doubt of its spread.
        """
        if math.isnan(self.value) or math.isnan(self.sigma):
            return math.nan, math.nan, math.nan
        n = self.units.number
        number = items * n / self.units.items  # an interval has a width between whole clusters too
        half = QUANTILE * self.sigma / math.sqrt(number)
        z, pilot = math.atanh(self.value), QUANTILE * self.sigma / math.sqrt(n)
        around = [z - pilot, z, z + pilot, min(max(0.0, z - pilot), z + pilot)]
        widths = [
            [math.tanh(each + h) - math.tanh(each - h) for each in around]
            for h in spread(half, math.sqrt(2 / (n - 1)))
        ]
        return min(widths[0]), widths[1][1], max(widths[2])

    def at(self, items: int) -> dict[str, Any]:
        """Value, interval and its width."""
        low, width, high = self.width(items)
        return {"value": self.value, "width": width, "width_low": low, "width_high": high}

    def need(self, target: float) -> dict[str, Any]:
        """The smallest number of items whose interval is no wider than wanted."""
        numbers: list[int | None] = [None] * 3
        if not self.reason:
            numbers = [
                least_items(self._enough(place, target), FEWEST_CORRELATED) for place in range(3)
            ]
        return {
            **self.keys,
            "value": self.value,
            "target": target,
            **self.needed(numbers, FEWEST_CORRELATED, self.reason),
        }

    def _enough(self, place: int, target: float) -> Callable[[int], bool]:
        return lambda number: self.width(self.units.items_of(number))[place] <= target


def moved(value: float, factor: float, correlation: str) -> tuple[float, str | None]:
    """A correlation with the mean of other raters, and why there is none.

    Args:
        value: The correlation.
        factor: What it is multiplied by on the normal scale; NaN: unknown.
        correlation: The name of the coefficient.

    >>> moved(0.6, 0.5, "pearson")
    (0.3, None)
    """
    if math.isnan(factor):
        return math.nan, "replies differ in their ratings no more than raters do"
    to_normal, back = NORMAL[correlation]
    r = to_normal(value) * factor
    if abs(r) >= 1:
        return math.nan, "so many raters would lift it to 1: the raters' noise is overestimated"
    return back(r), None
