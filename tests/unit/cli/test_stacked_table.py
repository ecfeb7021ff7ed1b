"""Tables in parts: no cell is lost or cut, whatever the width."""

from collections import Counter
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from rejoinder.cli.terminal.stacked_table import BETWEEN, StackedTable
from rejoinder.document.table import Grid, Head

NAMES = st.text("ab-对话", min_size=1, max_size=40)
NUMBERS = st.text("0123456789.", min_size=1, max_size=18)


def lines(table, width):
    out = Console(width=width, file=StringIO(), highlight=False)
    out.print(table)
    assert isinstance(out.file, StringIO)
    return out.file.getvalue().splitlines()


def made(headings, rows, keys):
    heads = [Head(each, place >= keys, place < keys) for place, each in enumerate(headings)]
    return StackedTable(Grid("", heads, rows))


@given(st.data())
def test_no_number_is_lost_or_cut(data):
    keys, columns, height = (data.draw(st.integers(1, n)) for n in (3, 9, 4))
    headings = data.draw(st.lists(NAMES, min_size=keys + columns, max_size=keys + columns))
    names = st.lists(NAMES, min_size=keys, max_size=keys)
    cells = st.lists(NUMBERS, min_size=columns, max_size=columns)
    rows = [[*data.draw(names), *data.draw(cells)] for _ in range(height)]
    width = data.draw(st.integers(60, 120))
    table = made(headings, rows, keys)
    shown = lines(table, width)
    assert max(map(cell_len, shown)) <= width
    wanted = Counter(cell for row in rows for cell in row[keys:])
    there = Counter(word for line in shown for word in line.replace("│", " ").split())
    assert not wanted - there
    # Every column stands in some part, and the keys in each.
    parts = [[column.header for column in part.columns] for part in table.parts(width)]
    assert Counter(head for part in parts for head in part[keys:]) == Counter(headings[keys:])
    assert all(part[:keys] == headings[:keys] for part in parts)


def test_a_table_that_fits_is_one():
    # Two columns of 5 cells and what stands between them: 5 + 3 + 5.
    table = made(["names", "value"], [["a", "0.123"]], 1)
    assert len(table.parts(5 + BETWEEN + 5)) == 1
    assert lines(table, 13)[-1] == "a     │ 0.123"


@pytest.mark.parametrize("second", ["p", "95% interval", "n"])
def test_what_is_said_of_a_number_stays_with_it(second):
    said = Head(second, right=True, belongs=True)
    heads = [Head("metric", key=True), Head("pearson", True), said, Head("spearman", True), said]
    row = ["BLEU", "0.123 [0.1, 0.2]", "0.001", "0.123 [0.1, 0.2]", "0.001"]
    table = StackedTable(Grid("", heads, [row]))
    parts = [[column.header for column in part.columns] for part in table.parts(50)]
    assert parts == [["metric", "pearson", second], ["metric", "spearman", second]]


def test_long_texts_are_folded_and_not_cut():
    heads = [Head("ref", right=True, key=True), Head("text"), Head("source")]
    table = StackedTable(Grid("", heads, [["1", "word " * 40, "somebody"]]))
    words = " ".join(lines(table, 40)).split()
    assert words.count("word") == 40
    assert "somebody" in words
