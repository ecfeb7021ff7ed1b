"""Intervals of scores and of differences between two systems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import (
    difference_errors,
    difference_intervals,
    score_intervals,
)
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.ruq import RUQ
from rejoinder.statistics.standard_error import standard_errors
from simulations.populations import BAGS, NOT_ORDINARY, bags, replies
from simulations.study import COVERAGE, Row, SimulationStudy

SIZES = (10, 20, 66, 300)
AT_ONCE = 250
SHARES = (0.05, 0.3, 0.9)

TEXT = """
Items are drawn with replacement from the 477 contexts of DSTC7 that have a reference, whose scores are the
truth, and for `distinct` and `entropy`, whose value depends on the number of items, without replacement from
6,740 replies of DailyDialog, where the truth is the mean over all draws of so many items. Each run takes one
system, or pair of systems, at random. Without these data, text of natural word frequencies is generated.
Runs whose interval is undefined do not count. People (`Human`) and `Constant` of DSTC7 are left out, except
where the row says so: most replies of people are references themselves.

From 20 items on intervals hold the truth in 93 to 99 of 100 cases. What falls short: differences to people
under ROUGE at 20 and 66 items, where nearly every reply of theirs scores 1 and a few score little. Intervals
of BLEU-4, of which many are undefined because no four words match, and of `distinct` are somewhat too wide:
they do not promise too much.
"""


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every metric at every size: single scores, and differences."""
    name, names, population = replies()
    ordinary = np.array([i for i, each in enumerate(names) if each not in NOT_ORDINARY])
    for label, (metric, items) in population.items():
        for size in SIZES:
            rng = np.random.default_rng([seed, size])
            yield from _drawn(label, name, metric, items[:, ordinary], size, runs, rng)
    if "Human" in names:
        human = np.array([names.index("Human"), *ordinary])
        for label in ("BLEU-2", "ROUGE-L"):
            for size in SIZES[1:]:
                rng = np.random.default_rng([seed, size])
                metric, items = population[label]
                every = _drawn(label, f"{name}, people and a system", metric, items[:, human], size,
                               runs, rng, first=True)  # fmt: skip
                yield list(every)[1]
    for metric in BAGS:
        for size in SIZES[1:]:
            yield from _bags(metric, size, max(2, runs // 4), np.random.default_rng([seed, size]))
    for share in SHARES:
        for size in SIZES:
            yield _share(share, size, runs, np.random.default_rng([seed, size]))


def _drawn(
    label: str,
    name: str,
    metric: Metric,
    items: Floats,
    size: int,
    runs: int,
    rng: np.random.Generator,
    first: bool = False,
) -> Iterator[Row]:
    """Runs stand side by side, as systems do; a pair is the first system's and another's replies."""
    totals = metric.score(items.sum(axis=0))
    single, paired = np.zeros(2, int), np.zeros(2, int)
    for begin in range(0, runs, AT_ONCE):
        some = min(AT_ONCE, runs - begin)
        a, b = drawn_pairs(items.shape[1], some, rng, first)
        drawn = rng.integers(0, len(items), (size, some))
        scored = [of_drawn(metric, items[drawn, each]) for each in (a, b)]
        (values, left_out), (other, other_left_out) = scored
        single += _held(score_intervals(metric, values, left_out), totals[a])
        both, both_left_out = np.append(values, other), np.append(left_out, other_left_out, axis=0)
        first_of, second_of = np.arange(some), some + np.arange(some)
        errors = difference_errors(metric, both, both_left_out, first_of, second_of)
        ends = difference_intervals(metric, values - other, errors, size)
        paired += _held(ends, totals[a] - totals[b])
    yield Row(f"{label}, a score", name, f"{size} items", COVERAGE, *map(int, single))
    yield Row(f"{label}, a difference", name, f"{size} items", COVERAGE, *map(int, paired))


def drawn_pairs(
    systems: int, runs: int, rng: np.random.Generator, first: bool = False
) -> tuple[Indices, Indices]:
    """Two systems for each run, drawn at random; the first is system 0 where ``first`` is set."""
    a = np.zeros(runs, dtype=np.int64) if first else rng.integers(0, systems, runs)
    return a, (a + rng.integers(1, systems, runs)) % systems


def of_drawn(metric: Metric, drawn: Floats) -> tuple[Floats, Floats]:
    """Scores [runs], and with each item left out [runs, n], of rows [n, runs, k]."""
    return metric.score(drawn.sum(axis=0)), Matrix(np.ascontiguousarray(drawn)).left_out(metric)


def _held(ends: tuple[Floats, Floats], truth: Floats) -> np.ndarray:
    """How many intervals hold the truth, and how many there are."""
    low, high = ends
    return np.array([((low <= truth) & (truth <= high)).sum(), np.isfinite(low).sum()])


def _bags(metric: Metric, size: int, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    name, population = bags(metric)
    items, systems = population.first.shape[1], population.systems
    values, left_out = [], []
    for _ in range(runs):
        drawn = population.pick(rng.choice(items, size, replace=False))
        values.append(metric.score(drawn.sums()))
        left_out.append(drawn.left_out(metric))
    scored, each = np.array(values), np.array(left_out)  # [runs, S], [runs, S, n]
    truth = scored.mean(axis=0)
    a, b = drawn_pairs(systems, runs, rng)
    run = np.arange(runs)
    single = _held(score_intervals(metric, scored[run, a], each[run, a]), truth[a])
    errors = standard_errors(each[run, a] - each[run, b])
    ends = difference_intervals(metric, scored[run, a] - scored[run, b], errors, size)
    paired = _held(ends, truth[a] - truth[b])
    yield Row(f"{metric.label}, a score", name, f"{size} items", COVERAGE, *map(int, single))
    yield Row(f"{metric.label}, a difference", name, f"{size} items", COVERAGE, *map(int, paired))


def _share(share: float, size: int, runs: int, rng: np.random.Generator) -> Row:
    """RUQ: the share of prompts for which something holds (Wilson's interval)."""
    values = rng.binomial(size, share, runs) / size
    ends = score_intervals(RUQ(), values, np.zeros((runs, size)))
    held = _held(ends, np.full(runs, share))
    return Row("RUQ, a score", f"a share of {share:g}", f"{size} items", COVERAGE, *map(int, held))


STUDY = SimulationStudy(
    "Intervals of scores and differences (`score`, `compare`, `ruq`)", TEXT, rows
)
