"""A judge beside people: intervals of severity, slope and errors, and the test beside raters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.annotator_test import alternative_annotator_test
from rejoinder.statistics.judge_errors import judge_errors
from rejoinder.statistics.judge_panel import independent_judges
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

SIZES = (12, 30, 100)
SLOPE, SEVERITY, FAVOUR, EFFECT = 1.3, 0.5, 0.4, 0.2

TEXT = """
Three systems answer every context; three people rate each reply (a tenth of the ratings is missing), with
noise of 0.7 beside a quality of variance 1.25. A judge's marks follow the quality by a slope of 1.3, favour
one system by 0.4 and each unit of a covariate by 0.2. Errors, slope and severity are by the jackknife over
contexts. `panel`: three judges, half of whose error is the same. `test beside raters`: how often one rater
is called beaten (before correction for several raters) by a judge that is worse than that rater by exactly
the tolerance.
"""


class Drawn(NamedTuple):
    """Ratings [n, 3], marks, systems, contexts, and a covariate [n, 1]."""

    ratings: Floats
    marks: Floats
    system: Indices
    context: Indices
    x: Floats


def drawn(rng: np.random.Generator, contexts: int) -> Drawn:
    """Replies of three systems."""
    context, system = np.repeat(np.arange(contexts), 3), np.tile(np.arange(3), contexts)
    n = context.size
    quality = rng.normal(size=n) + np.array([0.5, 0.0, -0.5])[system]
    quality += 0.5 * rng.normal(size=contexts)[context]
    ratings = quality[:, None] + 0.7 * rng.normal(size=(n, 3))
    missing = rng.random(ratings.shape) < 0.1
    missing[:, 0] = False
    ratings[missing] = np.nan
    x = rng.normal(size=(n, 1))
    marks = SEVERITY + SLOPE * (quality + FAVOUR * (system == 0) + EFFECT * x[:, 0])
    return Drawn(ratings, marks + 0.6 * rng.normal(size=n), system, context, x)


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every interval at every size, and the test."""
    for size in SIZES:
        yield from _intervals(size, runs, np.random.default_rng([seed, 1, size]))
    for size in SIZES:
        yield _panel(size, runs, np.random.default_rng([seed, 2, size]))
    for size in (30, 100):
        yield _beaten(size, runs, np.random.default_rng([seed, 3, size]))


def _intervals(size: int, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    truth = {
        "slope": SLOPE,
        "severity": SEVERITY + SLOPE * FAVOUR / 3,
        "error of a favoured system": FAVOUR * 2 / 3,
        "error of another system": -FAVOUR / 3,
        "effect of a covariate": EFFECT,
    }
    hits, number = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for _ in range(runs):
        errors = judge_errors(*drawn(rng, size))
        ends = (errors.slope, errors.severity, *errors.systems[:2], errors.effects[0])
        for name, each in zip(truth, ends, strict=True):
            number[name] += each.low == each.low
            hits[name] += each.low <= truth[name] <= each.high
    for name in truth:
        yield Row(name, "3 systems", f"{size} contexts", COVERAGE, hits[name], number[name])


def _panel(size: int, runs: int, rng: np.random.Generator) -> Row:
    hits = number = 0
    for _ in range(runs):
        shared, own = rng.normal(size=(3 * size, 1)), rng.normal(size=(3 * size, 3))
        end = independent_judges(shared + own, 0.0, np.repeat(np.arange(size), 3))
        number += end.low == end.low
        hits += end.low <= 2 / (1 + 1 / 3) <= end.high
    return Row(
        "panel of 3 judges", "half of the error shared", f"{size} contexts", COVERAGE, hits, number
    )


def _beaten(size: int, runs: int, rng: np.random.Generator) -> Row:
    """Categories: a rater is right in 80 of 100 items, the judge in 80 less the tolerance."""
    hits = 0
    for _ in range(runs):
        right = rng.random((size, 3)) < np.array([0.8, 1.0, 1.0])
        ratings = np.where(right, 1.0, 2.0)
        judge = np.where(rng.random(size) < 0.6, 1.0, 3.0)
        test = alternative_annotator_test(ratings, judge, 0.2, "accuracy")
        hits += test.raters[0].p < LEVEL
    return Row(
        "test beside one rater", "worse by the tolerance", f"{size} items", LEVEL, int(hits), runs
    )


STUDY = SimulationStudy("A judge beside people (`judge`)", TEXT, rows)
