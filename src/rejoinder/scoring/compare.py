"""Which system is better, and how sure that is: paired tests on the same items."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.metrics.resampling import intervals, narrow, permutation_masks

if TYPE_CHECKING:
    from rejoinder.scoring.scores import Measured, Scores

# Differences this small are noise of the arithmetic: two items tie, a permutation reaches.
NOISE = 1e-12
ALPHA, POWER = 0.05, 0.80
DETECTABLE = NormalDist().inv_cdf(1 - ALPHA / 2) + NormalDist().inv_cdf(POWER)


def compare(
    scores: Scores, a: str | None = None, b: str | None = None, *, permutations: int = 10_000
) -> pl.DataFrame:
    """Holds pairs of systems against each other, under every metric, on the same items.

    Two tests of the same hypothesis, that the two systems score alike: the paired bootstrap (Koehn
    2004, centred as sacreBLEU does it), which resamples items, and approximate randomization
    (Riezler and Maxwell 2005), which swaps the two systems' replies item by item. Both give
    ``p = (c + 1) / (n + 1)``, two-sided. Holm's correction takes all pairs of a metric for one
    family.

    Args:
        scores: What was measured.
        a: A system; None compares every pair.
        b: Another; None compares ``a`` with every other system.
        permutations: Trials of the randomization test; the resamples are the scores' own.

    Returns:
        A row for each metric and pair, in the metric's own range:
        ``metric``, ``a``, ``b``, ``value_a``, ``value_b``; ``difference`` (a - b) with its 95%
        bootstrap interval ``low``, ``high``; ``p_bootstrap``, ``p_randomization`` and both after
        Holm (``..._holm``); ``wins``, ``ties``, ``losses`` of a by the scores of single items;
        ``detectable``, the smallest difference that a test at the 5% level on this many items would
        show with 80% power: 2.80 times the bootstrap's standard error of the difference; ``n``.

    Raises:
        ParameterError: A system is unknown, there is no pair, or there are no resamples.
    """
    if scores.resamples < 1 or permutations < 1:
        raise ParameterError("a comparison needs at least one resample and one permutation")
    pairs = _pairs(scores, a, b)
    tables = [
        _compare(scores, label, measured, pairs, permutations)
        for label, measured in scores.measured.items()
    ]
    return pl.concat(tables)


def _pairs(scores: Scores, a: str | None, b: str | None) -> list[tuple[int, int]]:
    if len(scores.names) < 2:
        raise ParameterError(
            f"there is one system alone, {one_of(scores.names)}; a comparison needs two"
        )
    if a is None and b is None:
        return list(combinations(range(len(scores.names)), 2))
    if a is None or b is None:
        one = scores.place(a or b or "")
        return [(one, other) for other in range(len(scores.names)) if other != one]
    if a == b:
        raise ParameterError(f"'{a}' cannot be compared with itself; name two systems")
    return [(scores.place(a), scores.place(b))]


def _compare(
    scores: Scores,
    label: str,
    measured: Measured,
    pairs: list[tuple[int, int]],
    permutations: int,
) -> pl.DataFrame:
    metric, rows = measured.metric, measured.rows
    a = np.array([pair[0] for pair in pairs])
    b = np.array([pair[1] for pair in pairs])
    values = metric.score(rows.sums())
    difference = values[a] - values[b]
    resampled = scores.resampled(label)
    drawn = resampled[a] - resampled[b]
    centred = drawn - drawn.mean(axis=1, keepdims=True)
    low, high = intervals(metric, difference, drawn)
    reach = np.abs(difference)[:, None] - NOISE
    p_bootstrap = (1 + (np.abs(centred) >= reach).sum(axis=1)) / (1 + scores.resamples)
    p_randomization = _randomization(scores, measured, a, b, difference, permutations)
    segments = rows.segments(metric)
    better = segments[a] - segments[b]
    if not metric.higher_is_better:
        better = -better
    return pl.DataFrame(
        {
            "metric": [label] * len(pairs),
            "a": [scores.names[i] for i in a],
            "b": [scores.names[i] for i in b],
            "value_a": values[a],
            "value_b": values[b],
            "difference": difference,
            "low": low,
            "high": high,
            "p_bootstrap": p_bootstrap,
            "p_bootstrap_holm": holm(p_bootstrap),
            "p_randomization": p_randomization,
            "p_randomization_holm": holm(p_randomization),
            "wins": (better > NOISE).sum(axis=1),
            "ties": (np.abs(better) <= NOISE).sum(axis=1),
            "losses": (better < -NOISE).sum(axis=1),
            "detectable": DETECTABLE * drawn.std(axis=1),
            "n": [measured.n] * len(pairs),
        }
    )


def _randomization(
    scores: Scores, measured: Measured, a: Indices, b: Indices, difference: Floats, trials: int
) -> Floats:
    """The p-value of each pair: how often swapped replies differ as much as the real ones.

    Swapping the items of a mask turns A's sum into ``A - mask @ A + mask @ B``: one product gives
    the sums of all systems, and with them those of all pairs.
    """
    metric, rows = measured.metric, measured.rows
    sums = rows.sums()
    reached = np.zeros(a.size)
    rng = np.random.default_rng(scores.seed)
    for block in permutation_masks(measured.height, trials, rng):
        for mask in narrow(block, rows):
            swapped = rows.totals(mask)
            # As many pairs at a time as the processor's cache holds.
            numbers = a.size * swapped[0].size
            for some in np.array_split(np.arange(a.size), max(1, min(a.size, numbers >> 16))):
                moved = swapped[b[some]] - swapped[a[some]]
                of_a = metric.score(sums[a[some]][:, None] + moved)
                of_b = metric.score(sums[b[some]][:, None] - moved)
                far = np.abs(of_a - of_b) >= np.abs(difference[some])[:, None] - NOISE
                reached[some] += far.sum(axis=1)
    return (1 + reached) / (1 + trials)


def holm(p: Floats) -> Floats:
    """Holm's step-down correction (1979) of a family of p-values: float64 [m] to float64 [m].

    The i-th smallest of m is multiplied by m - i + 1; none may fall below a smaller one's.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    scaled = np.minimum(1.0, p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.maximum.accumulate(scaled)
    return corrected
