"""From a pilot's scores and ratings to forecasts for other numbers of items, raters, references."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.meta_evaluation.evidence import Rated, at_once, undefined
from rejoinder.planning import variance_components
from rejoinder.planning.forecast import FAR, ExpectedCorrelation, Forecast
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.conventions import NOISE, PERFECT
from rejoinder.statistics.correlation import correlation_named
from rejoinder.statistics.correlation_bootstrap import resampled
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.intervals import percentiles
from rejoinder.statistics.power import fewest
from rejoinder.statistics.standard_error import standard_errors

PEOPLE = "people"
MEANS, PLACES = "means", "places"
UNDEFINED = "with so few references the correlation is undefined or perfect"
FACTORS = (0.5, 1, 2, 4, 8)
RATERS = (1, 2, 3, 5, 10)
KEPT = 1 << 21  # numbers of a matrix of resamples
PANEL = 0.5
"""From this share of raters in common, two items are taken to be rated by one panel."""

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
                forecasts.append(Forecast(PEOPLE, a, b, None, None, 0, math.nan, reason=why))
                continue
            forecasts += self._of_people(a, b, ratings)
            if ratings.n >= fewest(self.alpha):
                components.append(_components(a, b, ratings))
                known[a, b] = ratings
        return forecasts, components, _of_raters(known, self.raters_are)

    def metrics(self) -> list[Forecast]:
        """Forecasts for every metric, with all the references there are."""
        forecasts = []
        for label in self.labels if self.pairs else ():
            measured = self.scores.measured[label]
            values, n = measured.scores(), measured.height
            differences = [values[s] - values[t] for s, t in self._places()]
            if n < fewest(self.alpha):
                rows = [(None, math.nan, few(n, self.alpha))] * len(self.pairs)
            else:
                rows = self._metric(label, n)
            for (a, b), difference, (error, doubt, reason) in zip(
                self.pairs, differences, rows, strict=True
            ):
                forecast = Forecast(label, a, b, None, None, n, float(difference), reason=reason)
                if error is not None and reason is None:
                    forecast = replace(forecast, error=error, doubt=doubt)
                forecasts.append(forecast)
        return forecasts

    def design_effects(self) -> dict[str, float]:
        """By metric how many times a difference's variance grows by clusters: the largest of all pairs.

        The squared ratio of the jackknife's standard errors, by cluster and by item. Metrics whose
        differences do not vary are left out.
        """
        if not self.scores.cluster or not self.pairs:
            return {}
        a, b = (list(each) for each in zip(*self._places(), strict=True))
        effects = {}
        for label in self.labels:
            measured, clustered = self.scores.measured[label], self.scores.left_out(label)
            single = measured.rows.left_out(measured.metric)
            by_item = standard_errors(single[a] - single[b])
            by_cluster = standard_errors(clustered[a] - clustered[b])
            shown = (by_item > NOISE) & np.isfinite(by_cluster)
            if shown.any():
                effects[label] = float(((by_cluster[shown] / by_item[shown]) ** 2).max())
        return effects

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
                    label, k, None, self._contexts, expected, sigma, far, why or reason
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
        measured = [of.scores.measured[label] for of in drawn]
        a, b = (list(each) for each in zip(*self._places(), strict=True))
        values = np.mean([each.scores() for each in measured], axis=0)
        squares = np.full(len(whole), np.nan)
        n = whole[0].n
        if n >= fewest(self.alpha):
            errors = [
                variance_components.metric_errors(each, self._places(), [n], self.counts)
                for each in measured
            ]
            squares = np.mean(np.square(errors), axis=0)[:, 0]
        scaled = []
        for each, difference, square in zip(whole, values[a] - values[b], squares, strict=True):
            forecast = replace(each, references=references, difference=float(difference))
            if not each.reason:
                forecast = _scaled(forecast, math.sqrt(square) / each.error(n))
            scaled.append(forecast)
        return scaled

    def counts(self, n: int, size: int) -> Iterable[Floats]:
        """Resamples of ``size`` of n items, the same for all that have n; kept where they are few."""
        if n * self.resamples > KEPT:
            return variance_components.multiplicities_of(n, size, self.resamples, self.seed)
        if (n, size) not in self._counts:
            drawn = variance_components.multiplicities_of(n, size, self.resamples, self.seed)
            self._counts[n, size] = list(drawn)
        return self._counts[n, size]

    @property
    def _contexts(self) -> int:
        assert self.rated is not None
        return int(np.unique(self.rated.item).size)

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
        if a not in self.rated.systems or b not in self.rated.systems:
            return None
        both = (
            variance_components.grid(
                self.rated.matrix,
                self.rated.item,
                self.rated.system,
                self.rated.systems.index(name),
                len(self.rated.ids),
            )
            for name in (a, b)
        )
        return variance_components.people(*both)

    def _of_people(self, a: str, b: str, ratings: variance_components.People) -> list[Forecast]:
        if ratings.n < fewest(self.alpha):
            why = few(ratings.n, self.alpha)
            k = _whole(ratings.raters)
            return [Forecast(PEOPLE, a, b, k, None, ratings.n, ratings.difference, reason=why)]
        forecasts = []
        for k in self.grades if ratings.shows_raters else [_whole(ratings.raters)]:
            raters = float(k) if ratings.shows_raters else ratings.raters
            variance = ratings.variance(raters)
            doubt = ratings.doubt(raters, self.counts(ratings.n, ratings.n))
            far = k > FAR * ratings.raters
            forecast = Forecast(PEOPLE, a, b, k, None, ratings.n, ratings.difference, far=far)
            if variance > NOISE:
                forecast = replace(forecast, error=_root(variance), doubt=doubt)
            else:
                forecast = replace(forecast, reason=variance_components.NO_SPREAD)
            forecasts.append(forecast)
        return forecasts

    def _metric(
        self, label: str, n: int
    ) -> list[tuple[Callable[[int], float] | None, float, str | None]]:
        """Of each pair: standard error by items, doubt, and why there is none."""
        measured = self.scores.measured[label]
        sizes = sorted({n, *(max(2, math.ceil(n * each)) for each in FACTORS)})
        errors = variance_components.metric_errors(measured, self._places(), sizes, self.counts)
        doubts = variance_components.metric_doubts(measured, self._places())
        rows: list[tuple[Callable[[int], float] | None, float, str | None]] = []
        for error, doubt in zip(errors, doubts, strict=True):
            if np.isnan(error).any():
                rows.append((None, math.nan, "undefined in some resamples of the pilot"))
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
        x, y, n = self.rated.segments[label], self.rated.human, self._contexts
        reason = undefined(x, y)
        if reason:
            return math.nan, math.nan, reason
        value = self._value(label)
        if n < fewest():
            return value, math.nan, few(n)
        if abs(value) > PERFECT:
            return value, math.nan, "the correlation is perfect: it has no spread to plan from"
        rng = np.random.default_rng(self.seed)
        drawn = resampled(x, y, self.correlation, self.rated.item, self.resamples, rng)
        why = percentiles(drawn).reason
        if why:
            return value, math.nan, why
        drawn = np.arctanh(np.clip(drawn[~np.isnan(drawn)], -PERFECT, PERFECT))
        return value, float(drawn.std() * math.sqrt(n) * math.sqrt(n / (n - 1))), None


def few(n: int, alpha: float = SIGNIFICANT) -> str:
    """Why so few items tell nothing."""
    what = "1 item says" if n == 1 else f"{n} items say"
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


def _components(a: str, b: str, ratings: variance_components.People) -> dict[str, Any]:
    return {
        "a": a,
        "b": b,
        "n": ratings.n,
        "raters_per_reply": ratings.raters,
        **ratings.parts(),
        "shared": ratings.shared,
        "panel": ratings.panel,
        "floor": ratings.floor,
    }


def _of_raters(
    known: Mapping[tuple[str, str], variance_components.People], raters_are: str
) -> list[str]:
    """What the forecasts for people take for granted of raters, each once for all pairs."""
    notes = []
    single = [pair for pair, each in known.items() if not each.shows_raters]
    if single:
        why = (
            "the ratings are means of several people"
            if raters_are == MEANS
            else "each reply has one rating"
        )
        notes.append(
            f"people, {_listed(single)}: {why}, so what raters add to the spread cannot be seen: other "
            "numbers of raters cannot be planned"
        )
    apart = [pair for pair, each in known.items() if each.shows_raters and each.confounded]
    if apart:
        notes.append(
            f"people, {_listed(apart)}: no rater rates both on one item; a severe rater counts against "
            "one system unless raters were assigned to them at random"
        )
    panels = {pair: each for pair, each in known.items() if each.shared >= PANEL}
    if panels and raters_are == PLACES:
        notes.append(
            f"people, {_listed(list(panels))}: the raters are called 1, 2, ...: if these are places in "
            "a list, and other people from item to item, the variance between raters is not that of "
            "people; if they are the same people throughout, the figures hold for these raters alone"
        )
    elif panels and raters_are != MEANS:
        words = "the same raters throughout, so all holds for these raters"
        floor = max((x.floor for x in panels.values() if not math.isnan(x.floor)), default=math.nan)
        if math.isnan(floor):
            words += "; how far others would differ cannot be seen"
        elif floor > NOISE:
            words += f"; others may differ by up to {floor:.2g} either way, whatever the items"
        notes.append(f"people, {_listed(list(panels))}: {words}")
    return notes


def _listed(pairs: Sequence[tuple[str, str]]) -> str:
    few = ", ".join(f"{a} - {b}" for a, b in pairs[:3])
    return few + (f" and {len(pairs) - 3} more" if len(pairs) > 3 else "")
