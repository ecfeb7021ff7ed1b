"""Edits between token sequences where a block of tokens may move: the counts of TER.

The search is that of sacreBLEU, and so Tercom's but for extreme cases: an edit distance within a
beam around the diagonal, and a greedy choice of shifts, each of which costs one edit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Bytes, Fingerprints, Indices, Tokens

LONGEST_SHIFT = 10
"""The longest block of tokens that may move."""
FARTHEST_SHIFT = 50
"""How far a block's places in hypothesis and reference may lie apart."""
MOST_CANDIDATES = 1000
"""So many shifts are tried for a pair; when it is reached, the shifts so far count."""
BEAM = 25
"""The half width of the beam where the reference is at most twice this many times as long."""

FAR = 1 << 60
SAME, SUBSTITUTED, DELETED, INSERTED = 0, 1, 2, 3


class Workspace(NamedTuple):
    """The working memory of one pair, of h hypothesis and r reference tokens."""

    costs: Indices  # the rows of the edit distance, each within its beam
    starts: Indices  # [h + 1] where a row begins in costs
    low: Indices  # [h + 1] the first column of a row's beam
    high: Indices  # [h + 1] the column behind its last
    above: Indices  # [r + 1] the row above, of a shift that is tried
    row: Indices  # [r + 1] the row itself
    aligned: Indices  # [r] the hypothesis position that a reference position is aligned with
    wrong_r: Indices  # [r + 1] how many of the first reference positions are edited
    wrong_h: Indices  # [h + 1] how many of the first hypothesis positions are edited


def edit_counts(h: Tokens, r: Tokens, hypotheses: Indices, references: Indices) -> Indices:
    """The fewest edits that the search finds for every pair.

    An edit inserts, deletes or replaces a token, or moves a block of up to ten tokens.

    Args:
        h: The tokens of the hypotheses.
        r: The tokens of the references.
        hypotheses: The hypothesis of each pair (int64 [p]).
        references: The reference of each pair (int64 [p]).

    Returns:
        int64 [p].
    """
    edits = np.zeros(hypotheses.size, dtype=np.int64)
    if not edits.size:
        return edits
    of_h, of_r = h.lengths[hypotheses], r.lengths[references]
    ratios = of_r / np.maximum(1, of_h)
    beams = np.where(ratios / 2 > BEAM, np.ceil(ratios / 2 + BEAM), BEAM).astype(np.int64)
    cells = int((2 * (of_r + 1) + of_h * np.minimum(of_r + 1, 2 * beams)).max())
    longest_h, longest_r = int(of_h.max()), int(of_r.max())
    sizes = np.array([cells, longest_h + 1, longest_r + 1], dtype=np.int64)
    numbers = np.empty(cells + 4 * (longest_h + 1) + 4 * (longest_r + 1), dtype=np.int64)
    words = np.empty(2 * longest_h, dtype=np.uint64)
    operations = np.empty(cells, dtype=np.uint8)
    _edit_counts(h, r, hypotheses, references, sizes, numbers, words, operations, edits)
    return edits


@kernel
def _edit_counts(
    h: Tokens,
    r: Tokens,
    hypotheses: Indices,
    references: Indices,
    sizes: Indices,
    numbers: Indices,
    words: Fingerprints,
    operations: Bytes,
    edits: Indices,
) -> None:
    space = _carved(sizes, numbers)
    half = words.size // 2
    for p in range(hypotheses.size):
        k, j = hypotheses[p], references[p]
        n_h, n_r = h.last[k] - h.first[k], r.last[j] - r.first[j]
        if n_r == 0 or n_h == 0:
            edits[p] = max(n_h, n_r)
            continue
        now, shifted = words[:n_h], words[half : half + n_h]
        for i in range(n_h):
            now[i] = h.fingerprints[h.first[k] + i]
        reference = r.fingerprints[r.first[j] : r.last[j]]
        shifts, tried = 0, 0
        while True:
            distance = _distance(now, reference, space, operations)
            if distance == 0:
                break
            gain, start, length, target, tried = _best_shift(
                now, reference, space, operations, shifted, distance, tried
            )
            if tried >= MOST_CANDIDATES or gain <= 0:
                break
            _shift(now, start, length, target, shifted)
            for i in range(n_h):
                now[i] = shifted[i]
            shifts += 1
        edits[p] = shifts + distance


@helper
def _carved(sizes: Indices, numbers: Indices) -> Workspace:
    """Cuts one run of memory into the arrays of a pair."""
    cells, rows, columns = sizes[0], sizes[1], sizes[2]
    a = cells + 4 * rows
    return Workspace(
        numbers[:cells],
        numbers[cells : cells + rows],
        numbers[cells + rows : cells + 2 * rows],
        numbers[cells + 2 * rows : cells + 3 * rows],
        numbers[a : a + columns],
        numbers[a + columns : a + 2 * columns],
        numbers[a + 2 * columns : a + 3 * columns],
        numbers[a + 3 * columns : a + 4 * columns],
        numbers[cells + 3 * rows : a],
    )


@helper
def _beam(i: int, n_h: int, n_r: int) -> tuple[int, int]:
    """The first column of row i within the beam, and the column behind the last."""
    ratio = n_r / n_h
    width = BEAM
    if ratio / 2 > BEAM:
        wanted = ratio / 2 + BEAM
        width = int(wanted)
        if width < wanted:
            width += 1
    diagonal = int(i * ratio)
    last = n_r + 1 if i == n_h else min(n_r + 1, diagonal + width)
    return max(0, diagonal - width), last


@helper
def _distance(
    words: Fingerprints, reference: Fingerprints, space: Workspace, operations: Bytes
) -> int:
    """The edit distance without shifts; its rows and operations stay in the working memory."""
    n_h, n_r = words.size, reference.size
    for j in range(n_r + 1):
        space.costs[j] = j
        operations[j] = INSERTED
    space.starts[0], space.low[0], space.high[0] = 0, 0, n_r + 1
    free = n_r + 1
    for i in range(1, n_h + 1):
        low, high = _beam(i, n_h, n_r)
        space.starts[i], space.low[i], space.high[i] = free, low, high
        above, low_above, high_above = space.starts[i - 1], space.low[i - 1], space.high[i - 1]
        left = FAR
        for j in range(low, high):
            best, operation = FAR, SAME
            if j > 0 and low_above <= j - 1 < high_above:
                same = words[i - 1] == reference[j - 1]
                best = space.costs[above + j - 1 - low_above] + (0 if same else 1)
                operation = SAME if same else SUBSTITUTED
            if low_above <= j < high_above:
                cost = space.costs[above + j - low_above] + 1
                if cost < best:
                    best, operation = cost, DELETED
            if left + 1 < best:
                best, operation = left + 1, INSERTED
            space.costs[free] = best
            operations[free] = operation
            left = best
            free += 1
    return space.costs[free - 1]


@helper
def _align(n_h: int, n_r: int, space: Workspace, operations: Bytes) -> None:
    """Where each reference position is aligned, and how many positions are edited up to each."""
    i, j = n_h, n_r
    while i > 0 or j > 0:
        operation = operations[space.starts[i] + j - space.low[i]]
        edited = 0 if operation == SAME else 1
        if operation != INSERTED:
            i -= 1
            space.wrong_h[i + 1] = edited
        if operation != DELETED:
            j -= 1
            space.wrong_r[j + 1] = edited
            space.aligned[j] = i - 1 if operation == INSERTED else i
    space.wrong_h[0], space.wrong_r[0] = 0, 0
    for k in range(n_h):
        space.wrong_h[k + 1] += space.wrong_h[k]
    for k in range(n_r):
        space.wrong_r[k + 1] += space.wrong_r[k]


@helper
def _best_shift(
    words: Fingerprints,
    reference: Fingerprints,
    space: Workspace,
    operations: Bytes,
    shifted: Fingerprints,
    distance: int,
    tried: int,
) -> tuple[int, int, int, int, int]:
    """The shift that lowers the distance most: gain, start, length, target, shifts tried so far.

    Of equal gains the longest block counts, then the first, then the one with the first target.
    """
    n_h, n_r = words.size, reference.size
    _align(n_h, n_r, space, operations)
    gain, at, size, to = -FAR, 0, 0, 0
    for start in range(n_h):
        for start_r in range(max(0, start - FARTHEST_SHIFT), min(n_r, start + FARTHEST_SHIFT + 1)):
            length = 0
            while (
                length < LONGEST_SHIFT
                and start + length < n_h
                and start_r + length < n_r
                and words[start + length] == reference[start_r + length]
            ):
                length += 1
                if tried >= MOST_CANDIDATES:
                    return gain, at, size, to, tried
                if space.wrong_h[start + length] == space.wrong_h[start]:
                    continue
                if space.wrong_r[start_r + length] == space.wrong_r[start_r]:
                    continue
                if start <= space.aligned[start_r] < start + length:
                    continue
                before = -1
                for offset in range(-1, length):
                    place = start_r + offset
                    target = 0 if place == -1 else space.aligned[place] + 1
                    if target == before:
                        continue
                    before = target
                    _shift(words, start, length, target, shifted)
                    won = distance - _distance_of_shift(
                        words, shifted, reference, space, min(start, target)
                    )
                    tried += 1
                    better = won > gain
                    if won == gain:
                        if length != size:
                            better = length > size
                        elif start != at:
                            better = start < at
                        else:
                            better = target < to
                    if better:
                        gain, at, size, to = won, start, length, target
    return gain, at, size, to, tried


@helper
def _shift(
    words: Fingerprints, start: int, length: int, target: int, shifted: Fingerprints
) -> None:
    """Writes the words with a block of them moved to a target, a place among all words.

    A target within the block moves it by as many places as the target lies behind its start.
    """
    behind = start + length
    if target < start:
        to = target
    elif target > behind:
        to = target - length
    else:
        to = min(target, words.size - length)
    k = 0
    for i in range(words.size):
        if i < to or i >= to + length:
            if k == start:
                k = behind
            shifted[i] = words[k]
            k += 1
        else:
            shifted[i] = words[start + i - to]


@helper
def _distance_of_shift(
    words: Fingerprints,
    shifted: Fingerprints,
    reference: Fingerprints,
    space: Workspace,
    least: int,
) -> int:
    """The edit distance of shifted words; the rows of what stayed in front are those of before."""
    n_h, n_r = shifted.size, reference.size
    begin = least
    while begin < n_h and shifted[begin] == words[begin]:
        begin += 1
    begin = min(begin, n_h - 1)
    above, row = space.above, space.row
    low_above, high_above = space.low[begin], space.high[begin]
    for j in range(low_above, high_above):
        above[j] = space.costs[space.starts[begin] + j - low_above]
    for i in range(begin + 1, n_h + 1):
        low, high = _beam(i, n_h, n_r)
        left = FAR
        for j in range(low, high):
            best = FAR
            if j > 0 and low_above <= j - 1 < high_above:
                best = above[j - 1] + (0 if shifted[i - 1] == reference[j - 1] else 1)
            if low_above <= j < high_above:
                best = min(best, above[j] + 1)
            best = min(best, left + 1)
            row[j] = best
            left = best
        above, row = row, above
        low_above, high_above = low, high
    return above[n_r]
