"""From a pilot's spread to what so many items would show: the rows of a plan."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from rejoinder.planning.units import Units
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.power import (
    QUANTILE,
    detectable,
    fewest,
    fewest_planned,
    least_items,
    power,
)

FAR = 4
"""Beyond this many times the pilot a forecast is flagged."""

FEWEST_CORRELATED = 6
"""Fewer items, or clusters of them, are never planned for the interval of a correlation."""

_WHO = {"subject": pl.String, "raters": pl.Int64, "references": pl.Int64}
_PAIR = {"a": pl.String, "b": pl.String, **_WHO}
_END = {"beyond": pl.Boolean, "reason": pl.String}
_NEEDED = {
    **dict.fromkeys(("items", "items_low", "items_high", "clusters"), pl.Int64),
    "least_planned": pl.Int64,
    "or_fewer": pl.Boolean,
    **_END,
}


def _range(name: str) -> dict[str, Any]:
    return dict.fromkeys((name, f"{name}_low", f"{name}_high"), pl.Float64)


COMPARISONS = {
    **_PAIR,
    "items": pl.Int64,
    "clusters": pl.Int64,
    "difference": pl.Float64,
    "error": pl.Float64,
    **_range("detectable"),
    "target": pl.Float64,
    **_range("power"),
    **_END,
}
COMPARISON_NEEDS = {**_PAIR, "target": pl.Float64, "given": pl.Boolean, **_NEEDED}
CORRELATIONS = {
    **_WHO,
    "items": pl.Int64,
    "clusters": pl.Int64,
    "value": pl.Float64,
    **_range("width"),
    **_END,
}
CORRELATION_NEEDS = {**_WHO, "value": pl.Float64, "target": pl.Float64, **_NEEDED}
COMPONENTS = {
    "a": pl.String,
    "b": pl.String,
    "n": pl.Int64,
    **dict.fromkeys(("raters_per_reply", "items", "raters", "rest", "shared"), pl.Float64),
    "panel": pl.Int64,
    "floor": pl.Float64,
}


@dataclass(frozen=True)
class Targets:
    """What a plan is to reach.

    Attributes:
        power: Of the comparison.
        alpha: The level of its test.
        differences: By subject, the true difference that is to show; else the pilot's own.
        width: Of the correlation's 95% interval; None where none is asked for.
    """

    power: float
    alpha: float
    differences: Mapping[str, float]
    width: float | None


class Criterion(ABC):
    """What a plan tells of one subject at other numbers of items.

    Attributes:
        subject: ``people`` or the metric's label.
        raters: To a reply (people).
        references: To an item, at most; None for people, and for all there are.
        units: The pilot's items, and the clusters of them.
        far: Whether raters are extrapolated far beyond the pilot.
        reason: Why there is no forecast.
    """

    subject: str
    raters: int | None
    references: int | None
    units: Units
    far: bool
    reason: str | None

    def rows(self, sizes: Sequence[int], wanted: Targets) -> list[dict[str, Any]]:
        """The criterion at each number of items."""
        return [
            {
                **self._keys,
                "items": items,
                **self.units.column(items),
                "beyond": self.far or items > FAR * self.units.items,
                "reason": self.reason,
                **self._at(items, wanted),
            }
            for items in sizes
        ]

    @property
    def _keys(self) -> dict[str, Any]:
        return {"subject": self.subject, "raters": self.raters, "references": self.references}

    @abstractmethod
    def _at(self, items: int, wanted: Targets) -> dict[str, Any]:
        """The criterion's own columns at a number of items."""


@dataclass(frozen=True)
class Forecast(Criterion):
    """How well one subject (people, or a metric) would tell two systems apart.

    Attributes:
        a: One system.
        b: The other.
        difference: a - b in the pilot.
        error: Its standard error on so many items, or clusters of them.
        doubt: The standard deviation of the log of the variance behind it.
    """

    subject: str
    a: str
    b: str
    raters: int | None
    references: int | None
    units: Units
    difference: float
    error: Callable[[int], float] = lambda _: math.nan
    doubt: float = math.nan
    far: bool = False
    reason: str | None = None

    @property
    def _keys(self) -> dict[str, Any]:
        return {**super()._keys, "a": self.a, "b": self.b}

    def _at(self, items: int, wanted: Targets) -> dict[str, Any]:
        """What is detectable, and with what power the target is."""
        number, pilot, noun = self.units.within(items), self.units.number, self.units.noun
        error, target = self.error(number) if number else math.nan, self.target(wanted)
        ends = spread(error, self.doubt)
        shown = [detectable(each, number, wanted.power, wanted.alpha, pilot) for each in ends]
        powers = [power(target, each, number, wanted.alpha, pilot) for each in ends]
        few = None
        if number < fewest(wanted.alpha):
            few = f"fewer than {fewest(wanted.alpha)} {noun}s can have no p below {wanted.alpha:g}"
        elif number < fewest_planned(wanted.alpha):
            least = fewest_planned(wanted.alpha)
            few = f"of fewer than {least} {noun}s the test has too few p-values to promise a power"
        return {
            "difference": self.difference,
            "error": error,
            "detectable": shown[1],
            "detectable_low": shown[0],
            "detectable_high": shown[2],
            "target": target,
            "power": powers[1],
            "power_low": powers[2],
            "power_high": powers[0],
            "reason": self.reason or few,
        }

    def target(self, wanted: Targets) -> float:
        """The true difference that is to show."""
        return wanted.differences.get(self.subject, abs(self.difference))

    def need(self, wanted: Targets) -> dict[str, Any]:
        """The smallest number of items that shows the target with the power wanted."""
        target = self.target(wanted)
        reason = self.reason
        if not reason and not target > NOISE:
            reason = "the two do not differ in the pilot: name the difference that is to show"
        numbers: list[int | None] = [None] * 3
        if not reason:
            numbers = [
                least_items(self._enough(factor, target, wanted), fewest_planned(wanted.alpha))
                for factor in spread(1.0, self.doubt)
            ]
        return {
            **self._keys,
            "target": target,
            "given": self.subject in wanted.differences,
            **needed(numbers, fewest_planned(wanted.alpha), self.units, self.far, reason),
        }

    def _enough(self, factor: float, target: float, wanted: Targets) -> Callable[[int], bool]:
        pilot = self.units.number
        return lambda number: (
            detectable(factor * self.error(number), number, wanted.power, wanted.alpha, pilot)
            <= target
        )


@dataclass(frozen=True)
class ExpectedCorrelation(Criterion):
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

    def _at(self, items: int, wanted: Targets) -> dict[str, Any]:
        """Value, interval and its width."""
        low, width, high = self.width(items)
        return {"value": self.value, "width": width, "width_low": low, "width_high": high}

    def need(self, wanted: float) -> dict[str, Any]:
        """The smallest number of items whose interval is no wider than wanted."""
        numbers: list[int | None] = [None] * 3
        if not self.reason:
            numbers = [
                least_items(self._enough(place, wanted), FEWEST_CORRELATED) for place in range(3)
            ]
        return {
            **self._keys,
            "value": self.value,
            "target": wanted,
            **needed(numbers, FEWEST_CORRELATED, self.units, self.far, self.reason),
        }

    def _enough(self, place: int, wanted: float) -> Callable[[int], bool]:
        return lambda number: self.width(self.units.items_of(number))[place] <= wanted


def spread(value: float, doubt: float) -> tuple[float, float, float]:
    """A standard error, and the ends of its 95% range: low, value, high.

    >>> low, value, high = spread(2.0, 0.0)
    >>> low == value == high
    True
    """
    by = math.exp(QUANTILE * doubt / 2)
    return value / by, value, value * by


def needed(
    numbers: Sequence[int | None], least: int, pilot: Units, far: bool, reason: str | None
) -> dict[str, int | bool | str | None]:
    """The columns of an answer.

    Args:
        numbers: The low end, the number itself and the high end, of items or of clusters.
        least: The smallest number that was tried: an answer equal to it may be too large.
        pilot: The pilot's items and clusters.
        far: Whether raters are extrapolated far beyond the pilot.
        reason: Why there is none.
    """
    low, items, high = (None if each is None else pilot.items_of(each) for each in numbers)
    if items is None and not reason:
        reason = f"even a million {pilot.noun}s are not enough"
    return {
        "items": items,
        "items_low": low,
        "items_high": high,
        **pilot.column(items),
        "least_planned": None if items is None else pilot.items_of(least),
        "or_fewer": items is not None and items == pilot.items_of(least),
        "beyond": far or (items is not None and items > FAR * pilot.items),
        "reason": reason,
    }
