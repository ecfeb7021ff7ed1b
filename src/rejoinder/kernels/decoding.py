"""Stack decoding of phrase-based translation, and look-ups of an n-gram language model with backoff."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Fingerprints, Floats, Indices, Table

CHAIN = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)
TOP = np.uint64(20)
ONE = np.uint64(1)
FREE = np.uint64(0)

BEGIN, END = 1, 2
"""The words before and behind a sentence, as in ``language_model``."""

START, FINAL = 0, 1
"""The first hypothesis, and the one that stands for all whole replies."""

LONGEST = 62
"""Most words of a message: the bits of a coverage."""


def chained(keys: Fingerprints, words: Indices) -> Fingerprints:
    """Fingerprints with one more word each: uint64 [n]."""
    return (keys ^ (keys >> FOLD)) * CHAIN + words.astype(np.uint64) + ONE


class NgramTable(NamedTuple):
    """N-grams in a hash table, by their fingerprints, of which the last word is the first.

    Attributes:
        keys: uint64 [slots]; 0: free.
        values: float64 [slots, 2], the logarithms of the probability and of the backoff weight.
    """

    keys: Fingerprints
    values: Table

    @classmethod
    def of(cls, keys: Fingerprints, logs: Floats, backoffs: Floats) -> NgramTable:
        """A table of these n-grams."""
        slots = 1 << max(4, (2 * keys.size - 1).bit_length())
        table = cls(np.zeros(slots, dtype=np.uint64), np.zeros((slots, 2)))
        _fill(keys, np.stack([logs, backoffs], axis=1), *table)
        return table


@kernel
def _fill(keys: Fingerprints, values: Table, slot_keys: Fingerprints, slot_values: Table) -> None:
    for k in range(keys.size):
        slot = _slot(slot_keys, keys[k])
        slot_keys[slot] = keys[k]
        slot_values[slot, 0], slot_values[slot, 1] = values[k, 0], values[k, 1]


@helper
def _slot(keys: Any, key: Any) -> Any:
    """The slot of a fingerprint: its own, or the free one where it would go."""
    mask = np.uint64(keys.size - 1)
    slot = (key ^ (key >> TOP)) & mask
    while keys[slot] != FREE and keys[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@helper
def _chain(key: Any, word: Any) -> Any:
    return (key ^ (key >> FOLD)) * CHAIN + np.uint64(word) + ONE


@helper
def _log(keys: Any, values: Any, line: Any, at: Any, first: Any, order: Any) -> Any:
    """The log-probability of the word ``line[at]`` after those from ``line[first]`` on."""
    key = _chain(FREE, line[at])
    slot = _slot(keys, key)
    log = values[slot, 0]
    matched = 1
    while matched < order and at - matched >= first:
        key = _chain(key, line[at - matched])
        slot = _slot(keys, key)
        if keys[slot] == FREE:
            break
        log = values[slot, 0]
        matched += 1
    key = FREE
    for length in range(1, min(order - 1, at - first) + 1):
        key = _chain(key, line[at - length])
        if length >= matched:
            slot = _slot(keys, key)
            if keys[slot] == FREE:
                break
            log += values[slot, 1]
    return log


def sentence_logs(table: NgramTable, words: Indices, bounds: Indices, order: int) -> Floats:
    """The log-probability of each word given those before it in its sentence: float64 [words].

    Args:
        table: The n-grams with their log-probabilities and backoffs.
        words: The words of all sentences.
        bounds: Where each sentence begins, and the end of the last.
        order: The order of the model.
    """
    logs = np.empty(words.size)
    _sentence_logs(*table, words, bounds, order, logs)
    return logs


@kernel
def _sentence_logs(
    keys: Fingerprints, values: Table, words: Indices, bounds: Indices, order: int, logs: Floats
) -> None:
    for n in range(bounds.size - 1):
        for at in range(bounds[n], bounds[n + 1]):
            logs[at] = _log(keys, values, words, at, bounds[n], order)


class PhraseOptions(NamedTuple):
    """The phrase pairs that may translate a message.

    Attributes:
        bounds: int64 [J + 1], those that begin at the word j are bounds[j] to bounds[j + 1].
        ends: int64 [o], the source word behind each.
        scores: float64 [o], its weighted features without the language model.
        starts: int64 [o + 1], option k has the target words starts[k] to starts[k + 1].
        words: int64 [t].
        future: float64 [(J + 1)^2], an estimate of the best score of the words a to b at a (J + 1) + b.
    """

    bounds: Indices
    ends: Indices
    scores: Floats
    starts: Indices
    words: Indices
    future: Floats


class Lattice(NamedTuple):
    """The hypotheses and arcs of a search, memory that is used again.

    Attributes:
        covered: int64 [h], the source words of each hypothesis as bits.
        ends: int64 [h], the source word behind the last phrase.
        states: int64 [h w], its last words, -1 before the first; w is the order less 1, or 1.
        following: int64 [h], the next hypothesis of its stack, -1 at the end.
        arcs: int64 [h], its last arc, -1 for none.
        scores: float64 [h], of its best path.
        sources: int64 [a], the hypothesis that each arc leaves.
        options: int64 [a], its option; -1: the end of the reply.
        earlier: int64 [a], the arc before it into the same hypothesis, -1 for none.
        gains: float64 [a], what it adds to the score.
        logs: float64 [a], what it adds to the logarithm of the language model.
        slots: int64 [s], a hash table of hypotheses, their number + 1.
    """

    covered: Indices
    ends: Indices
    states: Indices
    following: Indices
    arcs: Indices
    scores: Floats
    sources: Indices
    options: Indices
    earlier: Indices
    gains: Floats
    logs: Floats
    slots: Indices

    @classmethod
    def of(cls, hypotheses: int, order: int) -> Lattice:
        """Memory for so many hypotheses, and four times as many arcs."""
        h, a = hypotheses, 4 * hypotheses

        def numbers(size: int) -> Indices:
            return np.empty(size, dtype=np.int64)

        return cls(
            covered=numbers(h), ends=numbers(h), states=numbers(h * max(1, order - 1)),
            following=numbers(h), arcs=numbers(h), scores=np.empty(h), sources=numbers(a),
            options=numbers(a), earlier=numbers(a), gains=np.empty(a), logs=np.empty(a),
            slots=numbers(1 << (2 * h - 1).bit_length()),
        )  # fmt: skip


def search(
    options: PhraseOptions,
    table: NgramTable,
    lattice: Lattice,
    order: int,
    model_weight: float,
    distortion_weight: float,
    stack: int,
    limit: int,
) -> bool:
    """Searches for the best replies; whether the memory sufficed.

    A hypothesis covers some source words and has target words before it; those that cover the same, end
    at the same place and have the same last words are one (recombination), with an arc for each way
    there. Of those that cover equally many words, the best are extended, by their score and the estimate
    of what is left.

    Args:
        options: What may be said.
        table: The language model.
        lattice: Memory, in which the hypotheses and arcs are left.
        order: The longest n-gram.
        model_weight: Weight of the logarithm of the language model.
        distortion_weight: Weight of minus the words jumped over.
        stack: Number of hypotheses that are extended of each number of covered words.
        limit: The longest jump; 0: from left to right.
    """
    size = options.bounds.size - 1
    most = int(np.diff(options.starts).max(initial=0)) + order + 1
    line, heads = np.empty(most, dtype=np.int64), np.empty(size + 1, dtype=np.int64)
    best, values = np.empty(stack, dtype=np.int64), np.empty(stack)
    weights = np.array([model_weight, distortion_weight])
    return bool(
        _search(
            *options, *table, *lattice, weights, line, heads, best, values, order, stack, limit
        )
    )  # fmt: skip


@kernel
def _search(
    bounds: Indices,
    option_ends: Indices,
    option_scores: Floats,
    starts: Indices,
    words: Indices,
    future: Floats,
    keys: Fingerprints,
    table: Table,
    covered: Indices,
    ends: Indices,
    states: Indices,
    following: Indices,
    arcs: Indices,
    scores: Floats,
    sources: Indices,
    options: Indices,
    earlier: Indices,
    gains: Floats,
    logs: Floats,
    slots: Indices,
    weights: Floats,
    line: Indices,
    heads: Indices,
    best: Indices,
    values: Floats,
    order: int,
    stack: int,
    limit: int,
) -> int:
    size = bounds.size - 1
    width = max(1, order - 1)
    slots[:] = 0
    heads[:] = -1
    heads[0] = START
    for h in range(2):
        covered[h], ends[h], following[h], arcs[h], scores[h] = 0, 0, -1, -1, 0.0
        for k in range(width):
            states[h * width + k] = -1
        states[h * width + width - 1] = BEGIN
    scores[FINAL] = -np.inf
    hypotheses = 2
    count = 0
    for number in range(size):
        chosen = _best(heads[number], size, covered, following, scores, future, best, values, stack)
        for b in range(chosen):
            h = best[b]
            gap = 0
            while (covered[h] >> gap) & 1:
                gap += 1
            for start in range(max(gap, ends[h] - limit), min(size, ends[h] + limit + 1)):
                for option in range(bounds[start], bounds[start + 1]):
                    end = option_ends[option]
                    bits = ((1 << (end - start)) - 1) << start
                    if covered[h] & bits or (start > gap and end - gap > limit):
                        continue
                    if count >= sources.size or hypotheses >= covered.size:
                        return 0
                    first = width
                    for k in range(width):
                        line[k] = states[h * width + k]
                        if line[k] >= 0:
                            first = min(first, k)
                    length = starts[option + 1] - starts[option]
                    log = 0.0
                    for k in range(length):
                        line[width + k] = words[starts[option] + k]
                        log += _log(keys, table, line, width + k, first, order)
                    jump = start - ends[h]
                    gain = option_scores[option] + weights[0] * log - weights[1] * abs(jump)
                    now = covered[h] | bits
                    slot = _place(slots, covered, ends, states, now, end, line, length, width)
                    to = slots[slot] - 1
                    if to < 0:
                        to = hypotheses
                        hypotheses += 1
                        slots[slot] = to + 1
                        covered[to], ends[to], arcs[to], scores[to] = now, end, -1, -np.inf
                        for k in range(width):
                            states[to * width + k] = line[length + k]
                        following[to] = heads[number + end - start]
                        heads[number + end - start] = to
                    sources[count], options[count], earlier[count] = h, option, arcs[to]
                    gains[count], logs[count] = gain, log
                    scores[to] = max(scores[to], scores[h] + gain)
                    arcs[to] = count
                    count += 1
    # A reply without a word is taken where there is no other.
    for empty in range(2):
        h = heads[size]
        while h >= 0 and (empty == 0 or arcs[FINAL] < 0):
            if (states[h * width + width - 1] == BEGIN) == (empty == 1):
                if count >= sources.size:
                    return 0
                first = width
                for k in range(width):
                    line[k] = states[h * width + k]
                    if line[k] >= 0:
                        first = min(first, k)
                line[width] = END
                log = _log(keys, table, line, width, first, order)
                sources[count], options[count], earlier[count] = h, -1, arcs[FINAL]
                gains[count], logs[count] = weights[0] * log, log
                scores[FINAL] = max(scores[FINAL], scores[h] + gains[count])
                arcs[FINAL] = count
                count += 1
            h = following[h]
    return 1


@helper
def _best(
    head: Any, size: Any, covered: Any, following: Any, scores: Any, future: Any, best: Any,
    values: Any, stack: Any,
) -> Any:  # fmt: skip
    """Fills ``best`` with the best hypotheses of a stack, the best first; how many they are."""
    chosen = 0
    h = head
    while h >= 0:
        value = scores[h]
        j = 0
        while j < size:
            if (covered[h] >> j) & 1 == 0:
                gap = j
                while j < size and (covered[h] >> j) & 1 == 0:
                    j += 1
                value += future[gap * (size + 1) + j]
            j += 1
        if chosen < stack or value > values[chosen - 1]:
            place = min(chosen, stack - 1)
            while place > 0 and value > values[place - 1]:
                best[place], values[place] = best[place - 1], values[place - 1]
                place -= 1
            best[place], values[place] = h, value
            chosen = min(chosen + 1, stack)
        h = following[h]
    return chosen


@helper
def _place(
    slots: Any, covered: Any, ends: Any, states: Any, now: Any, end: Any, line: Any, length: Any,
    width: Any,
) -> Any:  # fmt: skip
    """The slot of the hypothesis with this coverage, end and last words, or a free one."""
    key = _chain(_chain(FREE, now), end)
    for k in range(width):
        key = _chain(key, line[length + k])
    mask = np.uint64(slots.size - 1)
    slot = (key ^ (key >> TOP)) & mask
    while slots[slot] != 0:
        h = slots[slot] - 1
        same = covered[h] == now and ends[h] == end
        for k in range(width):
            same = same and states[h * width + k] == line[length + k]
        if same:
            break
        slot = (slot + ONE) & mask
    return slot
