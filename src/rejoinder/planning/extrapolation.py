"""From a pilot's scores and ratings to forecasts for other numbers of items, raters, references."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.meta_evaluation.evidence import Rated, at_once, undefined
from rejoinder.planning import variance_components
from rejoinder.planning.forecast import FAR, ExpectedCorrelation, Forecast
from rejoinder.planning.metric_spread import metric_doubts, metric_errors
from rejoinder.planning.rater_notes import component_columns, rater_notes
from rejoinder.planning.units import Units
from rejoinder.scoring.clusters import difference_design_effects
from rejoinder.scoring.measurements import Measured, Measurements
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.conventions import NOISE, PERFECT
from rejoinder.statistics.correlation import correlation_named
from rejoinder.statistics.correlation_bootstrap import resampled
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.intervals import percentiles
from rejoinder.statistics.power import fewest

PEOPLE = "people"
UNDEFINED = "with so few references the correlation is undefined or perfect"
NO_ERROR = (
    "a score is undefined without some of the pilot's items, or 0 whichever is left out: its spread "
    "cannot be seen"
)
NO_SHARED = "the two answered no item in common"
FACTORS = (0.5, 1, 2, 4, 8)
RATERS = (1, 2, 3, 5, 10)
KEPT = 1 << 21  # numbers of a matrix of resamples

# Rank coefficients of normal variables to their Pearson's r (Pearson 1907, Greiner 1909), and back.
NORMAL: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "pearson": (float, float),
    "spearman": (
        lambda x: 2 * math.sin(math.pi * x / 6),
        lambda r: 6 / math.pi * math.asin(r / 2),
    ),
    "kendall-b": (lambda x: math.sin(math.pi * x / 2), lambda r: 2 / math.pi * math.asin(r)),
}


Compared: TypeAlias = tuple[Sequence[tuple[str, str]], Sequence[tuple[int, int]], Measurements]
"""Pairs of systems, their places in some scores, and these scores."""


@dataclass(frozen=True)
class Extrapolation:
    """A pilot, and what is wanted of it.

    Attributes:
        scores: What was measured.
        rated: The ratings of the same replies; None where there are none.
        labels: The metrics that rank systems.
        pairs: The pairs of systems to compare.
        sizes: The numbers of items to tell of.
        raters: The numbers of raters to tell of; else 1, 2, 3, 5, 10 and the pilot's.
        correlation: The coefficient.
        alpha: The level of the comparison's test.
        resamples: Of every bootstrap.
        seed: Of every draw.
        raters_are: ``MEANS`` where every rating is the mean of several people, ``PLACES`` where
            raters may be places in a list; empty where they are people.
    """

    scores: Scores
    rated: Rated | None
    labels: Sequence[str]
    pairs: Sequence[tuple[str, str]]
    sizes: Sequence[int]
    raters: Sequence[int]
    correlation: str
    alpha: float
    resamples: int
    seed: int
    raters_are: str = ""
    _counts: dict[tuple[int, int], list[Floats]] = field(default_factory=dict, repr=False)

    def people(self) -> tuple[list[Forecast], list[dict[str, Any]], list[str]]:
        """Forecasts for people's ratings, their components, and what to say of the raters."""
        if self.rated is None:
            return [], [], []
        forecasts, components = [], []
        known: dict[tuple[str, str], variance_components.People] = {}
        for a, b in self.pairs:
            ratings = self._ratings(a, b)
            if ratings is None:
                why = "the two have no rated item in common"
                none = Units(0)
                forecasts.append(Forecast(PEOPLE, a, b, None, None, none, math.nan, reason=why))
                continue
            forecasts += self._of_people(a, b, ratings)
            if ratings.units >= fewest(self.alpha):
                components.append(component_columns(a, b, ratings))
                known[a, b] = ratings
        return forecasts, components, rater_notes(known, self.raters_are)

    def metrics(self) -> list[Forecast]:
        """Forecasts for every metric, with all the references there are."""
        return [each for label in self.labels for each in self._of_metric(label)]

    def _of_metric(self, label: str) -> list[Forecast]:
        forecasts = []
        for pairs, places, scores in self._compared(label):
            measured = scores.measured[label]
            units, values = units_of(measured), measured.scores()
            if units.number < fewest(self.alpha):
                why = few(units, self.alpha) if units.number else NO_SHARED
                rows = [(None, math.nan, why)] * len(pairs)
            else:
                rows = self._metric(scores, label, places)
            for (a, b), (i, j), (error, doubt, reason) in zip(pairs, places, rows, strict=True):
                difference = float(values[i] - values[j])
                forecast = Forecast(label, a, b, None, None, units, difference, reason=reason)
                if error is not None and reason is None:
                    forecast = replace(forecast, error=error, doubt=doubt)
                forecasts.append(forecast)
        return forecasts

    def _compared(self, label: str) -> list[Compared]:
        """The pairs with their places in scores of the same items: all together, or each by itself.

        Where systems answered different items, a pair is of the items that both answered.
        """
        if not self.pairs:
            return []
        places = self._places()
        if self.scores.measured[label].answered is None:
            return [(self.pairs, places, self.scores)]
        return [
            ([pair], [(0, 1)], self.scores.of(label, place))
            for pair, place in zip(self.pairs, places, strict=True)
        ]

    def design_effects(self) -> dict[str, tuple[float, float]]:
        """By subject by how much clusters multiply a difference's variance: least and most of all pairs.

        The squared ratio of the jackknife's standard errors, by cluster and by item; of people that
        of the linearised ones. What does not vary is left out.
        """
        if not self.scores.cluster or not self.pairs:
            return {}
        effects = {PEOPLE: np.array(self._effects_of_people())} if self.rated is not None else {}
        for label in self.labels:
            parts = [
                difference_design_effects(scores, label, places)
                for _, places, scores in self._compared(label)
            ]
            effects[label] = np.concatenate(parts)
        shown = {subject: each[np.isfinite(each)] for subject, each in effects.items()}
        return {
            subject: (float(each.min()), float(each.max()))
            for subject, each in shown.items()
            if each.size
        }

    def _effects_of_people(self) -> list[float]:
        known = (self._ratings(a, b) for a, b in self.pairs)
        return [each.design_effect for each in known if each is not None]

    def correlations(self) -> list[ExpectedCorrelation]:
        """The correlation of every metric with people, with all the references there are."""
        if self.rated is None:
            return []
        noise = self.noise
        raters = self.grades if not math.isnan(noise.each) else [_whole(noise.raters)]
        forecasts = []
        correlated = at_once(self._correlation, self.labels)
        for label, (value, sigma, reason) in zip(self.labels, correlated, strict=True):
            for k in raters:
                expected, why = value, reason
                if not why and k != _whole(noise.raters):
                    expected, why = moved(value, noise.factor(k), self.correlation)
                far = k > FAR * noise.raters
                forecast = ExpectedCorrelation(
                    label, k, None, self.contexts, expected, sigma, far, why or reason
                )
                forecasts.append(forecast)
        return forecasts

    def fewer(
        self,
        references: int,
        drawn: Sequence[Extrapolation],
        forecasts: Sequence[Forecast],
        expected: Sequence[ExpectedCorrelation],
    ) -> tuple[list[Forecast], list[ExpectedCorrelation]]:
        """The same with fewer references: the spread that so many show in the pilot.

        Args:
            references: At most so many to an item.
            drawn: The pilot measured with so many, several times.
            forecasts: Of ``metrics``.
            expected: Of ``correlations``.
        """
        concerned = [label for label in self.labels if counts_references(self.scores, label)]
        compared = []
        for label in concerned:
            whole = [each for each in forecasts if each.subject == label]
            compared += self._with_fewer(references, drawn, label, whole)
        correlated = []
        for each in expected:
            if each.subject not in concerned or each.raters != self.pilot_raters:
                continue
            values = [of._value(each.subject) for of in drawn]
            value = float(np.mean(values)) if not each.reason else math.nan
            forecast = replace(each, references=references, value=value)
            if not each.reason and not abs(value) < PERFECT:
                forecast = replace(forecast, value=math.nan, reason=UNDEFINED)
            correlated.append(forecast)
        return compared, correlated

    def _with_fewer(
        self, references: int, drawn: Sequence[Extrapolation], label: str, whole: Sequence[Forecast]
    ) -> list[Forecast]:
        """One metric's forecasts, of all pairs in their order, with fewer references."""
        if not whole:
            return []
        values, squares = [], []
        for of in drawn:
            parts = of._compared(label)
            scored = [(scores.measured[label].scores(), places) for _, places, scores in parts]
            values.append([v[i] - v[j] for v, places in scored for i, j in places])
            errors = [of._errors(scores, label, places) for _, places, scores in parts]
            squares.append(np.concatenate(errors) ** 2)
        scaled = []
        means = np.mean(values, axis=0), np.mean(squares, axis=0)
        for each, difference, square in zip(whole, *means, strict=True):
            forecast = replace(each, references=references, difference=float(difference))
            if not each.reason:
                forecast = _scaled(forecast, math.sqrt(square) / each.error(each.units.number))
            scaled.append(forecast)
        return scaled

    def _errors(
        self, scores: Measurements, label: str, places: Sequence[tuple[int, int]]
    ) -> Floats:
        """The standard errors of pairs at the pilot's own size: float64 [pairs]; NaN of too few."""
        measured = scores.measured[label]
        if measured.size < fewest(self.alpha):
            return np.full(len(places), np.nan)
        left_out = scores.left_out(label)
        return metric_errors(measured, left_out, places, [measured.size], self.counts)[:, 0]

    def counts(self, n: int, size: int) -> Iterable[Floats]:
        """Resamples of ``size`` of n items, the same for all that have n; kept where they are few."""
        if n * self.resamples > KEPT:
            return variance_components.multiplicities_of(n, size, self.resamples, self.seed)
        if (n, size) not in self._counts:
            drawn = variance_components.multiplicities_of(n, size, self.resamples, self.seed)
            self._counts[n, size] = list(drawn)
        return self._counts[n, size]

    @property
    def contexts(self) -> Units:
        """The rated contexts, and the clusters of them."""
        assert self.rated is not None
        contexts, clusters = np.unique(self.rated.item).size, None
        if self.rated.cluster is not None:
            clusters = int(np.unique(self.rated.group).size)
        return Units(int(contexts), clusters)

    @cached_property
    def noise(self) -> variance_components.Noise:
        """How reliable the pilot's mean ratings are."""
        assert self.rated is not None
        return variance_components.reliability(self.rated.matrix)

    @property
    def pilot_raters(self) -> int | None:
        """The raters of a reply in the pilot, rounded; None without ratings."""
        return None if self.rated is None else _whole(self.noise.raters)

    @property
    def grades(self) -> Sequence[int]:
        """The numbers of raters to tell of."""
        return self.raters or sorted({*RATERS, _whole(self.noise.raters)})

    def _places(self) -> list[tuple[int, int]]:
        return [(self.scores.place(a), self.scores.place(b)) for a, b in self.pairs]

    def _ratings(self, a: str, b: str) -> variance_components.People | None:
        assert self.rated is not None
        if not {a, b} <= {*self.rated.systems}:
            return None
        one, other = map(self.rated.ratings_of, (a, b))
        return variance_components.people(one, other, self.rated.cluster)

    def _of_people(self, a: str, b: str, ratings: variance_components.People) -> list[Forecast]:
        assert self.rated is not None
        units = Units(ratings.n, None if self.rated.cluster is None else ratings.units)
        if units.number < fewest(self.alpha):
            why = few(units, self.alpha)
            k = _whole(ratings.raters)
            return [Forecast(PEOPLE, a, b, k, None, units, ratings.difference, reason=why)]
        forecasts = []
        for k in self.grades if ratings.shows_raters else [_whole(ratings.raters)]:
            raters = float(k) if ratings.shows_raters else ratings.raters
            variance = ratings.variance(raters)
            doubt = ratings.doubt(raters, self.counts(units.number, units.number))
            far = k > FAR * ratings.raters
            forecast = Forecast(PEOPLE, a, b, k, None, units, ratings.difference, far=far)
            if variance > NOISE:
                per_unit = variance * units.number / units.items
                forecast = replace(forecast, error=_root(per_unit), doubt=doubt)
            else:
                forecast = replace(forecast, reason=variance_components.NO_SPREAD)
            forecasts.append(forecast)
        return forecasts

    def _metric(
        self, scores: Measurements, label: str, places: Sequence[tuple[int, int]]
    ) -> list[tuple[Callable[[int], float] | None, float, str | None]]:
        """Of each pair: standard error by items or clusters, doubt, and why there is none."""
        measured, left_out = scores.measured[label], scores.left_out(label)
        n = measured.size
        sizes = sorted({n, *(max(2, math.ceil(n * each)) for each in FACTORS)})
        errors = metric_errors(measured, left_out, places, sizes, self.counts)
        doubts = metric_doubts(measured, left_out, places)
        rows: list[tuple[Callable[[int], float] | None, float, str | None]] = []
        for error, doubt in zip(errors, doubts, strict=True):
            if np.isnan(error).any():
                rows.append((None, math.nan, NO_ERROR))
            elif not (error > NOISE).all():
                rows.append((None, math.nan, variance_components.NO_SPREAD))
            else:
                rows.append((_between(sizes, error), float(doubt), None))
        return rows

    def _value(self, label: str) -> float:
        assert self.rated is not None
        measure = correlation_named(self.correlation)
        return float(measure(self.rated.segments[label], self.rated.human))

    def _correlation(self, label: str) -> tuple[float, float, str | None]:
        """Value, sigma of Fisher's z, and why there is none."""
        assert self.rated is not None
        x, y, n = self.rated.segments[label], self.rated.human, self.contexts.number
        reason = undefined(x, y)
        if reason:
            return math.nan, math.nan, reason
        value = self._value(label)
        if n < fewest():
            return value, math.nan, few(self.contexts)
        if abs(value) > PERFECT:
            return value, math.nan, "the correlation is perfect: it has no spread to plan from"
        rng = np.random.default_rng(self.seed)
        drawn = resampled(x, y, self.correlation, self.rated.group, self.resamples, rng)
        why = percentiles(drawn).reason
        if why:
            return value, math.nan, why
        drawn = np.arctanh(np.clip(drawn[~np.isnan(drawn)], -PERFECT, PERFECT))
        return value, float(drawn.std() * math.sqrt(n) * math.sqrt(n / (n - 1))), None


def units_of(measured: Measured) -> Units:
    """The items that a metric scored, and the clusters of them."""
    return Units(measured.height, None if measured.clusters is None else measured.size)


def few(pilot: Units, alpha: float = SIGNIFICANT) -> str:
    """Why so few items or clusters tell nothing."""
    what = counted(pilot.number, pilot.noun) + (" says" if pilot.number == 1 else " say")
    return f"{what} too little of others: a pilot needs {fewest(alpha)} or more"


def counts_references(scores: Scores, label: str) -> bool:
    """Whether a metric looks at more than one reference of an item."""
    metric = scores.measured[label].metric
    return "references" in metric.needs and getattr(metric, "references", "all") != "single"


def moved(value: float, factor: float, correlation: str) -> tuple[float, str | None]:
    """A correlation with the mean of other raters, and why there is none.

    >>> moved(0.6, 0.5, "pearson")
    (0.3, None)
    """
    if math.isnan(factor):
        return math.nan, "replies differ in their ratings no more than raters do"
    there, back = NORMAL[correlation]
    r = there(value) * factor
    if abs(r) >= 1:
        return math.nan, "so many raters would lift it to 1: the raters' noise is overestimated"
    return back(r), None


def _whole(raters: float) -> int:
    return max(1, round(raters))


def _root(variance: float) -> Callable[[int], float]:
    return lambda items: math.sqrt(variance / items)


def _scaled(whole: Forecast, ratio: float) -> Forecast:
    """A forecast whose standard error is so many times as large."""
    if not ratio > NOISE:
        return replace(whole, reason=variance_components.NO_SPREAD, error=lambda _: math.nan)
    return replace(whole, error=lambda items: ratio * whole.error(items))


def _between(sizes: Sequence[int], errors: Floats) -> Callable[[int], float]:
    """Standard errors at other sizes: straight lines of logs, and 1 / sqrt(items) beyond the ends."""
    x, y = np.log(sizes), np.log(errors * np.sqrt(sizes))
    return lambda items: math.exp(float(np.interp(math.log(items), x, y))) / math.sqrt(items)
