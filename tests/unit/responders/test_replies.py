"""``rejoinder.respond``: replies to a test set, and never the test set's own."""

import numpy as np
import pytest

import rejoinder
from rejoinder.corpora.pairs import Pairs
from rejoinder.errors import InputError, ParameterError
from rejoinder.responders.replies import respond, without_test_pairs
from shared_data import EXAMPLES
from tiny_corpora import little, little_corpus


@pytest.fixture(scope="module")
def testset():
    return rejoinder.read_testset(EXAMPLES / "testset.jsonl")


def own_pairs(testset):
    """Every reference of every item, as a corpus that also holds one pair of somebody else's."""
    last = dict(zip(testset.ids, testset.contexts["context"].list.last(), strict=True))
    rows = testset.references.select("id", "text").rows()
    sources = [last[id] for id, _ in rows]
    return Pairs(
        [*(id for id, _ in rows), "other"],
        [*sources, "Is it cold?"],
        [*(text for _, text in rows), "A little."],
    )


def returned(replies, testset):
    """How many replies are a reference of their item."""
    known = set(testset.references.select("id", "text").iter_rows())
    return sum(pair in known for pair in replies.table.select("id", "text").iter_rows())


@pytest.mark.parametrize("system", ["retrieval", "random"])
def test_references_do_not_come_back_from_python(testset, system):
    # Of all the test set's pairs (66 items, every reference) only the one of somebody else's is left.
    replies = rejoinder.respond(system, testset, corpus=own_pairs(testset))
    assert set(replies.table["text"]) == {"A little."}
    assert replies.table["id"].to_list() == testset.ids
    pairs = testset.references.height
    assert replies.notes[0] == (
        f"{pairs} pairs of {pairs + 1} left out that also stand in the test set"
    )


def test_references_come_back_if_they_are_asked_for(testset):
    replies = respond("retrieval", testset, corpus=own_pairs(testset), exclude_test_pairs=False)
    assert returned(replies, testset) > len(testset) // 2
    assert not any("left out" in note for note in replies.notes)


def test_other_replies_to_the_same_message_stay():
    # The same message with another reply is no pair of the test set; case and marks do not matter.
    testset = rejoinder.TestSet.from_lists([["No.", "Very!"]], contexts=[["hello", "Is it cold?"]])
    corpus = Pairs(["1", "2", "3"], ["is it cold", "Is it cold?", "Hi."], ["very", "Yes.", "No."])
    assert without_test_pairs(corpus, testset).ids == ["2", "3"]
    with pytest.raises(InputError, match="test set's own"):
        respond("random", testset, corpus=corpus.take(np.array([0])))


def test_a_test_set_as_corpus_and_an_item_without_references():
    asked = rejoinder.TestSet.from_lists([[], ["So."]], contexts=["Where to?", "Is it cold?"])
    corpus = rejoinder.TestSet.from_lists([["Home."], ["Very."]], contexts=["Where to?", "Cold?"])
    replies = respond("retrieval", asked, corpus=corpus)
    assert replies.table["text"].to_list() == ["Home.", "Very."]


def test_a_scorer_chooses_and_progress_is_told(testset):
    seen = []
    replies = respond(
        "retrieval",
        testset,
        corpus=little_corpus(),
        scorer=lambda messages, texts: np.array([-len(text) for text in texts], dtype=float),
        candidates=5,
        name="short",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert replies.system == "short"
    assert seen[-1] == (len(testset), len(testset))


def test_a_trained_system_replies(tmp_path, testset):
    pytest.importorskip("torch")
    from rejoinder.training.responder import train_responder

    train_responder(little_corpus(), tmp_path / "model", little(epochs=1))
    replies = respond(tmp_path / "model", testset, beam=1)
    assert replies.system == "model"
    assert replies.table["id"].to_list() == testset.ids


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"system": "random"}, "needs a corpus"),
        ({"system": "model", "corpus": Pairs([], [], [])}, "only random and retrieval"),
        ({"system": "random", "corpus": Pairs([], [], []), "scorer": "m"}, "only retrieval"),
        ({"system": "model", "beam": 0}, "beam=0"),
        ({"system": "model", "candidates": 0}, "candidates=0"),
        ({"system": "model", "seed": -1}, "seed=-1"),
    ],
)
def test_wrong_parameters(testset, given, told):
    given = dict(given)
    with pytest.raises(ParameterError, match=told):
        respond(given.pop("system"), testset, **given)


def test_an_item_without_a_context_is_told():
    bare = rejoinder.TestSet.from_lists([["Yes."]])
    with pytest.raises(InputError, match="1 of 1 items have no context"):
        respond("random", bare, corpus=little_corpus())
