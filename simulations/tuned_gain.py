"""The gain of tuned weights held out: does its interval cover, where candidates differ by chance alone too?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.statistics.student import t_quantile
from rejoinder.tuning.objectives import mean_of_rows
from rejoinder.tuning.tune import cross_validated
from rejoinder.tuning.weight_search import CandidateRows, Search
from simulations.study import Row, SimulationStudy

CANDIDATES, FOLDS, STARTS = 8, 5, 3
HIGHEST = 1.4236003  # expected maximum of 8 standard normal values

SETTINGS = {
    "no gain, 5 features": (200, 5, 0.0),
    "small gain, 5 features": (200, 5, 0.1),
    "gain, 5 features": (200, 5, 0.3),
    "no gain, 100 features on 50 items": (50, 100, 0.0),
    "gain, 100 features on 50 items": (50, 100, 0.5),
}
"""Items, features, and what the first feature adds to the quality of a candidate, in standard deviations."""


def simulated(
    items: int, features: int, slope: float, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """The gain held out, its error, and the true gains: of the folds' weights, and of the final ones."""
    x = rng.standard_normal((items * CANDIDATES, features))
    quality = slope * x[:, 0] + rng.standard_normal(len(x))
    rows = np.stack([quality, np.ones(len(x))], axis=1)
    bounds = np.arange(items + 1) * CANDIDATES
    search = Search.of(CandidateRows(x, bounds, rows, mean_of_rows), STARTS, rng)
    found = cross_validated(search, np.arange(items), FOLDS, rng)
    gains = quality[found.chosen] - quality[bounds[:-1]]
    true = np.mean([_true(each, slope) for each in found.weights])
    error = gains.std(ddof=1) / np.sqrt(items)
    return float(gains.mean()), float(error), float(true), _true(search.best(), slope)


def _true(weights: np.ndarray, slope: float) -> float:
    """The expected quality of the candidate that weights choose; any other has 0."""
    length = float(np.sqrt((weights**2).sum()))
    return slope * HIGHEST * float(weights[0]) / length if length > 0 else 0.0
