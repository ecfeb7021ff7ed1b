"""Tallies, the sign test and Wilson's interval, by hand."""

import math

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.head_to_head import sign_test, tally
from rejoinder.statistics.proportions import wilson

A, B = np.array([0, 0, 1, 2, 1, 0]), np.array([1, 1, 0, 0, 2, 2])
WINNER = np.array([1, -1, 0, 1, 0, -1])


def test_tally_by_hand():
    # 0-1: one win each and a tie; 2 beat 0 twice, once from either side; 1-2: a tie
    counted = tally(A, B, WINNER, 3)
    assert counted.wins.tolist() == [[0, 1, 0], [1, 0, 0], [2, 0, 0]]
    assert counted.ties.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert counted.points.tolist() == [[0, 1.5, 0], [1.5, 0, 0.5], [2, 0.5, 0]]


def test_wilson_by_hand():
    # 3 wins, 5 losses, 2 ties: p = .4, n = 10, z = 1.96: (.4 + .19207 +- 1.96 sqrt(.024 + .0096037))
    # / 1.384146 = (.59207 +- .35929) / 1.38415
    interval = wilson(0.4, 10)
    assert (interval.low, interval.high) == pytest.approx((0.16818, 0.68733), abs=1e-4)
    assert wilson(0.0, 4).low == 0.0
    assert wilson(1.0, 4).high == 1.0


def test_sign_test_by_hand():
    assert sign_test(3, 0) == pytest.approx(2 / 8)
    assert sign_test(1, 4) == pytest.approx(2 * (1 + 5) / 32)
    assert sign_test(4, 4) == 1.0
    assert math.isnan(sign_test(0, 0))
    assert 0 < sign_test(52_000, 50_000) < 1e-8  # no coefficient of these fits into a float


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="0 against 3 with outcome 1 in row 1"):
        tally(np.array([0, 0]), np.array([1, 3]), np.array([1, 1]), 3)
    with pytest.raises(InputError, match="1 against 1"):
        tally(np.array([1]), np.array([1]), np.array([0]), 3)
    with pytest.raises(InputError, match="with outcome 2"):
        tally(np.array([1]), np.array([0]), np.array([2]), 3)
    with pytest.raises(InputError, match="give a, b and the winner"):
        tally(np.array([1]), np.array([0]), np.array([1, 1]), 3)
    with pytest.raises(ParameterError, match="n above 0"):
        wilson(0.5, -1)
    with pytest.raises(ParameterError, match="give counts"):
        sign_test(-1, 2)
    with pytest.raises(ParameterError, match="level"):
        wilson(0.3, 3, level=1.0)
