"""Tables as CSV: a value and its interval stand in columns of their own, and no cell is a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from rejoinder.cli.terminal.collecting import (
    Collector,
    Line,
    as_text,
    cells_of,
    headings_of,
    right_of,
)
from rejoinder.rendering.comma_separated import FORMULA, NUMBER

INTERVAL = re.compile(r"(?:(\S+) )?\[([^\s,]+), ([^\s\]]+)\]")
"""A value with its interval, or an interval by itself."""


def as_csv(collector: Collector) -> str:
    """The tables of what was collected, an empty line between any two, each below its title.

    Lines beside the tables are left out, but for headings.
    """
    parts: list[str] = []
    heading: list[list[str]] = []
    for each in collector.parts:
        if isinstance(each, Table):
            parts.append(_rows([*heading, *_table(collector, each)]))
            heading = []
        elif isinstance(each, Line) and each.kind == "heading":
            heading = [[_inline(collector, each.text)]]
    return "\n".join(parts)


def _table(collector: Collector, table: Table) -> Iterator[list[str]]:
    if table.title:
        yield [_inline(collector, as_text(table.title))]
    rows = [[_inline(collector, cell) for cell in cells] for cells in cells_of(table)]
    names = [_inline(collector, cell) for cell in headings_of(table)]
    columns: list[list[str]] = []
    for place, (name, of_numbers) in enumerate(zip(names, right_of(table), strict=True)):
        cells = [row[place] for row in rows]
        columns += _columns(name, cells) if of_numbers else [[name, *cells]]
    yield from (list(row) for row in zip(*columns, strict=True))


def _columns(name: str, cells: list[str]) -> list[list[str]]:
    """A column of numbers with its name; three where its cells hold intervals, or two without a value.

    >>> _columns("BLEU", ["1.5 [1.0, 2.0]", "n/a"])
    [['BLEU', '1.5', 'n/a'], ['BLEU low', '1.0', ''], ['BLEU high', '2.0', '']]
    >>> _columns("95% interval", ["[1.0, 2.0]", "n/a"])
    [['95% interval low', '1.0', 'n/a'], ['95% interval high', '2.0', 'n/a']]
    """
    found = [INTERVAL.fullmatch(cell) for cell in cells]
    if not any(found) or not all(
        each or " " not in cell for each, cell in zip(found, cells, strict=True)
    ):
        return [[name, *cells]]
    alone = not any(each and each[1] for each in found)
    values = [
        (each[1] or "", each[2], each[3]) if each else (cell, *[cell if alone else ""] * 2)
        for each, cell in zip(found, cells, strict=True)
    ]
    value, low, high = (list(column) for column in zip(*values, strict=True))
    ends = [[f"{name} low", *low], [f"{name} high", *high]]
    return ends if alone else [[name, *value], *ends]


def _rows(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [_no_formula(cell) for cell in row] for row in rows
    )
    return text.getvalue()


def _no_formula(cell: str) -> str:
    """A cell that no spreadsheet computes: an apostrophe stands before what begins like a formula."""
    return f"'{cell}" if re.search(FORMULA, cell) and not re.search(NUMBER, cell) else cell


def _inline(collector: Collector, text: Text) -> str:
    return "".join(each.text for each in collector.segments(text)).strip().replace("\n", " ")
