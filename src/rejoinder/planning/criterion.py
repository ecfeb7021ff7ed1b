"""A criterion of planning: a question that a plan answers, with its settings."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument
from rejoinder.planning.pilot import Pilot
from rejoinder.planning.units import Units
from rejoinder.statistics.power import QUANTILE

Schema: TypeAlias = Mapping[str, Any]
"""By column its type."""

FAR = 4
"""Beyond this many times the pilot a forecast is flagged."""

_INTEGER, _NUMBER = pl.Int64, pl.Float64
_PAIR: Schema = {"a": pl.String, "b": pl.String}
_WHO: Schema = {"subject": pl.String, "raters": _INTEGER, "references": _INTEGER}
_END: Schema = {"beyond": pl.Boolean, "reason": pl.String}


def forecast_columns(*names: str, pair: bool = False) -> Schema:
    """The columns of forecasts by number of items.

    Args:
        *names: The numbers of a forecast.
        pair: Whether it is of a pair of systems.
    """
    where = {"items": _INTEGER, "clusters": _INTEGER}
    return {**(_PAIR if pair else {}), **_WHO, **where, **dict.fromkeys(names, _NUMBER), **_END}


def need_columns(values: Schema, pair: bool = False) -> Schema:
    """The columns of smallest numbers of items, beside a criterion's own; see `forecast_columns`."""
    numbers = ("items", "items_low", "items_high", "clusters", "least_planned")
    needed = {**dict.fromkeys(numbers, _INTEGER), "or_fewer": pl.Boolean}
    return {**(_PAIR if pair else {}), **_WHO, **values, **needed, **_END}


@dataclass(frozen=True)
class Answer:
    """What a pilot says of a criterion.

    Attributes:
        tables: By name of a table its rows.
        notes: What is odd about the pilot.
    """

    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    notes: Sequence[str] = ()


class PlanningCriterion(ABC):
    """A question that a plan answers. Its fields are its settings.

    Attributes:
        tables: By name the tables that it answers with, each with its columns. Where items are
            independent, the column ``clusters`` is left out.
    """

    tables: ClassVar[Mapping[str, Schema]]

    def of(self, pilot: Pilot) -> Self:
        """The criterion with settings that are those of this pilot.

        Raises:
            ParameterError: A setting does not fit the pilot.
        """
        return self

    @abstractmethod
    def answer(self, pilot: Pilot) -> Answer:
        """The rows of its tables."""

    def assumptions(self, pilot: Pilot) -> list[str]:
        """What its numbers rest on."""
        return []

    def parameters(self) -> dict[str, Any]:
        """The settings that its numbers follow from."""
        return {}

    def frames(self, answer: Answer, clusters: bool) -> dict[str, pl.DataFrame]:
        """Its tables, an empty one where the pilot says nothing.

        Args:
            answer: The rows.
            clusters: Whether items lie in clusters.
        """
        frames = {
            name: pl.DataFrame(answer.tables.get(name, []), schema=schema, orient="row")
            for name, schema in self.tables.items()
        }
        if clusters:
            return frames
        return {name: each.drop("clusters", strict=False) for name, each in frames.items()}


class Forecast(ABC):
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

    def rows(self, sizes: Sequence[int]) -> list[dict[str, Any]]:
        """A row for each number of items."""
        return [
            {
                **self.keys,
                "items": items,
                **self.units.column(items),
                "beyond": self.far or items > FAR * self.units.items,
                "reason": self.reason,
                **self.at(items),
            }
            for items in sizes
        ]

    @property
    def keys(self) -> dict[str, Any]:
        """The columns that say what it is of."""
        return {"subject": self.subject, "raters": self.raters, "references": self.references}

    @abstractmethod
    def at(self, items: int) -> dict[str, Any]:
        """Its own columns at a number of items."""

    def needed(
        self, numbers: Sequence[int | None], least: int, reason: str | None = None
    ) -> dict[str, Any]:
        """The columns of a smallest number of items.

        Args:
            numbers: The low end, the number itself and the high end, of items or of clusters.
            least: The smallest number that was tried: an answer equal to it may be too large.
            reason: Why there is none.
        """
        pilot = self.units
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
            "beyond": self.far or (items is not None and items > FAR * pilot.items),
            "reason": reason,
        }


def check_power(power: float, alpha: float) -> None:
    """Raises a ParameterError for a power below one half, or a level that no test has."""
    if not 0.5 <= power < 1:
        raise ParameterError(Argument("power", power), " must be from 0.5 to below 1; 0.8 is usual")
    if not 1e-6 <= alpha <= 0.5:
        raise ParameterError(
            Argument("alpha", alpha), " must be from 0.000001 to 0.5; 0.05 is usual"
        )


Row = TypeVar("Row", bound=Forecast)


def in_order(forecasts: Sequence[Row], pilot: Pilot) -> list[Row]:
    """By metric, pair, and references: all there are first, then the most."""

    def place(each: Row) -> tuple[int, int, float]:
        pair = each.keys.get("a"), each.keys.get("b")
        of_pair = pilot.pairs.index(pair) if pair in pilot.pairs else 0
        return pilot.labels.index(each.subject), of_pair, -(each.references or math.inf)

    return sorted(forecasts, key=place)


def spread(value: float, doubt: float) -> tuple[float, float, float]:
    """A standard error, and the ends of its 95% range: low, value, high.

    >>> low, value, high = spread(2.0, 0.0)
    >>> low == value == high
    True
    """
    by = math.exp(QUANTILE * doubt / 2)
    return value / by, value, value * by
