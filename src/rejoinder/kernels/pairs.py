"""The n-grams that two texts share, of all pairs within a group, each text counted once.

The n-grams of a group's texts go into one hash table, and each n-gram lists the texts that hold it,
with how often. A text is then paired with all others at once: of each of its n-grams the list is
walked, and the smaller of two counts is added for every text in it. What two texts share is the same
from both sides, so that one count gives both directions of a score.

Arguments of all kernels here:
    left: the texts that are paired, by group.
    right: the texts with which those of the same group are paired; ``left`` itself in ``half``.
    half: 1 to pair each text of a group with itself and those before it, 0 for all left with all right.
    order: the longest n-gram, N.
    memory: see ``PairMemory``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import (
    Floats,
    Grouped,
    Indices,
    PairMemory,
    Places,
    Table,
)

CHAIN = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)
TOP = np.uint64(32)


def pair_memory(left: Grouped, right: Grouped, order: int) -> PairMemory:
    """Allocates what the largest group needs.

    Args:
        left: The texts of one side, by group.
        right: The texts of the other side, by group.
        order: Maximum length of n-grams.
    """
    grams = max(1, left.most_tokens * order)
    slots = 1 << max(4, (2 * grams - 1).bit_length())
    texts = int(np.diff(left.bounds).max(initial=0))
    longest = int((right.last - right.first).max(initial=0)) * order

    def places(size: int) -> Places:
        return np.empty(size, dtype=np.uint32)

    return PairMemory(
        slot_group=np.zeros(slots, dtype=np.uint32),
        slot_key=np.empty(slots, dtype=np.uint64),
        slot_gram=places(slots),
        gram_text=places(grams + 1),
        gram_last=places(grams + 1),
        gram_order=places(grams + 1),
        gram_start=places(grams + 1),
        listed_gram=places(grams),
        listed_count=places(grams),
        holder=places(grams),
        held=places(grams),
        list_bounds=np.empty(texts + 1, dtype=np.int64),
        right_gram=places(max(1, longest)),
        shared=np.zeros(order * max(1, texts), dtype=np.int64),
    )


def chrf_pairs(
    left: Grouped, right: Grouped, half: bool, order: int, beta: float, starts: Indices, size: int
) -> Floats:
    """The chrF of every pair: the left text is the reply, the right one the reference.

    Args:
        left: Characters of texts.
        right: Likewise.
        half: Whether left and right are the same.
        order: The longest n-gram of characters.
        beta: How many times recall weighs precision.
        starts: int64 [n], where the matrix of each group begins.
        size: Where the last ends.

    Returns:
        float64 [size]: of each group a matrix, a row for each left text.
    """
    scores = np.zeros(size)
    settings = np.array([float(beta) ** 2])
    memory = pair_memory(left, right, order)
    _chrf_pairs(left, right, half, order, settings, starts, memory, scores)
    return scores


@kernel
def _chrf_pairs(
    left: Grouped,
    right: Grouped,
    half: int,
    order: int,
    settings: Floats,
    starts: Indices,
    memory: PairMemory,
    scores: Floats,
) -> None:
    b2 = settings[0]
    for i in range(left.bounds.size - 1):
        _list(i, left, order, memory)
        begin, texts = left.bounds[i], left.bounds[i + 1] - left.bounds[i]
        width = right.bounds[i + 1] - right.bounds[i]
        for j in range(width):
            there = right.bounds[i] + j
            of_right = right.last[there] - right.first[there]
            paired = j + 1 if half else texts
            _match(i, j, right, half, order, texts, memory)
            for a in range(paired):
                of_left = left.last[begin + a] - left.first[begin + a]
                orders = min(order, min(of_left, of_right))
                p = 0.0
                r = 0.0
                for n in range(order):
                    matched = memory.shared[n * texts + a]
                    memory.shared[n * texts + a] = 0
                    if n < orders:
                        p += matched / (of_left - n)
                        r += matched / (of_right - n)
                p /= max(1, orders)
                r /= max(1, orders)
                scores[starts[i] + a * width + j] = _f_score(p, r, b2)
                if half:
                    scores[starts[i] + j * width + a] = _f_score(r, p, b2)


@helper
def _f_score(p: Any, r: Any, b2: Any) -> Any:
    """``(1 + b^2) P R / (b^2 P + R)``, 0 where nothing is shared."""
    below = b2 * p + r
    return (1 + b2) * p * r / below if below > 0 else 0.0


def shared_ngrams(
    left: Grouped, right: Grouped, half: bool, order: int, starts: Indices, size: int
) -> Floats:
    """How many n-grams every pair shares, ``sum_g min(#_g(a), #_g(b))``.

    Args:
        left: Tokens of texts.
        right: Likewise.
        half: Whether left and right are the same.
        order: N.
        starts: int64 [n], where the pairs of each group begin.
        size: Where the last ends.

    Returns:
        float64 [size, N]. Right text after right text, each with all left texts of its group, or in
        ``half`` with those up to itself.
    """
    counts = np.zeros((size, order))
    _shared_ngrams(left, right, half, order, starts, pair_memory(left, right, order), counts)
    return counts


@kernel
def _shared_ngrams(
    left: Grouped,
    right: Grouped,
    half: int,
    order: int,
    starts: Indices,
    memory: PairMemory,
    counts: Table,
) -> None:
    for i in range(left.bounds.size - 1):
        _list(i, left, order, memory)
        texts = left.bounds[i + 1] - left.bounds[i]
        row = starts[i]
        for j in range(right.bounds[i + 1] - right.bounds[i]):
            paired = j + 1 if half else texts
            _match(i, j, right, half, order, texts, memory)
            for a in range(paired):
                for n in range(order):
                    counts[row, n] = memory.shared[n * texts + a]
                    memory.shared[n * texts + a] = 0
                row += 1


@helper
def _list(i: int, left: Grouped, order: int, memory: PairMemory) -> None:
    """Lists the distinct n-grams of each left text of group ``i``, and of each n-gram its texts."""
    stamp = i + 1
    begin, end = left.bounds[i], left.bounds[i + 1]
    grams = 0
    listed = 0
    for k in range(begin, end):
        text = k - begin
        memory.list_bounds[text] = listed
        stop = left.last[k]
        for at in range(left.first[k], stop):
            key = np.uint64(0)
            for n in range(min(order, stop - at)):
                key = (key ^ (key >> FOLD)) * CHAIN + left.tokens[at + n]
                slot = _slot(memory, stamp, key)
                if memory.slot_group[slot] != stamp:
                    memory.slot_group[slot] = stamp
                    memory.slot_key[slot] = key
                    memory.slot_gram[slot] = grams
                    memory.gram_text[grams] = 0
                    memory.gram_order[grams] = n
                    memory.gram_start[grams] = 0  # first how many texts hold it
                    grams += 1
                gram = memory.slot_gram[slot]
                if memory.gram_text[gram] == text + 1:
                    memory.listed_count[memory.gram_last[gram]] += 1
                else:
                    memory.gram_text[gram] = text + 1
                    memory.gram_last[gram] = listed
                    memory.gram_start[gram] += 1
                    memory.listed_gram[listed] = gram
                    memory.listed_count[listed] = 1
                    listed += 1
    memory.list_bounds[end - begin] = listed
    before = 0
    for gram in range(grams):
        held = memory.gram_start[gram]
        memory.gram_start[gram] = before
        memory.gram_last[gram] = before  # the place of the next text
        memory.gram_text[gram] = 0  # of the next right text
        before += held
    memory.gram_start[grams] = before
    for text in range(end - begin):
        for e in range(memory.list_bounds[text], memory.list_bounds[text + 1]):
            gram = memory.listed_gram[e]
            place = memory.gram_last[gram]
            memory.holder[place] = text
            memory.held[place] = memory.listed_count[e]
            memory.gram_last[gram] = place + 1


@helper
def _match(
    i: int, j: int, right: Grouped, half: int, order: int, texts: int, memory: PairMemory
) -> None:
    """Adds to ``shared`` what the right text ``j`` of group ``i`` shares with each left text."""
    if half:
        for e in range(memory.list_bounds[j], memory.list_bounds[j + 1]):
            gram = memory.listed_gram[e]
            count = memory.listed_count[e]
            row = memory.gram_order[gram] * texts
            place = memory.gram_start[gram]
            while True:
                text = memory.holder[place]
                memory.shared[row + text] += min(count, memory.held[place])
                if text == j:
                    break
                place += 1
        return
    grams = 0
    k = right.bounds[i] + j
    stop = right.last[k]
    for at in range(right.first[k], stop):
        key = np.uint64(0)
        for n in range(min(order, stop - at)):
            key = (key ^ (key >> FOLD)) * CHAIN + right.tokens[at + n]
            slot = _slot(memory, i + 1, key)
            if memory.slot_group[slot] != i + 1:
                break  # a text that holds an n-gram holds its beginning too
            gram = memory.slot_gram[slot]
            if memory.gram_text[gram] != j + 1:
                memory.gram_text[gram] = j + 1
                memory.gram_last[gram] = 0
                memory.right_gram[grams] = gram
                grams += 1
            memory.gram_last[gram] += 1
    for e in range(grams):
        gram = memory.right_gram[e]
        count = memory.gram_last[gram]
        row = memory.gram_order[gram] * texts
        for place in range(memory.gram_start[gram], memory.gram_start[gram + 1]):
            memory.shared[row + memory.holder[place]] += min(count, memory.held[place])


@helper
def _slot(memory: PairMemory, stamp: int, key: np.uint64) -> np.uint64:
    """The slot of an n-gram of the group: its own, or the free one where it would go."""
    mask = np.uint64(memory.slot_group.size - 1)
    slot = (key >> TOP) & mask
    while memory.slot_group[slot] == stamp and memory.slot_key[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot
