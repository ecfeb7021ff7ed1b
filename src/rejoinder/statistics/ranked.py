"""Values that are ranked once for several coefficients, and whose ties are ties."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.correlation import average_ranks, correlation_named, pearson, spearman

# Equal sums of numbers in another order differ by rounding: what agrees to 12 digits is a tie.
DIGITS = 12


class Ranked:
    """Values, and their ranks once somebody wants them: float64 [..., n]."""

    def __init__(self, values: Floats, ranks: Floats | None = None) -> None:
        self.values, self._ranks = values, ranks

    @property
    def ranks(self) -> Floats:
        """The average ranks along the last axis, made once: float64 [..., n]."""
        if self._ranks is None:
            self._ranks = average_ranks(self.values)
        return self._ranks

    def of(self, t: int) -> Ranked:
        """The values at place t of the first axis, with their ranks where there are any."""
        return Ranked(self.values[t], None if self._ranks is None else self._ranks[t])


def measured(x: Ranked, y: Ranked, correlations: Sequence[str]) -> Iterator[tuple[str, Floats]]:
    """Each coefficient's name and values, along the last axis.

    Args:
        x: One side.
        y: The other side.
        correlations: The names of the coefficients.
    """
    for name in correlations:
        measure = correlation_named(name)
        if measure is spearman:
            yield name, pearson(x.ranks, y.ranks)
        else:
            yield name, measure(x.values, y.values)


def without_rounding(x: Floats) -> Floats:
    """Rounds to 12 digits of the largest, so that ties are ties."""
    largest = np.abs(x).max(initial=0.0, where=np.isfinite(x))
    if not largest > 0:
        return x
    return np.round(x, DIGITS - 1 - math.floor(math.log10(largest)))
