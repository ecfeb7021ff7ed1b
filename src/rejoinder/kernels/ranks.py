"""Ranks with ties, and concordant and discordant pairs, of many rows at once.

Shapes, for all kernels here: x, y are float64 [rows, n], finite and contiguous.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from rejoinder.kernels.arrays import Floats, Indices

# The columns of what `concordance` counts.
DIFFERENCE, TIED_X, TIED_Y, DISTINCT_X, DISTINCT_Y = range(5)


@njit(nogil=True, cache=True)
def average_ranks(x: Floats) -> Floats:
    """Ranks from 1 to n; equal values share the mean of the ranks that they take up."""
    ranks = np.empty(x.shape)
    n = x.shape[1]
    for row in range(x.shape[0]):
        order = np.argsort(x[row])
        begin = 0
        while begin < n:
            end = begin + 1
            while end < n and x[row, order[end]] == x[row, order[begin]]:
                end += 1
            for place in range(begin, end):
                ranks[row, order[place]] = (begin + 1 + end) / 2
            begin = end
    return ranks


@njit(nogil=True, cache=True)
def concordance(x: Floats, y: Floats) -> Indices:
    """What Kendall's coefficients are made of, in O(n log n) (Knight 1966).

    Sorted by x, and by y where x ties, a row's discordant pairs are its inversions of y, and a merge
    sort meets every one of them. With n0 = n (n - 1) / 2 pairs, t_x and t_y of them tied in x and in
    y, and t_xy in both, C + D = n0 - t_x - t_y + t_xy.

    Returns:
        int64 [rows, 5]: C - D; t_x; t_y; how many distinct values x has; and y.
    """
    n = x.shape[1]
    counted = np.zeros((x.shape[0], 5), dtype=np.int64)
    spare = np.empty(n)
    for row in range(x.shape[0]):
        order = np.argsort(x[row])
        sorted_y = y[row][order]
        tied_x = tied_both = distinct_x = 0
        begin = 0
        while begin < n:
            end = begin + 1
            while end < n and x[row, order[end]] == x[row, order[begin]]:
                end += 1
            if end - begin > 1:
                sorted_y[begin:end] = np.sort(sorted_y[begin:end])
                tied_x += (end - begin) * (end - begin - 1) // 2
                tied_both += ties(sorted_y[begin:end])[0]
            distinct_x += 1
            begin = end
        discordant = inversions(sorted_y, spare)
        tied_y, distinct_y = ties(sorted_y)
        untied = n * (n - 1) // 2 - tied_x - tied_y + tied_both
        counted[row, DIFFERENCE] = untied - 2 * discordant
        counted[row, TIED_X] = tied_x
        counted[row, TIED_Y] = tied_y
        counted[row, DISTINCT_X] = distinct_x
        counted[row, DISTINCT_Y] = distinct_y
    return counted


@njit(nogil=True, cache=True)
def ties(values: Floats) -> tuple[int, int]:
    """How many pairs of a sorted row are equal, and how many distinct values there are."""
    pairs = distinct = run = 0
    for place in range(values.size):
        if place > 0 and values[place] == values[place - 1]:
            run += 1
            pairs += run
        else:
            run = 0
            distinct += 1
    return pairs, distinct


@njit(nogil=True, cache=True)
def inversions(values: Floats, spare: Floats) -> int:
    """Sorts a row in place by merging, and counts the pairs that stood in the wrong order."""
    n = values.size
    wrong = 0
    width = 1
    while width < n:
        for begin in range(0, n - width, 2 * width):
            middle = begin + width
            end = min(middle + width, n)
            left, right = begin, middle
            for place in range(begin, end):
                if right >= end or (left < middle and values[left] <= values[right]):
                    spare[place] = values[left]
                    left += 1
                else:
                    spare[place] = values[right]
                    wrong += middle - left
                    right += 1
            values[begin:end] = spare[begin:end]
        width *= 2
    return wrong


@njit(nogil=True, cache=True)
def concordance_by_pairs(x: Floats, y: Floats) -> Indices:
    """The same as `concordance` by looking at every pair, in O(n^2): the sum of sign x sign."""
    n = x.shape[1]
    counted = np.zeros((x.shape[0], 5), dtype=np.int64)
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
        counted[row, DIFFERENCE] = difference
        counted[row, TIED_X] = tied_x
        counted[row, TIED_Y] = tied_y
        counted[row, DISTINCT_X] = distinct_x
        counted[row, DISTINCT_Y] = distinct_y
    return counted
