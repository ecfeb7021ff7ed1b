"""Upper envelopes of lines: which candidate of a list is best at which point of a search line (Och 2003)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rejoinder.kernels.ahead import kernel
from rejoinder.kernels.arrays import Floats, Indices

SLACK = 1 + 1e-9
"""Candidates as far below a chord as rounding goes are not yet left out."""


class Envelopes(NamedTuple):
    """The candidates of each list that are best somewhere on a search line, and from where on.

    Attributes:
        candidates: int64 [t], list by list, in the order in which the line meets them.
        starts: float64 [t], the point at which each of them becomes the best: ascending within a list,
            and -inf for the first one of each list.
    """

    candidates: Indices
    starts: Floats


def envelopes(values: Floats, slopes: Floats, bounds: Indices, lists: Indices) -> Envelopes:
    """The upper envelope of the lines ``value + g slope`` of the candidates of each list.

    Where two candidates are equal along the whole line, the earlier one stands for both.

    Args:
        values: float64 [m], the value of each candidate at 0.
        slopes: float64 [m], their slopes.
        bounds: int64 [n + 1], list i has the candidates bounds[i] to bounds[i + 1].
        lists: int64 [p], the lists that count.

    >>> found = envelopes(  # 1 - g, 3 + g and 1 + g meet at -1
    ...     np.array([1.0, 3, 1]), np.array([-1.0, 1, 1]), np.array([0, 3]), np.array([0])
    ... )
    >>> found.candidates.tolist(), found.starts.tolist()
    ([0, 1], [-inf, -1.0])
    """
    candidates, starts = np.empty(values.size, dtype=np.int64), np.empty(values.size)
    order = np.empty(int(np.diff(bounds).max(initial=1)), dtype=np.int64)
    count = _envelopes(values, slopes, bounds, lists, order, candidates, starts)
    return Envelopes(candidates[:count], starts[:count])


@kernel
def _envelopes(
    values: Floats,
    slopes: Floats,
    bounds: Indices,
    lists: Indices,
    order: Indices,
    candidates: Indices,
    starts: Floats,
) -> int:
    count = 0
    for p in range(lists.size):
        begin, end = bounds[lists[p]], bounds[lists[p] + 1]
        apex = left = right = begin
        highest, least, most = values[begin], slopes[begin], slopes[begin]
        for candidate in range(begin, end):
            value, slope = values[candidate], slopes[candidate]
            if value > highest:
                highest, apex = value, candidate
            if slope < least:
                least, left = slope, candidate
            if slope > most:
                most, right = slope, candidate
        # What lies below a chord to the highest value is never best: most candidates end here.
        middle, some = slopes[apex], 0
        rise = (highest - values[left]) / (middle - least)
        fall = (highest - values[right]) / (middle - most)
        for candidate in range(begin, end):
            beyond = slopes[candidate] - middle
            chord = rise if beyond < 0 else fall
            order[some] = candidate
            some += not values[candidate] - highest < chord * beyond * SLACK
        for place in range(1, some):
            candidate = order[place]
            while place > 0 and slopes[order[place - 1]] > slopes[candidate]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = candidate
        first = count
        for place in range(some):
            candidate, start = order[place], -np.inf
            value, slope = values[candidate], slopes[candidate]
            if count > first and slopes[candidates[count - 1]] == slope:
                if value <= values[candidates[count - 1]]:
                    continue
                count -= 1
            while count > first:
                last = candidates[count - 1]
                start = (values[last] - value) / (slope - slopes[last])
                if start > starts[count - 1]:
                    break
                count, start = count - 1, -np.inf
            candidates[count], starts[count] = candidate, start
            count += 1
    return count
