"""Systems that answered different items (`--missing pairwise`): their intervals and tests."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from rejoinder import TestSet
from rejoinder.kernels.arrays import Floats
from rejoinder.scoring.compare import compare
from rejoinder.scoring.scores import Scores
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

CLUSTERS = (12, 30, 100)
SIZES = (1, 5)
MEANS = {"a": 0.5, "b": 0.2}
FEWER = 10
"""A run takes some milliseconds: a tenth of the runs."""


def item_rows(runs: int, seed: int) -> Iterator[Row]:
    """Items that two systems share in part, and items that they do not share."""
    fewer_runs = max(2, runs // FEWER)
    for clusters in CLUSTERS:
        for size in SIZES:
            for shared in (True, False):
                rng = np.random.default_rng([seed, clusters, size, shared])
                yield from _rows(clusters, size, shared, fewer_runs, rng)


def _rows(
    clusters: int, size: int, shared: bool, runs: int, rng: np.random.Generator
) -> Iterator[Row]:
    hits = {"a score": [], "a difference": [], "p": []}
    for run in range(runs):
        means = list(MEANS.values())
        scores = _scores(means, clusters, size, shared, run, rng)
        for row in scores.systems().to_dicts():
            hits["a score"].append(row["low"] <= MEANS[row["system"]] <= row["high"])
        (row,) = compare(scores, "a", "b", permutations=99).table.to_dicts()
        hits["a difference"].append(row["low"] <= means[0] - means[1] <= row["high"])
        if shared:
            alike = _scores([0.5, 0.5], clusters, size, shared, run, rng)
            p = compare(alike, "a", "b", permutations=99).table["p_randomization"][0]
            hits["p"].append(p <= LEVEL)
    setting = "each answered 70% of the items" if shared else "no item in common, unpaired"
    where = f"{clusters} clusters of {size}"
    for name, each in hits.items():
        if each:
            aim = LEVEL if name == "p" else COVERAGE
            yield Row(name, setting, where, aim, int(sum(each)), len(each))


def _scores(
    means: list[float],
    clusters: int,
    size: int,
    shared: bool,
    seed: int,
    rng: np.random.Generator,
) -> Scores:
    n = clusters * size
    answered = rng.random((2, n)) < 0.7
    if not shared:  # other conversations, whole ones
        answered = np.repeat(np.arange(clusters) % 2 == 0, size) == np.array([[True], [False]])
    values = _values(clusters, size, rng) + np.array(means)[:, None]
    system, item = np.nonzero(answered)
    table = pl.DataFrame(
        {
            "system": np.array(["a", "b"])[system],
            "id": item.astype(str),
            "value": values[answered],
        }
    )
    ids = [str(i) for i in range(n)]
    talks = [str(i // size) for i in range(n)]
    contexts = pl.DataFrame({"id": ids, "context": [["?"]] * n, "talk": talks})
    testset = TestSet(contexts, contexts.select("id", text=pl.lit("yes")))
    return Scores.from_segments(
        table, testset, missing="pairwise", cluster="talk", resamples=100, seed=seed
    )


def _values(clusters: int, size: int, rng: np.random.Generator) -> Floats:
    """Scores of two systems: a part of the cluster for both, one for each, and the item's own."""
    common, own = rng.normal(size=(1, clusters)), rng.normal(size=(2, clusters))
    talk = np.repeat(0.5 * common + 0.5 * own, size, axis=1)
    return talk + np.sqrt(0.5) * rng.normal(size=(2, clusters * size))


STUDY = SimulationStudy(
    "Systems that answered different items (`--missing pairwise`)",
    """Normal scores. Half of a score's variance is its cluster's: a quarter is the same for both
systems, a quarter is a system's own. The score of a system is that of the items that it answered; a
difference is that of the items that both answered, with the randomization test, or, where there are
none, that of the two scores, with the interval for independent samples. A tenth of the runs; p is of
two systems with the same mean.
""",
    item_rows,
)
