"""Bradley-Terry strengths by hand, by their likelihood equations, and where there are none."""

import math

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.bradley_terry import (
    bradley_terry,
    bradley_terry_intervals,
    reason_no_strengths,
)
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.head_to_head import tally


def contests(seed, n, logs):
    """Outcomes of random contests between systems of known strength, with some ties."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, len(logs), n)
    b = (a + rng.integers(1, len(logs), n)) % len(logs)
    won = rng.random(n) < 1 / (1 + np.exp(logs[b] - logs[a]))
    return a, b, np.where(rng.random(n) < 0.1, 0, np.where(won, 1, -1))


def test_two_systems_by_hand():
    # The odds are the points': log(6 / 2), halved to either side of 0.
    values = bradley_terry(np.array([[0.0, 6.0], [2.0, 0.0]]))
    assert values == pytest.approx([math.log(3) / 2, -math.log(3) / 2])


def test_the_likelihood_is_stationary():
    # At the maximum every system's points are what its strengths expect (Hunter 2004, section 2).
    logs = np.array([1.0, 0.2, 0.0, -0.5, -0.7])
    points = tally(*contests(0, 900, logs), 5).points
    values = bradley_terry(points)
    chance = 1 / (1 + np.exp(values[None, :] - values[:, None]))
    expected = ((points + points.T) * chance).sum(axis=1)
    np.testing.assert_allclose(expected, points.sum(axis=1), rtol=1e-9)
    assert values.mean() == pytest.approx(0, abs=1e-12)
    assert np.abs(values - (logs - logs.mean())).max() < 0.5


def test_a_chain_of_systems_settles():
    # Each met its neighbour alone, 3 to 1: neighbours differ by log 3 exactly.
    points = np.zeros((12, 12))
    for i in range(11):
        points[i, i + 1], points[i + 1, i] = 3, 1
    np.testing.assert_allclose(-np.diff(bradley_terry(points)), math.log(3), atol=1e-6)


def test_leading_axes():
    points = np.random.default_rng(1).integers(1, 9, (2, 3, 4, 4)).astype(float)
    points[..., range(4), range(4)] = 0
    points[1, 2, 0] = 0  # here the first never wins
    values = bradley_terry(points)
    assert np.isnan(values[1, 2]).all()
    for i in [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]:
        np.testing.assert_allclose(values[i], bradley_terry(points[i]), atol=1e-9)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ([[0, 2], [0, 0]], "system 0 never loses: its strength has no bound"),
        ([[0, 1, 0], [1, 0, 1], [0, 0, 0]], "system 2 never wins: its strength has no bound"),
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], "system 2 never met another"),
        (
            # two pairs that met each other, and one way between them
            [[0, 1, 2, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
            "no chain of wins leads from system 2 to system 0",
        ),
        ([[0]], "fewer than 2 systems"),
        (np.zeros((0, 0)), "fewer than 2 systems"),
    ],
)
def test_no_strengths(points, reason):
    points = np.array(points, dtype=float)
    assert np.isnan(bradley_terry(points)).all()
    assert reason_no_strengths(points).startswith(reason)


def test_ties_connect():
    points = np.array([[0.0, 2.5], [0.5, 0.0]])
    assert reason_no_strengths(points) is None
    assert bradley_terry(points)[0] == pytest.approx(math.log(5) / 2)


@pytest.mark.parametrize("labels", [None, np.arange(120) // 3], ids=["contests", "groups"])
def test_intervals_are_the_naive_loop(labels):
    a, b, winner = contests(2, 120, np.array([0.5, 0.0, -0.5]))
    naive = np.full((40, 3), np.nan)
    drawn = Groups.of(labels, 120).resampled(40, np.random.default_rng(3))
    for rows, blocks in drawn:
        for row, picked in zip(rows, blocks, strict=True):
            naive[row] = bradley_terry(tally(a[picked], b[picked], winner[picked], 3).points)
    ours = bradley_terry_intervals(a, b, winner, 3, labels, 40, np.random.default_rng(3))
    low, high = np.quantile(naive, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(ours.low, low, atol=1e-9)
    np.testing.assert_allclose(ours.high, high, atol=1e-9)
    np.testing.assert_allclose(ours.values, bradley_terry(tally(a, b, winner, 3).points))
    assert ours.reason is None


def test_no_intervals():
    a, b = np.zeros(6, dtype=int), np.ones(6, dtype=int)
    always = bradley_terry_intervals(
        a, b, np.ones(6, dtype=int), 2, None, 9, np.random.default_rng(4), names=["x", "y"]
    )
    assert np.isnan(always.values).all()
    assert always.reason.startswith("'x' never loses")
    # one loss of 6 is missing from (5/6)^6 = 33% of the resamples
    once = np.array([1, 1, 1, 1, 1, -1])
    thin = bradley_terry_intervals(a, b, once, 2, None, 200, np.random.default_rng(5))
    assert thin.values[0] == pytest.approx(math.log(5) / 2)
    assert np.isnan(thin.low).all()
    assert 35 < thin.undefined < 105
    assert "resamples are undefined" in thin.reason
    few = bradley_terry_intervals(a[3:], b[3:], once[3:], 2, None, 9, np.random.default_rng(6))
    assert few.reason == "fewer than 4 groups to resample"
    none = bradley_terry_intervals(a[:0], b[:0], once[:0], 2, None, 9, np.random.default_rng(7))
    assert none.reason.startswith("system 0 never met another")


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match=r"shape \(2, 3\)"):
        bradley_terry(np.zeros((2, 3)))
    with pytest.raises(InputError, match="negative or infinite"):
        bradley_terry(np.array([[0.0, -1.0], [1.0, 0.0]]))
    with pytest.raises(InputError, match="met itself"):
        bradley_terry(np.ones((2, 2)))
    with pytest.raises(ParameterError, match="resamples=0"):
        bradley_terry_intervals(
            np.array([0]), np.array([1]), np.array([1]), 2, None, 0, np.random.default_rng(8)
        )
