"""A console that prints nothing: it collects tables, lines and headings, to be written in other formats."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from rejoinder.cli.terminal.console import PlainConsole, instead
from rejoinder.cli.terminal.stacked_table import rich_text
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
