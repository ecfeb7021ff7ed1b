"""Variety of samples: coverage above chance, the Vendi score's difference and the gap of two systems."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.diversity.coverage import above_chance, cyclic_partners
from rejoinder.diversity.sameness import DrawnSamples, more_varied
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.mean_difference import mean_inference
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

PROMPTS = (30, 40, 200)
KINDS = (
    "normal",
    "lognormal",
    "one in ten",
    "clusters of 4",
    "clusters of 1 to 16",
    "half in one cluster",
)
TRIALS = 199
MEAN = 0.1
"""The true coverage above chance."""


def variety_rows(runs: int, seed: int) -> Iterator[Row]:
    """Intervals of coverage, and both tests of two systems that do not differ."""
    for prompts in PROMPTS:
        for kind in KINDS:
            rng = np.random.default_rng([seed, prompts, KINDS.index(kind)])
            hits = [_holds(kind, prompts, MEAN, rng) for _ in range(runs)]
            where = f"{prompts} prompts"
            yield Row("coverage above chance", kind, where, COVERAGE, sum(hits), runs)
            errs = [not _holds(kind, prompts, 0.0, rng) for _ in range(runs)]
            yield Row("coverage that is chance", kind, where, LEVEL, sum(errs), runs)
    for prompts in (12, 40):
        for kind in ("normal", "clusters of 4"):
            rng = np.random.default_rng([seed, prompts, KINDS.index(kind), 1])
            same, varied = np.array([_tested(kind, prompts, rng) for _ in range(runs)]).sum(axis=0)
            yield Row("they say the same", kind, f"{prompts} prompts", LEVEL, int(same), runs)
            yield Row("more varied", kind, f"{prompts} prompts", LEVEL, int(varied), runs)


def clusters_of(kind: str, prompts: int) -> Indices:
    """The cluster of each prompt."""
    if kind == "clusters of 4":
        return np.arange(prompts) // 4
    if kind == "clusters of 1 to 16":
        sizes = np.resize([1, 2, 4, 8, 16], prompts)
        return np.repeat(np.arange(prompts), sizes)[:prompts]
    if kind == "half in one cluster":
        return np.maximum(np.arange(prompts) - prompts // 2, 0)
    return np.arange(prompts)


def _holds(kind: str, prompts: int, mean: float, rng: np.random.Generator) -> bool:
    """Whether the interval of a draw holds the true coverage.

    The samples of a prompt are near or far from all references, and references from all samples; what is
    left is the pair's own. To its own references a prompt is nearer by what the truth is the mean of.
    """
    clusters = clusters_of(kind, prompts)
    partners = cyclic_partners(prompts, clusters, rng)
    safe = np.maximum(partners, 0)
    samples, references = (_spread(clusters, 0.05, rng) for _ in range(2))
    values = samples[:, None] + references[safe] + 0.03 * rng.normal(size=partners.shape)
    own = mean + _spread(clusters, 0.05, rng)
    if kind == "lognormal":
        own = mean - 0.1 + 0.1 * np.exp(rng.normal(size=prompts) - 0.5)
    if kind == "one in ten":  # most prompts earn nothing
        own = mean + (rng.random(prompts) < 0.1) * 0.5 - 0.05
    values[:, 0] += own
    terms = above_chance(values, partners)
    there = ~np.isnan(terms)
    groups = Groups.of(clusters[there], int(there.sum()))
    interval = mean_inference(terms[there], groups).interval
    return bool(interval.low <= mean <= interval.high)


def _spread(clusters: Indices, deviation: float, rng: np.random.Generator) -> Floats:
    """Normal numbers, half of whose variance is their cluster's."""
    common = rng.normal(size=clusters.max() + 1)[clusters]
    return deviation * (common + rng.normal(size=clusters.size)) / np.sqrt(2)


def _tested(kind: str, prompts: int, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether each test finds a difference between two systems that draw from the same replies."""
    clusters = clusters_of(kind, prompts)
    middle = (
        rng.normal(size=(prompts, 1, 5)) + rng.normal(size=(clusters.max() + 1, 1, 5))[clusters]
    )
    # A prompt has few or many replies that are said: another spread for each.
    vectors = middle + rng.exponential(size=(prompts, 1, 1)) * rng.normal(size=(prompts, 8, 5))
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    alike = vectors @ vectors.transpose(0, 2, 1)
    places = {"a": np.arange(4), "b": np.arange(4, 8)}
    drawn = DrawnSamples([places] * prompts, list(alike))
    same = drawn.gap("a", "b", clusters, TRIALS, rng).gap.p <= LEVEL
    of_a, of_b = (alike[:, each][:, :, each].mean(axis=(1, 2)) for each in places.values())
    return same, more_varied(of_a, of_b, clusters, TRIALS, rng)[0].p <= LEVEL


STUDY = SimulationStudy(
    "Variety of samples: coverage above chance, and two tests of two systems",
    """Samples and references that are near or far from all others, half of that shared within a cluster,
and a nearness to a prompt's own references, normal, lognormal, or for one prompt in ten alone. The truth
is .1, or 0: there the share is that of intervals without 0. Both tests are of two systems whose samples
are drawn from the same replies.
Where one prompt in ten alone earns anything, 12 prompts hold none in 28% of the draws, which no interval
of these prompts can know: below 30 prompts coverage has no interval.
""",
    variety_rows,
)
