"""The unit protocol with ratings that belong to pairs of systems: do interval and comparison hold?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.meta_evaluation.evidence import Draws
from rejoinder.meta_evaluation.pair_units import PairUnits
from rejoinder.meta_evaluation.unit_assignments import UnitSettings
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy
from simulations.unit_protocol import (
    ASSIGNMENTS,
    ITEMS,
    PAIRED,
    PERMUTATIONS,
    SIZE,
    WORLDS,
    World,
    two_metrics,
    units,
)

SYSTEMS, RATED_PAIRS, ITEMS_OF_PAIR = 7, 12, 80
RATING_SD = 1.0  # of the part of a rating that is another in every pair
CORRELATION = "spearman"


def observed(
    scores: Mapping[str, Floats], ratings: Floats, rng: np.random.Generator, run: int
) -> PairUnits:
    """Units of 12 of 21 pairs of systems, drawn anew, each with items and ratings of its own.

    Args:
        scores: By label, float64 [S, n].
        ratings: float64 [S, n], the part of a rating that is the same in every pair.
        rng: Draws pairs, items and the rest of each rating.
        run: The seed of the assignments.
    """
    paired = np.full((SYSTEMS, SYSTEMS, ITEMS), np.nan)
    for a, b in _connected(rng):
        items = rng.choice(ITEMS, ITEMS_OF_PAIR, replace=False)
        for system, other in ((a, b), (b, a)):
            own = RATING_SD * rng.normal(size=ITEMS_OF_PAIR)
            paired[system, other, items] = ratings[system, items] + own
    rated = replace(units(scores, ratings, 0, run).rated, paired=paired)
    return PairUnits(rated, UnitSettings(SIZE, ASSIGNMENTS), Draws(0, 0, run))


def truth(world: World) -> float:
    """Spearman's rho of the units of very many systems, whose ratings have a part of the pair's own."""
    noise = 1 / SIZE
    shared = world.sd**2 * world.between + noise * world.within
    rated = world.sd**2 + noise * (1 + RATING_SD**2)
    return 6 / np.pi * np.arcsin(shared / np.sqrt((world.sd**2 + noise) * rated) / 2)


def rows(runs: int, seed: int) -> Iterator[Row]:
    """The interval of one metric, and the interval and p of two."""
    for place, world in enumerate(WORLDS):
        yield _interval(world, runs, np.random.default_rng([seed, 1, place]))
    for place, world in enumerate(PAIRED):
        yield from _comparison(world, runs, np.random.default_rng([seed, 2, place]))


def _interval(world: World, runs: int, rng: np.random.Generator) -> Row:
    covered = number = 0
    for run in range(runs):
        x, y = world.drawn(SYSTEMS, rng)
        row = observed({"m": x}, y, rng, run).row("m", CORRELATION)
        if not np.isnan(row.low):
            covered += row.low <= truth(world) <= row.high
            number += 1
    return Row(f"interval, {CORRELATION}", world.name, _SIZE, COVERAGE, int(covered), number)


def _comparison(world: World, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    erred = covered = 0
    for run in range(runs):
        one, other, y = two_metrics(world, SYSTEMS, rng)
        evidence = observed({"a": one, "b": other}, y, rng, run)
        evidence.prepare([CORRELATION])
        evidence.draws = Draws(PERMUTATIONS, 0, run)
        pair = evidence.pair("a", "b", CORRELATION)
        erred += pair.p <= LEVEL
        covered += pair.low <= 0 <= pair.high
    yield Row(f"p of a - b, {CORRELATION}", world.name, _SIZE, LEVEL, int(erred), runs)
    name = f"interval of a - b, {CORRELATION}"
    yield Row(name, world.name, _SIZE, COVERAGE, int(covered), runs)


def _connected(rng: np.random.Generator) -> list[tuple[int, int]]:
    """Pairs drawn so that every system is in one."""
    pairs = list(combinations(range(SYSTEMS), 2))
    while True:
        drawn = [pairs[i] for i in rng.choice(len(pairs), RATED_PAIRS, replace=False)]
        if len({system for pair in drawn for system in pair}) == SYSTEMS:
            return drawn


_SIZE = f"{RATED_PAIRS} of {SYSTEMS * (SYSTEMS - 1) // 2} pairs"

STUDY = SimulationStudy(
    "The unit protocol with ratings of pairs (column `against`)",
    f"""Units of {SIZE} items, {ASSIGNMENTS} assignments; {RATED_PAIRS} of the 21 pairs of {SYSTEMS}
systems, drawn anew in each run, are rated on {ITEMS_OF_PAIR} of {ITEMS} items of their own. Half of the
variance of a rating within a system is the same in every pair, half is the pair's own. An interval is to
hold the coefficient that very many such systems would have; two metrics are equally good, their p is to
be at most .05 in 5% of the sets, and the interval of their difference to hold 0.
""",
    rows,
)
