"""Frames and lists go straight into every function that takes a table."""

import polars as pl
import pytest

import rejoinder
from rejoinder.errors import ParameterError

IDS = [str(n) for n in range(20)]
MARKS = [
    {"system": system, "id": id, "judge": float(3 * lead + n * n % 5 / 4)}
    for lead, system in enumerate(("b", "a"))
    for n, id in enumerate(IDS)
]
RATED = [
    {"id": row["id"], "system": row["system"], "rater": rater, "criterion": "overall",
     "score": row["judge"] + (place + n) % 2 + n * 7 % 3}
    for n, row in enumerate(MARKS) for place, rater in enumerate("uvwx")
]  # fmt: skip
CORPUS = [{"id": id, "context": [f"question {id}"], "references": [f"answer {id}"]} for id in IDS]
CALLS = {
    "compare": lambda scores: rejoinder.compare(scores).table,
    "correlate": lambda scores: rejoinder.correlate(scores, RATED, resamples=100).table(),
    "judge": lambda scores: rejoinder.judge(scores, RATED).measures,
    "plan": lambda scores: rejoinder.plan(scores, resamples=100).comparison_needs,
    "compare_with_people": lambda scores: rejoinder.compare_with_people(scores, RATED).pairs,
    "next_items": lambda scores: rejoinder.next_items(scores, 3).table,
    "report": lambda scores: rejoinder.report(scores=scores, ratings=RATED).comparison.table,
}


@pytest.mark.parametrize("call", CALLS)
def test_scores_are_a_table_too(call):
    expected = CALLS[call](rejoinder.Scores.from_segments(pl.DataFrame(MARKS)))
    assert CALLS[call](MARKS).equals(expected, null_equal=True)


def test_a_corpus_is_a_list_of_rows_too(tmp_path):
    asked = [{"id": "q", "context": ["question 7"], "references": []}]
    found = rejoinder.respond("retrieval", asked, corpus=CORPUS).table
    assert found["text"].to_list() == ["answer 7"]
    rejoinder.write_testset(pl.DataFrame(CORPUS), tmp_path / "kept.jsonl")
    assert rejoinder.read_testset(tmp_path / "kept.jsonl").ids == IDS


def test_drawn_items_and_ratings_are_rows_too():
    drawn = [{"id": id, "probability": 0.5, "earlier": 0.0, "status": "next"} for id in IDS]
    table = rejoinder.with_probabilities(RATED, drawn)
    assert table["probability"].unique().to_list() == [0.5]


def test_a_dictionary_is_replies_or_columns():
    columns = pl.DataFrame(RATED).to_dict(as_series=False)
    assert rejoinder.compare(ratings=columns).ranks.equals(rejoinder.compare(ratings=RATED).ranks)
    with pytest.raises(ParameterError, match="expected Scores, as in"):
        rejoinder.compare({"a": ["yes"]})
