"""Which conversations of a corpus are those of a test set: no candidate is mined from them.

The rule is that of training (`corpora/leakage.py`): a conversation is left out that holds an utterance
of ``LONG`` words or more that the test set holds too, or a message with the same reply. Utterances are
compared by their letters and digits, whatever their case (`text/bare.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from rejoinder.corpora.leakage import is_long, said, words_alone
from rejoinder.corpora.mining.index import TripleIndex
from rejoinder.kernels.arrays import Bytes, Fingerprints
from rejoinder.retrieval.vocabulary import Vocabulary
from rejoinder.tables.testset import TestSet
from rejoinder.text.bare import bare_keys
from rejoinder.text.strings import Strings

_AT_ONCE = 1 << 20
_ODD = np.uint64(0x9E3779B97F4A7C15)


def own_conversations(index: TripleIndex, testset: TestSet) -> Bytes:
    """uint8 [conversations]: 1 for those that share a long utterance or a pair with a test set.

    A conversation is looked at as far as triples hold its utterances.
    """
    long, pairs = _testset_vocabularies(testset, index.keys)
    shared = _shared(index.utterance_keys, long, pairs)
    # Of each triple, from the first turn of its context on: an utterance, or a pair with the one before.
    begins = index.replies - index.turns
    of_utterances, of_pairs = map(_counts, shared)
    ends = index.replies + 1
    ours = (of_utterances[ends] > of_utterances[begins]) | (of_pairs[ends] > of_pairs[begins + 1])
    conversations = np.zeros(index.name_bounds.size - 1, dtype=np.uint8)
    conversations[index.conversations[ours]] = 1
    return conversations


def _testset_vocabularies(testset: TestSet, keys: Fingerprints) -> tuple[Vocabulary, Vocabulary]:
    """The long utterances of a test set, and its messages with each of their references."""
    every, pairs = said(testset)
    long = [
        text for text, words in zip(every, words_alone(every, "en"), strict=True) if is_long(words)
    ]
    of_messages, of_replies = (_keys(pairs[name], keys) for name in ("message", "text"))
    return Vocabulary.of(_keys(long, keys)), Vocabulary.of(_paired(of_messages, of_replies))


def _shared(keys: Fingerprints, long: Vocabulary, pairs: Vocabulary) -> tuple[Bytes, Bytes]:
    """uint8 [u] each: whether an utterance is shared, and whether it is with the one before."""
    utterances, with_last = (np.zeros(keys.size, dtype=np.uint8) for _ in range(2))
    for begin in range(0, keys.size, _AT_ONCE):
        end = min(begin + _AT_ONCE, keys.size)
        utterances[begin:end] = long.find(np.ascontiguousarray(keys[begin:end])) >= 0
        first = max(begin, 1)
        both = _paired(keys[first - 1 : end - 1], keys[first:end])
        with_last[first:end] = pairs.find(both) >= 0
    return utterances, with_last


def _counts(marks: Bytes) -> NDArray[np.int32]:
    """int32 [u + 1]: how many of the first are marked."""
    counts = np.zeros(marks.size + 1, dtype=np.int32)
    np.cumsum(marks, dtype=np.int32, out=counts[1:])
    return counts


def _paired(first: Fingerprints, second: Fingerprints) -> Fingerprints:
    """One key of two, in which their order counts."""
    mixed = (first ^ (first >> np.uint64(31))) * _ODD + second
    return (mixed ^ (mixed >> np.uint64(29))) * _ODD


def _keys(texts: Iterable[str], keys: Fingerprints) -> Fingerprints:
    return bare_keys(Strings.of(list(texts)), keys)
