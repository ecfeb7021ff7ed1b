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


@helper
def chained(key: Any, word: Any) -> Any:
    """A fingerprint with one more word; or many, each with its own: uint64 [n]."""
    return (key ^ (key >> FOLD)) * CHAIN + np.uint64(word) + ONE


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
        _fill(keys, logs, backoffs, table)
        return table


@kernel
def _fill(keys: Fingerprints, logs: Floats, backoffs: Floats, table: NgramTable) -> None:
    for k in range(keys.size):
        slot = _slot(table.keys, keys[k])
        table.keys[slot] = keys[k]
        table.values[slot, 0], table.values[slot, 1] = logs[k], backoffs[k]


@helper
def _slot(keys: Any, key: Any) -> Any:
    """The slot of a fingerprint: its own, or the free one where it would go."""
    mask = np.uint64(keys.size - 1)
    slot = (key ^ (key >> TOP)) & mask
    while keys[slot] != FREE and keys[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@helper
def _log(table: Any, line: Any, at: Any, first: Any, order: Any) -> Any:
    """The log-probability of the word ``line[at]`` after those from ``line[first]`` on."""
    log = 0.0
    for length in range(min(order - 1, at - first), -1, -1):
        context = FREE
        key = chained(FREE, line[at])
        for back in range(1, length + 1):
            context = chained(context, line[at - back])
            key = chained(key, line[at - back])
        slot = _slot(table.keys, key)
        if table.keys[slot] != FREE:
            return log + table.values[slot, 0]
        if length > 0:
            slot = _slot(table.keys, context)
            if table.keys[slot] != FREE:
                log += table.values[slot, 1]
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
    _sentence_logs(table, words, bounds, order, logs)
    return logs


@kernel
def _sentence_logs(
    table: NgramTable, words: Indices, bounds: Indices, order: int, logs: Floats
) -> None:
    for n in range(bounds.size - 1):
        for at in range(bounds[n], bounds[n + 1]):
            logs[at] = _log(table, words, at, bounds[n], order)


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
        keys: uint64 [h], the fingerprint of each hypothesis; 0: free.
        words: int64 [h, order - 1], its last words.
        scores: float64 [h], of its best path.
        arcs: int64 [h], the last arc into it, -1 for none.
        following: int64 [h], the next hypothesis that ends at the same place, -1 for none.
        heads: int64 [J + 2], the first hypothesis of each place; of the last one, in which all replies end,
            -1 for none.
        sources: int64 [a], the hypothesis that each arc leaves.
        options: int64 [a], its option.
        earlier: int64 [a], the arc before it into the same hypothesis, -1 for none.
        gains: float64 [a], what it adds to the score.
        logs: float64 [a], what it adds to the logarithm of the language model.
    """

    keys: Fingerprints
    words: Codes
    scores: Floats
    arcs: Indices
    following: Indices
    heads: Indices
    sources: Indices
    options: Indices
    earlier: Indices
    gains: Floats
    logs: Floats


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
    words = np.empty((slots, order - 1), dtype=np.int64)
    arcs, following = np.empty((2, slots), dtype=np.int64)
    heads = np.full(options.bounds.size, -1)
    sources, taken, earlier = np.empty((3, 2 * capacity), dtype=np.int64)
    gains, logs = np.empty((2, 2 * capacity))
    lattice = Lattice(
        np.zeros(slots, dtype=np.uint64), words, np.empty(slots), arcs, following, heads, sources, taken,
        earlier, gains, logs,
    )  # fmt: skip
    line = np.empty(int(np.diff(options.starts).max()) + order, dtype=np.int64)
    best = np.empty(capacity + 1, dtype=np.int64)
    _search(options, table, lattice, np.array([weight]), line, best, order, stack)
    return lattice


@kernel
def _search(
    options: PhraseOptions,
    table: NgramTable,
    lattice: Lattice,
    weight: Floats,
    line: Indices,
    best: Indices,
    order: int,
    stack: int,
) -> None:
    width = order - 1
    last = options.bounds.size - 2
    scores = lattice.scores
    line[:width] = BEGIN
    scores[_hypothesis(lattice, line, 0, 0)] = 0.0
    count = 0
    for at in range(last + 1):
        room = stack if at < last else best.size - 1
        chosen = 0
        h = lattice.heads[at]
        while h >= 0:
            place = chosen
            while place > 0 and scores[h] > scores[best[place - 1]]:
                best[place] = best[place - 1]
                place -= 1
            best[place] = h
            chosen = min(chosen + 1, room)
            h = lattice.following[h]
        for b in range(chosen):
            h = best[b]
            if at == last and chosen > 1 and lattice.words[h, width - 1] == BEGIN:
                continue
            for option in range(options.bounds[at], options.bounds[at + 1]):
                for k in range(width):
                    line[k] = lattice.words[h, k]
                start = options.starts[option]
                length = options.starts[option + 1] - start
                log = 0.0
                for k in range(length):
                    line[width + k] = options.words[start + k]
                    log += _log(table, line, width + k, 0, order)
                gain = options.scores[option] + weight[0] * log
                if at == last:  # all replies end in one hypothesis
                    length = 0
                    line[:width] = BEGIN
                to = _hypothesis(lattice, line, length, options.ends[option])
                lattice.sources[count], lattice.options[count] = h, option
                lattice.gains[count], lattice.logs[count] = gain, log
                lattice.earlier[count] = lattice.arcs[to]
                scores[to] = max(scores[to], scores[h] + gain)
                lattice.arcs[to] = count
                count += 1


@helper
def _hypothesis(lattice: Any, line: Any, length: Any, end: Any) -> Any:
    """The hypothesis that ends at a place with the last words of a line: its slot, new or known."""
    key = chained(FREE, end)
    width = lattice.words.shape[1]
    for k in range(width):
        key = chained(key, line[length + k])
    slot = _slot(lattice.keys, key)
    if lattice.keys[slot] == FREE:
        lattice.keys[slot] = key
        lattice.arcs[slot], lattice.scores[slot] = -1, -np.inf
        lattice.following[slot] = lattice.heads[end]
        lattice.heads[end] = slot
        for k in range(width):
            lattice.words[slot, k] = line[length + k]
    return slot
