"""A console that prints nothing: it collects tables, lines and headings, to be written in other formats."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Literal

from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from rejoinder.cli.terminal.console import PlainConsole, instead
from rejoinder.cli.terminal.stacked_table import rich_text
from rejoinder.document.parts import Document
from rejoinder.document.parts import Line as DocumentLine
from rejoinder.document.table import Grid, Head
from rejoinder.document.table import Table as DocumentTable
from rejoinder.document.text import Cell
from rejoinder.document.text import Text as OwnText
from rejoinder.visible import visible

Kind = Literal["heading", "line"]
WIDE = 10_000
"""Cells of a line: more than any table needs, so that none is printed in parts."""


@dataclass(frozen=True)
class Line:
    """A line beside tables.

    Attributes:
        text: The line; its style is that of its parts.
        kind: A heading, or another line.
    """

    text: Text
    kind: Kind = "line"


class Collector(PlainConsole):
    """Takes the place of the terminal.

    Attributes:
        parts: What was printed, in its order; empty lines are left out.
    """

    def __init__(self) -> None:
        super().__init__(file=io.StringIO(), width=WIDE, highlight=False, markup=False, emoji=False)
        self.parts: list[Table | Line] = []

    def print(self, *objects: Any, **given: Any) -> None:
        """Collects a table or a line."""
        for each in objects:
            if isinstance(each, Table):
                self.parts.append(each)
            elif str(each).strip():
                self.parts.append(Line(as_text(each, given.get("style") or "")))

    def rule(self, title: Any = "", **_: Any) -> None:
        """Collects a heading."""
        self.parts.append(Line(as_text(title), "heading"))

    def segments(self, text: Text) -> list[Segment]:
        """The parts of a text that have a style of their own, control characters written out."""
        styled = text.copy()
        if text.style:  # rich renders it only where it prints
            styled.stylize_before(text.style)
        return [
            Segment(visible(each.text, lines=True), each.style)
            for each in styled.render(self, end="")
        ]


def collect(show: Callable[[], None]) -> Collector:
    """What a function prints for people."""
    collector = Collector()
    with instead(collector):
        show()
    return collector


def as_text(cell: Any, style: str = "") -> Text:
    """What stands in a cell or a line, with a style where it has none."""
    if isinstance(cell, OwnText):
        cell = rich_text(cell)
    if isinstance(cell, Text):
        text = cell.copy()
        if style:
            text.stylize_before(style)
        return text
    return Text(visible(str(cell).strip("\n")), style)


def cells_of(table: Table) -> list[list[Text]]:
    """The rows of a table."""
    columns = [[as_text(cell) for cell in column.cells] for column in table.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    for cells, row in zip(rows, table.rows, strict=True):
        for cell in cells if row.style else ():
            cell.stylize_before(row.style or "")
    return rows


def headings_of(table: Table) -> list[Text]:
    """The headings of a table's columns."""
    return [as_text(column.header) for column in table.columns]


def right_of(table: Table) -> list[bool]:
    """Whether each column is aligned right."""
    return [column.justify == "right" for column in table.columns]


@dataclass(frozen=True)
class Printed(DocumentTable):
    """A table that was printed, as a part of a document: its cells are all that is known of it."""

    frame: Any = None
    columns: Any = ()
    grid: Grid = field(default_factory=lambda: Grid("", [], []))

    def grids(self) -> list[Grid]:
        """The table as it was printed."""
        return [self.grid]


def document_of(collector: Collector) -> Document:
    """What was collected as a document."""
    shown: Document = []
    for each in collector.parts:
        if isinstance(each, Table):
            shown.append(Printed(grid=_grid(collector, each)))
        else:
            kind = "heading" if each.kind == "heading" else "sentence"
            shown.append(DocumentLine(_own(collector, each.text), kind))
    return shown


def _grid(collector: Collector, table: Table) -> Grid:
    rows: list[list[Cell]] = [
        [_own(collector, cell) for cell in cells] for cells in cells_of(table)
    ]
    names = [str(_own(collector, each)) for each in headings_of(table)]
    heads = [
        Head(name, right, False, False) for name, right in zip(names, right_of(table), strict=True)
    ]
    numbers = len([*takewhile(lambda row: not str(row[0]), rows)]) if "pairs" in names else 0
    title = "" if table.title is None else str(_own(collector, as_text(table.title)))
    ends = frozenset(place for place, row in enumerate(table.rows) if row.end_section)
    return Grid(title, heads, rows, ends, numbers=numbers)


def _own(collector: Collector, text: Text) -> OwnText:
    return OwnText(tuple((each.text, _words(each.style)) for each in collector.segments(text)))


def _words(style: Style | None) -> str:
    if style is None:
        return ""
    words = {"dim": style.dim, "bold": style.bold, "italic": style.italic}
    colour = [style.color.name] if style.color else []
    return " ".join([*(word for word, has in words.items() if has), *colour])
