"""Every document: CSV has the frames, headings are words alone, no renderer needs the terminal."""

import ast
import random
import re
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from test_every_result import TABLES

import rejoinder
from json_schemas import faults
from rejoinder.cli.terminal.stacked_table import StackedTable
from rejoinder.document.parts import Line, View
from rejoinder.document.table import Table
from rejoinder.rendering.comma_separated import FORMULA, NUMBER, as_csv, frames
from rejoinder.visible import visible

STUDIES = ["galley2015", "negative_references"]
DOCUMENTS = [*TABLES, *STUDIES]
INTERVAL = re.compile(r"\[\S+, \S+\]")


@pytest.fixture
def document_of(result_of):
    return lambda name, **view: result_of(name).document(View(**view))


def written(value):
    """A text as CSV has it: nothing that a terminal obeys or a spreadsheet computes."""
    formula = re.search(FORMULA, value) and not re.search(NUMBER, value)
    return visible("'" * bool(formula) + value, lines=True)


def schema_of(table):
    """The schema of the rows of a table as JSON has them; a number that is undefined is null."""
    frame = table.data()
    properties = {
        name: {"type": _type(dtype), "description": table.meaning(name)}
        for name, dtype in frame.schema.items()
    }
    return {
        "type": "array",
        "items": {"type": "object", "properties": properties, "required": frame.columns},
    }


def _type(dtype):
    if dtype.is_integer():
        return ["integer", "null"]
    if dtype.is_numeric():
        return ["null", "number"]
    return ["boolean", "null"] if str(dtype) == "Boolean" else ["null", "string"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_csv_read_back_is_the_frames_with_all_digits(name, document_of):
    shown = document_of(name)
    texts, expected = as_csv(shown), frames(shown)
    assert "" in texts or not texts
    for table, text in texts.items():
        read = pl.read_csv(StringIO(text), infer_schema=False)
        frame = expected[table]
        assert read.columns == frame.columns
        assert all(read.columns)
        for column, dtype in frame.schema.items():
            values = frame[column].to_list()
            got = read[column].to_list()
            if dtype.is_numeric():
                assert [None if each is None else float(each) for each in got] == values, column
            elif dtype == pl.String:
                assert got == [each and written(each) for each in values], column
                assert not any(INTERVAL.fullmatch(each or "") for each in values), column


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_column_has_a_meaning_and_rows_are_as_the_schema_says(name, document_of):
    for part in document_of(name):
        if isinstance(part, Line):
            continue
        schema = schema_of(part)
        described = schema["items"]["properties"].values()
        assert all(each["description"].endswith(".") for each in described)
        rows = frames([part])[part.name].to_dicts()
        assert list(faults(rows, schema)) == []
        assert schema_of(replace(part, frame=part.frame.clear())) == schema


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_showing_does_not_change_csv(name, document_of):
    assert as_csv(document_of(name, digits=0)) == as_csv(document_of(name))
    every = as_csv(document_of(name, all_pairs=True))
    assert every == as_csv(document_of(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_headings_are_words_alone(name, document_of):
    """Other headings of the same length change neither CSV nor cells, nor how a table is parted."""
    shown = document_of(name)
    renamed = [part if isinstance(part, Line) else with_other_headings(part) for part in shown]
    assert as_csv(renamed) == as_csv(shown)
    for part, other in zip(shown, renamed, strict=True):
        if isinstance(part, Line):
            continue
        for grid, second in zip(part.grids(), other.grids(), strict=True):
            for width in (40, 70, 100):
                assert places(grid, width) == places(second, width)
            assert [head.heading for head in grid.heads if head.heading] != [
                head.heading for head in second.heads if head.heading
            ] or type(part) is not Table
            assert replace(grid, heads=[], title="") == replace(second, heads=[], title="")


def with_other_headings(table):
    draw = random.Random(12345)

    def other(heading):
        return "".join(draw.choice("mnopqr") for _ in heading)

    def renamed(column):
        if isinstance(column.heading, str):
            return replace(column, heading=other(column.heading))
        return replace(column, heading=lambda value: other(column.heading(value)))

    columns = [renamed(column) for column in table.columns]
    return replace(table, columns=columns, title=other(table.title))


def places(grid, width):
    """Which columns stand in which part of a narrow terminal."""
    table = StackedTable(grid)
    cells = [[str(cell) for cell in column.cells] for column in table.columns]
    return [
        [cells.index([str(cell) for cell in column.cells]) for column in part.columns]
        for part in table.parts(width)
    ]


@pytest.mark.parametrize(
    "call", ["scores", "rejoinder.compare(scores)", "rejoinder.ratings(rated)"]
)
def test_markdown_in_python_loads_no_command_line(call):
    code = f"""
import sys, rejoinder
testset = rejoinder.TestSet.from_lists([["yes please"], ["at nine"]] * 4)
texts = {{"a": ["yes please", "at nine"] * 4, "b": ["no", "at"] * 4}}
rows = [(s, str(i + 1), text) for s in texts for i, text in enumerate(texts[s])]
import polars as pl
replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
scores = rejoinder.score(testset, replies, ["rougeL"], resamples=100)
rated = pl.DataFrame([(s, str(i), r, "all", i % 5) for s in texts for i in range(8) for r in "xy"],
    schema=["system", "id", "rater", "criterion", "score"], orient="row")
result = {call}
for each in (result.to_markdown(), result.to_latex(), result._repr_html_()):
    assert "b & " in each or "b | " in each or "b</td>" in each
assert not [each for each in sys.modules if each.split(".")[0] in ("click", "rich")
            or each.startswith("rejoinder.cli")]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_file_below_the_command_line_names_it():
    """No import under any spelling, strings included; the one door upwards leads to the figures."""
    root = Path(rejoinder.__file__).parent
    doors = []
    for path in root.rglob("*.py"):
        inside, source = path.relative_to(root).as_posix(), path.read_text("utf-8")
        if not re.search(r"""["']rejoinder\.""", source):
            continue
        for node in ast.walk(ast.parse(source)):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and re.fullmatch(r"rejoinder(\.\w+)+", text):
                doors.append((inside, text))
    named = [text for inside, text in doors if not inside.startswith("cli/")]
    assert not [text for text in named if text.startswith("rejoinder.cli")]
    assert [text for inside, text in doors if inside == "result.py"] == [
        "rejoinder.figures.of_results"
    ]
