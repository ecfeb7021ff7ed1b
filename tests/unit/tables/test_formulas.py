"""Tables of results hold no formula; files of data stay exact."""

import ast
from pathlib import Path

import polars as pl
import pytest

import rejoinder
from rejoinder.tables.write import write_responses, write_table

# Cells and headings as spreadsheets would compute them, and what they are in a table of results.
FORMULAS = {
    "=1+1": "'=1+1",
    "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0",
    "-2+3": "'-2+3",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t=1",
    "\r=1": "'\r=1",
    "\uff1d1": "'\uff1d1",
    "-0.5": "-0.5",
    "+1e-3": "+1e-3",
    "a=b": "a=b",
    "": "",
}


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_table_of_results_holds_no_formula(tmp_path, suffix):
    table = pl.DataFrame({"=name": list(FORMULAS), "number": [-0.5] * len(FORMULAS)})
    path = tmp_path / f"t{suffix}"
    write_table(table, path)
    separator = "," if suffix == ".csv" else "\t"
    read = pl.read_csv(path, separator=separator)
    assert read["'=name"].fill_null("").to_list() == list(FORMULAS.values())
    assert read["number"].to_list() == [-0.5] * len(FORMULAS)


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_what_no_spreadsheet_opens_stays_as_it_is(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    write_table(pl.DataFrame({"name": list(FORMULAS)}), path)
    read = pl.read_ndjson(path) if suffix == ".jsonl" else pl.read_parquet(path)
    assert read["name"].to_list() == list(FORMULAS)


def test_responses_are_data_and_stay_exact(tmp_path):
    path = tmp_path / "r.csv"
    rows = pl.DataFrame({"system": "=a", "id": "-b", "text": "@c"})
    write_responses(rows, path)
    assert path.read_text("utf-8") == "system,id,text\n=a,-b,@c\n"


def test_no_table_of_results_is_written_another_way():
    """Besides, tables are hashed (summary.py), rows go to standard output (console.py),
    and files of data are written as they are: those for a platform (mturk.py) and the export of
    the admin page (app.py), whose comments are escaped.
    """
    other = {
        path.name
        for path in Path(rejoinder.__file__).parent.rglob("*.py")
        if "write_csv" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute)
        and node.attr == "write_csv"
        and "without_formulas(" not in ast.unparse(node)
    }
    assert other == {"app.py", "console.py", "mturk.py", "summary.py"}
