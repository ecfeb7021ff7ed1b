"""Plans over clusters of items (`plan --cluster`): do the promised power and spread come true?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from rejoinder import TestSet
from rejoinder.kernels.arrays import Floats
from rejoinder.planning.plan import plan
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.student import two_sided_p
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

CLUSTERS = (12, 30, 100)
SIZES = (1, 5, 20)
FEWER = 10
"""A plan takes a tenth of a second: a tenth of the runs are pilots."""


def plan_rows(runs: int, seed: int) -> Iterator[Row]:
    """Pilots of every number of clusters of every size; studies of twice as many clusters."""
    for clusters in CLUSTERS:
        for size in SIZES:
            rng = np.random.default_rng([seed, clusters, size])
            yield from _rows(clusters, size, runs, rng)


def _rows(clusters: int, size: int, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    # The true error of a mean difference of so many clusters, and a difference of 2.8 such errors.
    study = 2 * clusters
    error = np.sqrt((0.5 + 0.5 / size) / study)
    difference = 2.8 * error
    pilots = [_planned(clusters, size, difference, rng) for _ in range(max(2, runs // FEWER))]
    promised = round(float(np.mean([row["power"] for row in pilots])), 3)
    significant = 0
    for _ in range(runs):
        sums = _values(study, size, rng).reshape(study, size).mean(axis=1) + difference
        t = sums.mean() / (sums.std(ddof=1) / np.sqrt(study))
        significant += two_sided_p(float(t), study - 1) <= LEVEL
    pilot = f"pilot of {clusters} clusters of {size}"
    yield Row(
        "power, promised on average",
        "a study of twice the clusters",
        pilot,
        promised,
        significant,
        runs,
    )
    covered = sum(
        row["detectable_low"] <= row["detectable"] * error / row["error"] <= row["detectable_high"]
        for row in pilots
    )
    yield Row(
        "95% range of the detectable difference", "the same", pilot, COVERAGE, covered, len(pilots)
    )


def _planned(
    clusters: int, size: int, difference: float, rng: np.random.Generator
) -> dict[str, float]:
    n = clusters * size
    ids = [str(i) for i in range(n)]
    values = np.concatenate([_values(clusters, size, rng), np.zeros(n)])
    table = pl.DataFrame({"system": ["a"] * n + ["b"] * n, "id": ids * 2, "value": values.tolist()})
    talks = [str(i // size) for i in range(n)]
    contexts = pl.DataFrame({"id": ids, "context": [["?"]] * n, "talk": talks})
    testset = TestSet(contexts, contexts.select("id", text=pl.lit("yes")))
    scores = Scores.from_segments(table, testset, cluster="talk", resamples=0)
    result = plan(scores, a="a", b="b", items=[2 * n], difference=difference, resamples=100)
    return result.comparisons.row(0, named=True)


def _values(clusters: int, size: int, rng: np.random.Generator) -> Floats:
    """Differences of two systems: half the variance is the cluster's."""
    talk = np.repeat(rng.normal(size=clusters), size)
    return np.sqrt(0.5) * (talk + rng.normal(size=clusters * size))


STUDY = SimulationStudy(
    "Plans over clusters (`plan --cluster`)",
    """Normal differences of two systems, half of whose variance is the cluster's (two items of a cluster
correlate by 0.5). A pilot forecasts a study of twice as many clusters: the power for a true difference of
2.8 standard errors of that study, and the smallest detectable difference. The aim of the first is the mean
power that the pilots promised, measured the share of studies in which the t test over clusters found the
difference; that of the second, how often the pilot's 95% range holds what the true error makes of it. A
tenth of the runs are pilots.
""",
    plan_rows,
)
