"""Sums of the rows of many small sets of items, gathered without a copy."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.ahead import kernel
from rejoinder.kernels.arrays import Indices, Table


def unit_sums(values: Table, first: Indices, members: Indices, size: int) -> Table:
    """Sums rows unit by unit.

    Args:
        values: float64 [rows, k].
        first: Added to the members of each unit (int64 [u]): where its system's rows begin.
        members: The items of the units, one after the other (int64 [u * size]).
        size: How many items a unit has.

    Returns:
        float64 [u, k].

    >>> unit_sums(np.arange(4.0)[:, None], np.array([0, 1]), np.array([0, 1, 0, 2]), 2).tolist()
    [[1.0], [4.0]]
    """
    sums = np.zeros((first.size, values.shape[1]))
    _unit_sums(values, first, members, size, sums)
    return sums


@kernel
def _unit_sums(values: Table, first: Indices, members: Indices, size: int, sums: Table) -> None:
    for u in range(first.size):
        for m in range(u * size, (u + 1) * size):
            row = first[u] + members[m]
            for k in range(values.shape[1]):
                sums[u, k] += values[row, k]
