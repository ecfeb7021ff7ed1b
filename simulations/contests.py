"""Strengths from contests: intervals by the sandwich, tests of two systems, ties, covariates, judges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.contest_likelihood import Contests
from rejoinder.statistics.paired_comparisons import (
    Ties,
    fit,
    p_of_differences,
    parameter_intervals,
)
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

SIZES = (10, 20, 66)
STRENGTHS = np.array([0.6, 0.1, -0.2, -0.5])
TIE, EFFECT, DISCRIMINATION = 0.7, 0.5, 1.6
RATERS = 12

TEXT = """
Four systems, a contest of each of the six pairs on every item by each of its judges, outcomes by Davidson's
model (nu 0.7, where there are ties). Intervals and tests are by the sandwich over items, with Student's t.
`no ties`: one judge for each item. `ties`: the same with ties. `covariate`: log odds of 0.5 for each unit of
a covariate. `judge`: beside a person a judge with discrimination 1.6 votes. `raters`: 12 raters, each with an
inclination of their own to each system, rate every item; clusters are items and raters, and the truth is that
of very many raters. The test compares two systems of equal strength.

From 20 items on intervals hold the truth in 93 to 97 of 100 cases. At 10 items that of a discrimination does
in 92, and the test of two systems beside a judge is cautious: it errs in 2 of 100.
"""


class Votes(NamedTuple):
    """Contests, the item and the rater of each, float64 and int64 [n]."""

    contests: Contests
    item: Indices
    rater: Indices


def votes(rng: np.random.Generator, items: int, kind: str, strengths: Floats = STRENGTHS) -> Votes:
    """Contests of all pairs on every item."""
    judges = {"judge": 2, "raters": RATERS}.get(kind, 1)
    pairs = np.array([(i, j) for i in range(len(strengths)) for j in range(i)])
    item, rater, pair = (
        each.ravel() for each in np.indices((items, judges, len(pairs)), dtype=np.int64)
    )
    a, b = pairs[pair].T
    x = rng.normal(size=(a.size, 1)) if kind == "covariate" else np.zeros((a.size, 0))
    taste = np.zeros((judges, len(strengths)))
    if kind == "raters":
        taste = 0.5 * rng.normal(size=taste.shape)
    eta = strengths[a] - strengths[b] + taste[rater, a] - taste[rater, b] + x.sum(axis=1) * EFFECT
    if kind == "judge":
        eta = np.where(rater == 1, DISCRIMINATION, 1.0) * eta
    won, lost = np.exp(eta / 2), np.exp(-eta / 2)
    nu = 0.0 if kind == "no ties" else TIE
    point = rng.random(a.size) * (won + lost + nu)
    winner = np.where(point < won, 1, np.where(point < won + lost, -1, 0))
    judge = rater if kind == "judge" else np.zeros_like(rater)
    return Votes(Contests(a, b, winner, len(strengths), x, judge), item, rater)


KINDS: tuple[tuple[str, Ties], ...] = (
    ("no ties", "half"),
    ("ties", "davidson"),
    ("covariate", "davidson"),
    ("judge", "davidson"),
    ("raters", "davidson"),
)


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Every kind at every size: intervals of one strength and of the last parameter, and a test."""
    for place, (kind, ties) in enumerate(KINDS):
        for size in SIZES:
            yield from _of(kind, ties, size, runs, np.random.default_rng([seed, place, size]))


def _of(kind: str, ties: Ties, size: int, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    truth = _truth(kind, ties, rng)
    hits = np.zeros(2, int)
    number = errs = tests = 0
    for _ in range(runs):
        sample = votes(rng, size, kind)
        fitted = fit(sample.contests, ties)
        clusters, groupings = _clusters(sample, kind, size)
        ends = parameter_intervals(fitted, fitted.covariance(*groupings), clusters)
        if ends.reason is None:
            number += 1
            hits += [(ends.low[i] <= truth[i] <= ends.high[i]) for i in (0, -1)]
        equal = votes(rng, size, kind, np.array([0.3, 0.3, -0.1, -0.5]))
        fitted = fit(equal.contests, ties)
        p = p_of_differences(fitted, fitted.covariance(*groupings), clusters)[0, 1]
        errs += int(p < LEVEL)
        tests += int(p == p)
    size_words = f"{size} items" + (f" x {RATERS} raters" if kind == "raters" else "")
    yield Row("strength", kind, size_words, COVERAGE, int(hits[0]), number)
    if len(truth) > len(STRENGTHS):
        last = {"ties": "log nu", "covariate": "log nu", "judge": "discrimination"}
        yield Row(last.get(kind, "log nu"), kind, size_words, COVERAGE, int(hits[1]), number)
    yield Row("test of two systems", kind, size_words, LEVEL, errs, tests)


def _clusters(sample: Votes, kind: str, size: int) -> tuple[int, tuple[Indices, ...]]:
    if kind == "raters":
        return min(size, RATERS), (sample.item, sample.rater)
    return size, (sample.item,)


def _truth(kind: str, ties: Ties, rng: np.random.Generator) -> Floats:
    """The parameters of very many items; with raters, of very many of them."""
    if kind == "raters":
        fits = [fit(votes(rng, 60, kind).contests, ties).parameters for _ in range(400)]
        return np.mean(fits, axis=0)
    return fit(votes(rng, 200_000, kind).contests, ties).parameters


STUDY = SimulationStudy("Strengths from contests (`preferences`)", TEXT, rows)
