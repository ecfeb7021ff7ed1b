"""Soft pairwise accuracy: does its interval hold, and does its test err as often as it says?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.meta_evaluation.evidence import CorrelationRow as Accuracy
from rejoinder.meta_evaluation.evidence import Draws
from rejoinder.meta_evaluation.soft import SOFT, SoftPairs
from rejoinder.statistics.soft_pairwise import soft_pairwise_accuracy
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy
from simulations.unit_protocol import PAIRED, World, rated_replies, two_metrics

PERMUTATIONS = 199
SYSTEMS = (4, 5, 7, 10)
ITEMS = 100
FEWER = 8
"""The exchange of single replies takes long: an eighth of the runs."""

CLUSTERS, SIZES = (12, 30, 100), (1, 5)

WORLDS = (
    World("unrelated, systems alike", 0.0),
    World("unrelated, systems differ by 0.3 sd", 0.3),
    World("unrelated, systems differ by 1 sd", 1.0),
    World("systems differ by 0.1 sd, levels correlate by 0.8", 0.1, between=0.8),
    World("systems differ by 0.3 sd, levels correlate by 0.8", 0.3, between=0.8),
    World("systems alike, replies correlate by 0.4", 0.0, within=0.4),
)


def accuracy_rows(runs: int, seed: int) -> Iterator[Row]:
    """The interval and the p of one metric; the truth is the mean over all runs of a world."""
    for world in WORLDS:
        rng = np.random.default_rng([seed, 3, WORLDS.index(world)])
        by_size = {s: [_accuracy(world, s, rng, run) for run in range(runs)] for s in SYSTEMS}
        # The mean over pairs of systems has one expectation, however many systems there are.
        truth = float(np.mean([each.value for size in by_size.values() for each in size]))
        for systems, each in by_size.items():
            shown = [row for row in each if not np.isnan(row.low)]
            hits = sum(row.low <= truth <= row.high for row in shown)
            size = f"{systems} systems"
            yield Row("interval, soft", world.name, size, COVERAGE, hits, len(shown))
            if world.between == world.within == 0:
                erred = sum(row.p <= LEVEL for row in each)
                yield Row("p, soft", world.name, size, LEVEL, erred, len(each))


def comparison_rows(runs: int, seed: int) -> Iterator[Row]:
    """The interval and the test of the difference of two equally good metrics."""
    few = max(1, runs // FEWER)
    for world in PAIRED:
        for systems in (6, 10):
            rng = np.random.default_rng([seed, 4, PAIRED.index(world), systems])
            rows, rivals = [], 0
            for run in range(runs):
                one, other, ratings = (x[:, :ITEMS] for x in two_metrics(world, systems, rng))
                rated = rated_replies({"a": one, "b": other}, ratings)
                rows.append(SoftPairs(rated, Draws(PERMUTATIONS, 0, run)).pair("a", "b", SOFT))
                if run < few:
                    rivals += _segments_exchanged(one, other, ratings, rng) <= LEVEL
            shown = [row for row in rows if not np.isnan(row.low)]
            hits, size = sum(row.low <= 0 <= row.high for row in shown), f"{systems} systems"
            yield Row("interval of the difference", world.name, size, COVERAGE, hits, len(shown))
            yield Row("p", world.name, size, LEVEL, sum(row.p <= LEVEL for row in rows), runs)
            yield Row("not used: single replies exchanged, p", world.name, size, LEVEL, rivals, few)


def _segments_exchanged(
    one: Floats, other: Floats, ratings: Floats, rng: np.random.Generator
) -> float:
    """P where a coin for each reply decides which metric's score it has, as in the paper.

    The p-values of pairs of systems are the normal approximation to those of swapped replies.
    """
    people = _p_values(ratings)
    a, b = ((x - x.mean(axis=0)) / (x - x.mean(axis=0)).std() for x in (one, other))

    def apart(swap: NDArray[np.bool_]) -> float:
        first, second = (
            soft_pairwise_accuracy(people, _p_values(np.where(swap, y, x)))
            for x, y in ((a, b), (b, a))
        )
        return first - second

    observed = abs(apart(np.zeros(a.shape, dtype=np.bool_)))
    drawn = [abs(apart(rng.random(a.shape) < 0.5)) for _ in range(59)]
    return (1 + sum(each >= observed for each in drawn)) / 60


def _p_values(values: Floats) -> Floats:
    """That the first system of each pair is better: float64 [pairs]."""
    first, second = np.triu_indices(len(values), 1)
    apart = values[first] - values[second]
    z = apart.mean(axis=1) / np.sqrt((apart**2).mean(axis=1) / apart.shape[1])
    return np.array([0.5 * math.erfc(each / math.sqrt(2)) for each in z])


def cluster_rows(runs: int, seed: int) -> Iterator[Row]:
    """The interval and the p of one metric, and the p of two, over clusters of items."""
    for clusters in CLUSTERS:
        for size in SIZES:
            rng = np.random.default_rng([seed, 5, clusters, size])
            talk = np.arange(clusters * size) // size
            pairs, rows = [], []
            for run in range(runs):
                one, other, ratings = (_clustered(clusters, size, rng) for _ in range(3))
                rated = rated_replies({"a": one, "b": other}, ratings)
                names = tuple(str(each) for each in range(clusters))
                evidence = SoftPairs(
                    replace(rated, cluster=talk, clusters=names), Draws(PERMUTATIONS, 0, run)
                )
                rows.append(evidence.row("a", SOFT))
                pairs.append(evidence.pair("a", "b", SOFT))
            truth = float(np.mean([row.value for row in rows]))
            shown = [row for row in rows if not np.isnan(row.low)]
            setting, where = "unrelated, systems differ by 0.3 sd", f"{clusters} clusters of {size}"
            hits = sum(row.low <= truth <= row.high for row in shown)
            yield Row("interval, soft", setting, where, COVERAGE, hits, len(shown))
            yield Row("p, soft", setting, where, LEVEL, sum(row.p <= LEVEL for row in rows), runs)
            erred = sum(row.p <= LEVEL for row in pairs)
            yield Row("p of two metrics", setting, where, LEVEL, erred, runs)


def _clustered(clusters: int, size: int, rng: np.random.Generator) -> Floats:
    """Values of 7 systems: a level of the system, and half the rest is its cluster's."""
    level = 0.3 * rng.normal(size=(7, 1))
    talk = np.repeat(rng.normal(size=(7, clusters)), size, axis=1)
    return level + np.sqrt(0.5) * (talk + rng.normal(size=(7, clusters * size)))


def _accuracy(world: World, systems: int, rng: np.random.Generator, run: int) -> Accuracy:
    scores, ratings = world.drawn(systems, rng)
    rated = rated_replies({"m": scores[:, :ITEMS]}, ratings[:, :ITEMS])
    return SoftPairs(rated, Draws(PERMUTATIONS, 0, run)).row("m", SOFT)


STUDY = SimulationStudy(
    "Soft pairwise accuracy",
    f"""{ITEMS} items; scores and ratings are normal, with levels of the systems. The interval (jackknife
over systems, Student's t) is to hold the accuracy that such systems have on average; p (systems change
names) is to be at most .05 in 5% of the unrelated sets. Of 4 systems there are 24 orders, so that p
seldom falls below .05.
""",
    accuracy_rows,
)

COMPARISONS = SimulationStudy(
    "Two metrics by soft pairwise accuracy",
    f"""{ITEMS} items; ratings and two metrics that are equally good. The interval of the difference is the
jackknife's over systems; the test exchanges whole systems' scores. Of 6 systems there are 32 exchanges.
"Not used" exchanges the scores of single replies between the two standardised metrics, as the paper does
(an eighth of the runs).
""",
    comparison_rows,
)

CLUSTERED = SimulationStudy(
    "Soft pairwise accuracy over clusters of items",
    """7 systems, two metrics and ratings that are unrelated; half the variance of a reply is its cluster's,
for each system another. Whole clusters are swapped for the p-values of the pairs; interval and tests are
over systems.
""",
    cluster_rows,
)
