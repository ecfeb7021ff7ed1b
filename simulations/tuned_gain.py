"""The gain of tuned weights held out: does its interval cover, without a gain and with one?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rejoinder.statistics.held_out_gain import held_out_interval
from rejoinder.statistics.student import t_quantile
from rejoinder.tuning.objectives import mean_of_rows
from rejoinder.tuning.tune import cross_validated
from rejoinder.tuning.weight_search import CandidateRows, WeightSearch
from simulations.study import COVERAGE, Row, SimulationStudy

CANDIDATES, FOLDS, STARTS = 8, 5, 2
HIGHEST = 1.4236003
"""The expected maximum of 8 standard normal values."""

SETTINGS = {
    "no gain, 5 features": (100, 5, 0.0, 1),
    "small gain, 5 features": (100, 5, 0.15, 1),
    "gain, 5 features": (100, 5, 0.4, 1),
    "no gain, 100 features": (50, 100, 0.0, 2),
    "gain, 100 features": (50, 100, 0.5, 5),
}
"""Items, features, what the first feature adds to the quality of a candidate, in standard deviations, and by
what the number of runs is divided: a search over 100 directions takes five times as long."""


class Simulated(NamedTuple):
    """The gain held out, its interval, that with the weights fixed, and the true gain of these weights."""

    gain: float
    fixed: tuple[float, float]
    ends: tuple[float, float]
    true: float


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Two rows for each setting: the interval, and the one that takes the weights as fixed."""
    for place, (name, (items, features, slope, part)) in enumerate(SETTINGS.items()):
        rng = np.random.default_rng([seed, place])
        made = [simulated(items, features, slope, rng) for _ in range(runs // part)]
        for what, of in (("gain held out", "ends"), ("with the weights fixed", "fixed")):
            hits = sum(getattr(each, of)[0] <= each.true <= getattr(each, of)[1] for each in made)
            yield Row(what, name, f"{items} items", COVERAGE, hits, len(made))


def simulated(items: int, features: int, slope: float, rng: np.random.Generator) -> Simulated:
    """One run: candidates whose features and qualities are normal."""
    x = rng.standard_normal((items * CANDIDATES, features))
    quality = slope * x[:, 0] + rng.standard_normal(len(x))
    statistics = np.stack([quality, np.ones(len(x))], axis=1)
    bounds = np.arange(items + 1) * CANDIDATES
    search = WeightSearch.of(CandidateRows(x, bounds, statistics, mean_of_rows), STARTS, rng)
    found = cross_validated(search, np.arange(items), FOLDS, rng)
    gains = quality[found.chosen] - quality[bounds[:-1]]
    gain = float(gains.mean())
    reach = t_quantile(COVERAGE, items - 1) * float(gains.std(ddof=1)) / np.sqrt(items)
    fixed = gain - reach, gain + reach
    ends = held_out_interval(gain, *fixed, found.training_gain)
    return Simulated(
        gain, fixed, ends, float(np.mean([_true(each, slope) for each in found.weights]))
    )


def _true(weights: np.ndarray, slope: float) -> float:
    """The expected quality of the candidate that weights choose; that of any other is 0."""
    length = float(np.sqrt((weights**2).sum()))
    return slope * HIGHEST * float(weights[0]) / length if length > 0 else 0.0


STUDY = SimulationStudy(
    "The gain of tuned weights, held out",
    f"""
{CANDIDATES} candidates to an item; weights are tuned by the mean quality in {FOLDS} folds, and the true gain
is that of the weights of the folds, for new items. Items of two folds tune the weights that choose for
each other: an interval that takes the weights as fixed is too narrow where there is little or no gain.
With more features than items the interval is conservative.
""",
    rows,
)
