"""Texts as ids, and queries of several turns."""

import numpy as np
import pytest

from rejoinder.models.ruber.data.conversations import NONE
from rejoinder.models.ruber.data.texts import Ragged, ScorerVocabulary, like_lengths
from rejoinder.models.ruber.gru.gru import joined

TEXTS = Ragged.of([np.array(ids, np.int64) for ids in ([5, 6], [], [7], [8, 9, 10])])


def listed(ragged):
    return [
        ragged.ids[a:b].tolist() for a, b in zip(ragged.bounds[:-1], ragged.bounds[1:], strict=True)
    ]


def test_a_vocabulary_has_the_commonest_words_first():
    # b stands three times, a and c twice (in the order of their letters), d once: too rare.
    vocabulary = ScorerVocabulary.of(["b a b", "c a b c d"], "none", least=2, most=9)
    assert vocabulary.words == ("<unk>", "<turn>", "b", "a", "c")
    assert vocabulary.ids("d a b").tolist() == [0, 3, 2]
    assert vocabulary.ids("d a b", 2).tolist() == [3, 2]  # the end is kept
    assert len(ScorerVocabulary.of(["b a b", "c a b c d"], "none", least=1, most=1)) == 3


def test_taking_filling_and_padding():
    assert listed(TEXTS.take(np.array([3, 1, 0, 3]))) == [[8, 9, 10], [], [5, 6], [8, 9, 10]]
    assert listed(TEXTS.take(np.array([], np.int64))) == []
    assert listed(TEXTS.filled()) == [[5, 6], [0], [7], [8, 9, 10]]
    pytest.importorskip("torch")
    ids, lengths = TEXTS.padded()
    assert ids.tolist() == [[5, 6, 0], [0, 0, 0], [7, 0, 0], [8, 9, 10]]
    assert lengths.tolist() == [2, 1, 1, 3]


def test_the_turns_of_a_query_have_a_mark_between_them():
    turns = np.array([[NONE, 0, 2], [3, 1, 0], [NONE, NONE, 1], [NONE, NONE, NONE]])
    assert listed(joined(TEXTS, turns)) == [[5, 6, 1, 7], [8, 9, 10, 1, 1, 5, 6], [], []]
    assert listed(joined(TEXTS, turns[:, -1:])) == [[7], [5, 6], [], []]


def test_batches_of_like_length_hold_every_row_once():
    lengths = np.random.default_rng(1).integers(0, 40, 100)
    batches = list(like_lengths(lengths, words=60, most=9))
    assert sorted(np.concatenate(batches).tolist()) == list(range(100))
    assert all(rows.size <= 9 for rows in batches)
    assert all(rows.size == 1 or rows.size * lengths[rows].max() <= 60 for rows in batches)
    assert list(like_lengths(lengths[:0])) == []


def test_the_longest_of_a_batch_says_how_many_it_holds():
    # By the shortest, 512 rows of 1 + 511 * 2000 words were one batch: a million words, padded.
    lengths = np.array([2000] * 511 + [1])
    batches = list(like_lengths(lengths))
    assert batches[0].tolist() == [511, *range(7)]  # 8 * 2000 words are 16,000 of 16,384
    assert {rows.size for rows in batches[1:-1]} == {8}
    assert [rows.tolist() for rows in like_lengths(np.array([99, 3, 0, 0]), words=6, most=3)] == [
        [2, 3],  # a third row makes it 3 * 3 words
        [1],
        [0],  # longer by itself than a batch may be
    ]
