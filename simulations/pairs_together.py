"""Many pairs of systems compared by ratings: how often does any test of a family err?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.holm import SIGNIFICANT, holm
from rejoinder.statistics.max_over_pairs import max_over_pairs
from rejoinder.statistics.prediction_powered import CorrectedMean, corrected_mean
from simulations.study import LEVEL, Row, SimulationStudy

ITEMS, LABELS, SYSTEMS, QUALITY = 200, (12, 20, 50), (4, 8), 0.6
DRAWS = 2000
APART = 3.0

TEXT = """
Systems whose replies to an item are alike by 0.3, a rating of some items of 200, and a judge whose scores
correlate with people's by 0.6: the share of studies in which any test of two equal systems errs. "None
differ": all systems are equal. "One differs": the first is far better than the others, so that its tests
are rejected, and those of the others are what is left. "Unequal spread": of the
systems every second one varies three times as much as the others.

The maximum over pairs errs in 3 to 7 of 100 studies with 20 or 50 rated items, in 5 to 8 with 12; Holm's
correction errs in 2 to 6. Twelve ratings do not show how much the pairs vary.
"""


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Both corrections, by people alone and corrected, in every setting."""
    for place, setting in enumerate(("none differ", "one differs", "unequal spread")):
        for systems in SYSTEMS:
            for labels in LABELS:
                rng = np.random.default_rng([seed, place, systems, labels])
                yield from _of(setting, systems, labels, runs, rng)


def _of(
    setting: str, systems: int, labels: int, runs: int, rng: np.random.Generator
) -> Iterator[Row]:
    pairs = np.stack(np.triu_indices(systems, 1), axis=1)
    null = pairs.min(axis=1) > 0 if setting == "one differs" else np.ones(len(pairs), np.bool_)
    errs = dict.fromkeys(
        [(by, how) for by in ("people", "corrected") for how in ("max", "Holm")], 0
    )
    for _ in range(runs):
        ratings, scores = _replies(setting, systems, rng)
        ratings[labels:] = np.nan
        for by, weight in (("people", 0.0), ("corrected", None)):
            means = [
                corrected_mean(
                    ratings[:, a] - ratings[:, b], scores[:, a] - scores[:, b], weight=weight
                )
                for a, b in pairs
            ]
            p = np.array([each.p for each in means])
            errs[by, "Holm"] += bool((holm(p)[null] < SIGNIFICANT).any())
            errs[by, "max"] += bool((_together(p, means, rng)[null] < SIGNIFICANT).any())
    for (by, how), count in errs.items():
        size = f"{systems} systems, {labels} of {ITEMS} rated"
        yield Row(f"any p {how}, {by}", setting, size, LEVEL, count, runs)


def _together(p: Floats, means: list[CorrectedMean], rng: np.random.Generator) -> Floats:
    influence = np.stack([each.influence for each in means])
    return max_over_pairs(p, influence, min(each.df for each in means), rng, DRAWS)


def _replies(setting: str, systems: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Ratings and a judge's scores of all replies: float64 [ITEMS, systems] each."""
    item = np.sqrt(0.3) * rng.normal(size=(ITEMS, 1))
    reply = np.sqrt(0.7) * rng.normal(size=(ITEMS, systems))
    if setting == "unequal spread":
        reply[:, ::2] *= APART
    quality = item + reply
    quality[:, 0] += APART * (setting == "one differs")
    noise = np.sqrt(1 - QUALITY**2) * rng.normal(size=quality.shape)
    return quality, QUALITY * quality + noise * quality.std(axis=0)


STUDY = SimulationStudy("Many pairs together (`compare --ratings --correction`)", TEXT, rows)
