"""Rates: their intervals, the intervals and tests of paired differences, and the power that is planned."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS, score_intervals
from rejoinder.metrics.ruq import RUQ
from rejoinder.planning.rates import plan_rates
from rejoinder.scoring.compare import compare_pairs
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.paired_rates import PairedRates, SeparateRates, mcnemar
from rejoinder.statistics.proportions import share_size
from simulations.clustered_items import COPIED, clustered_scores
from simulations.shapes import CLUSTERS
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy

SIZES = (5, 20, 100)
RATES = (0.5, 0.9, 0.99)
SHARED = 0.5
"""In so many of the items two systems pass or fail together, but for the difference of their rates."""
AT_ONCE, PERMUTATIONS, SWAPPED = 100, 500, 20
PAIRS = ((0.5, 0.5), (0.9, 0.9), (0.99, 0.99), (0.9, 0.8), (0.99, 0.9))
PLANS = (
    (0.9, 0.95, 0.14),
    (0.9, 0.95, 0.05),
    (0.5, 0.6, 0.5),
    (0.7, 0.9, 0.25),
    (0.95, 0.99, 0.04),
)
"""Two rates, and the share of the items that one system alone passes."""
POWER = 0.8

TEXT = """
Each item is passed with the probability that the row names, or with one that is drawn evenly from 0 to 1 in
each run. In a cluster an item is the cluster's own one with a chance of 0.71, so that two items of a cluster
correlate by 0.5; of a pair of systems half of the items are passed by both or by none, but for the difference
of the two rates. Clusters are `equal` (5 items each), `one half` (one with half of the items, others of 2) or
`geometric` (1 to 20 items). "Test against the margin" is the one-sided test of the gate, with the true
difference as the margin; "swaps of clusters" is the p of `compare`, for two equal rates.

Over rates of 0 to 1 Wilson's interval holds the truth in 95 to 96 of 100 cases of 5 to 100 items, in 95 to 98
of 20 and 100 clusters of every shape, and in 98 of 5 clusters. It dips where a single failure more or less
puts the truth outside: it holds a rate of 0.9 in 92 of 100 cases of 5 items, and one of 0.99 in 92 of 100
items. It dips most where one cluster has half of the items and fails as a whole: a rate of 0.9 is held in
91.4 of 100 cases of 100 such clusters (40,000 further runs, error 0.1); a note of the command says that the
intervals depend on that cluster. Clopper and Pearson's (`--exact`) holds 95 to 100.
Tango's interval of a difference holds it in 92 to 100 of 100 cases, and in nearly all where hardly an item
tells the two apart; Mee's in 94 to 100. No test errs in more than 5.3 of 100.

The power of plans without a pilot (`plan --rates`) is enumerated for 80%, and is 79 to 81%.
"""


def rows(runs: int, seed: int) -> Iterator[Row]:
    """Single rates and paired differences, of independent items and of clusters of every shape."""
    for shape, sizes_of in CLUSTERS.items():
        for size in SIZES:
            sizes = np.ones(size, dtype=np.int64) if sizes_of is None else sizes_of(size)
            words = f"{size} items" if sizes_of is None else f"{size} clusters, {shape}"
            rng = np.random.default_rng([seed, size])
            for p in (None, *RATES):
                yield from _single(p, sizes, words, runs, rng)
            for pair in (None, *PAIRS):
                yield from _paired(pair, sizes, words, runs, rng)
    for size in SIZES:
        rng = np.random.default_rng([seed, size])
        for pair in (None, *PAIRS):
            yield from _separate(pair, size, runs, rng)
    for shape in ("equal", "one half", "geometric"):
        for p in RATES[:2]:
            yield _swaps(p, shape, runs, np.random.default_rng(seed))
    planned = (row for plan in PLANS for row in _planned(*plan, runs, np.random.default_rng(seed)))
    # Other items on each side do not depend on the share that one system alone passes.
    yield from {row[:3]: row for row in planned}.values()


def _uniforms(sizes: np.ndarray, runs: int, rng: np.random.Generator) -> Floats:
    """What decides whether each item is passed: float64 [runs, n], alike in a cluster."""
    own = rng.random((runs, int(sizes.sum())))
    of_cluster = np.repeat(rng.random((runs, sizes.size)), sizes, axis=1)
    return np.where((rng.random(own.shape) < COPIED) & (sizes.max() > 1), of_cluster, own)


def _groups(sizes: np.ndarray) -> Groups | None:
    return (
        None
        if sizes.max() == 1
        else Groups.of(np.repeat(np.arange(sizes.size), sizes), int(sizes.sum()))
    )


def _rates(p: float | None, runs: int, rng: np.random.Generator) -> Floats:
    """The true rate of each run: p, or drawn evenly."""
    return rng.random(runs) if p is None else np.full(runs, p)


def _held(low: Floats, high: Floats, truth: Floats) -> tuple[int, int]:
    return int(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).sum()), low.size


def _single(
    p: float | None, sizes: np.ndarray, words: str, runs: int, rng: np.random.Generator
) -> Iterator[Row]:
    truth, groups = _rates(p, runs, rng), _groups(sizes)
    passed = (_uniforms(sizes, runs, rng) < truth[:, None]).astype(np.float64)
    worth = None if groups is None else np.array([share_size(each, groups) for each in passed])
    data = "rates of 0 to 1" if p is None else f"a rate of {p:g}"
    for name, exact in (("Wilson's", False), ("Clopper and Pearson's", True)):
        ends = _ends(passed.mean(axis=1), sizes.sum() if worth is None else worth, exact)
        yield Row(f"a rate, {name}", data, words, COVERAGE, *_held(*ends, truth))


def _ends(shares: Floats, n: float | Floats, exact: bool) -> tuple[Floats, Floats]:
    """The ends of the intervals, each computed once."""
    different, code = np.unique(
        np.stack([shares, np.broadcast_to(n, shares.shape)]), axis=1, return_inverse=True
    )
    left_out = np.zeros((different.shape[1], LEAST_ITEMS))
    low, high = score_intervals(RUQ(), different[0], left_out, different[1], exact=exact)
    return low[code], high[code]


def _drawn_pair(
    pair: tuple[float, float] | None, sizes: np.ndarray, runs: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Passes of two systems, float64 [runs, n] each, and the true difference of their rates."""
    first, second = (_rates(None if pair is None else pair[k], runs, rng) for k in (0, 1))
    a, other = _uniforms(sizes, runs, rng), _uniforms(sizes, runs, rng)
    b = np.where(rng.random(a.shape) < SHARED, a, other)
    return (
        (a < first[:, None]).astype(np.float64),
        (b < second[:, None]).astype(np.float64),
        first - second,
    )


def _of_pair(pair: tuple[float, float] | None) -> str:
    return "two rates of 0 to 1" if pair is None else f"rates of {pair[0]:g} and {pair[1]:g}"


def _paired(
    pair: tuple[float, float] | None,
    sizes: np.ndarray,
    words: str,
    runs: int,
    rng: np.random.Generator,
) -> Iterator[Row]:
    groups, data = _groups(sizes), _of_pair(pair)
    a, b, truth = _drawn_pair(pair, sizes, runs, rng)
    rates = PairedRates.of(a - b, groups)
    yield Row("a difference, Tango's", data, words, COVERAGE, *_held(*rates.interval(), truth))
    if pair is None:
        return
    tests = rates.margin_tests(abs(pair[0] - pair[1]))
    yield Row(
        "test against the margin", data, words, LEVEL, int((tests.not_higher < LEVEL).sum()), runs
    )
    if pair[0] == pair[1] and groups is None:
        p = [mcnemar(int(wins), int(losses)).mid_p for wins, losses, _ in zip(*rates, strict=True)]
        yield Row("McNemar's mid-p", data, words, LEVEL, int((np.array(p) < LEVEL).sum()), runs)


def _separate(
    pair: tuple[float, float] | None, size: int, runs: int, rng: np.random.Generator
) -> Iterator[Row]:
    first, second = (_rates(None if pair is None else pair[k], runs, rng) for k in (0, 1))
    n = np.full(runs, float(size))
    rates = SeparateRates(
        *(each for p in (first, second) for each in (rng.binomial(size, p).astype(np.float64), n))
    )
    held = _held(*rates.interval(), first - second)
    yield Row("a difference, Mee's", _of_pair(pair), f"{size} other items a side", COVERAGE, *held)


def _swaps(p: float, shape: str, runs: int, rng: np.random.Generator) -> Row:
    """The randomization test that swaps whole clusters, of two equal rates."""
    sizes_of = CLUSTERS[shape]
    assert sizes_of is not None
    sizes, found = sizes_of(SWAPPED), 0
    for begin in range(0, runs, AT_ONCE):
        number = min(AT_ONCE, runs - begin)
        a, b, _ = _drawn_pair((p, p), sizes, number, rng)
        passed = np.concatenate([a, b]).T
        rows = np.stack([passed, np.zeros_like(passed), np.ones_like(passed)], axis=2)
        pairs = [(run, number + run) for run in range(number)]
        table = compare_pairs(
            clustered_scores(RUQ(), rows, sizes, "user"), "m", pairs, PERMUTATIONS
        )
        found += int((table["p_randomization"] < LEVEL).sum())
    words = f"{SWAPPED} clusters, {shape}"
    return Row("swaps of clusters", _of_pair((p, p)), words, LEVEL, found, runs)


def _planned(
    first: float, second: float, discordant: float, runs: int, rng: np.random.Generator
) -> Iterator[Row]:
    """How often the test finds the difference on as many items as are planned."""
    needs = plan_rates(first, second, discordant, power=POWER).rate_needs.to_dicts()
    other, same = (row["items"] for row in needs)
    apart = (discordant + second - first) / 2
    shares = [apart, max(0.0, discordant - apart), 1 - discordant]
    drawn = rng.multinomial(same, shares, size=runs)
    p = np.array([mcnemar(int(wins), int(losses)).exact for wins, losses, _ in drawn])
    data = f"{_of_pair((first, second))}, one alone passes {discordant:g}"
    yield Row(
        "McNemar's exact p", data, f"{same} planned items", POWER, int((p < LEVEL).sum()), runs
    )
    x, y = (rng.binomial(other, each, runs).astype(np.float64) for each in (first, second))
    n = np.full(runs, float(other))
    low, high = SeparateRates(x, n, y, n).interval()
    found = int(((low > 0) | (high < 0)).sum())
    data = _of_pair((first, second))
    yield Row(
        "a difference excludes 0, Mee's", data, f"{other} planned items a side", POWER, found, runs
    )


STUDY = SimulationStudy(
    "Rates and their differences (`score`, `compare`, `plan --rates`)", TEXT, rows
)
