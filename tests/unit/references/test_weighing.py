"""Rated replies as weighted references."""

import polars as pl
import pytest

from rejoinder import read_ratings, read_responses, read_testset
from rejoinder.errors import InputError, ParameterError
from rejoinder.references.weighing import weigh
from rejoinder.tables.testset import TestSet
from shared_data import EXAMPLES

RATINGS = ["id", "system", "rater", "criterion", "score"]


def replies(*rows):
    return pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")


def ratings(*rows):
    rows = [(i, system, rater, "overall", float(s)) for i, system, rater, s in rows]
    return pl.DataFrame(rows, schema=RATINGS, orient="row")


TWO = TestSet.from_lists([["original"], []], contexts=["One?", "Two?"])
REPLIES = replies(("a", "1", "yes"), ("b", "1", "no"), ("a", "2", ""), ("b", "2", "well"))
RATED = ratings(("1", "a", "r", 2), ("1", "a", "s", 5), ("1", "b", "r", 5), ("2", "b", "r", 1))


def rows(testset):
    return testset.references.select("id", "text", "weight", "source").rows()


def test_the_mean_rating_becomes_a_weight():
    # a at 1: mean 3.5 of 1 to 5 is 2 * 2.5 / 4 - 1 = 0.25; b: 1; the best comes first.
    made = weigh(TWO, REPLIES, RATED)
    assert rows(made.testset) == [
        ("1", "no", 1, "b"),
        ("1", "yes", 0.25, "a"),
        ("2", "well", -1, "b"),
    ]
    assert made.testset.ids == ["1", "2"]
    assert "weights: 1 reply without a rating" in made.notes
    assert (
        "weights: 1 of 2 items have no reference with a positive weight; deltableu needs one, and "
        "'score' stops there: drop_unusable=True excludes these items from it" in made.notes
    )


def test_another_scale():
    # 3.5 on 1 to 9: 2 * 2.5 / 8 - 1.
    made = weigh(TWO, REPLIES, RATED, scale=(1, 9)).testset
    assert ("1", "yes", -0.375, "a") in rows(made)


def test_a_single_rating_off_the_scale_is_an_error_though_the_mean_is_not():
    with pytest.raises(InputError, match="5 of 'a' at id '1' by 's' is off the scale from 1 to 4"):
        weigh(TWO, REPLIES, RATED, scale=(1, 4))
    with pytest.raises(
        ParameterError, match=r"scale=\(5, 1\): the worst grade must be below the best"
    ):
        weigh(TWO, REPLIES, RATED, scale=(5, 1))


def test_a_system_can_be_left_out_and_the_own_references_kept():
    made = weigh(TWO, REPLIES, RATED, without=["b"], keep=True)
    assert rows(made.testset) == [("1", "original", None, None), ("1", "yes", 0.25, "a")]
    assert "left out as asked: b" in made.notes
    assert "weights: 1 reference of the test set without a weight: each counts 1" in made.notes
    with pytest.raises(ParameterError, match="choose 'a' or 'b'"):
        weigh(TWO, REPLIES, RATED, without=["c"])
    with pytest.raises(ParameterError, match="no system is left"):
        weigh(TWO, REPLIES, RATED, without=["a", "b"])


def test_an_empty_reply_makes_no_reference():
    rated = pl.concat([RATED, ratings(("2", "a", "r", 4))])
    made = weigh(TWO, REPLIES, rated)
    assert made.testset.references.filter(pl.col("id") == "2")["source"].to_list() == ["b"]
    assert "weights: 1 empty reply skipped" in made.notes
    with pytest.raises(InputError, match="every rated reply is empty"):
        weigh(TWO, REPLIES, ratings(("2", "a", "r", 4)))


def test_the_same_reply_of_two_systems_is_two_references():
    made = weigh(TWO, replies(("a", "1", "Yes ."), ("b", "1", "yes.")), RATED)
    assert [row[2:] for row in rows(made.testset)] == [(1, "b"), (0.25, "a")]
    assert (
        "weights: 2 replies are equal to the reply of another system to the same item; each is a "
        "reference with the weight of its own ratings" in made.notes
    )


def test_a_criterion_is_chosen_where_there_are_several():
    other = RATED.with_columns(criterion=pl.lit("taste"), score=pl.lit(3.0))
    both = pl.concat([RATED, other])
    with pytest.raises(ParameterError, match="choose 'overall' or 'taste' with criterion=NAME"):
        weigh(TWO, REPLIES, both)
    with pytest.raises(ParameterError, match=r"criterion='smell' is unknown"):
        weigh(TWO, REPLIES, both, criterion="smell")
    assert {row[2] for row in rows(weigh(TWO, REPLIES, both, criterion="taste").testset)} == {0}


def test_tables_that_do_not_fit():
    with pytest.raises(InputError, match="no column 'id'"):
        weigh(TWO, REPLIES, RATED.drop("id"))
    with pytest.raises(InputError, match="has a reply"):
        weigh(TWO, REPLIES, ratings(("1", "z", "r", 3)))


def test_the_examples():
    testset = read_testset(EXAMPLES / "testset.jsonl")
    systems = [EXAMPLES / "responses" / f"{name}.jsonl" for name in ("generic", "tuned")]
    given = read_responses(*systems, ids=testset.ids)
    rated = read_ratings(EXAMPLES / "ratings.csv")
    made = weigh(testset, given, rated).testset.references
    # Each weight is the scaled mean of five whole numbers: 20 steps from -1 to 1.
    steps = (made["weight"] + 1) * 10
    assert (steps - steps.round()).abs().max() < 1e-9
    assert made.height == 66 * 2 - 1  # one reply is empty


def test_replies_with_too_few_raters_make_no_reference():
    made = weigh(TWO, REPLIES, RATED, least_raters=2)
    assert rows(made.testset) == [("1", "yes", 0.25, "a")]
    assert "weights: 2 replies with fewer than 2 raters skipped" in made.notes
    with pytest.raises(InputError, match=r"no reply has 3 raters \(the most is 2\)"):
        weigh(TWO, REPLIES, RATED, least_raters=3)
    with pytest.raises(ParameterError, match="least_raters=0 must be 1 or more"):
        weigh(TWO, REPLIES, RATED, least_raters=0)


def test_unreliable_raters_are_left_out():
    items = [str(i) for i in range(1, 13)]
    testset = TestSet.from_lists([["r"]] * 12)
    texts = replies(*(("a", i, "yes") for i in items))
    # Three agree throughout; the contrary rater says 6 minus that.
    grades = {i: 1 + int(i) % 5 for i in items}
    agreed = [(i, "a", rater, grades[i]) for i in items for rater in "rst"]
    contrary = [(i, "a", "u", 6 - grades[i]) for i in items]
    plain = weigh(testset, texts, ratings(*agreed, *contrary))
    filtered = weigh(testset, texts, ratings(*agreed, *contrary), filter_raters=0.1)
    alone = weigh(testset, texts, ratings(*agreed))
    assert rows(filtered.testset) == rows(alone.testset) != rows(plain.testset)
    assert any("1 of 4 raters below a kappa of 0.1 left out" in note for note in filtered.notes)
    # Nobody shares 13 replies with others, so that nobody can be judged.
    kept = weigh(testset, texts, ratings(*agreed, *contrary), filter_raters=0.1, least=13)
    assert rows(kept.testset) == rows(plain.testset)
    assert any("4 of 4 raters kept without a kappa" in note for note in kept.notes)


def test_sources_of_one_mean_stand_in_the_order_of_the_references():
    names = [f"s{n}" for n in range(8)]
    made = weigh(
        TWO,
        replies(*((name, "1", f"yes {name}") for name in names)),
        ratings(*(("1", name, "r", 5) for name in names)),
    )
    for _ in range(5):
        assert [row["source"] for row in made.sources()] == names
