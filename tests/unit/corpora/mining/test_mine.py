"""Mining: all products, ties and duplicates, and what is left out."""

import numpy as np
import polars as pl
import pytest

import rejoinder.corpora.mining.search as search
from mining_by_hand import brute_force, corpus, texts
from rejoinder import TestSet
from rejoinder.corpora.mining.mine import mine
from rejoinder.errors import InputError, ParameterError

COLD = TestSet.from_lists(
    [["Very cold."], ["Very cold."], ["To the park."], ["Cold and wet."]],
    contexts=[["Is it cold outside?"], ["Cold?"], ["Where to"], ["Hi.", "Is it cold here?"]],
)
ITEM = TestSet.from_lists([["Yes, cold."]], contexts=[["Hello.", "Is it cold?"]])


def against_brute_force(count, queries, vocabulary, most, alpha, epsilon):
    random = np.random.default_rng(5)
    triples = list(zip(*(texts(random, count, vocabulary, most) for _ in range(2)), strict=True))
    # Messages of the corpus stand among the queries; their pairs do not, and no text is long.
    asked = [
        (triples[i][0] if i % 2 else text, triples[-1 - i][1])
        for i, text in enumerate(texts(random, queries, vocabulary, most))
    ]
    known = set(triples)
    asked = [pair for pair in asked if pair not in known]
    testset = TestSet.from_lists([[r] for _, r in asked], contexts=[m for m, _ in asked])
    mined = mine(corpus(triples), testset, alpha=alpha, epsilon=epsilon)
    assert not any("left out" in note for note in mined.notes)
    expected = brute_force(triples, asked, alpha, epsilon, 15)
    assert mined.counts == tuple(map(len, expected))
    rows = [row for each in expected for row in each]
    got = mined.table
    assert got["dialogue"].to_list() == [str(place) for place, *_ in rows]
    assert got["text"].to_list() == [triples[place][1] for place, *_ in rows]
    for column, name in enumerate(("message_score", "response_score", "product"), start=1):
        assert got[name].to_list() == [row[column] for row in rows]  # to the last bit
    return mined, rows


@pytest.mark.parametrize(("alpha", "epsilon"), [(0.5, 1.0), (1.0, 1.0), (0.0, 2.0), (0.9, 0.1)])
def test_mining_equals_brute_force(alpha, epsilon, monkeypatch):
    monkeypatch.setattr(search, "_BLOCK", 64)  # many blocks, the last of them not full
    _, rows = against_brute_force(1500, 30, 60, 5, alpha, epsilon)
    products = [row[3] for row in rows]
    assert len(set(products)) < len(products)  # there are ties, and they are in order


@pytest.mark.slow
def test_mining_equals_brute_force_at_size():
    """20,000 triples and 200 queries, in a vocabulary so small that many products are equal."""
    _, rows = against_brute_force(20_000, 200, 300, 7, 0.5, 1.0)
    products = [row[3] for row in rows]
    assert len(set(products)) < len(products)


def test_equal_responses_are_one_candidate_and_the_best_stays():
    table = mine(COLD, ITEM).table
    assert table["text"].to_list() == ["Very cold.", "Cold and wet."]
    assert table["source"].to_list() == ["mined-1", "mined-2"]
    # "Cold?" is shorter, but shares one word where "Is it cold outside?" shares three.
    assert table["dialogue"].to_list()[0] == "1"


def test_rows_say_where_a_candidate_stands():
    row = mine(COLD, ITEM).table.row(1, named=True)
    assert (row["dialogue"], row["turn"]) == ("4", 2)
    assert row["mined_context"] == ["Hi.", "Is it cold here?"]
    expected = row["message_score"] * (0.5 * row["response_score"] + 0.5)
    assert row["product"] == pytest.approx(expected, rel=1e-15)


def test_references_of_the_item_are_no_candidates():
    for own in ("Very cold.", "very cold !"):
        testset = TestSet.from_lists([["Yes.", own]], contexts=["Is it cold?"])
        assert mine(COLD, testset).table["text"].to_list() == ["Cold and wet."]


def test_a_parroted_message_is_a_candidate_once():
    pairs = TestSet.from_lists([["Is it cold?"], ["No."]], contexts=["Cold?", "Is it cold?"])
    table = mine(pairs, ITEM, parrot=True).table
    assert table.select("text", "source").rows() == [
        ("No.", "mined-1"),
        ("Is it cold?", "parroted"),
    ]
    assert table["product"].to_list()[1] is None
    assert "Is it cold?" in mine(pairs, ITEM).table["text"].to_list()


def test_the_test_items_own_conversations_are_left_out():
    long = "The lake is cold in the morning, they say."
    turns = ["Is it cold?", "Rather.", "Cold is fine.", "Good."]
    items = [(turns[: i + 1], turns[i + 1]) for i in range(3)]
    items += [(["Cold, is it?", long], "It is cold there."), (["Cold out?"], "It is so cold.")]
    names = ["a", "a", "a", "b", "c"]
    contexts = pl.DataFrame(
        {"id": [str(i) for i in range(5)], "context": [c for c, _ in items], "conversation": names}
    )
    replies = pl.DataFrame({"id": contexts["id"], "text": [r for _, r in items]})
    whole = TestSet(contexts, replies)
    alone = TestSet.from_lists([["Quite."]], contexts=["Is it cold in the morning?"])
    assert set(mine(whole, alone).table["dialogue"]) == {"a", "b", "c"}
    # Another case and other marks: "is it COLD" with "rather" is the pair of the conversation a.
    paired = TestSet.from_lists([["rather"]], contexts=["is it COLD"])
    mined = mine(whole, paired)
    assert set(mined.table["dialogue"]) == {"b", "c"}
    assert any(note.startswith("1 of 3 conversations") for note in mined.notes)
    testset = TestSet.from_lists([[long.lower()]], contexts=["Is it cold?"])
    assert set(mine(whole, testset).table["dialogue"]) == {"a", "c"}


def test_items_without_a_message_or_a_reference_are_counted():
    testset = TestSet.from_lists([["Yes."], [], ["x"]], contexts=[[], ["Is it cold?"], ["Zebra."]])
    mined = mine(COLD, testset)
    assert mined.counts == (0, 2, 0)
    # Without a reference the product is d(m~, m) (1 - alpha) epsilon.
    assert mined.table["response_score"].to_list() == [0.0, 0.0]
    assert mined.notes == (
        "1 item of 3 without a context: no candidates",
        "1 item of 3 without a reference: searched by the message alone",
        "3 items of 3 with fewer than 15 candidates, 2 of them with none",
    )


def test_blank_replies_of_the_corpus_are_no_candidates():
    pairs = TestSet.from_lists([[" "], ["No."], []], contexts=["Cold?", "Is it cold?", "Cold."])
    mined = mine(pairs, ITEM)
    assert mined.table["text"].to_list() == ["No."]
    assert mined.notes[0].startswith("2 items of 3 of the corpus left out")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"candidates": 0}, "candidates=0"),
        ({"alpha": 1.1}, "alpha=1.1"),
        ({"epsilon": float("inf")}, "epsilon=inf"),
        ({"alpha": 0, "epsilon": 0}, "make every product 0"),
        ({"k1": -1}, "k1=-1"),
        ({"b": 2}, "b=2"),
        ({"tokenizer": "13"}, "tokenizer '13' is unknown"),
    ],
)
def test_parameters_outside_their_range_are_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        mine(COLD, ITEM, **wrong)


def test_a_corpus_without_triples_and_a_test_set_without_contexts_are_refused():
    with pytest.raises(InputError, match=r"corpus: none of 1 item .* has both a context"):
        mine(TestSet.from_lists([["Hi."]]), ITEM)
    with pytest.raises(InputError, match="test set: no item has a context"):
        mine(COLD, TestSet.from_lists([["Hi."]]))
    with pytest.raises(ParameterError, match="corpus is str"):
        mine("corpus.jsonl", ITEM)


def test_the_signature_has_every_parameter():
    mined = mine(COLD, ITEM, alpha=0.25, epsilon=2, k1=1, b=0.5, candidates=3, parrot=True)
    assert mined.signature.startswith("mine|corpus:")
    for part in (
        "alpha:0.25", "epsilon:2", "bm25:lucene", "k1:1", "b:0.5", "tok:13a", "candidates:3",
        "parrot:yes",
    ):  # fmt: skip
        assert f"|{part}|" in mined.signature


@pytest.mark.parametrize(
    ("turns", "tokenizer", "remedy"),
    [
        (
            ["今天天气怎么样？", "天气很好我们去公园吧。"],
            "13a",
            "(Chinese), so that candidates are found by whole",
        ),
        (["今天天气怎么样？", "天气很好我们去公园吧。"], "zh", None),
        (["今日はいい天気ですね。", "そうですね、散歩しましょう。"], "13a", "'ja-mecab' or 'char'"),
        (["今日はいい天気ですね。", "そうですね、散歩しましょう。"], "char", None),
        (["How are you?", "Fine 👍👍👍👍👍👍"], "13a", None),
    ],
)
def test_a_tokenizer_that_does_not_separate_words_is_noted(turns, tokenizer, remedy):
    message, reply = turns
    items = TestSet.from_lists([[reply]], contexts=[[message]])
    notes = [n for n in mine(COLD, items, tokenizer=tokenizer).notes if "does not separate" in n]
    assert len(notes) == (remedy is not None)
    if remedy:
        assert remedy in notes[0]
        assert notes[0].startswith("the tokenizer '13a' does not separate the words of 2 of 2")


def test_few_texts_without_spaces_among_many_are_noted_from_two_on():
    def notes(number):
        texts = ["天气怎么样呢？"] * number + ["How are you today?"] * (30 - number)
        items = TestSet.from_lists([["Fine."]] * 30, contexts=[[text] for text in texts])
        return [note for note in mine(COLD, items).notes if "does not separate" in note]

    assert not notes(1)
    assert "of 2 of 2 messages" in notes(2)[0]
