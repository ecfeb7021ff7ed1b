"""Bradley-Terry strengths: one scale for systems that met each other two by two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.conventions import LEVEL, check_resamples, too_few_groups
from rejoinder.statistics.head_to_head import checked_outcomes, tally
from rejoinder.statistics.intervals import percentiles

# The iteration ends where no log strength moves by more than this, or gives up.
CLOSE = 1e-12
STEPS = 100_000

REMEDY = "collect more contests, or leave it out"


@dataclass(frozen=True)
class Strengths:
    """Bradley-Terry strengths with their intervals.

    Args:
        values: float64 [systems], log strengths with mean 0; NaN where there are none.
        low: float64 [systems], NaN where there is no interval.
        high: float64 [systems].
        undefined: How many resamples had no strengths and were left out.
        reason: Why there are no strengths, or no intervals; None where there are both.
    """

    values: Floats
    low: Floats
    high: Floats
    undefined: int
    reason: str | None


def bradley_terry(points: Floats) -> Floats:
    """The strengths under which the contests are most likely (Bradley and Terry 1952).

    System i beats j with probability ``g_i / (g_i + g_j)``; the likelihood is climbed by
    ``g_i <- W_i / sum_j n_ij / (g_i + g_j)``, W_i the points of i and n_ij the contests of i and j
    (the MM algorithm; Hunter 2004, equation 3). A tie counts as half a win for either. A difference
    of log strengths of 0 is even odds, of 1.1 odds of three to one.

    Args:
        points: float64 [..., systems, systems], wins of the row over the column, ties as half:
            ``tally.points``.

    Returns:
        float64 [..., systems], log strengths with mean 0; NaN where `reason_no_strengths` has one.

    Raises:
        InputError: The points are not square, or one is negative or not finite.

    >>> bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]])).round(6).tolist()  # half of log 3
    [0.549306, -0.549306]
    """
    points = _checked(points)
    shape = points.shape[:-1]
    if shape[-1] < 2:
        return np.full(shape, np.nan)
    points = points.reshape(-1, *points.shape[-2:])
    strengths = np.full(points.shape[:-1], np.nan)
    connected = np.flatnonzero(_reaches(points).all(axis=(-2, -1)))
    if connected.size:
        strengths[connected] = _climb(points[connected])
    return strengths.reshape(shape)


def bradley_terry_intervals(
    a: Indices,
    b: Indices,
    winner: Indices,
    systems: int,
    groups: NDArray[np.generic] | None,
    resamples: int,
    rng: np.random.Generator,
    level: float = LEVEL,
    names: Sequence[str] | None = None,
) -> Strengths:
    """Strengths from outcomes, with percentile bootstrap intervals over contests or groups of them.

    Args:
        a: int64 [n], one system of each contest, from 0.
        b: int64 [n], the other.
        winner: int64 [n], 1 where a won, -1 where b did, 0 for a tie.
        systems: How many there are.
        groups: [n], a label for each contest (its context); None takes each for a group of its own.
        resamples: How many.
        rng: Where the randomness comes from.
        level: The share of resamples within.
        names: What the systems are called, for the reason; None numbers them.

    Returns:
        The strengths. No intervals where there are none, where there are fewer than 4 groups, or
        where more than 5% of the resamples have none: a system's few wins or losses are then all
        missing from many of them.

    Raises:
        ParameterError: A level outside (0, 1), or fewer than one resample.
        InputError: See `tally`; or the groups are not as many as the contests.

    >>> a, b = np.zeros(8, dtype=int), np.ones(8, dtype=int)
    >>> winner = np.array([1, 1, 1, 0, 1, -1, -1, 1])
    >>> strengths = bradley_terry_intervals(a, b, winner, 2, None, 99, np.random.default_rng(0))
    >>> strengths.values.round(3).tolist()
    [0.394, -0.394]
    """
    check_resamples(resamples)
    a, b, winner = checked_outcomes(a, b, winner, systems)
    points = tally(a, b, winner, systems).points
    none = np.full(systems, np.nan)
    clusters = Groups.of(groups, a.size)
    reason = reason_no_strengths(points, names)
    values = bradley_terry(points)
    if not reason and np.isnan(values).any():
        reason = (
            f"the strengths did not settle in {STEPS} steps; collect contests between more pairs"
        )
    reason = reason or too_few_groups(len(clusters))
    if reason:
        return Strengths(values, none, none, 0, reason)
    again = np.empty((resamples, systems))
    for rows, drawn in clusters.resampled(resamples, rng, width=1 + systems**2 // a.size):
        again[rows] = bradley_terry(_points(a[drawn], b[drawn], winner[drawn], systems))
    ends = [percentiles(again[:, i], level) for i in range(systems)]
    low = np.array([end.low for end in ends])
    high = np.array([end.high for end in ends])
    return Strengths(values, low, high, ends[0].undefined, ends[0].reason)


def reason_no_strengths(points: Floats, names: Sequence[str] | None = None) -> str | None:
    """Why there are no strengths; None where there are.

    They exist where every system can be reached from every other along wins (Ford 1957): otherwise
    the likelihood grows without end as some strengths go to infinity.

    Args:
        points: float64 [systems, systems], wins of the row over the column, ties as half.
        names: What the systems are called; None numbers them.

    >>> reason_no_strengths(np.array([[0.0, 2.0], [0.0, 0.0]]), ["ours", "theirs"])
    "'ours' never loses: its strength has no bound; collect more contests, or leave it out"
    """
    points = _checked(points)
    if len(points) < 2:
        return "fewer than 2 systems"
    called = (
        [f"'{name}'" for name in names] if names else [f"system {i}" for i in range(len(points))]
    )
    won, lost = points.sum(axis=1), points.sum(axis=0)
    for i, name in enumerate(called):
        if won[i] == 0 and lost[i] == 0:
            return f"{name} never met another; {REMEDY}"
        if lost[i] == 0 or won[i] == 0:
            verb = "loses" if lost[i] == 0 else "wins"
            return f"{name} never {verb}: its strength has no bound; {REMEDY}"
    reach = _reaches(points[None])[0]
    if reach.all():
        return None
    first, second = np.argwhere(~reach)[0]
    return (
        f"no chain of wins leads from {called[first]} to {called[second]}: the systems fall apart "
        "into groups that have no common scale; collect contests between them, or rank each alone"
    )


def _climb(points: Floats) -> Floats:
    """Log strengths of connected tournaments, float64 [b, S, S] to [b, S]."""
    met = points + np.swapaxes(points, -2, -1)
    won = points.sum(axis=-1)
    logs = np.zeros(won.shape)
    moving = np.arange(len(points))
    for _ in range(STEPS):
        g = np.exp(logs[moving])
        risk = (met[moving] / (g[:, :, None] + g[:, None, :])).sum(axis=-1)
        step = np.log(won[moving] / risk)
        step -= step.mean(axis=-1, keepdims=True)
        change = np.abs(step - logs[moving]).max(axis=-1)
        logs[moving] = step
        moving = moving[change > CLOSE]
        if not moving.size:
            return logs
    logs[moving] = np.nan
    return logs


def _reaches(points: Floats) -> NDArray[np.bool_]:
    """Whether a chain of wins leads from one system to another: [b, S, S], by repeated squaring."""
    systems = points.shape[-1]
    reach = (points > 0) | np.eye(systems, dtype=np.bool_)
    for _ in range(max(1, systems.bit_length())):
        hops = reach.astype(np.float64)
        reach = hops @ hops > 0
    return reach


def _points(a: Indices, b: Indices, winner: Indices, systems: int) -> Floats:
    """The points of many resamples: int64 [b, n] each to float64 [b, S, S]."""
    row = np.arange(len(a))[:, None] * systems**2
    size = len(a) * systems**2
    of_a = np.bincount((row + a * systems + b).ravel(), (1 + winner).ravel() / 2, size)
    of_b = np.bincount((row + b * systems + a).ravel(), (1 - winner).ravel() / 2, size)
    return (of_a + of_b).astype(np.float64).reshape(-1, systems, systems)


def _checked(points: Floats) -> Floats:
    points = np.asarray(points, dtype=np.float64)
    if points.ndim < 2 or points.shape[-1] != points.shape[-2]:
        raise InputError(f"points: shape {points.shape}; give [systems, systems], row over column")
    if not (np.isfinite(points) & (points >= 0)).all():
        raise InputError("points: a negative or infinite number of wins; give counts, ties as half")
    if (np.diagonal(points, axis1=-2, axis2=-1) > 0).any():
        raise InputError("points: a system met itself; the diagonal must be 0")
    return points
