"""Word alignment: Model 1 and a hidden Markov model (Vogel et al. 1996), and what two directions share.

Pair n has a source of I words and a target of J. Each target word is emitted by a source word or by
none (NULL); along the target, the position moves by jumps, whose probability depends on their width
alone. Every NULL keeps the position before it (Och and Ney 2003, section 2.1.2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Bytes, Floats, Indices, Places

NULL = 0.2
"""The probability that a target word has no source word."""

DOWN, ACROSS = (-1, 0, 1, 0, -1, -1, 1, 1), (0, -1, 0, 1, -1, 1, -1, 1)
"""The neighbours of a link in the order in which they are looked at, diagonal ones last."""

MODEL_1, HMM, VITERBI = 0, 1, 2
"""What a pass over the corpus does: counts of either model, or the best alignments."""


def align(
    mode: int,
    cells: Places,
    sources: Indices,
    targets: Indices,
    table: Floats,
    jumps: Floats,
    counts: Floats,
    jump_counts: Floats,
    links: Indices,
) -> None:
    """A pass over the corpus.

    Args:
        mode: ``MODEL_1``, ``HMM`` or ``VITERBI``.
        cells: uint32, of pair after pair the row of ``table`` of each target word with NULL and each
            source word in turn: J (I + 1) of them.
        sources: int64 [n], I.
        targets: int64 [n], J.
        table: float64 [t], probabilities of target words given source words.
        jumps: float64 [2 w + 1], weights of jumps of -w to w; w is I at least.
        counts: float64 [t], to which expected counts are added.
        jump_counts: float64 [2 w + 1], likewise.
        links: int64 [sum of J], to which ``VITERBI`` writes source positions, -1 for NULL.
    """
    most = int(sources.max(initial=0)) + 1
    longest = int(targets.max(initial=0))
    memory = np.empty((2 * longest + 3) * most + longest)
    back = np.empty((longest + 2) * most, dtype=np.int64)
    _align(
        mode, cells, sources, targets, table, jumps, counts, jump_counts, links, memory, back, most
    )


@kernel
def _align(
    mode: int,
    cells: Places,
    sources: Indices,
    targets: Indices,
    table: Floats,
    jumps: Floats,
    counts: Floats,
    jump_counts: Floats,
    links: Indices,
    memory: Floats,
    back: Indices,
    most: int,
) -> None:
    cell = 0
    word = 0
    for n in range(sources.size):
        size, length = sources[n], targets[n]
        if mode == 0:
            for j in range(length):
                first = cell + j * (size + 1)
                total = NULL * table[cells[first]]
                share = (1 - NULL) / max(1, size)
                for i in range(1, size + 1):
                    total += share * table[cells[first + i]]
                counts[cells[first]] += NULL * table[cells[first]] / total
                for i in range(1, size + 1):
                    counts[cells[first + i]] += share * table[cells[first + i]] / total
        elif mode == 1:
            _expect(cells, cell, size, length, table, jumps, counts, jump_counts, memory, most)
        else:
            _best(cells, cell, size, length, table, jumps, links, word, memory, back, most)
        cell += length * (size + 1)
        word += length


@helper
def _normalised(jumps: Any, size: Any, norms: Any) -> None:
    """Fills ``norms[k]`` with (1 - NULL) over the weights of all jumps from position k, 0: before all."""
    centre = jumps.size // 2
    for k in range(size + 1):
        total = 0.0
        for i in range(1, size + 1):
            total += jumps[i - k + centre]
        norms[k] = (1 - NULL) / total


@helper
def _expect(
    cells: Any, cell: Any, size: Any, length: Any, table: Any, jumps: Any, counts: Any,
    jump_counts: Any, memory: Any, most: Any,
) -> None:  # fmt: skip
    """Adds the expected counts of a pair: forward and backward over positions, scaled word by word."""
    centre = jumps.size // 2
    real = memory[: length * most]  # forward weights: word j is emitted by position k
    null = memory[length * most : 2 * length * most]  # by NULL, after position k
    rest = memory[2 * length * most :]
    after, before, norms = rest[:most], rest[most : 2 * most], rest[2 * most : 3 * most]
    scales = rest[3 * most :]
    _normalised(jumps, size, norms)
    for j in range(length):
        first, row = cell + j * (size + 1), j * most
        for k in range(size + 1):
            before[k] = 1.0 * (k == 0) if j == 0 else real[row - most + k] + null[row - most + k]
        total = 0.0
        for i in range(size + 1):
            reached = 0.0
            if i > 0:
                for k in range(size + 1):
                    reached += before[k] * norms[k] * jumps[i - k + centre]
            real[row + i] = reached * table[cells[first + i]]
            null[row + i] = NULL * before[i] * table[cells[first]]
            total += real[row + i] + null[row + i]
        scales[j] = total
        for k in range(size + 1):
            real[row + k] /= total
            null[row + k] /= total
    for k in range(size + 1):
        after[k] = 1.0
    for j in range(length - 1, -1, -1):
        first, row = cell + j * (size + 1), j * most
        total = 0.0
        for k in range(size + 1):
            total += (real[row + k] + null[row + k]) * after[k]
        for k in range(size + 1):
            counts[cells[first + k]] += real[row + k] * after[k] / total
            counts[cells[first]] += null[row + k] * after[k] / total
        total *= scales[j]
        for k in range(size + 1):
            held = 1.0 * (k == 0) if j == 0 else real[row - most + k] + null[row - most + k]
            leads = NULL * table[cells[first]] * after[k]
            for i in range(1, size + 1):
                step = norms[k] * jumps[i - k + centre] * table[cells[first + i]] * after[i]
                leads += step
                jump_counts[i - k + centre] += held * step / total
            before[k] = leads / total
        for k in range(size + 1):
            after[k] = before[k]


@helper
def _best(
    cells: Any, cell: Any, size: Any, length: Any, table: Any, jumps: Any, links: Any, word: Any,
    memory: Any, back: Any, most: Any,
) -> None:  # fmt: skip
    """Writes the best alignment of a pair: the best path over positions, a NULL keeping the last one."""
    centre = jumps.size // 2
    before, best, norms = memory[:most], memory[most : 2 * most], memory[2 * most : 3 * most]
    _normalised(jumps, size, norms)
    for k in range(size + 1):
        before[k] = 1.0 * (k == 0)
    for j in range(length):
        first = cell + j * (size + 1)
        highest = 0.0
        for i in range(size + 1):
            best[i] = NULL * before[i] * table[cells[first]]
            back[j * most + i] = -1 - i  # NULL, after position i
            if i > 0:
                for k in range(size + 1):
                    value = before[k] * norms[k] * jumps[i - k + centre] * table[cells[first + i]]
                    if value > best[i]:
                        best[i] = value
                        back[j * most + i] = k
            highest = max(highest, best[i])
        for i in range(size + 1):
            before[i] = best[i] / highest
    at = 0
    for k in range(1, size + 1):
        if before[k] > before[at]:
            at = k
    for j in range(length - 1, -1, -1):
        came = back[j * most + at]
        links[word + j] = -1 if came < 0 else at - 1
        at = at if came < 0 else came


def symmetrised(
    forward: Indices, backward: Indices, sources: Indices, targets: Indices
) -> tuple[Indices, Indices, Indices]:
    """Alignment by grow-diag-final-and (Koehn et al. 2005), from the best ones of both directions.

    Starts from the links that both have. A neighbour (beside or diagonal) of a link is added where
    either has it and its source word or its target word has no link yet; then those of the first
    direction, and of the second, whose words both have none.

    Args:
        forward: int64 [sum of J], the source position of each target word, or -1.
        backward: int64 [sum of I], the target position of each source word, or -1.
        sources: int64 [n], I.
        targets: int64 [n], J.

    Returns:
        The source and the target position of each link, int64 [l] each, by pair, source and target; and
        int64 [n + 1], where the links of each pair begin.

    >>> one = np.array([2])
    >>> [each.tolist() for each in symmetrised(np.array([0, 0]), np.array([0, -1]), one, one)]
    [[0, 0], [0, 1], [0, 2]]
    """
    grid = np.empty(int((sources * targets).max(initial=1)), dtype=np.uint8)
    covered = np.empty(int((sources + targets).max(initial=1)), dtype=np.uint8)
    found = np.empty((2, forward.size + backward.size), dtype=np.int64)
    bounds = np.zeros(sources.size + 1, dtype=np.int64)
    left, right = found[0], found[1]
    total = _symmetrised(
        forward, backward, sources, targets, grid, covered, left, right, bounds
    )  # fmt: skip
    return left[:total].copy(), right[:total].copy(), bounds


@kernel
def _symmetrised(
    forward: Indices,
    backward: Indices,
    sources: Indices,
    targets: Indices,
    grid: Bytes,
    covered: Bytes,
    left: Indices,
    right: Indices,
    bounds: Indices,
) -> int:
    source = 0
    target = 0
    total = 0
    for n in range(sources.size):
        size, length = sources[n], targets[n]
        # Bits of a cell: 1, the first direction has the link; 2, the second; 4, it is taken.
        grid[: size * length] = 0
        covered[: size + length] = 0
        for j in range(length):
            if forward[target + j] >= 0:
                grid[forward[target + j] * length + j] = 1
        for i in range(size):
            if backward[source + i] >= 0:
                grid[i * length + backward[source + i]] += 2
        for cell in range(size * length):
            if grid[cell] == 3:
                _take(grid, covered, cell // length, cell % length, size, length)
        growing = 1
        while growing:
            growing = 0
            for cell in range(size * length):
                if grid[cell] >= 4:
                    growing += _grown(grid, covered, cell // length, cell % length, size, length)
        for direction in range(1, 3):
            for cell in range(size * length):
                i, j = cell // length, cell % length
                fits = grid[cell] < 4 and (grid[cell] & direction) != 0
                if fits and covered[i] == 0 and covered[size + j] == 0:
                    _take(grid, covered, i, j, size, length)
        for cell in range(size * length):
            if grid[cell] >= 4:
                left[total], right[total] = cell // length, cell % length
                total += 1
        bounds[n + 1] = total
        source += size
        target += length
    return total


@helper
def _take(grid: Any, covered: Any, i: Any, j: Any, size: Any, length: Any) -> None:
    grid[i * length + j] |= 4
    covered[i] = 1
    covered[size + j] = 1


@helper
def _grown(grid: Any, covered: Any, i: Any, j: Any, size: Any, length: Any) -> Any:
    """Takes the neighbours of a link that may be: beside it first, then diagonal; how many."""
    taken = 0
    for step in range(8):
        a, b = i + DOWN[step], j + ACROSS[step]
        if min(a, b) < 0 or a >= size or b >= length:
            continue
        free = covered[a] == 0 or covered[size + b] == 0
        if free and 0 < grid[a * length + b] < 4:
            _take(grid, covered, a, b, size, length)
            taken += 1
    return taken
