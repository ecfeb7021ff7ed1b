"""Which of two metrics agrees better with people, where observations are pairs of systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.conventions import p_of_drawn
from rejoinder.statistics.correlation import correlation_named

# So many swaps at a time.
AT_ONCE = 128

Flags = NDArray[np.bool_]


class SystemSwaps(NamedTuple):
    """The result of `system_swaps`.

    Args:
        p: Two-sided; NaN where no assignment has both correlations.
        least: The smallest p that so few systems can have.
    """

    p: float
    least: float


def system_swaps(
    x1: Floats,
    x2: Floats,
    y: Floats,
    ends: Indices,
    turned: Flags,
    correlation: str,
    permutations: int,
    rng: np.random.Generator,
) -> SystemSwaps:
    """Tests whether two metrics agree with people equally well, by a coin for each system.

    Pairs of systems share systems, so the coin is the system's: it decides for all units at once
    which metric's scores a system has. A unit of which one system is swapped has the difference
    ``x1(A) - x2(B)``. For that the two metrics must have one scale and one level: each is divided by
    the root mean square of its differences, and the caller centres the scores of each unit over all
    systems, which takes away how hard its items are. Both correlations are then taken anew (ranks
    after the swap), averaged over the assignments, and subtracted.

    The level of a metric is estimated from the same few systems, so the test errs a little more often
    than it should: in 5 to 8% of simulated sets with two equally good metrics at the 5% level
    (docs/studies/coverage.md).

    All coins turned around give the same difference with its sign turned, so the first system's
    coin stays. Where the other 2^(S - 1) ways are no more than ``permutations``, all are taken, and
    p is the share that reaches the observed difference (which is among them); else p is
    ``(c + 1) / (permutations + 1)`` of random ones. Of 4 systems no p is below 1/8, of 5 below 1/16.

    Args:
        x1: float64 [2, t, u], one metric's scores of the two systems of each unit, centred, of t
            assignments.
        x2: Another's (float64 [2, t, u]).
        y: The differences of the ratings (float64 [t, u]).
        ends: The two systems of each unit, by place (int64 [u, 2]).
        turned: Whether a unit's difference is that of the second system and the first (bool [t,
            u]).
        correlation: A name of `CORRELATIONS`.
        permutations: How many swaps at most.
        rng: Where the randomness comes from, if not all are taken.

    Raises:
        ParameterError: There is no such correlation.
    """
    measure = correlation_named(correlation)
    systems, places = np.unique(ends, return_inverse=True)
    ends = places.reshape(ends.shape)
    coins = SystemCoins(systems.size, permutations)
    sign = np.where(turned, -1.0, 1.0)
    differences = measure(sign * (x1[0] - x1[1]), y) - measure(sign * (x2[0] - x2[1]), y)
    usable = np.flatnonzero(~np.isnan(differences))
    if not usable.size:
        return SystemSwaps(np.nan, coins.least)
    x1, x2 = (x / np.sqrt(np.mean((x[0] - x[1])[usable] ** 2)) for x in (x1, x2))

    def swapped(first: Flags, second: Flags) -> Floats:
        total = np.zeros(len(first))
        for t in usable:
            one, other = (
                sign[t] * (np.where(first, b[0, t], a[0, t]) - np.where(second, b[1, t], a[1, t]))
                for a, b in ((x1, x2), (x2, x1))
            )
            total += measure(one, y[t]) - measure(other, y[t])
        return total / usable.size

    return coins.swaps(float(differences[usable].mean()), ends, swapped, rng)


class SystemCoins:
    """A coin for each system, which decides whether it is swapped; that of the first never is.

    Args:
        systems: S.
        permutations: How many swaps at most. All 2^(S - 1) are taken where they are no more.
    """

    def __init__(self, systems: int, permutations: int) -> None:
        self.systems, self.exact = systems, systems - 1 <= np.log2(permutations)
        self.number = 2 ** (systems - 1) if self.exact else permutations
        self.least = 1 / (self.number if self.exact else permutations + 1)

    def swaps(
        self,
        observed: float,
        ends: Indices,
        swapped: Callable[[Flags, Flags], Floats],
        rng: np.random.Generator,
    ) -> SystemSwaps:
        """The test of a difference.

        Args:
            observed: The difference.
            ends: The two systems of each unit (int64 [u, 2]).
            swapped: The difference, float64 [c], where the first and the second systems of the units are
                swapped, bool [c, u] each.
            rng: Where the randomness comes from, if not all are taken.
        """
        moved = (swapped(coins[:, ends[:, 0]], coins[:, ends[:, 1]]) for coins in self._drawn(rng))
        return SystemSwaps(p_of_drawn(moved, observed, self.exact), self.least)

    def _drawn(self, rng: np.random.Generator) -> Iterator[Flags]:
        """Which systems are swapped, bool [c, S], some at a time."""
        for begin in range(0, self.number, AT_ONCE):
            size = min(AT_ONCE, self.number - begin)
            coins = np.zeros((size, self.systems), dtype=np.bool_)
            if self.exact:
                bits = np.arange(begin, begin + size)[:, None] >> np.arange(self.systems - 1)
                coins[:, 1:] = bits % 2 == 1
            else:
                coins[:, 1:] = rng.integers(0, 2, (size, self.systems - 1)).astype(np.bool_)
            yield coins
