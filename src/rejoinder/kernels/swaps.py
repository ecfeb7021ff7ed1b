"""Sums of the rows that random bits choose: eight items at a time, from a table of their subsets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Bytes, Floats, Indices, Table, WholeTable
from rejoinder.kernels.cores import cores

SUBSETS = 256
"""Of eight items."""
AT_ONCE = 1 << 28
"""So many additions of a product with 0 and 1 are worth another thread."""
LARGEST = 2**31 - 1
"""Of the sums of whole numbers that are added in half the memory, which takes half the time."""


def chosen_sums(bits: Bytes, starts: Indices, rows: Floats) -> Floats:
    """The sum of the rows that the bits of each trial choose.

    The 256 sums of the subsets of eight rows are made once and then looked up by a byte of each
    trial ("four Russians"): an eighth of the additions of a matrix product, and no matrix of 0 and 1.

    Args:
        bits: uint8, the bits of all trials, the highest of a byte first.
        starts: The place of each trial's first bit (int64 [b]); it has one bit for each row.
        rows: float64 [n, w].

    Returns:
        float64 [b, w].

    >>> bits = np.packbits([0, 1, 1, 1, 0, 0])
    >>> chosen_sums(bits, np.array([0, 3]), np.array([[1.0], [10.0], [100.0]])).tolist()
    [[110.0], [1.0]]
    """
    last = np.zeros(2, dtype=np.uint8)  # the last byte of a trial is read with the next
    padded, rows = np.append(bits, last), np.ascontiguousarray(rows)
    size = np.abs(rows).sum(axis=0).max(initial=0)
    whole = size <= LARGEST and np.array_equal(rows, np.rint(rows))
    add: Any = _add_whole_numbers if whole else _add_floats
    table: Any = rows.astype(np.int32 if whole else np.float64, copy=False)
    totals = np.zeros((starts.size, rows.shape[1]), table.dtype)
    threads = min(cores(), 1 + starts.size * rows.size // AT_ONCE)
    parts = [each.size for each in np.array_split(starts, threads)]

    def sum_up(end: int, size: int) -> None:
        part, subsets = slice(end - size, end), np.zeros((SUBSETS, rows.shape[1]), table.dtype)
        add(padded, starts[part], table, subsets, totals[part])

    with ThreadPoolExecutor(threads) as pool:
        each_part = pool.map if threads > 1 else map
        list(each_part(sum_up, np.cumsum(parts).tolist(), parts))
    return totals.astype(np.float64, copy=False)


@kernel
def _add_floats(bits: Bytes, starts: Indices, rows: Table, subsets: Table, totals: Table) -> None:
    _add(bits, starts, rows, subsets, totals)


@kernel
def _add_whole_numbers(
    bits: Bytes, starts: Indices, rows: WholeTable, subsets: WholeTable, totals: WholeTable
) -> None:
    _add(bits, starts, rows, subsets, totals)


@helper
def _add(bits: Bytes, starts: Indices, rows: Any, subsets: Any, totals: Any) -> None:
    """Adds the chosen rows to the totals; rows, subsets and totals are of one type."""
    n, width = rows.shape
    for first in range(0, n, 8):
        # The subset of a byte is that without its lowest bit, and the row of that bit.
        for code in range(1, 256):
            rest, row = code & (code - 1), first + 7
            lowest = code ^ rest
            while lowest > 1:
                lowest >>= 1
                row -= 1
            for k in range(width):
                subsets[code, k] = subsets[rest, k] + (rows[row, k] if row < n else 0)
        for trial in range(starts.size):
            place = starts[trial] + first
            byte, shift = place >> 3, place & 7
            both = (np.int64(bits[byte]) << 8) | np.int64(bits[byte + 1])
            code = (both >> (8 - shift)) & 255
            for k in range(width):
                totals[trial, k] += subsets[code, k]
