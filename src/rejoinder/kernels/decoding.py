"""Stack decoding of phrase-based translation, and look-ups of an n-gram language model with backoff."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rejoinder.kernels.ahead import helper, kernel
from rejoinder.kernels.arrays import Codes, Fingerprints, Floats, Indices, Table

CHAIN = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(29)
TOP = np.uint64(20)
ONE = np.uint64(1)
FREE = np.uint64(0)

BEGIN, END = 1, 2
"""The words before and behind a sentence, as in ``language_model``."""


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
    log = 0.0
    for length in range(min(order - 1, at - first), -1, -1):
        context = FREE
        key = _chain(FREE, line[at])
        for back in range(1, length + 1):
            context = _chain(context, line[at - back])
            key = _chain(key, line[at - back])
        slot = _slot(keys, key)
        if keys[slot] != FREE:
            return log + values[slot, 0]
        if length > 0:
            slot = _slot(keys, context)
            if keys[slot] != FREE:
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
    """The phrase pairs that may translate a message of J words, and behind them the end of the reply.

    Attributes:
        bounds: int64 [J + 2], those that begin at the word j are bounds[j] to bounds[j + 1]; the last one
            is the end of the reply.
        ends: int64 [o], the source word behind each; J + 1 behind the last one.
        scores: float64 [o], its weighted features without the language model.
        starts: int64 [o + 1], option k has the target words starts[k] to starts[k + 1].
        words: int64 [t].
    """

    bounds: Indices
    ends: Indices
    scores: Floats
    starts: Indices
    words: Indices


class Lattice(NamedTuple):
    """The hypotheses and arcs of a search.

    Attributes:
        arcs: int64 [h], the last arc into each hypothesis, -1 for none.
        scores: float64 [h], of its best path.
        sources: int64 [a], the hypothesis that each arc leaves.
        options: int64 [a], its option.
        earlier: int64 [a], the arc before it into the same hypothesis, -1 for none.
        gains: float64 [a], what it adds to the score.
        logs: float64 [a], what it adds to the logarithm of the language model.
        ends: int64 [2], the first hypothesis, and the one that all replies end in, -1 for none.
    """

    arcs: Indices
    scores: Floats
    sources: Indices
    options: Indices
    earlier: Indices
    gains: Floats
    logs: Floats
    ends: Indices


def search(
    options: PhraseOptions, table: NgramTable, order: int, weight: float, stack: int
) -> Lattice:
    """Searches for the best replies, whose phrases are in the order of the message.

    A hypothesis has covered the source words up to one of them and has target words before it; those
    that end at the same place and have the same last words are one (recombination), with an arc for each
    way there. Of those that end at one place the best are extended; where the message ends, all of them.
    A reply without a word is taken where there is no other.

    Args:
        options: What may be said.
        table: The language model.
        order: The longest n-gram.
        weight: Weight of the logarithm of the language model.
        stack: Number of hypotheses that are extended of each number of covered words.
    """
    capacity = stack * options.ends.size + 2
    slots = 1 << (2 * capacity).bit_length()
    arcs, following = np.empty((2, slots), dtype=np.int64)
    sources, taken, earlier = np.empty((3, 2 * capacity), dtype=np.int64)
    gains, logs = np.empty((2, 2 * capacity))
    ends = np.full(2, -1)
    lattice = Lattice(arcs, np.empty(slots), sources, taken, earlier, gains, logs, ends)
    _search(
        *options, *table, *lattice, np.array([weight]), np.zeros(slots, dtype=np.uint64),
        np.empty((slots, order - 1), dtype=np.int64), following, np.full(options.bounds.size, -1),
        np.empty(int(np.diff(options.starts).max()) + order, dtype=np.int64),
        np.empty(capacity, dtype=np.int64), order, stack,
    )  # fmt: skip
    return lattice


@kernel
def _search(
    bounds: Indices,
    option_ends: Indices,
    option_scores: Floats,
    starts: Indices,
    words: Indices,
    keys: Fingerprints,
    values: Table,
    arcs: Indices,
    scores: Floats,
    sources: Indices,
    options: Indices,
    earlier: Indices,
    gains: Floats,
    logs: Floats,
    ends: Indices,
    weight: Floats,
    slots: Fingerprints,
    states: Codes,
    following: Indices,
    heads: Indices,
    line: Indices,
    best: Indices,
    order: int,
    stack: int,
) -> None:
    width = order - 1
    last = bounds.size - 2
    line[:width] = BEGIN
    h = _hypothesis(slots, states, arcs, scores, following, heads, line, 0, 0)
    scores[h] = 0.0
    ends[0] = h
    count = 0
    for at in range(last + 1):
        room = stack if at < last else best.size
        chosen = 0
        h = heads[at]
        while h >= 0:
            place = min(chosen, room)
            while place > 0 and scores[h] > scores[best[place - 1]]:
                if place < room:
                    best[place] = best[place - 1]
                place -= 1
            if place < room:
                best[place] = h
            chosen = min(chosen + 1, room)
            h = following[h]
        for b in range(chosen):
            h = best[b]
            if at == last and chosen > 1 and states[h, width - 1] == BEGIN:
                continue
            for option in range(bounds[at], bounds[at + 1]):
                for k in range(width):
                    line[k] = states[h, k]
                length = starts[option + 1] - starts[option]
                log = 0.0
                for k in range(length):
                    line[width + k] = words[starts[option] + k]
                    log += _log(keys, values, line, width + k, 0, order)
                gain = option_scores[option] + weight[0] * log
                end = option_ends[option]
                if at == last:  # all replies end in one hypothesis
                    length = 0
                    line[:width] = BEGIN
                to = _hypothesis(slots, states, arcs, scores, following, heads, line, length, end)
                sources[count], options[count], earlier[count] = h, option, arcs[to]
                gains[count], logs[count] = gain, log
                scores[to] = max(scores[to], scores[h] + gain)
                arcs[to] = count
                count += 1
    ends[1] = heads[last + 1]


@helper
def _hypothesis(
    slots: Any, states: Any, arcs: Any, scores: Any, following: Any, heads: Any, line: Any,
    length: Any, end: Any,
) -> Any:  # fmt: skip
    """The hypothesis that ends at a place with the last words of a line: its slot, new or known."""
    key = _chain(FREE, end)
    for k in range(states.shape[1]):
        key = _chain(key, line[length + k])
    slot = _slot(slots, key)
    if slots[slot] == FREE:
        slots[slot] = key
        arcs[slot], scores[slot], following[slot] = -1, -np.inf, heads[end]
        heads[end] = slot
        for k in range(states.shape[1]):
            states[slot, k] = line[length + k]
    return slot
