"""scikit-learn as the oracle of Cohen's kappa, on the whole scale."""

import numpy as np
import pytest

from rejoinder.statistics.kappa import WEIGHTS, pairwise_kappas, weighted_kappa

metrics = pytest.importorskip("sklearn.metrics")

SCALE = [1, 2, 3, 4, 5]


def theirs(a, b, weights):
    return metrics.cohen_kappa_score(
        a, b, labels=SCALE, weights=None if weights == "none" else weights
    )


@pytest.mark.parametrize("weights", WEIGHTS)
def test_random_raters(weights):
    rng = np.random.default_rng(9)
    for n in (3, 10, 200):
        for _ in range(20):
            a = rng.integers(1, 6, n)
            b = np.clip(a + rng.integers(-2, 3, n), 1, 5)
            if a.min() == a.max() == b.min() == b.max():
                continue
            ours = weighted_kappa(a.astype(float), b.astype(float), weights)
            assert ours == pytest.approx(theirs(a, b, weights), abs=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_every_pair_with_ratings_missing(weights):
    rng = np.random.default_rng(10)
    matrix = rng.integers(1, 6, (40, 6)).astype(float)
    matrix[rng.random(matrix.shape) < 0.4] = np.nan
    pairs = pairwise_kappas(matrix, weights)
    for r in range(6):
        assert np.isnan(pairs.kappa[r, r])
        for s in set(range(6)) - {r}:
            both = ~np.isnan(matrix[:, r]) & ~np.isnan(matrix[:, s])
            a, b = matrix[both, r].astype(int), matrix[both, s].astype(int)
            assert pairs.shared[r, s] == both.sum()
            assert pairs.kappa[r, s] == pytest.approx(theirs(a, b, weights), abs=1e-12)


def test_a_scale_in_an_order_of_its_own():
    # scikit-learn counts places among its labels, as `categories` does.
    rng = np.random.default_rng(11)
    a, b = rng.choice([0, 5, 25], 50), rng.choice([0, 5, 25], 50)
    order = [5, 0, 25]
    oracle = metrics.cohen_kappa_score(a, b, labels=order, weights="linear")
    ours = weighted_kappa(a.astype(float), b.astype(float), "linear", order)
    assert ours == pytest.approx(oracle, abs=1e-12)
