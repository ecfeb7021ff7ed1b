"""Gates: how often does a new system pass or fail by chance, whose loss is exactly the margin?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import difference_errors
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.scoring.margins import Margins
from rejoinder.statistics.holm import SIGNIFICANT
from simulations.populations import NOT_ORDINARY, replies
from simulations.study import LEVEL, Row, SimulationStudy

SIZES = (5, 10, 20, 66, 300)
MARGIN = 0.01

TEXT = """
`compare --fail-if-worse 0.01` on two systems of DSTC7 (or of the generated text), whose differences are moved
so that the new system is worse by exactly the margin: items are drawn with replacement, and two systems at
random in each run. That is the worst case of both readings: the gate should fail by chance, and should pass
with `--fail-if-unsure` by chance, in at most 5 of 100 runs. Runs without a test (no four words match in
BLEU-4) do not count.

Both err in 4 to 6 of 100 runs at all sizes, from 5 items to 300, and with BLEU-4, whose intervals are too
wide, in fewer than 3.
"""


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Both readings of "not worse", for every metric at every size."""
    name, names, population = replies()
    ordinary = [i for i, each in enumerate(names) if each not in NOT_ORDINARY]
    for label, (metric, items) in population.items():
        if metric.ranks:
            for size in SIZES:
                rng = np.random.default_rng([seed, size])
                yield from _of(label, name, metric, items[:, ordinary], size, runs, rng)


def _of(
    label: str,
    name: str,
    metric: Metric,
    items: Floats,
    size: int,
    runs: int,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Differences of two systems drawn at random, moved so that the true loss is the margin."""
    totals = metric.score(items.sum(axis=0))
    moved = MARGIN if metric.higher_is_better else -MARGIN
    failed = passed = tests = 0
    for _ in range(runs):
        pair = rng.choice(items.shape[1], 2, replace=False)
        drawn = items[rng.integers(0, len(items), size)][:, pair]
        values = metric.score(drawn.sum(axis=0))
        left_out = Matrix(np.ascontiguousarray(drawn)).left_out(metric)
        errors = difference_errors(metric, values, left_out, np.array([0]), np.array([1]))
        difference = values[:1] - values[1:] - (totals[pair[0]] - totals[pair[1]]) - moved
        columns = Margins(worse_by=MARGIN).columns(metric, difference, errors, size - 1)
        failed += int(columns["p_worse"][0] < SIGNIFICANT)
        passed += int(columns["p_not_worse"][0] < SIGNIFICANT)
        tests += int(np.isfinite(columns["p_worse"][0]))
    for what, hits in (("fails", failed), ("passes with --fail-if-unsure", passed)):
        yield Row(f"{label}, {what}", name, f"{size} items", LEVEL, hits, tests)


STUDY = SimulationStudy("Gates of continuous integration", TEXT, rows)
