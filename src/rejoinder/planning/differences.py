"""How well people and metrics would tell two systems apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError, one_of
from rejoinder.human_evaluation.grades import check_difference
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument
from rejoinder.planning.criterion import (
    FAR,
    Answer,
    Forecast,
    PlanningCriterion,
    Schema,
    check_power,
    forecast_columns,
    in_order,
    need_columns,
    spread,
)
from rejoinder.planning.metric_spread import metric_doubts, metric_errors
from rejoinder.planning.pilot import FACTORS, PEOPLE, Pilot, counts_references, few, units_of, whole
from rejoinder.planning.units import Units
from rejoinder.planning.variance_components import NO_SPREAD, People
from rejoinder.progress import share, steps
from rejoinder.scoring.measurements import Measurements
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.power import POWER, detectable, fewest, fewest_planned, least_items, power

NO_ERROR = (
    "a score is undefined without some of the pilot's items, or 0 whichever is left out: its spread "
    "cannot be seen"
)
NO_SHARED = "the two answered no item in common"


@dataclass(frozen=True)
class SystemDifferences(PlanningCriterion):
    """The difference of two systems, by people and by each metric.

    Attributes:
        power: Wanted of a comparison; from 0.5.
        alpha: The level of its test.
        difference: The true difference that is to be found: one for people (without ratings for every
            metric), or by subject; None: the pilot's own.

    Raises:
        ParameterError: A setting is out of range.
    """

    power: float = POWER
    alpha: float = SIGNIFICANT
    difference: float | Mapping[str, float] | None = None

    tables: ClassVar[Mapping[str, Schema]] = {
        "comparisons": forecast_columns(
            "difference", "error", "detectable", "detectable_low", "detectable_high", "target",
            "power", "power_low", "power_high", pair=True,
        ),
        "comparison_needs": need_columns(
            {"target": pl.Float64, "given": pl.Boolean, "closed_form": pl.Int64}, pair=True
        ),
    }  # fmt: skip

    def __post_init__(self) -> None:
        """Checks the settings for which no pilot is needed."""
        check_power(self.power, self.alpha)

    @property
    def targets(self) -> Mapping[str, float]:
        """By subject the difference that is named."""
        return self.difference if isinstance(self.difference, Mapping) else {}

    def of(self, pilot: Pilot) -> SystemDifferences:
        """The same with the differences by subject.

        Raises:
            ParameterError: A subject is unknown, or a difference is none that can be.
        """
        given, people = self.difference, pilot.rated is not None
        if given is None:
            return self
        known = [*[PEOPLE] * people, *pilot.labels]
        if not isinstance(given, Mapping):
            given = dict.fromkeys(known[:1] if people else known, given)
        for subject, value in given.items():
            if subject not in known:
                raise ParameterError(
                    Argument("difference"), f": '{subject}' is unknown here; choose {one_of(known)}"
                )
            if not 0 < value < math.inf:
                raise ParameterError(
                    Argument("difference", value), f", of {subject}: must be above 0"
                )
            if subject == PEOPLE and pilot.rated is not None:
                check_difference(value, pilot.rated.matrix, pilot.scale)
                continue
            low, high = pilot.scores.measured[subject].metric.bounds
            if value > high - low:
                raise ParameterError(
                    Argument("difference", value),
                    f": {subject} lies from {low:g} to {high:g}; tables "
                    "show it x100, so give 0.02 for a difference of 2.0",
                )
        return replace(self, difference=given)

    def parameters(self) -> dict[str, Any]:
        """Power, level, and the differences that are named."""
        return {"power": self.power, "alpha": self.alpha, "difference": dict(self.targets)}

    def assumptions(self, pilot: Pilot) -> list[str]:
        """One pair, the pilot's own difference, scales, and how many references there are."""
        scores, assumptions = pilot.scores, []
        if pilot.pairs:
            over = "clusters of items" if scores.cluster else "items"
            assumptions.append(
                f"one pair of systems, two-sided paired test over {over} at the {100 * self.alpha:g}% "
                "level; for the same among p pairs divide alpha by p"
            )
        measured = {*pilot.labels} | ({PEOPLE} if pilot.rated is not None else set())
        if pilot.pairs and measured - set(self.targets):
            assumptions.append(
                "where no difference is named, power is for the pilot's own, which is too large where "
                "the pair was picked for it"
            )
        shared = set(self.targets.values()) if pilot.rated is None else set()
        if len(shared) == 1 and len(self.targets) == len(pilot.labels):
            d = shared.pop()
            assumptions.append(
                f"the difference to show, {d:g}, is in each metric's own range: tables that are x100 "
                f"show it as {100 * d:g} points"
            )
        if any(counts_references(scores, label) for label in pilot.labels):
            fewer = "" if pilot.has_texts else "; fewer are told from a test set and responses"
            assumptions.append(
                f"more references than the pilot has (up to {scores.references[1]}) cannot be known "
                f"from it{fewer}"
            )
        return assumptions

    def answer(self, pilot: Pilot) -> Answer:
        """A row for each pair, subject, number of raters or references, and number of items."""
        with share(0, 0.7):
            labels = steps(pilot.labels, len(pilot.labels))
            metrics = [each for label in labels for each in self._metric_forecasts(pilot, label)]
        for references, subsets in pilot.with_fewer.items():
            metrics += self._with_fewer(pilot, references, subsets, metrics)
        with share(0.7, 1):
            forecasts = self._people_forecasts(pilot) + in_order(metrics, pilot)
        return Answer(
            {
                "comparisons": [row for each in forecasts for row in each.rows(pilot.sizes)],
                "comparison_needs": [each.need() for each in forecasts],
            }
        )

    def _people_forecasts(self, pilot: Pilot) -> list[ExpectedDifference]:
        forecasts = []
        pairs = pilot.pairs if pilot.rated is not None else ()
        for a, b in steps(pairs, len(pairs)):
            ratings = pilot.people.get((a, b))
            if ratings is None:
                why = "the two have no rated item in common"
                forecasts.append(
                    ExpectedDifference(
                        self, PEOPLE, a, b, None, None, Units(0), math.nan, reason=why
                    )
                )
            else:
                forecasts += self._rating_forecasts(pilot, a, b, ratings)
        return forecasts

    def _rating_forecasts(
        self, pilot: Pilot, a: str, b: str, ratings: People
    ) -> list[ExpectedDifference]:
        """The forecasts for people of a pair, for each number of raters."""
        units = Units(ratings.n, ratings.units if pilot.contexts.clusters is not None else None)
        pilots = ExpectedDifference(
            self, PEOPLE, a, b, whole(ratings.raters), None, units, ratings.difference
        )
        if units.number < fewest(self.alpha):
            return [replace(pilots, reason=few(units, self.alpha))]
        forecasts = []
        for k in pilot.grades if ratings.shows_raters else [whole(ratings.raters)]:
            raters = float(k) if ratings.shows_raters else ratings.raters
            variance = ratings.variance(raters)
            doubt = ratings.doubt(raters, pilot.counts(units.number, units.number))
            forecast = replace(pilots, raters=k, far=k > FAR * ratings.raters)
            if variance > NOISE:
                per_unit = variance * units.number / units.items
                forecast = replace(forecast, error=_root(per_unit), doubt=doubt)
            else:
                forecast = replace(forecast, reason=NO_SPREAD)
            forecasts.append(forecast)
        return forecasts

    def _metric_forecasts(self, pilot: Pilot, label: str) -> list[ExpectedDifference]:
        """The forecasts for a metric, with all the references there are."""
        forecasts = []
        for pairs, places, scores in pilot.compared(label):
            measured = scores.measured[label]
            units, values = units_of(measured), measured.scores()
            if units.number < fewest(self.alpha):
                why = few(units, self.alpha) if units.number else NO_SHARED
                rows = [(None, math.nan, why)] * len(pairs)
            else:
                rows = _spread_of(pilot, scores, label, places)
            for (a, b), (i, j), (error, doubt, reason) in zip(pairs, places, rows, strict=True):
                difference = float(values[i] - values[j])
                forecast = ExpectedDifference(
                    self, label, a, b, None, None, units, difference, reason=reason
                )
                if error is not None and reason is None:
                    forecast = replace(forecast, error=error, doubt=doubt)
                forecasts.append(forecast)
        return forecasts

    def _with_fewer(
        self,
        pilot: Pilot,
        references: int,
        subsets: Sequence[Pilot],
        forecasts: Sequence[ExpectedDifference],
    ) -> list[ExpectedDifference]:
        """The same with fewer references: the spread that so many show in the pilot.

        Args:
            pilot: The pilot.
            references: At most so many to an item.
            subsets: The pilot measured with so many, several times.
            forecasts: Of metrics, those with all references among them.
        """
        scaled = []
        for label in pilot.labels:
            every = [
                each for each in forecasts if each.subject == label and each.references is None
            ]
            if not every or not counts_references(pilot.scores, label):
                continue
            values, squares = [], []
            for of in subsets:
                parts = of.compared(label)
                scored = [(scores.measured[label].scores(), places) for _, places, scores in parts]
                values.append([v[i] - v[j] for v, places in scored for i, j in places])
                errors = [self._errors(of, scores, label, places) for _, places, scores in parts]
                squares.append(np.concatenate(errors) ** 2)
            means = np.mean(values, axis=0), np.mean(squares, axis=0)
            for each, difference, square in zip(every, *means, strict=True):
                forecast = replace(each, references=references, difference=float(difference))
                if not each.reason:
                    forecast = _scaled(forecast, math.sqrt(square) / each.error(each.units.number))
                scaled.append(forecast)
        return scaled

    def _errors(
        self, pilot: Pilot, scores: Measurements, label: str, places: Sequence[tuple[int, int]]
    ) -> Floats:
        """The standard errors of pairs at the pilot's own size: float64 [pairs]; NaN of too few."""
        measured = scores.measured[label]
        if measured.size < fewest(self.alpha):
            return np.full(len(places), np.nan)
        left_out = scores.left_out(label)
        return metric_errors(measured, left_out, places, [measured.size], pilot.counts)[:, 0]


@dataclass(frozen=True)
class ExpectedDifference(Forecast):
    """How well one subject (people, or a metric) would tell two systems apart.

    Attributes:
        wanted: What is asked for.
        a: One system.
        b: The other.
        difference: A - b in the pilot.
        error: Its standard error on so many items, or clusters of them.
        doubt: The standard deviation of the log of the variance behind it.
    """

    wanted: SystemDifferences
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
    def keys(self) -> dict[str, Any]:
        """The columns that say what it is of."""
        return {**super().keys, "a": self.a, "b": self.b}

    @property
    def target(self) -> float:
        """The true difference that is to show."""
        return self.wanted.targets.get(self.subject, abs(self.difference))

    def at(self, items: int) -> dict[str, Any]:
        """What is detectable, and with what power the target is."""
        level, goal, target = self.wanted.alpha, self.wanted.power, self.target
        number, pilot, noun = self.units.within(items), self.units.number, self.units.noun
        error = self.error(number) if number else math.nan
        ends = spread(error, self.doubt)
        shown = [detectable(each, number, goal, level, pilot) for each in ends]
        powers = [power(target, each, number, level, pilot) for each in ends]
        few_items = None
        if number < fewest(level):
            few_items = f"fewer than {fewest(level)} {noun}s can have no p below {level:g}"
        elif number < fewest_planned(level):
            few_items = (
                f"of fewer than {fewest_planned(level)} {noun}s the test has too few p-values to "
                "promise a power"
            )
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
            "reason": self.reason or few_items,
        }

    def need(self) -> dict[str, Any]:
        """The smallest number of items that shows the target with the power wanted."""
        least, reason = fewest_planned(self.wanted.alpha), self.reason
        if not reason and not self.target > NOISE:
            reason = "the two do not differ in the pilot: name the difference that is to show"
        numbers: list[int | None] = [None] * 3
        closed = None
        if not reason:
            numbers = [least_items(self._enough(by), least) for by in spread(1.0, self.doubt)]
            z = sum(map(NormalDist().inv_cdf, (1 - self.wanted.alpha / 2, self.wanted.power)))
            closed = least_items(lambda number: z * self.error(number) <= self.target)
        return {
            **self.keys,
            "target": self.target,
            "given": self.subject in self.wanted.targets,
            "closed_form": None if closed is None else self.units.items_of(closed),
            **self.needed(numbers, least, reason),
        }

    def _enough(self, factor: float) -> Callable[[int], bool]:
        level, goal, pilot = self.wanted.alpha, self.wanted.power, self.units.number
        return lambda number: (
            detectable(factor * self.error(number), number, goal, level, pilot) <= self.target
        )


def _spread_of(
    pilot: Pilot, scores: Measurements, label: str, places: Sequence[tuple[int, int]]
) -> list[tuple[Callable[[int], float] | None, float, str | None]]:
    """Of each pair: standard error by items or clusters, doubt, and why there is none."""
    measured, left_out = scores.measured[label], scores.left_out(label)
    n = measured.size
    sizes = sorted({n, *(max(2, math.ceil(n * each)) for each in FACTORS)})
    errors = metric_errors(measured, left_out, places, sizes, pilot.counts)
    doubts = metric_doubts(measured, left_out, places)
    rows: list[tuple[Callable[[int], float] | None, float, str | None]] = []
    for error, doubt in zip(errors, doubts, strict=True):
        if np.isnan(error).any():
            rows.append((None, math.nan, NO_ERROR))
        elif not (error > NOISE).all():
            rows.append((None, math.nan, NO_SPREAD))
        else:
            rows.append((_between(sizes, error), float(doubt), None))
    return rows


def _root(variance: float) -> Callable[[int], float]:
    return lambda items: math.sqrt(variance / items)


def _scaled(every: ExpectedDifference, ratio: float) -> ExpectedDifference:
    """A forecast whose standard error is so many times as large."""
    if not ratio > NOISE:
        return replace(every, reason=NO_SPREAD, error=lambda _: math.nan)
    return replace(every, error=lambda items: ratio * every.error(items))


def _between(sizes: Sequence[int], errors: Floats) -> Callable[[int], float]:
    """Standard errors at other sizes: straight lines of logs, and 1 / sqrt(items) beyond the ends."""
    x, y = np.log(sizes), np.log(errors * np.sqrt(sizes))
    return lambda items: math.exp(float(np.interp(math.log(items), x, y))) / math.sqrt(items)
