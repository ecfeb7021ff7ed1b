"""Lists, dictionaries and frames go into every function as they are."""

import polars as pl
import pytest

import rejoinder
from rejoinder.errors import InputError, ParameterError

TESTSET = rejoinder.TestSet.from_lists([["yes please", "yes"], ["at nine"], ["no"], ["not yet"]])
TEXTS = {"bot": ["yes", "at nine", "no", "never"], "cat": ["no", "no", "no", "no"]}
ROWS = [
    {"system": system, "id": id, "text": text}
    for system, texts in TEXTS.items()
    for id, text in zip(TESTSET.ids, texts, strict=True)
]
LISTS = [["yes please", "yes"], ["at nine"], ["no"], ["not yet"]]
WIDE = pl.DataFrame(
    {
        "id": ["1", "2", "3", "4"],
        "context": ["a", "b", "c", "d"],
        "ref1": ["yes please", "at nine", "no", "not yet"],
        "ref2": ["yes", None, None, None],
    }
)
WANTED = ["rougeL", "bleu"]


def values(scores):
    return scores.systems().select("metric", "system", "value").rows()


@pytest.mark.parametrize("testset", [TESTSET, LISTS, WIDE, WIDE.to_dicts()], ids=str)
@pytest.mark.parametrize("responses", [TEXTS, ROWS, pl.DataFrame(ROWS)], ids=type)
def test_score_takes_every_form(testset, responses):
    expected = rejoinder.score(TESTSET, pl.DataFrame(ROWS), WANTED, resamples=0)
    assert values(rejoinder.score(testset, responses, WANTED, resamples=0)) == values(expected)


def test_columns_of_other_names_are_read_as_in_files():
    other = pl.DataFrame(ROWS).rename({"system": "model", "text": "output"})
    expected = rejoinder.score(TESTSET, pl.DataFrame(ROWS), WANTED, resamples=0)
    assert values(rejoinder.score(TESTSET, other, WANTED, resamples=0)) == values(expected)


def test_a_missing_reply_is_none():
    texts = {"bot": ["yes", None, "no", "never"], "cat": ["no"] * 4}
    with pytest.raises(InputError, match="bot"):
        rejoinder.score(TESTSET, texts, WANTED, resamples=0)
    assert rejoinder.score(TESTSET, texts, WANTED, resamples=0, missing="drop").items.height == 3


def test_a_wrong_number_of_replies_names_the_system():
    with pytest.raises(InputError, match=r"responses\['bot'\]: 1 for 4"):
        rejoinder.score(TESTSET, {"bot": ["yes"]}, WANTED)
    with pytest.raises(ParameterError, match=r"responses\['bot'\] is str, expected a list"):
        rejoinder.score(TESTSET, {"bot": "yes"}, WANTED)


def test_every_verb_takes_lists():
    rated = [
        {**row, "rater": rater, "score": 1 + len(row["text"]) % 5} for row in ROWS for rater in "ab"
    ]
    wide = pl.DataFrame(rated).pivot("rater", index=["system", "id"], values="score")
    expected = rejoinder.ratings(pl.DataFrame(rated).drop("text"))
    for given in (rated, wide):
        assert rejoinder.ratings(given).systems.equals(expected.systems)
    scores = rejoinder.score(LISTS, TEXTS, ["rougeL"])
    assert rejoinder.correlate(scores, wide).table().height
    assert rejoinder.audit(LISTS, TEXTS, ["rougeL"], resamples=0).table.height
    assert rejoinder.weigh(LISTS, TEXTS, rated).testset.references.height
    assert rejoinder.explain_diff(LISTS, TEXTS, "bleu", "bleu:order=1").table.height
    bleu = rejoinder.score(LISTS, TEXTS, ["bleu"])
    assert bleu.explain("1", testset=LISTS, responses=TEXTS)
    report = rejoinder.report(LISTS, TEXTS, ["rougeL"], ratings=rated, resamples=0)
    assert report.summary()
    votes = [{"id": "1", "a": "bot", "b": "cat", "winner": "a", "rater": str(i)} for i in range(4)]
    assert rejoinder.preferences(votes).strengths.height
    assert rejoinder.Scores.from_segments(scores.segments().to_dicts()).systems().height


def test_ids_that_pandas_made_floats_have_a_remedy():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1.0, 2.0], "system": "a", "text": ["So.", "No."]})
    with pytest.raises(InputError, match=r"expected text or whole numbers: .astype\('Int64'\)"):
        rejoinder.read_responses(frame)
    frame["id"] = frame["id"].astype("Int64")
    assert rejoinder.read_responses(frame)["id"].to_list() == ["1", "2"]
