"""Soft pairwise accuracy, worked by hand."""

from itertools import combinations

import numpy as np
import pytest

from rejoinder.statistics.soft_pairwise import (
    reached,
    renamed,
    soft_pairwise_accuracy,
    without_each_system,
)

PAIRS = np.array(list(combinations(range(4), 2)))


def test_p_of_one_pair_by_hand():
    # Differences 3, 1 of two items: swaps give 4, 2, -2, -4; the observed 4 ties with itself.
    drawn = np.array([[4.0, 2.0, -2.0, -4.0]])
    assert reached(drawn, np.array([4.0])).tolist() == [0.5]
    assert reached(-drawn, np.array([-4.0])).tolist() == [3.5]  # 1 - p from the other side


def test_undefined_draws_have_no_p():
    assert np.isnan(reached(np.array([[1.0, np.nan]]), np.array([1.0]))).all()


def test_equal_certainty_is_one_and_opposite_is_zero():
    people = np.array([0.0, 0.3, 1.0])
    assert soft_pairwise_accuracy(people, people) == 1
    assert soft_pairwise_accuracy(np.array([0.0, 1.0]), np.array([1.0, 0.0])) == 0
    assert np.isnan(soft_pairwise_accuracy(np.array([]), np.array([])))
    assert np.isnan(soft_pairwise_accuracy(people, np.array([0.0, np.nan, 1.0])))


def test_leaving_out_a_system_leaves_out_its_pairs():
    people, metric = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5]), np.zeros(6)
    # Pairs 01 02 03 12 13 23: without system 0 the last three are left.
    without = without_each_system(people, metric, PAIRS)
    assert without == pytest.approx([1 - 0.4, 1 - 0.8 / 3, 1 - 0.6 / 3, 1 - 0.4 / 3])


def test_renamed_systems_are_a_naive_loop():
    rng = np.random.default_rng(0)
    people, metric = rng.random(6), rng.random(6)
    table = np.full((4, 4), 0.5)
    for (a, b), p in zip(PAIRS, people, strict=True):
        table[a, b], table[b, a] = p, 1 - p
    orders = np.random.default_rng(5).permuted(np.tile(np.arange(4), (7, 1)), axis=1)
    naive = [
        1 - np.mean([abs(table[o[a], o[b]] - m) for (a, b), m in zip(PAIRS, metric, strict=True)])
        for o in orders
    ]
    again = renamed(people, metric, PAIRS, 7, np.random.default_rng(5))
    assert again == pytest.approx(naive)
