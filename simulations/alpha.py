"""Intervals of Krippendorff's alpha."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.alpha import alpha_interval, krippendorff_alpha
from simulations.study import COVERAGE, Row, SimulationStudy

SIZES = (10, 20, 50)
POPULATION = 50_000

Draw = Callable[[np.random.Generator, int], Floats]

TEXT = """
Each unit has a true quality; raters see it with noise and round it to a grade. The truth is the alpha of
50,000 units. Runs without an interval (all ratings equal, say) do not count. Where raters agree (alpha of
0.2 and above) the interval holds the truth in 93 to 97 of 100 cases, from 10 units on. Where they hardly do
(alpha below 0.2) it holds it in 82 to 91 at 10 units, in 92 to 93 at 20 and in 92 to 94 at 50, and a note
says so below 30.
"""


def _graded(raters: int, grades: int, noise: float, skew: float = 1.0) -> Draw:
    def drawn(rng: np.random.Generator, units: int) -> Floats:
        quality = rng.beta(skew, 1.0, (units, 1)) + noise * rng.normal(size=(units, raters))
        return np.clip(np.round(1 + (grades - 1) * quality), 1, grades)

    return drawn


SETTINGS: dict[str, tuple[str, Draw]] = {
    "3 raters, grades 1 to 5": ("ordinal", _graded(3, 5, 0.25)),
    "3 raters, most grades high": ("ordinal", _graded(3, 5, 0.2, skew=4.0)),
    "2 raters who agree well": ("interval", _graded(2, 5, 0.08)),
    "5 raters who hardly agree": ("interval", _graded(5, 5, 0.6)),
    "5 raters who agree no more than by chance, nearly": ("interval", _graded(5, 5, 1.0)),
    "3 raters, grades 1 to 101": ("interval", _graded(3, 101, 0.25)),
    "3 raters, yes or no": ("nominal", _graded(3, 2, 0.35)),
    "3 raters, mostly yes": ("nominal", _graded(3, 2, 0.4, skew=4.0)),
}


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every setting at every size."""
    for name, (kind, draw) in SETTINGS.items():
        rng = np.random.default_rng([seed, 7])
        truth = krippendorff_alpha(draw(rng, POPULATION), kind)
        for size in SIZES:
            ends = [alpha_interval(draw(rng, size), kind) for _ in range(runs)]
            there = [each for each in ends if each.low == each.low]
            hits = sum(each.low <= truth <= each.high for each in there)
            setting = f"{name} (alpha {truth:.2f})"
            yield Row(f"alpha {kind}", setting, f"{size} units", COVERAGE, hits, len(there))


STUDY = SimulationStudy("Krippendorff's alpha (`ratings`, `preferences`)", TEXT, rows)
