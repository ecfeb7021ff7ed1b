"""The unit protocol: do its interval, its test and its comparison of two metrics hold?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.meta_evaluation.evidence import Draws, Rated, Subject
from rejoinder.meta_evaluation.unit_assignments import UnitSettings
from rejoinder.meta_evaluation.unit_level import UnitObservations
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import rows_of
from rejoinder.metrics.means import mean, mean_rows
from rejoinder.statistics.correlation import correlation_named
from rejoinder.statistics.intervals import normal_quantile
from rejoinder.statistics.significance import williams
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

ITEMS, SIZE, ASSIGNMENTS = 200, 40, 5
PERMUTATIONS = 512
CORRELATIONS = ("pearson", "spearman", "kendall-b")
PAIRED_CORRELATIONS = ("spearman",)


class World(NamedTuple):
    """How scores and ratings arise.

    A score is a normal level of the system plus a normal deviation of the reply (sd 1); a rating
    likewise.

    Args:
        name: In a few words.
        sd: Of the levels of the systems, in sd of replies.
        between: Correlation of the levels.
        within: Correlation of the deviations.
    """

    name: str
    sd: float
    between: float = 0.0
    within: float = 0.0

    def truth(self, correlation: str) -> float:
        """The coefficient of units of very many systems.

        The differences of score and rating of a unit are normal, with this Pearson correlation;
        Spearman's and Kendall's follow from it (Kruskal 1958).
        """
        noise = 1 / SIZE
        r = (self.sd**2 * self.between + noise * self.within) / (self.sd**2 + noise)
        return {
            "pearson": r,
            "spearman": 6 / np.pi * np.arcsin(r / 2),
            "kendall-b": 2 / np.pi * np.arcsin(r),
        }[correlation]

    def drawn(self, systems: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Scores and ratings of every system and item: float64 [S, n] each."""
        level = rng.normal(size=(2, systems, 1)) * self.sd
        reply = rng.normal(size=(2, systems, ITEMS))
        ratings = _related(level, self.between) + _related(reply, self.within)
        return level[0] + reply[0], ratings


WORLDS = (
    World("unrelated, systems alike", 0.0),
    World("unrelated, systems differ by 0.1 sd", 0.1),
    World("unrelated, systems differ by 0.3 sd", 0.3),
    World("unrelated, systems differ by 1 sd", 1.0),
    World("systems differ by 0.3 sd, levels correlate by 0.8", 0.3, between=0.8),
    World("systems alike, replies correlate by 0.4", 0.0, within=0.4),
)

PAIRED = (
    World("equally good metrics, systems alike", 0.0, within=0.5),
    World("equally good metrics, systems differ by 0.1 sd", 0.1, between=0.7, within=0.5),
    World("equally good metrics, systems differ by 0.3 sd", 0.3, between=0.7, within=0.5),
    World("equally good metrics, systems differ by 1 sd", 1.0, between=0.7, within=0.5),
)


class _Mean:
    """A metric that is the mean of its replies' scores."""

    def score(self, totals: Floats) -> Floats:
        return mean(totals)


def units(
    scores: Mapping[str, Floats], ratings: Floats, permutations: int, seed: int
) -> UnitObservations:
    """The unit protocol on simulated scores and ratings, float64 [S, n] each."""
    rated = rated_replies(scores, ratings)
    return UnitObservations(rated, UnitSettings(SIZE, ASSIGNMENTS), Draws(permutations, 0, seed))


def rated_replies(scores: Mapping[str, Floats], ratings: Floats) -> Rated:
    """Simulated scores and ratings of every system and item, float64 [S, n] each."""
    systems, items = ratings.shape
    subjects = {
        label: Subject(rows_of(mean_rows(x.T.ravel()), systems), cast("Metric", _Mean()))
        for label, x in scores.items()
    }
    system, item = np.divmod(np.arange(systems * items), items)
    return Rated(
        tuple(f"s{s}" for s in range(systems)),
        tuple(str(i) for i in range(items)),
        subjects,
        system,
        item,
        ratings.reshape(-1, 1),
        ratings.ravel(),
        True,
    )


def interval_rows(runs: int, seed: int) -> Iterator[Row]:
    """The interval and the p of one metric; fewer settings with many systems, which take long."""
    for systems, worlds in (
        (4, WORLDS),
        (5, WORLDS),
        (7, WORLDS),
        (10, WORLDS[2::2]),
        (16, WORLDS[2:3]),
    ):
        for world in worlds:
            yield from _intervals(world, systems, runs, seed)


def comparison_rows(runs: int, seed: int) -> Iterator[Row]:
    """The interval and the p of two metrics."""
    for systems, worlds in ((7, PAIRED), (10, PAIRED[1:2])):
        for world in worlds:
            yield from _comparisons(world, systems, runs, seed)


def _intervals(world: World, systems: int, runs: int, seed: int) -> Iterator[Row]:
    """How often the interval holds the coefficient of very many systems."""
    rng = np.random.default_rng([seed, 1, systems, WORLDS.index(world)])
    held = {name: np.zeros(2, dtype=np.int64) for name in (*CORRELATIONS, "fisher", "p")}
    unrelated = world.between == world.within == 0
    for run in range(runs):
        x, y = world.drawn(systems, rng)
        evidence = units({"m": x}, y, 40 * unrelated, run)
        evidence.prepare(CORRELATIONS)
        for name in CORRELATIONS:
            row = evidence.row("m", name)
            if not np.isnan(row.low):
                held[name] += [row.low <= world.truth(name) <= row.high, 1]
        value = evidence.row("m", "spearman")
        low, high = _fisher(value.value, value.n)
        held["fisher"] += [low <= world.truth("spearman") <= high, 1]
        if unrelated:
            held["p"] += [value.p <= LEVEL, 1]
    size = f"{systems} systems"
    for name in CORRELATIONS:
        if held[name][1]:
            yield Row(f"interval, {name}", world.name, size, COVERAGE, *held[name].tolist())
    yield Row("not used: Fisher's, spearman", world.name, size, COVERAGE, *held["fisher"].tolist())
    if unrelated:
        yield Row("p, spearman", world.name, size, LEVEL, *held["p"].tolist())


def _fisher(r: float, n: int) -> tuple[float, float]:
    """Fisher's interval of Spearman's coefficient (Bonett and Wright 2000); NaN where it has none."""
    if n < 4 or not abs(r) < 1:
        return math.nan, math.nan
    half = normal_quantile(0.95) * math.sqrt((1 + r**2 / 2) / (n - 3))
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


def _comparisons(world: World, systems: int, runs: int, seed: int) -> Iterator[Row]:
    """How often two equally good metrics are said to differ."""
    rng = np.random.default_rng([seed, 2, systems, PAIRED.index(world)])
    erred = {name: np.zeros((3, 2), dtype=np.int64) for name in PAIRED_CORRELATIONS}
    for run in range(runs):
        one, other, y = two_metrics(world, systems, rng)
        evidence = units({"a": one, "b": other}, y, 0, run)
        evidence.prepare(PAIRED_CORRELATIONS)
        evidence.draws = Draws(PERMUTATIONS, 0, run)
        for name in PAIRED_CORRELATIONS:
            pair = evidence.pair("a", "b", name)
            erred[name] += [
                [pair.p <= LEVEL, 1],
                [not pair.low <= 0 <= pair.high, 1],
                [_williams(evidence, name) <= LEVEL, 1],
            ]
    size = f"{systems} systems"
    for name in PAIRED_CORRELATIONS:
        p, interval, test = erred[name].tolist()
        yield Row(f"p of a - b, {name}", world.name, size, LEVEL, *p)
        held = interval[1] - interval[0]
        yield Row(f"interval of a - b, {name}", world.name, size, COVERAGE, held, interval[1])
        yield Row(f"not used: Williams, {name}", world.name, size, LEVEL, *test)


def two_metrics(
    world: World, systems: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Scores of two metrics and ratings, each a common part and an own one: float64 [S, n].

    Metrics have levels of their own for every item too, as hard and easy items do.
    """
    common = rng.normal(size=(systems, 1)) * world.sd, rng.normal(size=(systems, ITEMS))
    parts = []
    for _ in range(3):
        level = np.stack([common[0], rng.normal(size=(systems, 1)) * world.sd])
        reply = np.stack([common[1], rng.normal(size=(systems, ITEMS))])
        item = rng.normal(size=ITEMS)
        parts.append(_related(level, world.between) + _related(reply, world.within) + item)
    return parts[0], 3 * parts[1] + 7, parts[2]


def _related(pair: Floats, correlation: float) -> Floats:
    """What correlates with pair[0], made of it and of pair[1]."""
    return correlation * pair[0] + np.sqrt(1 - correlation**2) * pair[1]


def _williams(evidence: UnitObservations, correlation: str) -> float:
    """What Williams' test would say, if units were independent."""
    one, other = (float(evidence.over[label, correlation].mean()) for label in ("a", "b"))
    measure, scores = correlation_named(correlation), evidence.first.scores
    together = float(measure(scores["a"], scores["b"]).mean())
    return williams(one, other, together, evidence.n).p


_MADE = f"""
Units of {SIZE} of {ITEMS} items, from every pair of systems; {ASSIGNMENTS} assignments. Scores and
ratings are normal, with levels of the systems."""

INTERVALS = SimulationStudy(
    "The unit protocol",
    f"""{_MADE} An interval is to hold the coefficient that very many such systems would have; p is to be
at most .05 in 5% of the unrelated sets. The lines "not used" are what Fisher's closed form would say,
which takes units for independent.
""",
    interval_rows,
)

COMPARISONS = SimulationStudy(
    "Two metrics under the unit protocol",
    f"""{_MADE} Two metrics are equally good; p is to be at most .05 in 5% of the sets, and the interval to
hold 0. (Of 4 systems no p is below 1/8, of 5 none below 1/16.) The lines "not used" are what Williams'
test would say, which takes units for independent.
""",
    comparison_rows,
)
