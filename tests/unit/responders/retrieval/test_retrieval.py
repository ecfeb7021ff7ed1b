"""Random replies and retrieval."""

import numpy as np
import pytest

from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError
from rejoinder.responders.random import RandomResponder
from rejoinder.responders.retrieval.retrieval import RetrievalResponder
from tiny_corpora import little_corpus


def test_retrieval_finds_its_own_messages():
    corpus = little_corpus()
    assert RetrievalResponder(corpus).respond(corpus.sources) == corpus.targets


def test_a_scorer_ranks_the_candidates():
    corpus = little_corpus()
    asked = []

    def scorer(messages, replies):
        asked.append(len(replies))
        assert len(set(replies)) == len(replies)  # a reply that came up twice is asked once
        return np.array([sorted(corpus.targets).index(reply) for reply in replies], dtype=float)

    responder = RetrievalResponder(corpus, scorer, candidates=8)
    (reply,) = responder.respond(["Is there tea at the park?"])
    found = {corpus.targets[i] for i in responder.index.best("Is there tea at the park?", 8)}
    assert reply == max(found)
    assert asked == [len(found)]


def test_no_word_in_common_gets_the_most_frequent_reply():
    corpus = Pairs(["1", "2", "3"], ["a b", "c d", "e f"], ["No.", "Yes.", "Yes."])
    responder = RetrievalResponder(corpus)
    assert responder.respond(["zebra", "c"]) == ["Yes.", "Yes."]
    assert responder.unmatched == 1


def test_an_empty_corpus_is_one_message():
    with pytest.raises(InputError, match="no pairs"):
        RetrievalResponder(Pairs([], [], []))


def test_random_follows_its_seed_and_the_frequency_of_replies():
    corpus = Pairs(["1", "2", "3", "4"], ["a"] * 4, ["x", "x", "x", "y"])
    messages = ["m"] * 4000
    drawn = RandomResponder(corpus, 7).respond(messages)
    assert drawn == RandomResponder(corpus, 7).respond(messages)
    # Binomial(4000, 3/4): five standard deviations are 137.
    assert abs(drawn.count("x") - 3000) < 137
