"""Weights from a learned rater, and from scores of another tool."""

import numpy as np
import polars as pl
import pytest

from example_ruber import example_ruber
from rejoinder import External, TestSet, read_ratings, read_responses, read_testset, weigh
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import RUBER
from shared_data import EXAMPLES, SYSTEMS

TWO = TestSet.from_lists(
    [["original", "another"], ["own"]], contexts=["One?", "Two?"], ids=["1", "2"]
)
CANDIDATES = pl.DataFrame(
    [("1", "yes", "mined-1"), ("1", "no", "mined-2"), ("2", "well", "mined-1")],
    schema=["id", "text", "source"],
    orient="row",
)
MARKS = pl.DataFrame(
    [("mined-1", "1", 4.0), ("mined-2", "1", 2.0), ("mined-1", "2", 1.0)],
    schema=["system", "id", "judge"],
    orient="row",
)
RATED = ["id", "system", "rater", "criterion", "score"]


def ratings(*rows):
    rows = [(i, system, "r", "overall", float(s)) for i, system, s in rows]
    return pl.DataFrame(rows, schema=RATED, orient="row")


def rows(weighed):
    return weighed.testset.references.select("id", "text", "weight", "source").rows()


def test_a_judge_without_ratings_is_scaled_in_a_straight_line():
    # 4 on 1 to 5 is 0.5, 2 is -0.5, 1 is -1.
    weighed = weigh(TWO, CANDIDATES, weights_from=External("judge", MARKS))
    assert rows(weighed) == [
        ("1", "yes", 0.5, "mined-1"),
        ("1", "no", -0.5, "mined-2"),
        ("2", "well", -1.0, "mined-1"),
    ]
    assert any(
        "from 1 (worst) to 5 (best) as -1 to 1 in a straight line" in n for n in weighed.notes
    )
    assert weighed.signature.startswith("external|title:judge")
    assert not any("own replies among the references" in note for note in weighed.notes)


def test_bounds_of_the_scores_come_before_the_scale_and_lower_may_be_better():
    judge = External("judge", MARKS, higher_is_better=False, bounds=(0, 4))
    # 4 of 0 to 4 is the worst, 2 the middle, 1 is 0.5.
    assert sorted(row[2] for row in rows(weigh(TWO, CANDIDATES, weights_from=judge))) == [
        -1,
        0,
        0.5,
    ]


def test_scores_off_the_scale():
    with pytest.raises(InputError, match="judge gave 4, which is off the scale from 0 to 3"):
        weigh(TWO, CANDIDATES, weights_from=External("judge", MARKS), scale=(0, 3))


def test_a_text_without_a_score_makes_no_reference():
    weighed = weigh(TWO, CANDIDATES, weights_from=External("judge", MARKS.head(2)))
    assert len(rows(weighed)) == 2
    assert "weights: 1 text without a score skipped" in weighed.notes
    with pytest.raises(InputError, match="'judge' has no score of any of 3 texts to be weighed"):
        weigh(
            TWO,
            CANDIDATES,
            weights_from=External("judge", MARKS.head(1).with_columns(system=pl.lit("x"))),
        )


def test_with_ratings_the_weights_have_the_distribution_of_those_by_people():
    # People: 1 and 3 of 5, that is -1 and 0; the judge's 2 becomes -1 and its 4 becomes 0, and its 1
    # lies below what was rated.
    rated = ratings(("1", "mined-2", 3), ("1", "mined-1", 1))
    weighed = weigh(TWO, CANDIDATES, rated, weights_from=External("judge", MARKS))
    assert [row[2] for row in rows(weighed)] == [0.0, -1.0, -1.0]
    notes = " ".join(weighed.notes)
    assert "2 rated replies (mean weight -0.500)" in notes
    assert "whose Spearman correlation with these ratings is -1.00" in notes
    assert "2 rated replies make a rough map; 30 or more are better" in notes
    assert "1 text with a score beyond those of the rated replies" in notes


def test_scores_of_which_lower_ones_are_better_are_matched_the_other_way():
    rated = ratings(("1", "mined-2", 3), ("1", "mined-1", 1))
    judge = External("judge", MARKS, higher_is_better=False)
    assert {row[1]: row[2] for row in rows(weigh(TWO, CANDIDATES, rated, weights_from=judge))} == {
        "yes": -1.0,
        "no": 0.0,
        "well": 0.0,
    }


def test_the_rated_sample_may_be_other_replies():
    replies = pl.DataFrame({"system": ["a", "a"], "id": ["1", "2"], "text": ["oh", "hm"]})
    marks = pl.concat(
        [MARKS, pl.DataFrame({"system": ["a", "a"], "id": ["1", "2"], "judge": [1.0, 4.0]})]
    )
    weighed = weigh(
        TWO,
        CANDIDATES,
        ratings(("1", "a", 2), ("2", "a", 5)),
        weights_from=External("judge", marks),
        rated_replies=replies,
    )
    # 1 -> -0.5 (a grade of 2), 4 -> 1; 2 is a third of the way.
    assert [row[2] for row in rows(weighed)] == pytest.approx([1.0, 0.0, -0.5])
    assert {row[3] for row in rows(weighed)} == {"mined-1", "mined-2"}


def test_own_references_are_weighed_where_no_replies_are_named():
    references = pl.DataFrame(
        [("1", "yes", "mined-1"), ("1", "no", "mined-2"), ("2", "well", "mined-1")],
        schema=["id", "text", "source"],
        orient="row",
    )
    testset = TestSet(TWO.contexts, references)
    weighed = weigh(testset, weights_from=External("judge", MARKS))
    assert [row[2] for row in rows(weighed)] == [0.5, -0.5, -1.0]
    twice = TestSet(TWO.contexts, references.with_columns(source=pl.lit("mined-1")))
    weighed = weigh(twice, weights_from=External("judge", MARKS))
    # Both references of item 1 are called mined-1, so that no score names one of them.
    assert rows(weighed) == [("2", "well", -1.0, "mined-1")]


def test_ruber_rates_by_its_unreferenced_half(tmp_path_factory):
    model = example_ruber(tmp_path_factory)
    testset = read_testset(EXAMPLES / "testset.jsonl")
    weighed = weigh(testset, weights_from=f"ruber:model={model},unreferenced=sigmoid")
    given = testset.references
    turns = dict(testset.contexts.select("id", "context").iter_rows())
    contexts = [turns[id] for id in given["id"]]
    metric = RUBER(model=model, referenced="none", unreferenced="sigmoid")
    scores = metric.segments(given["text"].to_list(), [[]] * given.height, contexts=contexts)
    expected = dict(zip(given.select("id", "text").rows(), 2 * scores - 1, strict=True))
    weights = {(i, text): weight for i, text, weight, _ in rows(weighed)}
    assert len(weights) == given.height
    np.testing.assert_allclose([weights[key] for key in expected], list(expected.values()))
    assert "referenced:none" in weighed.signature


def test_ruber_calibrated_by_people(tmp_path_factory):
    model = example_ruber(tmp_path_factory)
    testset = read_testset(EXAMPLES / "testset.jsonl")
    replies = read_responses(*SYSTEMS).filter(pl.col("text") != "")  # an empty one is no reference
    rated = read_ratings(EXAMPLES / "ratings.csv")
    learned = weigh(testset, replies, rated, weights_from=f"ruber:model={model}")
    people = weigh(testset, replies, rated)
    weights = [each.testset.references["weight"].sort() for each in (learned, people)]
    assert weights[0].mean() == pytest.approx(weights[1].mean())
    assert learned.testset.references.height == people.testset.references.height
    assert "" != learned.signature != people.signature == ""


def test_arguments_that_lack_something_or_have_no_effect():
    with pytest.raises(ParameterError, match="no ratings and no learned rater"):
        weigh(TWO, CANDIDATES)
    with pytest.raises(ParameterError, match="no replies to weigh"):
        weigh(TWO, None, ratings(("1", "a", 3)))
    judge = External("judge", MARKS)
    with pytest.raises(ParameterError, match="rated_replies= has no effect"):
        weigh(TWO, CANDIDATES, weights_from=judge, rated_replies=CANDIDATES)
    with pytest.raises(ParameterError, match="keep= has no effect"):
        weigh(TWO, weights_from=judge, keep=True)
    with pytest.raises(ParameterError, match="needs references"):
        weigh(TWO, CANDIDATES, weights_from="bleu")
    with pytest.raises(ParameterError, match="length has no least and greatest value"):
        weigh(TWO, CANDIDATES, weights_from="length")
    with pytest.raises(ParameterError, match="metric 'blue' is unknown"):
        weigh(TWO, CANDIDATES, weights_from="blue")
    with pytest.raises(ParameterError, match="no reference has a source"):
        weigh(TWO, None, ratings(("1", "a", 3)), weights_from="length")
    with pytest.raises(ParameterError, match="least=5 has no effect without filter_raters"):
        weigh(TWO, CANDIDATES, ratings(("1", "mined-1", 3)), least=5)
