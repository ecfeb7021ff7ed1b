"""Swaps of whole systems against a naive loop, and the jackknife over systems by hand."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from rejoinder.statistics.system_jackknife import correlation_interval, difference_interval
from rejoinder.statistics.system_swaps import system_swaps

SYSTEMS, ASSIGNMENTS, UNITS = 4, 2, 3
ENDS = np.repeat(list(itertools.combinations(range(SYSTEMS), 2)), UNITS, axis=0)
SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y)[0],
}


def drawn(seed):
    rng = np.random.default_rng(seed)
    x1, x2 = rng.normal(size=(2, 2, ASSIGNMENTS, len(ENDS)))
    y = rng.normal(size=(ASSIGNMENTS, len(ENDS)))
    turned = rng.integers(0, 2, size=y.shape).astype(bool)
    return x1 + np.where(turned, -y, y) * [[[0.8]], [[-0.8]]], 5 * x2, y, turned


@pytest.mark.parametrize("name", SCIPY)
def test_it_is_the_naive_loop_over_all_swaps(name):
    x1, x2, y, turned = drawn(3)
    scaled = [x / np.sqrt(np.mean((x[0] - x[1]) ** 2)) for x in (x1, x2)]
    differences = {}
    for coins in itertools.product([0, 1], repeat=SYSTEMS):
        values = []
        for t in range(ASSIGNMENTS):
            two = []
            for metric in (0, 1):
                told = []
                for u, (a, b) in enumerate(ENDS):
                    side_a = scaled[metric ^ coins[a]][0, t, u]
                    side_b = scaled[metric ^ coins[b]][1, t, u]
                    told.append(-(side_a - side_b) if turned[t, u] else side_a - side_b)
                two.append(SCIPY[name](told, y[t]))
            values.append(two[0] - two[1])
        differences[coins] = np.mean(values)
    observed = abs(differences[0, 0, 0, 0])
    # Turning all coins around turns the sign, so half of the 16 are enough: 8, none swapped included.
    halves = [abs(d) for coins, d in differences.items() if coins[0] == 0]
    expected = sum(d >= observed - 1e-12 for d in halves) / 8
    told = system_swaps(x1, x2, y, ENDS, turned, name, 8, np.random.default_rng(0))
    assert told == (expected, 0.125)
    # The systems' places are names alone, and the two metrics' order does not matter.
    again = system_swaps(x2, x1, y, 7 * ENDS + 1, turned, name, 8, np.random.default_rng(0))
    assert again == told


def test_random_swaps_where_all_are_too_many():
    x1, x2, y, turned = drawn(3)
    told = system_swaps(x1, x2, y, ENDS, turned, "pearson", 7, np.random.default_rng(0))
    assert told.least == 1 / 8  # (c + 1) / (n + 1)
    assert told.p * 8 == round(told.p * 8) >= 1


def test_equal_metrics_and_undefined_ones():
    x1, _, y, turned = drawn(4)
    rng = np.random.default_rng(0)
    assert system_swaps(x1, 3 * x1, y, ENDS, turned, "spearman", 100, rng).p == 1.0
    assert math.isnan(system_swaps(x1, 0 * x1, y, ENDS, turned, "spearman", 100, rng).p)


def test_the_jackknife_by_hand():
    # z without each: 0, 0, 0, 1.2; mean 0.3; squares 3 * 0.09 + 0.81 = 1.08; 3 / 4 of it: 0.81, so
    # the error is 0.9, and t of two degrees at 95% is 4.302653.
    without = np.tanh([0.0, 0.0, 0.0, 1.2])
    told = correlation_interval(0.0, without)
    assert (told.low, told.high) == pytest.approx(
        (-math.tanh(0.9 * 4.302653), math.tanh(3.8723877))
    )
    told = difference_interval(0.1, np.array([0.0, 0.0, 0.0, 0.12]))
    assert (told.low, told.high) == pytest.approx((0.1 - 0.38723877, 0.1 + 0.38723877))
    assert difference_interval(0.1, np.array([0.0, 0.0, 0.0, 1.2])).high == 2.0


@pytest.mark.parametrize(
    ("value", "without", "reason"),
    [
        (0.5, [0.1, 0.2, 0.3], "fewer than 4 systems"),
        (0.5, [0.1, 0.2, 0.3, np.nan], "undefined without one of the systems"),
        (0.5, [0.1, 0.2, 0.3, -1.0], "1 or -1 without one of the systems"),
        (1.0, [0.1, 0.2, 0.3, 0.4], "the correlation is 1 or -1"),
        (0.5, [0.5, 0.5, 0.5, 0.5], "no spread"),
    ],
)
def test_there_is_no_interval(value, without, reason):
    told = correlation_interval(value, np.array(without))
    assert math.isnan(told.low)
    assert math.isnan(told.high)
    assert told.reason.endswith(reason) or reason in told.reason
