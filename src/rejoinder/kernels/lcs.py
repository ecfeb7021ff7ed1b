"""The longest common subsequence of token sequences, by their fingerprints."""

from __future__ import annotations

import numpy as np

from rejoinder.kernels.ahead import kernel
from rejoinder.kernels.arrays import Indices, Tokens


def lcs_lengths(h: Tokens, r: Tokens, hypotheses: Indices, references: Indices) -> Indices:
    """The length of the longest common subsequence of every pair.

    The usual recurrence, ``L[a, b] = L[a-1, b-1] + 1`` where the tokens are equal, else
    ``max(L[a-1, b], L[a, b-1])``, in one row as long as the hypothesis.

    Args:
        h: The tokens of the hypotheses.
        r: The tokens of the references.
        hypotheses: int64 [p], the hypothesis of each pair.
        references: int64 [p], the reference of each pair.

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
