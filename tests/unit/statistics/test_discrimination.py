"""Accuracy within contexts and AUC over all, against a look at every pair."""

import numpy as np
import pytest

from lazily import lazily
from rejoinder.statistics.discrimination import compared, separation

metrics = lazily("sklearn.metrics")


@pytest.fixture
def drawn():
    """Three contexts of 2, 4 and 1 pairs, with many ties."""
    rng = np.random.default_rng(3)
    return rng.integers(-1, 3, (7, 2)).astype(float), np.array([5, 5, 7, 7, 7, 7, 9])


def naive_auc(values, context, counts):
    """Every good reply against every bad one, each weighing as its context does."""
    labels, sizes = np.unique(context, return_counts=True)
    weight = {c: n / s for c, n, s in zip(labels, counts, sizes, strict=True)}
    above = total = 0.0
    for g, c in zip(values[:, 0], context, strict=True):
        for b, d in zip(values[:, 1], context, strict=True):
            above += weight[c] * weight[d] * ((g > b) + (g == b) / 2)
            total += weight[c] * weight[d]
    return above / total


def test_by_hand():
    # Context 0: one pair won, one tied at 0; context 1: lost.
    values = np.array([[0.5, 0.2], [0.0, 0.0], [0.1, 0.4]])
    found = separation(values, np.array([0, 0, 1]), None)
    assert found.contexts.tolist() == [0.75, 0.0]
    assert (found.accuracy, found.ties, found.zeros, found.pairs) == (0.375, 0.25, 0.25, 3)
    # Good 0.5, 0 (half each), 0.1 (whole) against bad 0.2, 0 (half each), 0.4 (whole): 0.5 is above
    # all; 0 ties with one half; 0.1 is above one half: (0.5 * 2 + 0.5 * 0.25 + 0.5) / 4.
    assert found.auc == pytest.approx((1 + 0.125 + 0.5) / 4)
    assert np.isnan(found.row()["accuracy_low"])


def test_the_bootstrap_is_the_statistic_of_drawn_contexts(drawn):
    values, context = drawn
    counts = np.array([[1.0, 1, 1], [3, 0, 0], [0, 1, 2], [2, 1, 0]])
    found = separation(values, context, counts)
    each = found.contexts
    for row, accuracy, auc in zip(counts, found.accuracies, found.aucs, strict=True):
        assert accuracy == pytest.approx(row @ each / 3)
        assert auc == pytest.approx(naive_auc(values, context, row))
    assert found.auc == pytest.approx(found.aucs[0])


def test_the_pooled_auc_is_that_of_scikit_learn():
    rng = np.random.default_rng(5)
    values = np.round(rng.normal([0.4, 0.0], size=(60, 2)), 1)
    context = np.repeat(np.arange(20), 3)
    labels = np.tile([1, 0], 60)
    assert separation(values, context, None).auc == pytest.approx(
        metrics().roc_auc_score(labels, values.ravel())
    )


def test_the_difference_of_two_metrics(drawn):
    _, context = drawn
    counts = np.ones((1, 3))
    one = separation(np.stack([np.ones(7), np.zeros(7)], axis=1), context, counts)
    other = separation(np.zeros((7, 2)), context, counts)
    found = compared(one, other, 4000, np.random.default_rng(1))
    assert (found["difference"], found["auc_difference"]) == (0.5, 0.5)
    # Three contexts, half each: of the 8 swaps 2 reach as far.
    assert found["p"] == pytest.approx(0.25, abs=0.02)
    assert compared(one, one, 100, np.random.default_rng(1))["p"] == 1.0
    assert np.isnan(compared(one, other, 0, np.random.default_rng(1))["p"])
