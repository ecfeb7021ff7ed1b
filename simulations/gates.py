"""Gates: how often does a new system fail by chance, or pass as not worse, at exactly the margin?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.scoring.compare import compare
from rejoinder.scoring.margins import NOT_WORSE
from rejoinder.scoring.measurements import Measured, Measurements
from simulations.populations import NOT_ORDINARY, replies
from simulations.study import LEVEL, Row, SimulationStudy

SIZES = (5, 10, 20, 66, 300)
PERMUTATIONS = 999

TEXT = """
`compare --fail-if-worse MARGIN` on two systems of DSTC7 (or of the generated text), drawn at random in each
run, with items drawn with replacement. Either the margin is by how much the new system is worse over all
items; or the two are exchangeable: a coin for each item swaps their replies, and the margin is 0. Those are
the worst cases of both readings: the gate should fail by chance, and should pass with `--fail-if-unsure` by
chance, in at most 5 of 100 runs. Every run counts, with an interval or without; without one the randomization
test decides (999 permutations here).

Over all metrics but BLEU-4 and all sizes the gate fails in 4 (margin = true loss) and 5 (exchangeable) of 100
runs on average, and passes in 6 and 5; single figures have an error of 0.5. It fails in at most 6 of 100, and
passes in at most 7 (BLEU-2, 66 items). BLEU-4 has no interval in most runs of 66 items, because no four words
match: it fails in 0 to 6 of 100 and passes in 0 to 2.
"""


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Both readings of "not worse", for every metric at every size."""
    name, names, population = replies()
    ordinary = [i for i, each in enumerate(names) if each not in NOT_ORDINARY]
    for label, (metric, items) in population.items():
        if metric.ranks:
            for size in SIZES:
                rng = np.random.default_rng([seed, size])
                for swapped in (False, True):
                    yield from _of(
                        label, name, metric, items[:, ordinary], size, swapped, runs, rng
                    )


def _of(
    label: str,
    name: str,
    metric: Metric,
    items: Floats,
    size: int,
    swapped: bool,
    runs: int,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Two systems drawn at random, whose true loss is the margin."""
    totals = metric.score(items.sum(axis=0))
    better = totals if metric.higher_is_better else -totals
    ids = pl.DataFrame({"id": [str(i) for i in range(size)]})
    usable = np.ones(size, dtype=np.bool_)
    failed = passed = 0
    for _ in range(runs):
        new, old = sorted(rng.choice(items.shape[1], 2, replace=False), key=lambda s: better[s])
        drawn = items[rng.integers(0, len(items), size)][:, [new, old]]
        margin = float(better[old] - better[new])
        if swapped:
            coin = rng.random(size) < 0.5
            drawn[coin], margin = drawn[coin, ::-1], 0.0
        each = Measured(metric, Matrix(np.ascontiguousarray(drawn)), usable, "")
        scores = Measurements(("new", "old"), ids, {label: each}, resamples=1)
        compared = compare(scores, "new", "old", worse_by=margin, permutations=PERMUTATIONS)
        failed += compared.failed().height
        passed += compared.table["verdict"].item() == NOT_WORSE
    data = f"{name}, {'exchangeable systems' if swapped else 'margin = true loss'}"
    for what, hits in (("fails", failed), ("passes with --fail-if-unsure", passed)):
        yield Row(f"{label}, {what}", data, f"{size} items", LEVEL, hits, runs)


STUDY = SimulationStudy("Gates of continuous integration", TEXT, rows)
