"""Ranks with ties, and concordant and discordant pairs, of many rows at once.

Shapes, for all functions here: x, y are float64 [rows, n], contiguous.
"""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Floats, Indices, Table

# What `concordance` counts of a row, in this order.
COUNTED = 5
DIFFERENCE, TIED_X, TIED_Y, DISTINCT_X, DISTINCT_Y = range(COUNTED)


def average_ranks(x: Table) -> Table:
    """Ranks from 1 to n; equal values share the mean of the ranks that they take up.

    Returns:
        float64 [rows, n].

    >>> average_ranks(np.array([[0.3, 0.1, 0.3]])).tolist()
    [[2.5, 1.0, 2.5]]
    """
    ranks = np.empty(x.shape)
    _average_ranks(x, np.argsort(x, axis=1).ravel(), ranks)
    return ranks


def concordance(x: Table, y: Table) -> Indices:
    """What Kendall's coefficients are made of, in O(n log n) (Knight 1966).

    Sorted by x, and by y where x ties, a row's discordant pairs D are its inversions of y, and a
    merge sort meets every one of them. With n0 = n (n - 1) / 2 pairs, t_x and t_y of them tied in x
    and in y, and t_xy in both, the concordant and discordant are C + D = n0 - t_x - t_y + t_xy.

    Returns:
        int64 [rows, 5]: C - D; t_x; t_y; how many distinct values x has; and y.

    >>> concordance(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 5.0, 5.0]])).tolist()
    [[2, 0, 1, 3, 2]]
    """
    counted = np.zeros(len(x) * COUNTED, dtype=np.int64)
    order = np.argsort(x, axis=1)
    by_x = np.take_along_axis(x, order, axis=1), np.take_along_axis(y, order, axis=1)
    _concordance(*by_x, np.empty(x.shape[1]), counted)
    return counted.reshape(-1, COUNTED)


def concordance_by_pairs(x: Table, y: Table) -> Indices:
    """The same as `concordance` by looking at every pair, in O(n^2): the sum of sign times sign.

    Returns:
        int64 [rows, 5].

    >>> concordance_by_pairs(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 5.0, 5.0]])).tolist()
    [[2, 0, 1, 3, 2]]
    """
    counted = np.zeros(len(x) * COUNTED, dtype=np.int64)
    _concordance_by_pairs(x, y, counted)
    return counted.reshape(-1, COUNTED)


@kernel
def _average_ranks(x: Table, order: Indices, ranks: Table) -> None:
    n = x.shape[1]
    for row in range(x.shape[0]):
        start = row * n
        begin = 0
        while begin < n:
            end = _run(x, row, order, start, begin, n)
            for place in range(begin, end):
                ranks[row, order[start + place]] = (begin + 1 + end) / 2
            begin = end


@kernel
def _concordance(x: Table, y: Table, spare: Floats, counted: Indices) -> None:
    """Counts into ``counted``; x comes sorted, with y in its order, and y is sorted here."""
    n = x.shape[1]
    for row in range(x.shape[0]):
        tied_x = tied_both = distinct_x = 0
        begin = 0
        while begin < n:
            end = begin + 1
            while end < n and x[row, end] == x[row, begin]:
                end += 1
            if end - begin > 1:
                _inversions(y, row, begin, end, spare)
                tied_x += (end - begin) * (end - begin - 1) // 2
                tied_both += _ties(y, row, begin, end)[0]
            distinct_x += 1
            begin = end
        discordant = _inversions(y, row, 0, n, spare)
        tied_y, distinct_y = _ties(y, row, 0, n)
        untied = n * (n - 1) // 2 - tied_x - tied_y + tied_both
        at = row * COUNTED
        counted[at + DIFFERENCE] = untied - 2 * discordant
        counted[at + TIED_X] = tied_x
        counted[at + TIED_Y] = tied_y
        counted[at + DISTINCT_X] = distinct_x
        counted[at + DISTINCT_Y] = distinct_y


@kernel
def _concordance_by_pairs(x: Table, y: Table, counted: Indices) -> None:
    n = x.shape[1]
    for row in range(x.shape[0]):
        difference = tied_x = tied_y = distinct_x = distinct_y = 0
        for i in range(n):
            new_x = new_y = 1
            for j in range(i):
                sign_x = int(x[row, i] > x[row, j]) - int(x[row, i] < x[row, j])
                sign_y = int(y[row, i] > y[row, j]) - int(y[row, i] < y[row, j])
                difference += sign_x * sign_y
                if sign_x == 0:
                    tied_x += 1
                    new_x = 0
                if sign_y == 0:
                    tied_y += 1
                    new_y = 0
            distinct_x += new_x
            distinct_y += new_y
        at = row * COUNTED
        counted[at + DIFFERENCE] = difference
        counted[at + TIED_X] = tied_x
        counted[at + TIED_Y] = tied_y
        counted[at + DISTINCT_X] = distinct_x
        counted[at + DISTINCT_Y] = distinct_y


@helper
def _run(x: Table, row: int, order: Indices, start: int, begin: int, n: int) -> int:
    """Where the values equal to that at place ``begin`` end."""
    value = x[row, order[start + begin]]
    end = begin + 1
    while end < n and x[row, order[start + end]] == value:
        end += 1
    return end


@helper
def _ties(values: Table, row: int, begin: int, end: int) -> tuple[int, int]:
    """How many pairs of a sorted stretch are equal, and how many distinct values there are."""
    pairs = distinct = run = 0
    for place in range(begin, end):
        if place > begin and values[row, place] == values[row, place - 1]:
            run += 1
            pairs += run
        else:
            run = 0
            distinct += 1
    return pairs, distinct


@helper
def _inversions(values: Table, row: int, begin: int, end: int, spare: Floats) -> int:
    """Sorts a stretch in place by merging, and counts the pairs that stood in the wrong order."""
    wrong = 0
    width = 1
    while width < end - begin:
        for first in range(begin, end - width, 2 * width):
            middle = first + width
            last = min(middle + width, end)
            left, right = first, middle
            for place in range(first, last):
                if right >= last or (left < middle and values[row, left] <= values[row, right]):
                    spare[place] = values[row, left]
                    left += 1
                else:
                    spare[place] = values[row, right]
                    wrong += middle - left
                    right += 1
            for place in range(first, last):
                values[row, place] = spare[place]
        width *= 2
    return wrong
