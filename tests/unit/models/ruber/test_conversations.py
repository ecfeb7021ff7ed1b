"""Conversations: items, leakage, parts; counted by hand."""

import numpy as np
import pytest

from rejoinder.corpora.leakage import WordTexts
from rejoinder.errors import InputError
from rejoinder.models.ruber.data.conversations import NONE, Conversations
from rejoinder.models.ruber.ranking import Ranking
from tiny_ruber import conversations, dialogues, items

LONG = "one two three four five six seven eight"
CORPUS = [
    ["good morning", "hello there", "bye"],
    ["who is it", LONG, "right"],
    ["who is there", "it is me", "come in"],
    ["a question", "an answer"],
]


def test_items_and_their_conversations():
    held = Conversations.of(conversations(CORPUS), 2)
    # Two replies in each of the first three, one in the last.
    assert held.dialogues.tolist() == [0, 0, 1, 1, 2, 2, 3]
    said = [[held.texts[p] for p in row if p != NONE] for row in held.turns.tolist()]
    assert said[0] == ["good morning"]
    assert said[1] == ["good morning", "hello there"]
    places, bounds = held.others()
    own = [held.texts[p] for p in places[bounds[1] : bounds[2]].tolist()]
    assert own == ["good morning", "hello there"]  # but not "bye", the reply itself


def test_what_stands_in_an_evaluation_set_is_left_out_and_counted():
    # The second shares a long utterance (case and marks apart), the third a message and its reply
    # ("who is there", "it is me"); the first only shares "hello there", of two words, to another
    # message. 2 of 4 conversations go, with 2 replies each: 4 of 7 items.
    # Both stand behind another reference; one item has no reference, and one reference no words.
    other = items(
        [["nothing"], ["Who is there ?"], ["hi"], ["alone"]],
        [["well", LONG.upper() + "!"], ["Me.", "It is me."], ["hello there", ""], []],
    )
    said = WordTexts.in_set(other, "en")
    left = Conversations.of(conversations(CORPUS), 2).without(said, "the sets excluded")
    assert left.dialogues.tolist() == [0, 0, 3]
    assert left.notes == (
        "2 of 4 conversations (4 of 7 items) left out that share a long utterance or a pair with "
        "the sets excluded",
    )
    with pytest.raises(InputError, match="train on another corpus"):
        left.without(left.word_texts(), "itself")


def test_replies_with_a_turn_between_them_are_one_conversation():
    # As chats are: the user speaks between two replies, which are items; the third is another chat.
    contexts = [["hi"], ["hi", "yes?", "tea"], ["hi", "no"]]
    held = Conversations.of(items(contexts, [["yes?"], ["here"], ["why?"]]), 2)
    assert held.dialogues.tolist() == [0, 0, 1]


def test_seven_words_may_be_said_twice():
    seven = Conversations.of(conversations([["x y", "1 2 3 4 5 6 7"], ["u", "v"]]), 1)
    other = Conversations.of(conversations([["z", "1 2 3 4 5 6 7"], ["p", "q"]]), 1)
    assert len(seven.without(other.word_texts(), "it")) == 2


def test_languages_without_blanks_have_long_utterances_too():
    # Ten characters; to English eyes they are one word.
    corpus = conversations([["你好", "我昨天在公园里喝了茶"], ["是", "否"]])
    other = items([["真的"]], [["我昨天在公园里喝了茶。"]])
    for language, kept in (("char", 1), ("en", 2)):
        said = WordTexts.in_set(other, language)
        assert len(Conversations.of(corpus, 1, language).without(said, "it")) == kept


def test_a_set_of_one_item_is_excluded_too():
    corpus = Conversations.of(conversations(CORPUS), 1)
    said = WordTexts.in_set(items([["bye", LONG]], [["yes"]]), "en")
    assert len(corpus.without(said, "it")) == 5


def test_the_parts_share_no_conversation():
    whole = Conversations.of(conversations(dialogues()), 3)
    train, valid = whole.split(0.25, 7)
    assert set(train.dialogues.tolist()).isdisjoint(valid.dialogues.tolist())
    assert np.unique(valid.dialogues).size == 9  # a quarter of 36
    assert len(train) + len(valid) == len(whole) == 108
    again = whole.split(0.25, 7)[1]
    assert again.replies.tolist() == valid.replies.tolist()
    assert train.hash != valid.hash


def test_items_without_context_or_reference_are_counted():
    held = Conversations.of(items([["a"], [], ["b"], ["c"]], [["x"], ["y"], [], ["z"]]), 1)
    assert len(held) == 2
    assert held.notes == ("2 items left out: no context or no reference",)
    with pytest.raises(InputError, match="expected conversations"):
        Conversations.of(items([["a"]], [["x"]]), 1)


def test_ranking_is_counted_by_hand():
    ranking = Ranking.of(Conversations.of(conversations(dialogues()), 2), seed=1, most=20)
    assert ranking.candidates.shape == (20, 11)
    assert (ranking.candidates[:, 1:10] != ranking.candidates[:, :1]).all()
    # Two queries, a true reply, two random ones, one of the same talk. First: above one, equal to
    # the other, below its own; second: above all. Accuracy (1 + .5 + 1 + 1) / 4, first 1/2, own 1/2.
    scores = np.array([[2.0, 1.0, 2.0, 3.0], [5.0, 1.0, 2.0, 3.0]])
    assert ranking.accuracies(scores) == {"accuracy": 0.875, "first": 0.5, "own": 0.5}
