"""The tests of ``compare``, and the smallest detectable difference."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Floats
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.scoring.compare import compare_pairs
from rejoinder.scoring.measurements import Measured
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.power import POWER, detectable, power
from simulations.populations import NOT_ORDINARY, replies
from simulations.study import LEVEL, Row, SimulationStudy

SIZES = (6, 8, 10, 20, 66, 300)
PERMUTATIONS, RESAMPLES = 2000, 400
AT_ONCE = 250
MEAN = registry.metric("sbleu")

Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


def _exponential(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.exponential(size=shape) - 1


DIFFERENCES: dict[str, Draw] = {
    "normal differences": lambda rng, shape: rng.normal(size=shape),
    "uniform differences": lambda rng, shape: rng.uniform(-1, 1, size=shape),
    "exponential differences": _exponential,
    "exponential differences, mirrored": lambda rng, shape: -_exponential(rng, shape),
}

LEVELS = """
Two systems with the same expected score, items drawn anew in each run. The randomization test is exact where
the replies of the two could be swapped (symmetric differences). Where only their means are equal (very skewed
differences) it finds too much at 6 to 66 items. With few items its p-values are few, and so its level is
below 5%: 3.1% at 6 items. The paired bootstrap says "significant" too often below 66 items in every setting:
believe the randomization test.
"""

POWERS = """
The smallest detectable difference (`detectable` in `compare` and `plan`): the smallest true difference that
the randomization test finds with 80% power. In each run it is read off one sample, and a second sample, whose
true difference is just that, is tested. Below 8 items no number is given, and so there is no row. Where
differences are very skewed, the power is 70 to 84% at 8 to 66 items.

Under BLEU-2 no true difference can be set. There `aim` is the mean over runs of the power that was promised
for the systems' true difference, and `measured` the share of runs that found it; pairs of DSTC7's systems.
"""


def levels(runs: int, seed: int, of: Collection[str] = tuple(DIFFERENCES)) -> Iterator[Row]:
    """How often either test finds a difference where there is none, of these shapes of differences."""
    for name, draw in ((name, DIFFERENCES[name]) for name in of):
        for size in SIZES:
            rng = np.random.default_rng([seed, size])
            compared = _compared(draw(rng, (size, runs)), seed)
            for test in ("p_randomization", "p_bootstrap"):
                p = compared[test].to_numpy()
                hits = int((p < LEVEL).sum())
                yield Row(test, name, f"{size} items", LEVEL, hits, int(np.isfinite(p).sum()))


def powers(runs: int, seed: int, of: Collection[str] = tuple(DIFFERENCES)) -> Iterator[Row]:
    """How often the test finds a difference that is called detectable, of these shapes of differences."""
    for name, draw in ((name, DIFFERENCES[name]) for name in of):
        for size in SIZES[1:]:
            rng = np.random.default_rng([seed, size])
            shown = _compared(draw(rng, (size, runs)), seed)["detectable"].to_numpy()
            p = _compared(draw(rng, (size, runs)) + shown, seed)["p_randomization"].to_numpy()
            hits = int((p < LEVEL).sum())
            yield Row("detectable, a mean", name, f"{size} items", POWER, hits, runs)
    name, names, population = replies()
    metric, items = population["BLEU-2"]
    ordinary = [i for i, each in enumerate(names) if each not in NOT_ORDINARY]
    for size in SIZES[1:]:
        rng = np.random.default_rng([seed, size])
        yield _bleu(name, metric, items[:, ordinary], size, runs, rng, seed)


def _bleu(
    name: str,
    metric: Metric,
    items: Floats,
    size: int,
    runs: int,
    rng: np.random.Generator,
    seed: int,
) -> Row:
    truth = metric.score(items.sum(axis=0))
    unit = detectable(1.0, size, pilot=size)
    promised, found = [], []
    for begin in range(0, runs, AT_ONCE):
        some = min(AT_ONCE, runs - begin)
        a = rng.integers(0, items.shape[1], some)
        b = (a + rng.integers(1, items.shape[1], some)) % items.shape[1]
        drawn = rng.integers(0, len(items), (2, size, some))
        pilot, fresh = (np.stack([items[each, a], items[each, b]], axis=2) for each in drawn)
        shown = _tested(metric, pilot, seed)["detectable"].to_numpy()
        # What is printed, in standard errors of what so many items detect, gives back the error.
        promised += [
            power(float(truth[x] - truth[y]), d / unit, size, pilot=size)
            for x, y, d in zip(a, b, shown, strict=True)
        ]
        found += (_tested(metric, fresh, seed)["p_randomization"].to_numpy() < LEVEL).tolist()
    there = np.isfinite(promised)  # a sample without any match promises nothing
    aim = round(float(np.array(promised)[there].mean()), 3) if there.any() else POWER
    hits, number = int(np.array(found)[there].sum()), int(there.sum())
    return Row("power, BLEU-2", f"{name}, pairs of systems", f"{size} items", aim, hits, number)


def _compared(differences: Floats, seed: int) -> pl.DataFrame:
    """The rows of ``compare`` of two systems whose items differ by so much: [n, runs]."""
    runs = differences.shape[1]
    parts = []
    for begin in range(0, runs, AT_ONCE):
        some = differences[:, begin : begin + AT_ONCE]
        values = np.stack([some, np.zeros_like(some)], axis=2)[..., None]
        rows = np.concatenate([values, np.ones_like(values)], axis=3)  # sum, count
        parts.append(_tested(MEAN, rows, seed))
    return pl.concat(parts)


def _tested(metric: Metric, rows: Floats, seed: int) -> pl.DataFrame:
    """Runs as systems, two by two, on the same swaps: float64 [n, runs, 2, k]."""
    size, runs, _, k = rows.shape
    names = tuple(f"{run}{which}" for run in range(runs) for which in "ab")
    matrix = Matrix(np.ascontiguousarray(rows.reshape(size, 2 * runs, k)))
    measured = {"m": Measured(metric, matrix, np.ones(size, dtype=bool), "")}
    items = pl.DataFrame({"id": [str(i) for i in range(size)]})
    scores = Scores(names, items, measured, resamples=RESAMPLES, seed=seed)
    return compare_pairs(scores, "m", [(2 * r, 2 * r + 1) for r in range(runs)], PERMUTATIONS)


LEVEL_STUDY = SimulationStudy(
    "Level of the paired tests (`compare`, `score`, `audit`)", LEVELS, levels
)
POWER_STUDY = SimulationStudy("Detectable differences (`compare`, `plan`)", POWERS, powers)
