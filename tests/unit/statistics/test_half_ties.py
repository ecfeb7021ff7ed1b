"""Strengths without ties of their own by hand, by their likelihood equations, and where there are none."""

import math

import numpy as np
import pytest

from rejoinder.errors import InputError, ParameterError
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.contest_likelihood import Contests
from rejoinder.statistics.head_to_head import reason_no_strengths, tally
from rejoinder.statistics.paired_comparisons import bootstrap_intervals, fit


def contests(seed, n, logs):
    """Outcomes of random contests between systems of known strength, with some ties."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, len(logs), n)
    b = (a + rng.integers(1, len(logs), n)) % len(logs)
    won = rng.random(n) < 1 / (1 + np.exp(logs[b] - logs[a]))
    return Contests(a, b, np.where(rng.random(n) < 0.1, 0, np.where(won, 1, -1)), len(logs))


def of_points(points):
    """The strengths of contests that have these points, ties as half."""
    points = np.array(points, dtype=float)
    a, b = np.nonzero(points)
    ties = (points % 1 > 0)[a, b]  # two halves are one tie, taken from the upper triangle
    assert (ties == (points.T % 1 > 0)[a, b]).all()
    number = points[a, b].astype(int)
    rows, columns = np.nonzero(np.triu(points % 1 > 0))
    a, b = np.append(np.repeat(a, number), rows), np.append(np.repeat(b, number), columns)
    winner = np.append(np.ones(number.sum(), int), np.zeros(rows.size, int))
    return fit(Contests(a, b, winner, len(points))).strengths


def mm(points):
    """The MM algorithm (Hunter 2004, equation 3): another way to the same strengths."""
    g = np.ones(len(points))
    for _ in range(100_000):
        after = points.sum(axis=1) / ((points + points.T) / (g[:, None] + g)).sum(axis=1)
        after /= np.exp(np.log(after).mean())
        if np.abs(np.log(after / g)).max() < 1e-12:
            break
        g = after
    return np.log(after)


def test_two_systems_by_hand():
    # The odds are the points': log(6 / 2), halved to either side of 0.
    values = of_points([[0, 6], [2, 0]])
    assert values == pytest.approx([math.log(3) / 2, -math.log(3) / 2])


def test_the_likelihood_is_stationary():
    # At the maximum every system's points are what its strengths expect (Hunter 2004, section 2).
    logs = np.array([1.0, 0.2, 0.0, -0.5, -0.7])
    drawn = contests(0, 900, logs)
    points = tally(drawn.a, drawn.b, drawn.winner, 5).points
    values = fit(drawn).strengths
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
    np.testing.assert_allclose(-np.diff(of_points(points)), math.log(3), atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_they_are_the_mm_algorithm(seed):
    drawn = contests(seed, 400, np.array([0.8, 0.2, -0.2, -0.8]))
    points = tally(drawn.a, drawn.b, drawn.winner, 4).points
    np.testing.assert_allclose(fit(drawn).strengths, mm(points), atol=1e-9)


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
    assert len(points) == 0 or np.isnan(of_points(points)).all()
    assert reason_no_strengths(points).startswith(reason)


def test_ties_connect():
    points = np.array([[0.0, 2.5], [0.5, 0.0]])
    assert reason_no_strengths(points) is None
    assert of_points(points)[0] == pytest.approx(math.log(5) / 2)


@pytest.mark.parametrize("labels", [None, np.arange(120) // 3], ids=["contests", "groups"])
def test_intervals_are_the_naive_loop(labels):
    every = contests(2, 120, np.array([0.5, 0.0, -0.5]))
    naive = np.full((40, 3), np.nan)
    drawn = Groups.of(labels, 120).resampled(40, np.random.default_rng(3))
    for rows, blocks in drawn:
        for row, picked in zip(rows, blocks, strict=True):
            each = every.a[picked], every.b[picked], every.winner[picked]
            naive[row] = mm(tally(*each, 3).points)
    clusters = Groups.of(labels, 120)
    ours = bootstrap_intervals(fit(every), clusters, 40, np.random.default_rng(3))
    low, high = np.quantile(naive, [0.025, 0.975], axis=0)
    np.testing.assert_allclose(ours.low, low, atol=1e-9)
    np.testing.assert_allclose(ours.high, high, atol=1e-9)
    assert ours.reason is None


def bootstrapped(winner, resamples=9, seed=4, **names):
    """Of contests of two systems the estimates and their intervals."""
    zeros = np.zeros(len(winner), int)
    fitted = fit(Contests(zeros, zeros + 1, np.array(winner, int), 2), **names)
    rng = np.random.default_rng(seed)
    return fitted, bootstrap_intervals(fitted, Groups.of(None, len(winner)), resamples, rng)


def test_no_intervals():
    fitted, always = bootstrapped([1] * 6, names=["x", "y"])
    assert np.isnan(fitted.strengths).all()
    assert always.reason.startswith("'x' never loses")
    # one loss of 6 is missing from (5/6)^6 = 33% of the resamples
    once = [1, 1, 1, 1, 1, -1]
    fitted, thin = bootstrapped(once, 200, 5)
    assert fitted.strengths[0] == pytest.approx(math.log(5) / 2)
    assert np.isnan(thin.low).all()
    assert 35 < thin.undefined < 105
    assert "resamples are undefined" in thin.reason
    fitted, few = bootstrapped(once[3:])
    assert few.reason == "fewer than 4 groups to resample"
    assert np.isfinite(fitted.strengths).all()
    assert bootstrapped([])[1].reason.startswith("system 0 never met another")


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InputError, match=r"shape \(2, 3\)"):
        reason_no_strengths(np.zeros((2, 3)))
    with pytest.raises(InputError, match="negative or infinite"):
        reason_no_strengths(np.array([[0.0, -1.0], [1.0, 0.0]]))
    with pytest.raises(InputError, match="met itself"):
        reason_no_strengths(np.ones((2, 2)))
    with pytest.raises(ParameterError, match="resamples=0"):
        bootstrapped([1, -1, 1, -1], 0)
