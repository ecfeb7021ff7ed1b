"""One table with a row for each item: its references in columns, its context beside them."""

import polars as pl
import pytest

import rejoinder
from rejoinder.errors import InputError

ROWS = {
    "id": ["a", "b"],
    "topic": ["home", "work"],
    "context": ['["Hi.", "Any milk?"]', "Late?"],
    "ref1": ["None left.", "No."],
    "Ref_2": ["", "Not very."],
}


def test_references_stand_in_columns(tmp_path):
    pl.DataFrame(ROWS).write_csv(tmp_path / "t.csv")
    testset = rejoinder.read_testset(tmp_path / "t.csv")
    assert testset.contexts.get_column("context").to_list() == [["Hi.", "Any milk?"], ["Late?"]]
    assert testset.contexts.columns == ["id", "context", "topic"]
    assert testset.references.rows() == [
        ("a", "None left.", None, "ref1"),
        ("b", "No.", None, "ref1"),
        ("b", "Not very.", None, "Ref_2"),
    ]


def test_parquet_and_no_context(tmp_path):
    frame = pl.DataFrame({"id": [1, 2], "reference": ["Yes.", None], "reference 2": [None, "No."]})
    frame.write_parquet(tmp_path / "t.parquet")
    testset = rejoinder.read_testset(tmp_path / "t.parquet")
    assert testset.contexts.get_column("context").to_list() == [[], []]
    assert testset.references.get_column("text").to_list() == ["Yes.", "No."]
    pl.DataFrame({"id": ["1"], "context": ["Hi."], "ref1": ["Ho."]}).write_parquet(
        tmp_path / "u.parquet"
    )
    held = rejoinder.read_testset(tmp_path / "u.parquet")
    assert held.contexts.get_column("context").to_list() == [["Hi."]]


def test_what_is_wrong_is_named(tmp_path):
    pl.DataFrame({"id": ["1"], "ref1": [2.5]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="column 'ref1' holds Float64; expected the text"):
        rejoinder.read_testset(tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text("id,history,ref1\n1,Hi.,Ho.\n")
    with pytest.raises(InputError, match="rename 'history' to 'context'"):
        rejoinder.read_testset(tmp_path / "t.csv")
    (tmp_path / "u.csv").write_text("id,ref1,ref2\n1,,\n")
    with pytest.raises(InputError, match="no reference and no context for any item"):
        rejoinder.read_testset(tmp_path / "u.csv")
