"""The longest common subsequence of token sequences, by their fingerprints."""

from __future__ import annotations

from typing import Any

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Bytes, Indices, Tokens


def lcs_lengths(h: Tokens, r: Tokens, hypotheses: Indices, references: Indices) -> Indices:
    """The length of the longest common subsequence of every pair.

    The usual recurrence, ``L[a, b] = L[a-1, b-1] + 1`` where the tokens are equal, else
    ``max(L[a-1, b], L[a, b-1])``, in one row as long as the hypothesis.

    Args:
        h: The tokens of the hypotheses.
        r: The tokens of the references.
        hypotheses: The hypothesis of each pair (int64 [p]).
        references: The reference of each pair (int64 [p]).

    Returns:
        int64 [p].
    """
    lengths = np.zeros(hypotheses.size, dtype=np.int64)
    row = np.empty(int(h.lengths.max(initial=0)) + 1, dtype=np.int64)
    _lcs_lengths(h, r, hypotheses, references, row, lengths)
    return lengths


@kernel
def _lcs_lengths(
    h: Tokens, r: Tokens, hypotheses: Indices, references: Indices, row: Indices, lengths: Indices
) -> None:
    for p in range(hypotheses.size):
        k, j = hypotheses[p], references[p]
        start = h.first[k]
        size = h.last[k] - start
        for b in range(size + 1):
            row[b] = 0
        for at in range(r.first[j], r.last[j]):
            token = r.fingerprints[at]
            diagonal = 0
            for b in range(size):
                above = row[b + 1]
                if h.fingerprints[start + b] == token:
                    row[b + 1] = diagonal + 1
                elif row[b] > above:
                    row[b + 1] = row[b]
                diagonal = above
        lengths[p] = row[size]


def union_lcs_hits(
    h: Tokens,
    h_bounds: Indices,
    r: Tokens,
    r_bounds: Indices,
    hypotheses: Indices,
    references: Indices,
) -> Indices:
    """How many tokens the sentences of two texts share in order, for every pair.

    For each sentence of the reference, the tokens of it that stand in a longest common subsequence
    with any sentence of the hypothesis; each token of the hypothesis stands for one of these at
    most. Of several longest common subsequences it is that of rouge-score.

    Args:
        h: The tokens of the hypotheses' sentences.
        h_bounds: Hypothesis k has the sentences h_bounds[k] to h_bounds[k + 1] (int64 [m + 1]).
        r: The tokens of the references' sentences.
        r_bounds: int64 [r + 1], likewise.
        hypotheses: The hypothesis of each pair (int64 [p]).
        references: The reference of each pair (int64 [p]).

    Returns:
        int64 [p].
    """
    hits = np.zeros(hypotheses.size, dtype=np.int64)
    across, down = int(h.lengths.max(initial=0)), int(r.lengths.max(initial=0))
    ends = np.concatenate([[0], np.cumsum(h.lengths)])
    tokens = int(np.diff(ends[h_bounds]).max(initial=0))
    row = np.empty(across + 1, dtype=np.int64)
    steps = np.empty(max(1, across * down), dtype=np.uint8)
    marks = np.empty(down + tokens, dtype=np.uint8)
    _union_lcs_hits(
        h,
        h_bounds,
        r,
        r_bounds,
        hypotheses,
        references,
        row,
        steps,
        marks[:down],
        marks[down:],
        hits,
    )
    return hits


@kernel
def _union_lcs_hits(
    h: Tokens,
    h_bounds: Indices,
    r: Tokens,
    r_bounds: Indices,
    hypotheses: Indices,
    references: Indices,
    row: Indices,
    steps: Bytes,
    marked: Bytes,
    used: Bytes,
    hits: Indices,
) -> None:
    for p in range(hypotheses.size):
        k, j = hypotheses[p], references[p]
        for at in range(used.size):
            used[at] = 0
        for of_r in range(r_bounds[j], r_bounds[j + 1]):
            down = r.last[of_r] - r.first[of_r]
            for at in range(down):
                marked[at] = 0
            for of_h in range(h_bounds[k], h_bounds[k + 1]):
                _mark_common(h, of_h, r, of_r, row, steps, marked)
            for at in range(down):
                if marked[at] and _use(
                    h, h_bounds[k], h_bounds[k + 1], r.fingerprints[r.first[of_r] + at], used
                ):
                    hits[p] += 1


@helper
def _mark_common(
    h: Tokens, of_h: int, r: Tokens, of_r: int, row: Indices, steps: Bytes, marked: Bytes
) -> None:
    """Marks the tokens of a reference's sentence in its longest common subsequence with another."""
    start, start_r = h.first[of_h], r.first[of_r]
    across, down = h.last[of_h] - start, r.last[of_r] - start_r
    for b in range(across + 1):
        row[b] = 0
    for a in range(down):
        diagonal = 0
        for b in range(across):
            above = row[b + 1]
            if h.fingerprints[start + b] == r.fingerprints[start_r + a]:
                row[b + 1] = diagonal + 1
                steps[a * across + b] = 2
            elif row[b] > above:
                row[b + 1] = row[b]
                steps[a * across + b] = 1
            else:
                steps[a * across + b] = 0
            diagonal = above
    a, b = down, across
    while a > 0 and b > 0:
        step = steps[(a - 1) * across + b - 1]
        if step == 2:
            marked[a - 1] = 1
        if step != 1:
            a -= 1
        if step != 0:
            b -= 1


@helper
def _use(h: Tokens, begin: Any, end: Any, token: Any, used: Bytes) -> bool:
    """Whether some sentence has the token where it is not used yet; uses it there."""
    place = 0
    for sentence in range(begin, end):
        for at in range(h.first[sentence], h.last[sentence]):
            if h.fingerprints[at] == token and not used[place]:
                used[place] = 1
                return True
            place += 1
    return False
