"""Frames of pandas go in as they are, and what an empty text of theirs is."""

import polars as pl
import pytest

import rejoinder
from rejoinder.errors import InputError, ParameterError


def test_pandas_frames_are_taken():
    pandas = pytest.importorskip("pandas")
    testset = rejoinder.TestSet.from_lists([["Yes."], ["No."]])
    replies = {"system": ["a", "a"], "id": ["1", "2"], "text": ["Yes.", "Well."]}
    ours = rejoinder.score(testset, pl.DataFrame(replies), ["bleu"], resamples=0)
    theirs = rejoinder.score(testset, pandas.DataFrame(replies), ["bleu"], resamples=0)
    assert ours.systems().equals(theirs.systems())
    given = {
        "id": ["1", "2"],
        "system": ["a", "a"],
        "rater": "r",
        "criterion": "overall",
        "score": [5, 2],
    }
    by_pandas, by_polars = (
        rejoinder.correlate(theirs, frame, permutations=0, resamples=0).table()
        for frame in (pandas.DataFrame(given), pl.DataFrame(given))
    )
    assert by_pandas.equals(by_polars)
    missing = pandas.DataFrame({**replies, "text": ["Yes.", None]})
    with pytest.raises(InputError, match="null"):
        rejoinder.score(testset, missing, ["bleu"])
    columns = rejoinder.score(testset, replies, ["bleu"], resamples=0)
    assert ours.systems().equals(columns.systems())


def test_a_test_set_of_pandas_frames():
    pandas = pytest.importorskip("pandas")
    contexts = {"id": ["a", "b"], "context": [["Hi", "Ho"], []], "topic": ["x", "y"]}
    references = {"id": ["a", "b"], "text": ["Hey.", "Well."], "weight": [0.5, None]}
    ours = rejoinder.TestSet(pl.DataFrame(contexts), pl.DataFrame(references))
    theirs = rejoinder.TestSet(pandas.DataFrame(contexts), pandas.DataFrame(references))
    assert theirs.contexts.equals(ours.contexts)
    assert theirs.references.equals(ours.references)
    mixed = pandas.DataFrame({"id": ["a", "b"], "text": ["Hey.", 3]})
    with pytest.raises(
        ParameterError, match="references: the frame of pandas cannot be taken over"
    ):
        rejoinder.TestSet(pandas.DataFrame(contexts), mixed)
    with pytest.raises(InputError, match="contexts: no column 'context'"):
        rejoinder.TestSet(pandas.DataFrame(references), pandas.DataFrame(references))


def test_empty_references_are_counted():
    testset = rejoinder.TestSet.from_lists([["Yes.", ""], ["No.", " "]])
    replies = pl.DataFrame({"system": ["a", "a"], "id": ["1", "2"], "text": ["Yes.", "Well."]})
    notes = rejoinder.score(testset, replies, ["bleu"], resamples=0).notes
    assert notes[0].startswith("2 empty references counted as references")
