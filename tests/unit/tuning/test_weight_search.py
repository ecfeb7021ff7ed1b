"""The exact line search: by hand, against a dense grid, within bounds."""

import itertools

import numpy as np
import pytest

from rejoinder.kernels.envelopes import envelopes
from rejoinder.tuning.weight_search import (
    CandidateRows,
    SearchLine,
    WeightSearch,
    best_of_lists,
    best_on_line,
)


def problem(features, rows, sizes, value):
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    return CandidateRows(np.asarray(features, float), bounds, np.asarray(rows, float), value)


# Two lists along one slope. Values and slopes of the first: 1 - g (score .2), 3 + g (.1), 1 + g (.3): it
# changes at -1. Of the second: 7 - g (.1), 3 + g (.2), 6 (.3): it changes at 1 and at 3. The sum of scores
# is .2 + .1 = .3 below -1, .1 + .1 = .2 up to 1, .1 + .3 = .4 up to 3, and .1 + .2 = .3 beyond.
BY_HAND = problem(
    [[1, -1], [3, 1], [1, 1], [7, -1], [3, 1], [6, 0]],
    [[0.2], [0.1], [0.3], [0.1], [0.2], [0.3]],
    [3, 3],
    lambda sums: sums[..., 0],
)


@pytest.mark.parametrize(
    ("high", "point", "value"), [(np.inf, 2.0, 0.4), (0.0, -2.0, 0.3), (-3.0, -3.0, 0.3)]
)
def test_by_hand(high, point, value):
    line = SearchLine.of(BY_HAND, np.array([0.0, 1.0]))
    at = BY_HAND.at(np.array([1.0, 0.0]))
    assert BY_HAND.value_of(best_of_lists(at, BY_HAND.bounds)) == pytest.approx(0.2)
    found = best_on_line(BY_HAND, line, at, np.arange(2), high=high)
    assert found == (point, pytest.approx(value))


def test_two_hulls_make_three_intervals():
    # Lines through 0 with the slopes -1 and 1 meet at 0; 1 - g and g - 1 meet at 1: two points, so that
    # the two lists together have three intervals.
    values, slopes = np.array([0.0, 0, 1, -1]), np.array([-1.0, 1, -1, 1])
    found = envelopes(values, slopes, np.array([0, 2, 4]), np.arange(2))
    assert found.candidates.tolist() == [0, 1, 2, 3]
    assert found.starts.tolist() == [-np.inf, 0.0, -np.inf, 1.0]


def test_of_equal_lines_the_first_stands_for_both():
    values, slopes = np.array([1.0, 1, 0]), np.array([0.0, 0, 0])
    found = envelopes(values, slopes, np.array([0, 3]), np.arange(1))
    assert (found.candidates.tolist(), found.starts.tolist()) == ([0], [-np.inf])


def test_a_dense_grid_finds_nothing_better():
    """1,000 problems in whole numbers: every interval between two lines that meet is tried."""
    rng = np.random.default_rng(5)

    def ratio(sums):
        return sums[..., 0] / sums[..., 1]

    for _ in range(1000):
        sizes = rng.integers(1, 7, rng.integers(1, 6))
        features = rng.integers(-5, 6, (sizes.sum(), 2))
        rows = rng.integers(1, 9, (sizes.sum(), 2))
        lists = problem(features, rows, sizes, ratio)
        at, line = lists.at(np.array([1.0, 0.0])), SearchLine.of(lists, np.array([0.0, 1.0]))
        point, height = best_on_line(lists, line, at, np.arange(sizes.size))

        def value(g, lists=lists):
            return lists.value_of(lists.chosen(np.array([1.0, g])))

        meets = sorted(
            {
                (a[0] - b[0]) / (b[1] - a[1])
                for begin, end in itertools.pairwise(lists.bounds)
                for a, b in itertools.combinations(features[begin:end].tolist(), 2)
                if a[1] != b[1]
            }
        )
        middles = [(a + b) / 2 for a, b in itertools.pairwise(meets)]
        grid = [meets[0] - 1, *middles, meets[-1] + 1] if meets else [0.0]
        assert height == max(map(value, grid)) == value(point)


def random_lists(seed=0, items=40, candidates=8, slope=1.0):
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((items * candidates, 3))
    features[:, 2] = 7.0  # tells no candidates apart
    quality = slope * features[:, 0] + 0.1 * rng.standard_normal(len(features))
    rows = np.stack([quality, np.ones(len(quality))], axis=1)
    return problem(features, rows, [candidates] * items, lambda sums: sums[..., 0] / sums[..., 1])


def test_the_search_finds_the_feature_that_matters():
    lists = random_lists()
    weights = WeightSearch.of(lists, 4, np.random.default_rng(1)).best()
    assert lists.value_of(lists.chosen(weights)) > 0.95 * lists.value_of(
        lists.chosen(np.array([1.0, 0, 0]))
    )
    assert abs(weights[0]) > 5 * abs(weights[1])
    assert weights[2] == 0


def test_weights_stay_within_bounds():
    lists = random_lists(slope=-1.0)
    low, high = np.array([-0.5, 0.0, -np.inf]), np.array([2.0, 1.0, np.inf])
    search = WeightSearch.of(lists, 6, np.random.default_rng(1), low, high)
    assert ((search.starts >= low) & (search.starts <= high)).all()
    weights = search.best()
    assert (weights >= low).all()
    assert (weights <= high).all()
    assert weights[0] < 0
    with_sign = WeightSearch.of(lists, 6, np.random.default_rng(1), np.array([0.0, 0, 0])).best()
    assert (with_sign >= 0).all()


def test_the_search_is_never_below_the_first_candidates_and_repeats():
    rng = np.random.default_rng(3)
    for seed in range(10):
        lists = random_lists(seed, items=6, candidates=3, slope=0.0)
        first = lists.value_of(lists.bounds[:-1])
        found = [WeightSearch.of(lists, 3, np.random.default_rng(seed)).best() for _ in range(2)]
        assert np.array_equal(*found)
        assert lists.value_of(lists.chosen(found[0])) >= first
    some = rng.permutation(6)[:4]
    assert WeightSearch.of(lists, 2, rng).best(some).shape == (3,)
