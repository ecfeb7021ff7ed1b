"""Tables of Python in the place of files: every kind of frame, with aliases and ``columns``."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rejoinder
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.frames import polars_of

ROWS = [
    {
        "prompt": "Any milk?",
        "answer": "None left.",
        "model": model,
        "prediction": f"{model} says no.",
    }
    for model in ("a", "b")
] + [
    {"prompt": "Any tea?", "answer": "Some tea.", "model": model, "prediction": f"{model} has tea."}
    for model in ("a", "b")
]


class Stream:
    """What gives Arrow's C stream and nothing else."""

    def __init__(self, rows):
        self.table = pa.Table.from_pylist(rows)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def dataset(rows):
    return pytest.importorskip("datasets").Dataset.from_list(rows)


def selected(rows):
    """A data set whose rows are picked out of a larger one by their indices."""
    return dataset([rows[0], *rows]).select(range(1, len(rows) + 1))


TABLES = {
    "dictionaries": lambda rows: rows,
    "a tuple of dictionaries": tuple,
    "polars": pl.DataFrame,
    "polars, lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "pandas with an index": lambda rows: pd.DataFrame(rows, index=range(7, 7 + len(rows))),
    "arrow": pa.Table.from_pylist,
    "arrow's batches": lambda rows: pa.Table.from_pylist(rows).to_reader(),
    "an arrow stream": Stream,
    "a data set": dataset,
    "a data set of indices": selected,
}


@pytest.mark.filterwarnings("ignore")  # of datasets and its dependencies
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_read_as_a_file_is(kind):
    make = TABLES[kind]
    testset = rejoinder.read_testset(make(ROWS))
    assert testset.contexts.rows() == [("1", ["Any milk?"]), ("2", ["Any tea?"])]
    assert testset.references.get_column("text").to_list() == ["None left.", "Some tea."]
    replies = rejoinder.read_responses(make(ROWS))
    assert replies.filter(system="b").get_column("text").to_list() == ["b says no.", "b has tea."]
    rows = [{"key": 1, "model": "a", "worker": "ann", "score": 4}]
    assert rejoinder.read_ratings(make(rows), columns="id=key").rows() == [
        ("1", "a", "ann", "overall", 4.0)
    ]
    rows = [{"id": "1", "model_a": "a", "model_b": "b", "winner": "tie"}]
    assert rejoinder.read_preferences(make(rows)).rows() == [("1", "a", "b", "1", "overall", "tie")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", TABLES)
def test_calls_take_any_table(kind):
    make = TABLES[kind]
    testset = rejoinder.read_testset(ROWS)
    rows = rejoinder.read_responses(ROWS).to_dicts()
    expected = rejoinder.score(testset, pl.DataFrame(rows), ["length"], resamples=100)
    scores = rejoinder.score(testset, make(rows), ["length"], resamples=100)
    assert scores.systems().equals(expected.systems())
    rated = [
        {"id": row["id"], "system": row["system"], "rater": "r", "criterion": "overall", "score": i}
        for i, row in enumerate(rows)
    ]
    result = rejoinder.correlate(scores, make(rated), permutations=0)
    usual = rejoinder.correlate(scores, pl.DataFrame(rated), permutations=0)
    assert str(result.as_json()) == str(usual.as_json())  # as texts, because NaN is not NaN


def test_nested_rows_and_paths_into_them():
    rows = [
        {
            "doc": {"id": 3, "q": "Hi?"},
            "gold": ["Ho.", {"text": "Hey.", "weight": 0.5}],
            "out": [["Hm."]],
        }
    ]
    columns = "id=doc.id,context=doc.q,references=gold,text=out.0.0"
    testset = rejoinder.read_testset(rows, columns=columns)
    assert testset.contexts.rows() == [("3", ["Hi?"])]
    assert testset.references.get_column("weight").to_list() == [None, 0.5]
    assert rejoinder.read_responses(rows, columns=columns).rows() == [("responses", "3", "Hm.")]


def test_errors_name_the_table():
    with pytest.raises(InputError, match=r"test set, row 1: no column 'id'"):
        rejoinder.read_testset([{"references": ["Ho."]}])
    with pytest.raises(ParameterError, match="tables and paths together"):
        rejoinder.read_responses(ROWS, "bot.jsonl")
    with pytest.raises(
        ParameterError, match="expected a frame of Polars or pandas, an Arrow table"
    ):
        polars_of(3, "responses", "id", "read a file")  # pyright: ignore
    with pytest.raises(ParameterError, match="give each column one type"):
        polars_of([{"a": 1}, {"a": [2]}], "responses", "id", "read a file")


@pytest.mark.filterwarnings("ignore")
def test_splits_of_a_data_set_are_named():
    datasets = pytest.importorskip("datasets")
    splits = datasets.DatasetDict({"test": dataset(ROWS)})
    with pytest.raises(ParameterError, match=r"choose a split: data\['test'\]"):
        rejoinder.read_testset(splits)
