"""The weights of an ensemble's sizes against a search by hand, and where there is nothing to fit."""

import numpy as np
import pytest

pytest.importorskip("torch")

from rejoinder.models.ruber.fitting import size_weights


def ranked(rng, strength, n=400, candidates=5):
    scores = rng.normal(size=(n, candidates))
    scores[:, 0] += strength
    return scores


def loss(scores, weights):
    mixed = np.tensordot(weights, scores, axes=1)
    return np.mean(np.log(np.exp(mixed - mixed[:, :1]).sum(axis=1)))


def test_no_weights_of_a_grid_rank_better():
    rng = np.random.default_rng(5)
    scores = np.stack([ranked(rng, 1.5), ranked(rng, 0.7)])
    found = size_weights(scores, ["a", "b"])
    assert found.sum() == pytest.approx(1)
    # The shares are told, not the scale: the best scale for them is searched along.
    scales = np.linspace(0.1, 5, 99)
    best = min(loss(scores, scale * found) for scale in scales)
    for share in np.linspace(0, 1, 21):
        weights = np.array([share, 1 - share])
        assert best <= min(loss(scores, scale * weights) for scale in scales) + 1e-4


def test_members_of_a_size_share_its_weight():
    rng = np.random.default_rng(6)
    scores = np.stack([ranked(rng, 1.0), ranked(rng, 1.0), ranked(rng, 0.5)])
    weights = size_weights(scores, ["a", "a", "b"])
    assert weights[0] == weights[1] > weights[2] > 0
    assert weights.sum() == pytest.approx(1)


def test_one_size_is_a_mean():
    assert size_weights(np.zeros((3, 2, 4)), ["a"] * 3).tolist() == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_scores_that_tell_nothing_weigh_alike(value):
    weights = size_weights(np.full((2, 3, 4), value), ["a", "b"])
    assert weights.tolist() == pytest.approx([0.5, 0.5])
