"""Soft pairwise accuracy: does its interval hold, and does its test err as often as it says?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.meta_evaluation.evidence import Draws
from rejoinder.meta_evaluation.evidence import Row as Accuracy
from rejoinder.meta_evaluation.soft import SOFT, SoftPairs
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy
from simulations.unit_protocol import World, rated_replies

PERMUTATIONS = 199
SYSTEMS = (4, 5, 7, 10)
ITEMS = 100

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
