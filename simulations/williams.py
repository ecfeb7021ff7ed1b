"""Williams' test at turn level: how often it says that two equally good metrics differ."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.correlation import correlation_named
from rejoinder.statistics.significance import williams
from simulations.study import LEVEL, Row, SimulationStudy

CORRELATIONS = ("pearson", "spearman", "kendall-b")
AGREEMENT = 0.4
REPLIES = 100

# name: (correlation of the two metrics, replies to a context, share of a value that contexts make)
SETTINGS = {
    "metrics correlate by 0.3": (0.3, 1, 0.0),
    "metrics correlate by 0.8": (0.8, 1, 0.0),
    "metrics correlate by 0.3, 5 replies to a context, alike by 0.5": (0.3, 5, 0.5),
}


def rows(runs: int, seed: int) -> Iterator[Row]:
    """A row for each setting and coefficient."""
    for place, (name, (together, size, alike)) in enumerate(SETTINGS.items()):
        rng = np.random.default_rng([seed, place])
        x1, x2, y = _drawn(runs, together, size, alike, rng)
        for correlation in CORRELATIONS:
            measure = correlation_named(correlation)
            values = np.stack([measure(x1, y), measure(x2, y), measure(x1, x2)], axis=1)
            hits = sum(williams(a, b, ab, REPLIES).p <= LEVEL for a, b, ab in values.tolist())
            what = f"Williams' test, {correlation}"
            yield Row(what, name, f"{REPLIES} replies", LEVEL, hits, runs)


def _drawn(
    runs: int, together: float, size: int, alike: float, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Two metrics and ratings, normal: float64 [runs, replies] each."""
    covariance = np.array(
        [[1.0, together, AGREEMENT], [together, 1.0, AGREEMENT], [AGREEMENT, AGREEMENT, 1.0]]
    )
    root = np.linalg.cholesky(covariance)
    own = root @ rng.normal(size=(runs, 3, REPLIES))
    context = np.repeat(root @ rng.normal(size=(runs, 3, REPLIES // size)), size, axis=2)
    values = np.sqrt(1 - alike) * own + np.sqrt(alike) * context
    return values[:, 0], values[:, 1], values[:, 2]


STUDY = SimulationStudy(
    "Williams' test of two metrics at turn level",
    f"""
{REPLIES} replies; scores and ratings are normal, and both metrics correlate with the ratings by
{AGREEMENT} (Pearson). The test takes replies for independent, which several replies to one context are
not.
""",
    rows,
)
