"""Arguments in the wrong order, or of the wrong kind: one message, whatever is given for whatever."""

import os

import pandas as pd
import polars as pl
import pytest

import rejoinder
from rejoinder import TestSet, correlate, plan, score
from rejoinder.errors import RejoinderError
from rejoinder.references.weighing import weigh

QUICK = {"permutations": 0, "resamples": 0}


@pytest.fixture(scope="module")
def things(tmp_path_factory):
    """One of everything that a user has at hand, by name."""
    testset = TestSet.from_lists([["yes please"], ["at nine"], ["no"], ["oh"], ["well"]])
    texts = ["yes", "at nine", "oh", "no", "well well"]
    rows = [(s, i, t) for s in "ab" for i, t in zip(testset.ids, texts, strict=True)]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    rated = [(i, s, "r", "overall", float(len(i + s) + n)) for n, (s, i, _) in enumerate(rows)]
    columns = ["id", "system", "rater", "criterion", "score"]
    ratings = pl.DataFrame(rated, schema=columns, orient="row")
    scores = score(testset, responses, ["length"], resamples=0)
    return {
        "testset": testset,
        "responses": responses,
        "ratings": ratings,
        "pandas": pd.DataFrame(ratings.to_dict(as_series=False)),
        "scores": scores,
        "table": scores.systems(),
        "nothing": None,
        "number": 7,
        "word": "length",
        "list": ["a", "b"],
        "dict": {"a": 1.0},
        "path": tmp_path_factory.mktemp("wrong"),
    }


CALLS = {
    "score": lambda of, x, y: score(x, y, ["length"], resamples=0),
    "metrics": lambda of, x, _: score(of["testset"], of["responses"], x, resamples=0),
    "correlate": lambda of, x, y: correlate(x, y, **QUICK),
    "plan": lambda of, x, y: plan(x, y, resamples=0),
    "weigh": lambda of, x, y: weigh(x, of["responses"], y, scale=(1, 20)),
    "weigh responses": lambda of, x, y: weigh(of["testset"], x, y, scale=(1, 20)),
    "weigh without": lambda of, x, _: weigh(
        of["testset"], of["responses"], of["ratings"], scale=(1, 20), without=x
    ),
    "weigh scale": lambda of, x, _: weigh(of["testset"], of["responses"], of["ratings"], scale=x),
    "compare": lambda of, x, y: of["scores"].compare(x, y),
    "save": lambda of, x, _: x if isinstance(x, (str, os.PathLike)) else of["scores"].save(x),
    **{
        f"correlate {name}": lambda of, x, _, name=name: correlate(
            of["scores"], of["ratings"], **{**QUICK, name: x}
        )
        for name in ("protocol", "correlations", "without", "scale", "criterion", "raters", "seed")
    },
}


@pytest.mark.parametrize("call", CALLS)
def test_whatever_is_given_for_whatever_is_an_answer_or_one_message(things, call):
    messages = []
    for first in things.values():
        for second in things.values():
            try:
                CALLS[call](things, first, second)
            except RejoinderError as error:
                messages.append(str(error))
    assert len(messages) > 50  # of 144 at the least these are wrong
    assert not any("\n" in each for each in messages)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda of: correlate(of["ratings"], of["scores"]), "ratings is Scores, expected a frame"),
        (lambda of: correlate(of["table"], of["ratings"]), r"scores is DataFrame, expected Scores, as in "
         r"rejoinder.correlate\(scores, ratings\); measure replies with rejoinder.score"),
        (lambda of: correlate(of["scores"], of["ratings"], without="a"), r"without=\['a'\]"),
        (lambda of: correlate(of["scores"], of["ratings"], scale=5), r"scale=\(LOW, HIGH\)"),
        (lambda of: correlate(of["scores"], of["ratings"], 3), "protocol is int, expected one of"),
        (lambda of: plan("kept.parquet"), "scores is str, expected Scores"),
        (lambda of: weigh("test.jsonl", of["responses"]), "expected a TestSet, a frame, or a list"),
        (lambda of: weigh(of["responses"], of["testset"], of["ratings"]), "the wrong way round"),
        (lambda of: of["scores"].save(None), "path is NoneType, expected the name of a file"),
    ],
)  # fmt: skip
def test_what_was_expected_and_how_to_get_it(things, call, words):
    with pytest.raises(RejoinderError, match=words):
        call(things)


def test_a_note_names_no_system_that_is_left_out_already():
    references = [["yes please"], ["at nine"], ["no"], ["oh"], ["well"]]
    testset = TestSet.from_lists(references)
    rows = [("people", i, text) for i, (text,) in zip(testset.ids, references, strict=True)]
    rows += [("bot", i, "yes") for i in testset.ids] + [("other", i, "no") for i in testset.ids]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    rated = [(i, s, "r", "o", float(n % 3)) for n, (s, i, _) in enumerate(rows)]
    columns = ["id", "system", "rater", "criterion", "score"]
    ratings = pl.DataFrame(rated, schema=columns, orient="row")
    scores = score(testset, responses, ["bleu:order=1"], resamples=0)
    notes = " ".join(rejoinder.correlate(scores, ratings, **QUICK).notes)
    assert "without=['people']" in notes
    notes = " ".join(rejoinder.correlate(scores, ratings, without=["people"], **QUICK).notes)
    assert "without=" not in notes
    assert "left out as asked: people" in notes
