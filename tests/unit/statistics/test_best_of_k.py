"""pass@k, pass^k and order statistics of k samples: brute force over subsets, and Chen et al.'s estimator."""

import itertools
import math

import numpy as np
import pytest

from rejoinder.statistics.best_of_k import median_of_k, order_of_k


def no_pass(n, c, k):
    """The share of subsets of k in which none of the c passes is: one factor for each that is drawn."""
    return math.prod((n - c - drawn) / (n - drawn) for drawn in range(k))


@pytest.mark.parametrize("n", [1, 2, 5, 20, 200])
def test_passes_are_estimated_as_chen_et_al_do(n):
    for c in {0, 1, n // 3, n // 2, n - 1, n}:
        passed = np.r_[np.ones(c), np.zeros(n - c)]
        for k in {1, (n + 1) // 2, n}:
            assert order_of_k(passed, k, k) == pytest.approx(1 - no_pass(n, c, k), abs=1e-12)
            every = math.comb(c, k) / math.comb(n, k)
            assert order_of_k(passed, k, 1) == pytest.approx(every, abs=1e-12)


def test_every_order_is_the_mean_over_all_subsets():
    values = np.random.default_rng(3).normal(size=7)
    for k in range(1, 8):
        subsets = np.array([sorted(each) for each in itertools.combinations(values, k)])
        for rank in range(1, k + 1):
            expected = subsets[:, rank - 1].mean()
            assert order_of_k(values, k, rank) == pytest.approx(expected, abs=1e-12)
        assert median_of_k(values, k) == pytest.approx(np.median(subsets, axis=1).mean(), abs=1e-12)


def test_prompts_with_fewer_samples_have_no_value_and_equal_ones_their_own():
    nan = np.nan
    values = np.array([[0.1, 0.5, 0.3], [nan, 0.5, nan], [0.2, 0.5, nan], [0.3, 0.5, 0.4]])
    best = order_of_k(values, 3, 3)
    assert best[1] == 0.5  # exactly
    assert best[0] == pytest.approx(0.3)  # one subset of three: the greatest
    assert np.isnan(best[2])
    assert order_of_k(values[:, None], 1, 1).shape == (1, 3)
    assert order_of_k(values, 1, 1)[2] == pytest.approx(0.35)


def test_many_samples_are_exact():
    # C(1000, 500) is beyond float64; the shares are not.
    passed = np.r_[np.ones(3), np.zeros(997)]
    assert order_of_k(passed, 500, 500) == pytest.approx(1 - no_pass(1000, 3, 500), abs=1e-12)
