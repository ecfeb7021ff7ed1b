"""Correlation over whole dialogues (`correlate --level dialogue`): the mean within systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.meta_evaluation.dialogue_level import Turns, dialogues
from rejoinder.statistics.within_systems import WithinSystems
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy
from simulations.unit_protocol import rated_replies

DIALOGUES = (12, 30, 100)
TURNS = 5
SYSTEMS = 2
PERMUTATIONS = 99
RELATED = 0.6
RULES: tuple[Turns, ...] = ("mean", "least", "last")


def dialogue_rows(runs: int, seed: int) -> Iterator[Row]:
    """Every number of dialogues under every rule, unrelated and related."""
    for number in DIALOGUES:
        for rule in RULES:
            for related in (0.0, RELATED):
                yield from _rows(number, rule, related, runs, seed)


def _rows(number: int, rule: Turns, related: float, runs: int, seed: int) -> Iterator[Row]:
    rng = np.random.default_rng([seed, number, RULES.index(rule), int(10 * related)])
    # Of normal turns only the mean and the last have a coefficient that is known beforehand.
    known = rule != "least" or related == 0
    covered = erred = 0
    for _ in range(runs):
        x, data = _drawn(number, rule, related, rng)
        interval = data.interval(x, "pearson")
        covered += interval.low <= related <= interval.high
        if related == 0:
            erred += data.permutation_p(x, "pearson", PERMUTATIONS, rng) <= LEVEL
    setting = f"{rule} of the turns, " + (f"correlation {related}" if related else "unrelated")
    size = f"{number} dialogues"
    if known:
        yield Row("interval", setting, size, COVERAGE, covered, runs)
    if related == 0:
        yield Row("p", setting, size, LEVEL, erred, runs)


def _drawn(
    number: int, rule: Turns, related: float, rng: np.random.Generator
) -> tuple[Floats, WithinSystems]:
    scores = _values(number, rng)
    ratings = related * scores + np.sqrt(1 - related**2) * _values(number, rng)
    rated = rated_replies({"m": scores}, ratings)
    talk = np.arange(number * TURNS) // TURNS
    names = tuple(str(each) for each in range(number))
    whole, _ = dialogues(replace(rated, cluster=talk, clusters=names), rule)
    return whole.segments["m"], WithinSystems(whole.human, whole.system, whole.item)


def _values(number: int, rng: np.random.Generator) -> Floats:
    """Values of the turns of every system: half the variance is the dialogue's."""
    shared = np.repeat(rng.normal(size=(SYSTEMS, number)), TURNS, axis=1)
    return np.sqrt(0.5) * (shared + rng.normal(size=(SYSTEMS, number * TURNS)))


STUDY = SimulationStudy(
    "Correlation over whole dialogues (`correlate --level dialogue`)",
    f"""{SYSTEMS} systems, {TURNS} turns to a dialogue, half the variance of a turn is its dialogue's.
Scores and ratings are normal; both are brought down to dialogues by one rule. The least of normal turns
has no coefficient that is known beforehand, so its interval is simulated for unrelated ones alone.
""",
    dialogue_rows,
)
