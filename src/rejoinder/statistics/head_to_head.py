"""Which of two replies people prefer: counts of wins and ties, the sign test, what gives no strengths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats, Indices

REMEDY = "collect more contests, or leave it out"


@dataclass(frozen=True)
class Tally:
    """How contests between systems ended.

    Args:
        wins: int64 [systems, systems], how often the row won against the column.
        ties: int64 [systems, systems], how often neither did; symmetric.
    """

    wins: Indices
    ties: Indices

    @property
    def points(self) -> Floats:
        """Wins with each tie as half a win for either: float64 [systems, systems]."""
        return self.wins + self.ties / 2


def tally(a: Indices, b: Indices, winner: Indices, systems: int) -> Tally:
    """Counts the outcomes of contests.

    Args:
        a: int64 [n], one system of each contest, from 0.
        b: The other (int64 [n]).
        winner: int64 [n], 1 where a won, -1 where b did, 0 for a tie.
        systems: How many there are.

    Raises:
        InputError: A system or a winner out of range, or a system against itself.

    >>> tally(np.array([0, 0]), np.array([1, 1]), np.array([1, 0]), 2).points.tolist()
    [[0.0, 1.5], [0.5, 0.0]]
    """
    a, b, winner = checked_outcomes(a, b, winner, systems)
    wins = np.zeros((systems, systems), dtype=np.int64)
    ties = np.zeros((systems, systems), dtype=np.int64)
    np.add.at(wins, (a[winner > 0], b[winner > 0]), 1)
    np.add.at(wins, (b[winner < 0], a[winner < 0]), 1)
    np.add.at(ties, (a[winner == 0], b[winner == 0]), 1)
    return Tally(wins, ties + ties.T)


def sign_test(wins: int, losses: int) -> float:
    """Is one of two systems preferred? The exact two-sided sign test.

    ``p = min(1, 2 P(X <= min(wins, losses)))``, X binomial of wins + losses tosses of a fair coin.
    Ties are left out, as the test has it (Dixon and Mood 1946): report their number beside p. NaN
    where nobody won.

    Raises:
        ParameterError: A number below 0.

    >>> round(sign_test(8, 2), 6)  # (1 + 10 + 45) / 2^9
    0.109375
    """
    if wins < 0 or losses < 0:
        raise ParameterError(f"sign_test: wins={wins!r}, losses={losses!r}; give counts")
    n = wins + losses
    if n == 0:
        return math.nan
    # log C(n, k), k = 0 ... fewer, step by step: the coefficients themselves overflow
    k = np.arange(1, min(wins, losses) + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])
    return float(min(1.0, 2 * np.exp(logs - n * math.log(2)).sum()))


def flip_test(sums: Indices) -> float:
    """The exact two-sided test of signs summed by group, when groups flip their signs as a whole.

    ``p = P(|sum_g e_g d_g| >= |sum_g d_g|)`` with e_g = 1 or -1 by the toss of a fair coin. Where each
    group has one sign it is the `sign_test`. NaN where all sums are 0.

    Args:
        sums: Wins less losses of each group (int64 [g]).

    >>> flip_test(np.array([3, 1, -1]))  # |+-3 +-1 +-1| is 3 or more in 6 of 8
    0.75
    """
    sizes = np.abs(sums[sums != 0])
    if sizes.size == 0:
        return math.nan
    if sizes.min() == sizes.max():
        return sign_test(int((sums > 0).sum()), int((sums < 0).sum()))
    # The distribution of the sum over groups with e_g = 1: it decides that of the signed sum.
    chances = np.ones(1)
    for size in sizes.tolist():
        chances = (np.pad(chances, (0, size)) + np.pad(chances, (size, 0))) / 2
    values = 2 * np.arange(chances.size) - sizes.sum()
    return float(min(1.0, chances[np.abs(values) >= abs(sums.sum())].sum()))


def checked_outcomes(
    a: Indices, b: Indices, winner: Indices, systems: int
) -> tuple[Indices, Indices, Indices]:
    """The outcomes as int64 [n] each.

    Raises:
        InputError: See `tally`.
    """
    a, b, winner = (np.asarray(each, dtype=np.int64) for each in (a, b, winner))
    if a.ndim != 1 or not a.shape == b.shape == winner.shape:
        raise InputError(
            f"contests: shapes {a.shape}, {b.shape} and {winner.shape}; "
            "give a, b and the winner of every contest"
        )
    bad = (a < 0) | (a >= systems) | (b < 0) | (b >= systems) | (a == b) | (np.abs(winner) > 1)
    if bad.any():
        i = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"contests: {a[i]} against {b[i]} with outcome {winner[i]} in row {i}; expected two "
            f"different systems below {systems} and 1 (the first won), -1 (the second) or 0 (a tie)"
        )
    return a, b, winner


def reason_no_strengths(points: Floats, names: Sequence[str] | None = None) -> str | None:
    """Why there are no strengths; None where there are.

    They exist where every system can be reached from every other along wins (Ford 1957): otherwise
    the likelihood grows without end as some strengths go to infinity.

    Args:
        points: Wins of the row over the column, ties as half (float64 [systems, systems]).
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
    reach = reaches(points)
    if reach.all():
        return None
    first, second = np.argwhere(~reach)[0]
    return (
        f"no chain of wins leads from {called[first]} to {called[second]}: the systems fall apart "
        "into groups that have no common scale; collect contests between them, or rank each alone"
    )


def reaches(points: Floats) -> NDArray[np.bool_]:
    """Whether a chain of wins leads from one system to another: [S, S], by repeated squaring."""
    reach = (points > 0) | np.eye(len(points), dtype=np.bool_)
    for _ in range(max(1, len(points).bit_length())):
        hops = reach.astype(np.float64)
        reach = hops @ hops > 0
    return reach


def _checked(points: Floats) -> Floats:
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[0] != points.shape[1]:
        raise InputError(f"points: shape {points.shape}; give [systems, systems], row over column")
    if not (np.isfinite(points) & (points >= 0)).all():
        raise InputError("points: a negative or infinite number of wins; give counts, ties as half")
    if (np.diagonal(points) > 0).any():
        raise InputError("points: a system met itself; the diagonal must be 0")
    return points
