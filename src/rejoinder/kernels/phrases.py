"""Phrase pairs: extraction from aligned sentences, co-occurrence, Fisher's exact test, lexical weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Codes, Floats, Indices

SMALL = 1e-12
"""Terms of a sum below this share of it are left out."""


class Links(NamedTuple):
    """Aligned pairs of sentences.

    Attributes:
        sources: int64 [n], number of source words.
        targets: int64 [n], number of target words.
        left: int64 [l], the source position of each link.
        right: int64 [l], its target position.
        bounds: int64 [n + 1], where the links of each pair begin.
    """

    sources: Indices
    targets: Indices
    left: Indices
    right: Indices
    bounds: Indices


def consistent(links: Links, longest: int) -> Codes:
    """All phrase pairs that are consistent with the alignment (Och and Ney 2004).

    A pair of spans has a link at least, and no link leads from one of them out of the other. Unaligned
    words may stand at their ends.

    Args:
        links: The aligned sentences.
        longest: Most words of a phrase on either side.

    Returns:
        int64 [p, 5]: pair, first source word, end of the source, first target word, end of the target.

    >>> one = np.array([1])
    >>> consistent(Links(one, one, np.array([0]), np.array([0]), np.array([0, 1])), 5).tolist()
    [[0, 0, 1, 0, 1]]
    """
    memory = np.empty(int((2 * (links.sources + links.targets)).max(initial=1)), dtype=np.int64)
    empty = np.empty((0, 5), dtype=np.int64)
    found = np.empty((_consistent(*links, longest, memory, empty), 5), dtype=np.int64)
    _consistent(*links, longest, memory, found)
    return found


@kernel
def _consistent(
    sources: Indices,
    targets: Indices,
    left: Indices,
    right: Indices,
    bounds: Indices,
    longest: int,
    memory: Indices,
    found: Codes,
) -> int:
    total = 0
    for n in range(sources.size):
        size, length = sources[n], targets[n]
        # The least and the greatest position that each word is linked to.
        for k in range(size + length):
            memory[2 * k], memory[2 * k + 1] = size + length, -1
        for link in range(bounds[n], bounds[n + 1]):
            i, j = left[link], right[link]
            memory[2 * i] = min(memory[2 * i], j)
            memory[2 * i + 1] = max(memory[2 * i + 1], j)
            j += size
            memory[2 * j] = min(memory[2 * j], i)
            memory[2 * j + 1] = max(memory[2 * j + 1], i)
        for start in range(size):
            low, high = length, -1
            for end in range(start + 1, min(size, start + longest) + 1):
                low = min(low, memory[2 * end - 2])
                high = max(high, memory[2 * end - 1])
                if high < 0:
                    continue
                if high - low >= longest:
                    break
                inside = True
                for j in range(size + low, size + high + 1):
                    if memory[2 * j + 1] >= end or memory[2 * j] < start:
                        inside = False
                if not inside:
                    continue
                first = low
                while first >= 0 and high - first < longest:
                    last = high
                    while last < length and last - first < longest:
                        if total < found.shape[0]:
                            found[total, 0], found[total, 1], found[total, 2] = n, start, end
                            found[total, 3], found[total, 4] = first, last + 1
                        total += 1
                        last += 1
                        if last < length and memory[2 * (size + last) + 1] >= 0:
                            break
                    first -= 1
                    if first >= 0 and memory[2 * (size + first) + 1] >= 0:
                        break
    return total


def shared(
    one: Indices, one_bounds: Indices, other: Indices, other_bounds: Indices, pairs: Codes
) -> Indices:
    """How many sentences hold both phrases of each pair: int64 [p].

    Args:
        one: Sentences, ascending within a source phrase.
        one_bounds: int64 [phrases + 1].
        other: Sentences of the target phrases.
        other_bounds: Likewise.
        pairs: int64 [p, 2], phrases of either side.
    """
    counts = np.zeros(len(pairs), dtype=np.int64)
    _shared(one, one_bounds, other, other_bounds, pairs, counts)
    return counts


@kernel
def _shared(
    one: Indices,
    one_bounds: Indices,
    other: Indices,
    other_bounds: Indices,
    pairs: Codes,
    counts: Indices,
) -> None:
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        at, end = one_bounds[a], one_bounds[a + 1]
        begin, stop = other_bounds[b], other_bounds[b + 1]
        if end - at <= stop - begin:
            counts[p] = _in_both(one, at, end, other, begin, stop)
        else:
            counts[p] = _in_both(other, begin, stop, one, at, end)


@helper
def _in_both(few: Any, at: Any, end: Any, many: Any, begin: Any, stop: Any) -> Any:
    """How many of some ascending numbers stand among others: each is looked for by halving."""
    count = 0
    for place in range(at, end):
        low, high = begin, stop
        while low < high:
            middle = (low + high) // 2
            if many[middle] < few[place]:
                low = middle + 1
            else:
                high = middle
        begin = low
        if low < stop and many[low] == few[place]:
            count += 1
    return count


def association(both: Indices, one: Indices, other: Indices, size: int) -> Floats:
    """Minus the logarithm of p of Fisher's exact test, one-sided: as many in common, or more.

    Args:
        both: int64 [p], sentences with both phrases; 1 at least.
        one: int64 [p], with the source phrase.
        other: int64 [p], with the target phrase.
        size: The number of sentences.

    Returns:
        float64 [p], 0 or more.

    >>> association(np.array([1]), np.array([1]), np.array([1]), 100).round(3).tolist()  # ln 100
    [4.605]
    """
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, size + 1)))])
    first, tail = np.empty(both.size), np.empty(both.size)
    _association(both, one, other, size, logs, first, tail)
    return np.maximum(0.0, -first - np.log(tail))


@kernel
def _association(
    both: Indices,
    one: Indices,
    other: Indices,
    size: int,
    logs: Floats,
    first: Floats,
    tail: Floats,
) -> None:
    for p in range(both.size):
        k, a, b = both[p], one[p], other[p]
        first[p] = (
            logs[a] - logs[k] - logs[a - k] + logs[size - a] - logs[b - k] - logs[size - a - b + k]
            - logs[size] + logs[b] + logs[size - b]
        )  # fmt: skip
        term = 1.0
        total = 1.0
        while k < min(a, b):
            term *= (a - k) * (b - k) / ((k + 1.0) * (size - a - b + k + 1))
            total += term
            k += 1
            # Once terms fall, they fall faster and faster.
            if term < SMALL * total and (a - k) * (b - k) < (k + 1.0) * (size - a - b + k + 1):
                break
        tail[p] = total


def lexical_weights(
    spans: Codes, links: Links, weights: Floats, none: Floats, starts: Indices
) -> Floats:
    """Lexical weights of target phrases given source phrases (Koehn et al. 2003, eq. 10), logarithms.

    ``sum_j log mean_{i linked to j} w(t_j | s_i)``, of an unlinked word ``log w(t_j | NULL)``.

    Args:
        spans: As ``consistent`` gives them.
        links: The aligned sentences.
        weights: float64 [l], w(t | s) of the words of each link.
        none: float64 [target words], w(t | NULL) of each target word.
        starts: int64 [n], where the target words of each pair begin in ``none``.

    Returns:
        float64 [p].
    """
    values = np.empty(len(spans))
    most = int(np.diff(spans[:, 3:], axis=1).max(initial=1))
    memory = np.empty(2 * most)
    _lexical(spans, links.left, links.right, links.bounds, weights, none, starts, memory, values)
    return np.log(values)


@kernel
def _lexical(
    spans: Codes,
    left: Indices,
    right: Indices,
    bounds: Indices,
    weights: Floats,
    none: Floats,
    starts: Indices,
    memory: Floats,
    values: Floats,
) -> None:
    for p in range(spans.shape[0]):
        n, first, last = spans[p, 0], spans[p, 3], spans[p, 4]
        memory[: 2 * (last - first)] = 0.0
        for link in range(bounds[n], bounds[n + 1]):
            j = right[link] - first
            if spans[p, 1] <= left[link] < spans[p, 2] and 0 <= j < last - first:
                memory[2 * j] += weights[link]
                memory[2 * j + 1] += 1.0
        product = 1.0
        for j in range(last - first):
            linked = memory[2 * j + 1]
            product *= memory[2 * j] / linked if linked > 0 else none[starts[n] + first + j]
        values[p] = product
