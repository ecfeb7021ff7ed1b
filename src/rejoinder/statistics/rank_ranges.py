"""The ranks that the tests of all pairs of systems leave possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Indices
from rejoinder.statistics.letters import letters


def ranges(better: NDArray[np.bool_], order: Indices) -> dict[str, Any]:
    """The ranks, groups and letters of systems, from the tests of all pairs.

    Args:
        better: bool [S, S], whether the first system is significantly better than the second.
        order: int64 [S], the systems, best first.

    Returns:
        The columns ``best_rank``, ``worst_rank``, ``group`` and ``letters``, in this order of systems;
        see ``Scores.ranks``.
    """
    systems = len(order)
    begins = [bool(better[np.ix_(order[:k], order[k:])].all()) for k in range(systems)]
    return {
        "best_rank": 1 + better.sum(axis=0)[order],
        "worst_rank": systems - better.sum(axis=1)[order],
        "group": np.cumsum(begins),
        "letters": letters((better | better.T)[np.ix_(order, order)]),
    }
