"""What holds for every replying system that takes its replies from a corpus."""

from __future__ import annotations

import numpy as np
import pytest

import rejoinder
from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import ParameterError
from rejoinder.responders.registry import BUILT_IN, BuiltIn, Choices

CORPUS = Pairs(
    [str(i) for i in range(6)],
    ["Is it cold?", "Where to?", "Tea?", "Is it late?", "Who is there?", "Ready?"],
    ["Very.", "Home.", "Please.", "Not yet.", "Me.", "Very."],
)
MESSAGES = ["Cold, is it?", "", "Where, then?", "xyz"]
TESTSET = rejoinder.TestSet.from_lists([["A."]] * 4, contexts=[[each or "-"] for each in MESSAGES])


@pytest.fixture(params=BUILT_IN)
def name(request):
    return request.param


def test_replies_are_of_the_corpus_one_to_each_message(name):
    responder = BUILT_IN[name].make(CORPUS, Choices())
    steps = []
    replies = responder.respond(MESSAGES, lambda done, total: steps.append((done, total)))
    assert len(replies) == len(MESSAGES)
    assert set(replies) <= set(CORPUS.targets)
    assert steps[-1] == (4, 4)
    assert responder.respond([]) == []
    assert all(isinstance(note, str) and note for note in responder.notes)


def test_replies_follow_from_the_corpus_and_the_seed(name):
    one, two = (
        rejoinder.respond(name, TESTSET, corpus=CORPUS, seed=3).table["text"] for _ in range(2)
    )
    assert one.to_list() == two.to_list()


def test_a_scorer_is_used_or_refused(name):
    asked = []

    def scorer(messages, replies):
        asked.extend(replies)
        return np.arange(len(replies), dtype=float)

    if BUILT_IN[name].reranks:
        rejoinder.respond(name, TESTSET, corpus=CORPUS, scorer=scorer)
        assert asked
    else:
        with pytest.raises(ParameterError, match="scorer: only retrieval re-ranks"):
            rejoinder.respond(name, TESTSET, corpus=CORPUS, scorer=scorer)


def test_a_corpus_is_needed_and_is_for_these_alone(name):
    with pytest.raises(ParameterError, match=f"{name}: needs a corpus"):
        rejoinder.respond(name, TESTSET)
    with pytest.raises(ParameterError, match="only random and retrieval take their replies"):
        rejoinder.respond("models/mine", TESTSET, corpus=CORPUS)


def test_a_new_one_needs_a_line_in_the_table_alone(monkeypatch):
    class Echo:
        def __init__(self):
            self.notes = ["one note"]

        def respond(self, messages, progress=None):
            return list(messages)

    monkeypatch.setitem(BUILT_IN, "echo", BuiltIn(lambda corpus, chosen: Echo()))
    replies = rejoinder.respond("echo", TESTSET, corpus=CORPUS)
    assert replies.table["text"].to_list() == [each or "-" for each in MESSAGES]
    assert (replies.system, replies.notes) == ("echo", ("one note",))
