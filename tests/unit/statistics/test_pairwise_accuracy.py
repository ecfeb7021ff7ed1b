"""Pairwise accuracy by hand, beside a naive loop, and on the published worked example."""

from itertools import combinations

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.pairwise_accuracy import best_epsilon, decided_accuracy, pairwise_accuracy

# Worked in the tests of mt-metrics-eval (which Deutsch et al. 2023 publish): accuracy 0.6, with
# epsilon 2 it is 0.4, and calibrated 0.7.
PEOPLE, METRIC = np.array([1.0, 2.0, 2.0, 3.0, 4.0]), np.array([2.0, 1.0, 1.5, 5.0, 3.0])


def naive(x, y, groups, epsilon, decided=False):
    """The mean of the groups' accuracies."""
    each = []
    for label in sorted(set(groups.tolist())):
        inside, verdicts = np.flatnonzero(groups == label), []
        for i, j in combinations(inside, 2):
            if decided and y[i] == y[j]:
                continue
            metric = 0 if abs(x[i] - x[j]) <= epsilon else np.sign(x[i] - x[j])
            verdicts.append(metric == np.sign(y[i] - y[j]))
        if verdicts:
            each.append(np.mean(verdicts))
    return np.mean(each)


def random_data(seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 12, 50)
    y = rng.integers(1, 5, 50).astype(float)
    return np.round(y + 1.5 * rng.normal(size=50), 1), y, groups


def test_the_published_example():
    assert pairwise_accuracy(METRIC, PEOPLE, None).accuracy == pytest.approx(0.6)
    assert pairwise_accuracy(METRIC, PEOPLE, None, epsilon=2).accuracy == pytest.approx(0.4)
    epsilon = best_epsilon(METRIC, PEOPLE, None)
    assert pairwise_accuracy(METRIC, PEOPLE, None, epsilon).accuracy == pytest.approx(0.7)
    # 6 of the 9 pairs that people decide are in order
    assert decided_accuracy(METRIC, PEOPLE, None).accuracy == pytest.approx(6 / 9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("epsilon", [0.0, 0.35, 2.0])
def test_the_naive_loop(seed, epsilon):
    x, y, groups = random_data(seed)
    expected = naive(x, y, groups, epsilon)
    assert pairwise_accuracy(x, y, groups, epsilon).accuracy == pytest.approx(expected)
    expected = naive(x, y, groups, 0.0, decided=True)
    assert decided_accuracy(x, y, groups).accuracy == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_best_epsilon_by_trying_all(seed):
    x, y, groups = random_data(10 + seed)
    tried = [0.0, *sorted({abs(i - j) for i, j in combinations(x.tolist(), 2)})]
    found = [pairwise_accuracy(x, y, groups, e).accuracy for e in tried]
    epsilon = best_epsilon(x, y, groups)
    ours = pairwise_accuracy(x, y, groups, epsilon).accuracy
    assert ours == pytest.approx(max(found))
    assert not any(f > ours - 1e-9 for e, f in zip(tried, found, strict=True) if e < epsilon)


def test_ties_are_counted():
    x, y = np.array([1.0, 1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0, 2.0])
    result = pairwise_accuracy(x, y, None)
    # pairs 01 tied for both (right), 02 12 tied for people alone (wrong), 03 13 23 in order
    assert result.accuracy == pytest.approx(4 / 6)
    assert (result.pairs, result.people_ties, result.metric_ties) == (6, 3, 1)
    assert best_epsilon(x, y, None) == 1.0  # 02 and 12 are gained and 23 is lost: 5/6
    decided = decided_accuracy(x, y, None)
    assert (decided.accuracy, decided.pairs, decided.people_ties) == (1.0, 3, 3)


def test_a_constant_metric_is_right_where_people_tie():
    y = np.array([1.0, 1.0, 2.0])
    assert pairwise_accuracy(np.full(3, 0.3), y, None).accuracy == pytest.approx(1 / 3)
    assert decided_accuracy(np.full(3, 0.3), y, None).accuracy == 0.0


@pytest.mark.parametrize(
    ("x", "y", "groups"),
    [
        ([], [], None),
        ([1.0], [1.0], None),
        ([1.0, 2.0], [1.0, 2.0], [0, 1]),  # no context has two
        ([1.0, np.nan], [1.0, 2.0], None),
        ([1.0, 2.0], [1.0, np.nan], None),
        ([np.inf, np.inf], [1.0, 2.0], None),
    ],
)
def test_undefined(x, y, groups):
    x, y = np.array(x), np.array(y)
    groups = None if groups is None else np.array(groups)
    assert np.isnan(pairwise_accuracy(x, y, groups).accuracy)
    assert np.isnan(decided_accuracy(x, y, groups).accuracy)
    assert np.isnan(best_epsilon(x, y, groups))


def test_people_who_tie_everywhere_decide_nothing():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 3.0])
    assert np.isnan(decided_accuracy(x, y, None).accuracy)
    assert decided_accuracy(x, y, None).people_ties == 1
    assert best_epsilon(x, y, None) == 1.0


def test_what_makes_no_sense_is_refused():
    x = np.arange(3.0)
    with pytest.raises(ParameterError, match="epsilon=-1 is below 0"):
        pairwise_accuracy(x, x, None, epsilon=-1)
    with pytest.raises(InputError, match="last axis"):
        pairwise_accuracy(x, x[:2], None)
    with pytest.raises(InputError, match="one vector of each"):
        pairwise_accuracy(x[None], x, None)
