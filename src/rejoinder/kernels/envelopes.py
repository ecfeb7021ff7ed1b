"""Upper envelopes of lines: which candidate of a list is best at which point of a search line (Och 2003)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rejoinder.kernels.ahead import kernel
from rejoinder.kernels.arrays import Floats, Indices, Table

SLACK = 1 + 1e-9
"""Candidates as far below a chord as rounding goes are not yet left out."""


class Envelopes(NamedTuple):
    """Where the best candidate of any list changes along a search line.

    Attributes:
        first: int64 [p], the best candidate of each list before its first break point.
        points: float64 [t], the break points, list by list and ascending within a list.
        before: int64 [t], the best candidate of the list before the point.
        after: int64 [t], the one behind it.
    """

    first: Indices
    points: Floats
    before: Indices
    after: Indices


def envelopes(
    values: Floats, slopes: Floats, order: Indices, bounds: Indices, lists: Indices
) -> Envelopes:
    """The upper envelope of the lines ``value + g slope`` of the candidates of each list.

    Where two candidates are equal along the whole line, the earlier one stands for both.

    Args:
        values: float64 [m], the value of each candidate at 0.
        slopes: float64 [m], the slopes, ascending within each list.
        order: int64 [m], the candidates in the order of ``slopes``.
        bounds: int64 [n + 1], list i has the places bounds[i] to bounds[i + 1] of ``order``.
        lists: int64 [p], the lists that count.

    >>> found = envelopes(  # 1 - g, 3 + g and 1 + g meet at -1
    ...     np.array([1.0, 3, 1]), np.array([-1.0, 1, 1]), np.arange(3), np.array([0, 3]), np.array([0])
    ... )
    >>> found.first.tolist(), found.points.tolist(), found.after.tolist()
    ([0], [-1.0], [1])
    """
    first = np.empty(lists.size, dtype=np.int64)
    points = np.empty(values.size)
    before, after = np.empty(values.size, dtype=np.int64), np.empty(values.size, dtype=np.int64)
    longest = int(np.diff(bounds).max(initial=1))
    stack, starts = np.empty(longest, dtype=np.int64), np.empty(longest)
    # fmt: off
    count = _envelopes(
        values, slopes, order, bounds, lists, stack, starts, first, points, before, after
    )
    # fmt: on
    return Envelopes(first, points[:count], before[:count], after[:count])


@kernel
def _envelopes(
    values: Floats,
    slopes: Floats,
    order: Indices,
    bounds: Indices,
    lists: Indices,
    stack: Indices,
    starts: Floats,
    first: Indices,
    points: Floats,
    before: Indices,
    after: Indices,
) -> int:
    count = 0
    for p in range(lists.size):
        begin, end = bounds[lists[p]], bounds[lists[p] + 1]
        apex = begin
        for place in range(begin, end):
            if values[order[place]] > values[order[apex]]:
                apex = place
        # What lies below a chord to the highest value is never best: most candidates end here.
        highest = values[order[apex]]
        left, right = begin, end - 1
        rise = (highest - values[order[left]]) / (slopes[apex] - slopes[left])
        fall = (highest - values[order[right]]) / (slopes[apex] - slopes[right])
        top = -1
        for place in range(begin, end):
            candidate, slope = order[place], slopes[place]
            value = values[candidate]
            chord = rise if slope < slopes[apex] else fall
            if value - highest < chord * (slope - slopes[apex]) * SLACK:
                continue
            start = -np.inf
            if top >= 0 and slopes[stack[top]] == slope:
                best = order[stack[top]]
                if value < values[best] or (value == values[best] and candidate > best):
                    continue
                top -= 1
            while top >= 0:
                start = (values[order[stack[top]]] - value) / (slope - slopes[stack[top]])
                if start > starts[top]:
                    break
                top -= 1
                start = -np.inf
            top += 1
            stack[top], starts[top] = place, start
        first[p] = order[stack[0]]
        for k in range(1, top + 1):
            points[count] = starts[k]
            before[count], after[count] = order[stack[k - 1]], order[stack[k]]
            count += 1
    return count


def swept_sums(rows: Table, total: Floats, before: Indices, after: Indices) -> Table:
    """The sums of rows along a sweep, each point of which takes one row away and adds another.

    Args:
        rows: float64 [m, k].
        total: float64 [k], the sum before the first point.
        before: int64 [t], the row that each point takes away.
        after: int64 [t], the row that it adds.

    Returns:
        float64 [t + 1, k].

    >>> swept_sums(np.array([[1.0], [5.0]]), np.array([1.0]), np.array([0]), np.array([1])).tolist()
    [[1.0], [5.0]]
    """
    sums = np.empty((before.size + 1, rows.shape[1]))
    sums[0] = total
    _swept_sums(rows, before, after, sums)
    return sums


@kernel
def _swept_sums(rows: Table, before: Indices, after: Indices, sums: Table) -> None:
    for t in range(before.size):
        for k in range(rows.shape[1]):
            sums[t + 1, k] = sums[t, k] + (rows[after[t], k] - rows[before[t], k])
