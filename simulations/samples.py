"""Intervals of pass@k and pass^k, from several samples of each prompt."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.metrics.of_samples import EVERY, PASS, OfSamples
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.paired_rates import PairedRates
from rejoinder.statistics.proportions import share_size, wilson_ends
from simulations.study import COVERAGE, Row, SimulationStudy

SIZES = (5, 20, 100)
SHARES = (0.5, 0.9, 0.99)
CLUSTERS = ("equal", "geometric", "one half")
MEASURES = ((PASS, 1, 5), (PASS, 3, 5), (EVERY, 3, 5), (PASS, 5, 20))
SPREAD = 1.5
"""The sum of the two parameters of the beta distribution of prompts: most are rather easy or rather hard."""

TEXT = """
Each prompt has a probability of its own that a sample passes, from a beta distribution whose parameters add
up to 1.5 and whose mean gives the true value named; 5 or 20 samples of each are drawn. In clusters every
second prompt, on average, has the probability of its cluster: clusters of 5 prompts, clusters of geometric
sizes (4 on average), and one with half of the prompts beside clusters of 2. A `score` is Wilson's interval
on what the prompts are worth (`proportions.share_size`); a `difference` is of two systems on the same
prompts, whose difficulty they share: Tango's interval on what they are worth (`paired_rates.PairedRates.of`).
Fewer than 4 clusters have no interval.

Scores are held in 92 to 100 of 100 cases: over measures and true values in 97 of 100 with 5 and 20 prompts,
in 99 with 20 in clusters, where the interval is too wide, and in 96 with 100, alone or in clusters.
Differences are held in 94 or more: in 97 of 100 with 100 prompts, and near 1 and with few prompts, where few
differ, in nearly all.
"""


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every measure at every size, alone and in clusters."""
    for measure, k, samples in MEASURES:
        for size in SIZES:
            for kind in ("", *CLUSTERS) if size > SIZES[0] else ("",):
                for share in SHARES:
                    rng = np.random.default_rng([seed, size, samples, k])
                    yield from _rows(measure, k, samples, size, kind, share, runs, rng)


def _rows(
    measure: str, k: int, samples: int, size: int, kind: str, share: float, runs: int,
    rng: np.random.Generator,
) -> Iterator[Row]:  # fmt: skip
    metric = OfSamples("passed", measure, k, passing=1.0)
    mean = _mean_of(measure, k, share)
    means, worth, pairs = [], [], []
    for _ in range(runs):
        groups = Groups.of(_clusters(kind, size, rng), size)
        if len(groups) >= 4:
            values = metric.of_prompts(_passes(mean, groups, samples, rng))
            means.append(values[0].mean())
            worth.append(share_size(values[0], groups))
            pairs.append(PairedRates.of(values[:1] - values[1:], groups))
    together = PairedRates(*(np.concatenate(each) for each in zip(*pairs, strict=True)))
    ends = {
        "score": (*wilson_ends(np.array(means), np.array(worth)), share),
        "difference": (*together.interval(), 0.0),
    }
    setting = f"{measure}{k} of {samples}, {share}" + (f", clusters: {kind}" if kind else "")
    for what, (low, high, truth) in ends.items():
        hits = int(((low <= truth) & (truth <= high)).sum())
        yield Row(what, setting, f"{size} prompts", COVERAGE, hits, low.size, runs - low.size)


def _passes(mean: float, groups: Groups, samples: int, rng: np.random.Generator) -> Floats:
    """Passes (1) and failures of two equal systems on the same prompts: float64 [J, 2, n]."""
    n = groups.order.size
    own = rng.beta(mean * SPREAD, (1 - mean) * SPREAD, n)
    if len(groups) < n:
        alike = rng.beta(mean * SPREAD, (1 - mean) * SPREAD, len(groups))[groups.code]
        own = np.where(rng.random(n) < 0.5, alike, own)
    return (rng.random((samples, 2, n)) < own).astype(np.float64)


def _clusters(kind: str, size: int, rng: np.random.Generator) -> Indices | None:
    """The cluster of each prompt: int64 [n]."""
    if not kind:
        return None
    if kind == "equal":
        return np.arange(size) // 5
    if kind == "one half":
        return np.maximum(0, np.arange(size) - size // 2 + 2) // 2
    sizes = rng.geometric(0.25, size)
    return np.repeat(np.arange(size), sizes)[:size]


def _mean_of(measure: str, k: int, share: float) -> float:
    """The mean of the beta distribution under which a measure has this value."""
    low, high = 0.0, 1.0
    for _ in range(60):
        mean = (low + high) / 2
        a, b = mean * SPREAD, (1 - mean) * SPREAD
        first = b if measure == PASS else a
        product = math.prod((first + i) / (a + b + i) for i in range(k))
        low, high = (
            (mean, high) if (1 - product if measure == PASS else product) < share else (low, mean)
        )
    return (low + high) / 2


STUDY = SimulationStudy("Several samples of a prompt: pass@k and pass^k", TEXT, rows)
