"""Correlation over clusters of contexts: the mean within systems, its interval and its test."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.within_systems import WithinSystems
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

CLUSTERS = (12, 30, 100)
SIZES = (1, 5, 20)
SYSTEMS = 2
PERMUTATIONS = 99
RELATED = 0.6


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every number of clusters of every size, unrelated and related."""
    for clusters in CLUSTERS:
        for size in SIZES:
            for answered in (1.0, 0.7):
                yield from _unrelated(clusters, size, answered, runs, seed)
            yield _related(clusters, size, runs, seed)


def _unrelated(clusters: int, size: int, answered: float, runs: int, seed: int) -> Iterator[Row]:
    rng = np.random.default_rng([seed, clusters, size, int(10 * answered)])
    hits = np.zeros((2, 2), dtype=np.int64)
    for _ in range(runs):
        x, y = (_values(clusters, size, rng) for _ in range(2))
        kept = rng.random(x.shape) < answered
        for row, known in enumerate((True, False)):
            data = _data(y, kept, clusters, size, known)
            interval = data.interval(x[kept], "spearman")
            p = data.permutation_p(x[kept], "spearman", PERMUTATIONS, rng)
            hits[row] += [interval.low <= 0 <= interval.high, p <= LEVEL]
    setting = "unrelated" + ("" if answered == 1 else f", {answered:.0%} of the contexts each")
    where = f"{clusters} clusters of {size}"
    for name, (covered, erred) in zip(
        ("", "not used: contexts as independent, "), hits.tolist(), strict=True
    ):
        if name and size == 1:
            continue
        yield Row(f"{name}interval", setting, where, COVERAGE, covered, runs)
        yield Row(f"{name}p", setting, where, LEVEL, erred, runs)


def _related(clusters: int, size: int, runs: int, seed: int) -> Row:
    rng = np.random.default_rng([seed, clusters, size])
    held = 0
    for _ in range(runs):
        x, other = (_values(clusters, size, rng) for _ in range(2))
        y = RELATED * x + np.sqrt(1 - RELATED**2) * other
        every = np.ones(x.shape, dtype=np.bool_)
        interval = _data(y, every, clusters, size, True).interval(x.ravel(), "pearson")
        held += interval.low <= RELATED <= interval.high
    where = f"{clusters} clusters of {size}"
    return Row("interval", f"correlation {RELATED} within each system", where, COVERAGE, held, runs)


def _values(clusters: int, size: int, rng: np.random.Generator) -> Floats:
    """Values of two systems, float64 [S, contexts]: half the variance is the cluster's."""
    shared = np.repeat(rng.normal(size=(1, clusters)), size, axis=1)
    return np.sqrt(0.5) * (shared + rng.normal(size=(SYSTEMS, clusters * size)))


def _data(
    y: Floats, kept: NDArray[np.bool_], clusters: int, size: int, known: bool
) -> WithinSystems:
    system, context = np.nonzero(kept)
    return WithinSystems(y[kept], system, context, context // size if known else None)


STUDY = SimulationStudy(
    "Correlation over clusters of contexts",
    f"""The mean within {SYSTEMS} systems. Half the variance of scores and of ratings is that of the
cluster (two contexts of a cluster correlate by 0.5), drawn apart for scores and ratings: they are
unrelated, or correlate by {RELATED}. Each system answered all contexts, or 70% of them. The lines "not
used" are what interval and test would say without knowing the clusters.
""",
    rows,
)
