"""scikit-learn as the oracle of Cohen's kappa, on the whole scale."""

import numpy as np
import pytest

from lazily import lazily
from rejoinder.statistics.kappa import WEIGHTS, pooled_kappa

metrics = lazily("sklearn.metrics")

SCALE = [1, 2, 3, 4, 5]


def theirs(a, b, weights):
    return metrics().cohen_kappa_score(
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
            ours = pooled_kappa(np.stack([a, b], axis=1).astype(float), weights).kappa
            assert ours == pytest.approx([theirs(a, b, weights)] * 2, abs=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_every_pair_with_ratings_missing(weights):
    rng = np.random.default_rng(10)
    matrix = rng.integers(1, 6, (40, 6)).astype(float)
    matrix[rng.random(matrix.shape) < 0.4] = np.nan
    for r in range(6):
        for s in range(r):
            both = ~np.isnan(matrix[:, r]) & ~np.isnan(matrix[:, s])
            a, b = matrix[both, r].astype(int), matrix[both, s].astype(int)
            ours = pooled_kappa(matrix[:, [r, s]], weights)
            assert ours.shared.tolist() == [both.sum()] * 2
            assert ours.kappa == pytest.approx([theirs(a, b, weights)] * 2, abs=1e-12)
