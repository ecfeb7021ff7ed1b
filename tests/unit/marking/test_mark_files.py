"""The tables of marks are read back as they were written, in every format."""

import polars as pl
import pytest

from rejoinder import read_preferences, read_scores
from rejoinder.tables.write import write_preferences, write_scores

SUFFIXES = (".jsonl", ".csv", ".tsv", ".parquet")
MARKS = pl.DataFrame(
    {
        "system": ["bot", "bot", "=cat"],
        "id": ["c1", "c2", "c1"],
        "name": ["judge fit"] * 3,
        "value": [3.233009708737864, None, -1.0],
    }
)
PAIRS = pl.DataFrame(
    {
        "id": ["c1", "c1"],
        "a": ["bot", "cat"],
        "b": ["cat", "bot"],
        "rater": ["judge"] * 2,
        "criterion": ["fit"] * 2,
        "winner": ["a", "tie"],
        "first": ["a", "a"],
    }
)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("sampled", [False, True])
def test_scores_are_read_back(tmp_path, suffix, sampled):
    table = MARKS.with_columns(sample=pl.Series(["1", "1", "1"])) if sampled else MARKS
    write_scores(table, tmp_path / f"m{suffix}")
    read = read_scores(tmp_path / f"m{suffix}")
    assert read.select(table.columns).rows() == table.rows()  # missing marks are missing


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_preferences_are_read_back(tmp_path, suffix):
    write_preferences(PAIRS, tmp_path / f"p{suffix}")
    read = read_preferences(tmp_path / f"p{suffix}")
    assert read.select(PAIRS.columns[:-1]).rows() == PAIRS.drop("first").rows()
