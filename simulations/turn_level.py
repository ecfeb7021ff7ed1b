"""The turn protocol with several systems: the mean within systems and the pooled value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics import significance as testing
from rejoinder.statistics.within_systems import WithinSystems
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

PERMUTATIONS = 99
SHARED = 0.5
"""Standard deviation of what makes the replies to a context alike, in scores and in ratings."""

QUALITY = 0.6
"""Weight of a reply's quality in each metric and in the ratings, where two metrics are compared."""

SYSTEMS = (1, 2, 5, 10)
CONTEXTS = (20, 66, 300)
BETWEEN = (0.0, 0.5, 1.0)


class Design(NamedTuple):
    """Which system answered which context.

    Args:
        name: In the table.
        share: Each system's share of the contexts, drawn at random; 0 where none is shared.
    """

    name: str
    share: float


SAME = Design("same contexts", 1.0)
SOME = Design("60% of the contexts each", 0.6)
OWN = Design("no context shared", 0.0)


def rows(runs: int, seed: int) -> Iterator[Row]:
    """False alarms of the tests, and coverage of the intervals."""
    for systems in SYSTEMS:
        for contexts in CONTEXTS:
            for between in BETWEEN if systems > 1 else BETWEEN[:1]:
                yield from _one_metric(runs, seed, systems, contexts, between, SAME)
            if systems > 1:
                for design in (SOME, OWN):
                    yield from _one_metric(runs, seed, systems, contexts, BETWEEN[-1], design)
    for contexts in CONTEXTS[:2]:
        for correlation in ("spearman", "kendall-b"):
            yield from _one_metric(runs, seed, 5, contexts, 1.0, SAME, correlation)
        yield from _one_metric(runs, seed, 5, contexts, 1.0, SAME, grades=True)
        for r in (0.4, 0.8):
            yield _coverage(runs, seed, 5, contexts, r)
        for systems, between in ((1, 0.0), (2, 1.0), (5, 0.5), (5, 1.0)):
            yield from _two_metrics(runs, seed, systems, contexts, between)
    for zeros in (0.88, 0.94):
        yield from _one_metric(runs, seed, 2, 66, 1.0, SAME, zeros=zeros)


def _one_metric(
    runs: int,
    seed: int,
    systems: int,
    contexts: int,
    between: float,
    design: Design,
    correlation: str = "pearson",
    grades: bool = False,
    zeros: float = 0.0,
) -> Iterator[Row]:
    """Scores and ratings that have nothing in common within systems."""
    rng = np.random.default_rng(seed)
    alarms = pooled_alarms = covered = defined = 0
    for _ in range(runs):
        x, data = unrelated(rng, systems, contexts, between, design, grades, zeros)
        alarms += data.permutation_p(x, correlation, PERMUTATIONS, rng) <= LEVEL
        interval = data.interval(x, correlation)
        defined += interval.reason is None
        covered += interval.low <= 0 <= interval.high
        if systems > 1 and design is SAME:
            groups = data.context
            p = testing.permutation_p(x, data.y, correlation, PERMUTATIONS, rng, groups)
            pooled_alarms += bool(p <= LEVEL)
    setting = f"{correlation}, {_apart(between)}, {design.name}{', grades 1 to 5' * grades}"
    if zeros:
        setting += f", score 0 for {100 * zeros:g}% of the replies"
    size = _size(systems, contexts)
    yield Row("p within systems (`within_p`)", setting, size, LEVEL, alarms, runs)
    if systems > 1 and design is SAME:
        yield Row("p of the pooled value (`pooled_p`)", setting, size, LEVEL, pooled_alarms, runs)
    yield Row("interval within systems", setting, size, COVERAGE, covered, defined)


def _coverage(runs: int, seed: int, systems: int, contexts: int, r: float) -> Row:
    """The interval where there is a correlation r within each system."""
    rng = np.random.default_rng(seed)
    covered = defined = 0
    for _ in range(runs):
        x = rng.normal(size=(systems, contexts))
        y = r * x + np.sqrt(1 - r**2) * rng.normal(size=(systems, contexts))
        x, y = (each + rng.normal(size=(systems, 1)) for each in (x, y))
        system, context = _places(rng, systems, contexts, SAME)
        interval = WithinSystems(y.ravel(), system, context).interval(x.ravel(), "pearson")
        defined += interval.reason is None
        covered += interval.low <= r <= interval.high
    setting = f"pearson {r:g} within each system, {_apart(1.0)}, {SAME.name}"
    size = _size(systems, contexts)
    return Row("interval within systems", setting, size, COVERAGE, covered, defined)


def _two_metrics(
    runs: int, seed: int, systems: int, contexts: int, between: float
) -> Iterator[Row]:
    """Two metrics that know a reply's quality equally well, and prefer systems of their own."""
    rng = np.random.default_rng(seed)
    alarms = pooled_alarms = covered = 0
    for _ in range(runs):
        quality = rng.normal(size=(systems, contexts))
        x1, x2, y = (_noisy(rng, quality, between) for _ in range(3))
        system, context = _places(rng, systems, contexts, SAME)
        data = WithinSystems(y, system, context)
        p = data.paired_permutation(x1, x2, "pearson", PERMUTATIONS, rng).p
        alarms += p <= LEVEL
        pooled = testing.paired_permutation(x1, x2, y, "pearson", PERMUTATIONS, rng, context)
        pooled_alarms += pooled.p <= LEVEL
        interval = data.difference_interval(x1, x2, "pearson")
        covered += interval.low <= 0 <= interval.high
    setting = f"two metrics, pearson, {_apart(between)}, {SAME.name}"
    size = _size(systems, contexts)
    yield Row("paired p within systems (`within_p`)", setting, size, LEVEL, alarms, runs)
    if systems > 1:
        name = "paired p of the pooled values (`pooled_p`)"
        yield Row(name, setting, size, LEVEL, pooled_alarms, runs)
    yield Row("interval of the difference within", setting, size, COVERAGE, covered, runs)


def unrelated(
    rng: np.random.Generator,
    systems: int,
    contexts: int,
    between: float,
    design: Design,
    grades: bool = False,
    zeros: float = 0.0,
) -> tuple[Floats, WithinSystems]:
    """Scores and ratings that share the systems' levels and nothing else.

    Args:
        rng: Where the randomness comes from.
        systems: How many.
        contexts: How many.
        between: Standard deviation of the systems' levels, the same in scores and in ratings.
        design: Which system answered which context.
        grades: Ratings rounded to 1 to 5, and scores that are 0 for most replies.
        zeros: The share of replies whose score is 0, at random.
    """
    level = between * rng.normal(size=(systems, 1))
    alike = (systems, contexts) if design is OWN else contexts  # what a context adds
    x, y = (
        level + SHARED * rng.normal(size=alike) + rng.normal(size=(systems, contexts))
        for _ in range(2)
    )
    if grades:
        x, y = np.where(x < 0.3, 0.0, np.exp(x)), np.clip(np.round(3 + y), 1, 5)
    if zeros:
        x = np.where(rng.random(x.shape) < zeros, 0.0, np.exp(x))
    system, context = _places(rng, systems, contexts, design)
    x, y = x[system, context % contexts], y[system, context % contexts]
    return x, WithinSystems(y, system, context)


def _places(
    rng: np.random.Generator, systems: int, contexts: int, design: Design
) -> tuple[Indices, Indices]:
    """The system and the context of each reply."""
    if design is OWN:
        number = np.arange(systems * contexts)
        return number // contexts, number
    system, context = np.nonzero(rng.random((systems, contexts)) < design.share)
    return system, context


def _noisy(rng: np.random.Generator, quality: Floats, between: float) -> Floats:
    systems, contexts = quality.shape
    level = between * rng.normal(size=(systems, 1))
    noise = np.sqrt(1 - QUALITY**2) * rng.normal(size=quality.shape)
    values = level + SHARED * rng.normal(size=contexts) + QUALITY * quality + noise
    return values.ravel()


def _apart(between: float) -> str:
    return f"systems {between:g} sd apart" if between else "systems alike"


def _size(systems: int, contexts: int) -> str:
    return f"{systems} system{'s' * (systems > 1)}, {contexts} contexts"


STUDY = SimulationStudy(
    "Turn level: within systems and pooled",
    """
Scores and ratings share the systems' levels (normal, as far apart as said) and nothing else; what
makes the replies to a context alike (half a standard deviation) is drawn apart for scores and for
ratings, noise has a standard deviation of 1. So there is no agreement within any system, and a test
at the 5% level may say "significant" in 5 of 100 sets. The test within systems does; the test of the
pooled value takes the systems' levels for evidence. Of two metrics, each knows a reply's quality as
well as the other and prefers systems of its own.
""",
    rows,
)
