"""Tables as declared columns: a heading, what stands in the cell, and on which side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from rejoinder.document.text import Cell

if TYPE_CHECKING:
    from rich.table import Table

Show: TypeAlias = "str | Callable[[Any], Cell]"
"""The key of a row whose value is shown as it is, or a function from a row to its cell."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: Its heading.
        show: The key of the value in a row (None is an empty cell), or a function of the row.
        right: Whether it is aligned right, as numbers are.
    """

    heading: str
    show: Show
    right: bool = False

    def cell(self, row: Any) -> Cell:
        """The cell of a row."""
        if callable(self.show):
            return self.show(row)
        value = row[self.show]
        return "" if value is None else str(value)


def text(heading: str, show: Show | None = None) -> Column:
    """A column of texts, aligned left; without ``show`` the heading is the key of the value."""
    return Column(heading, heading if show is None else show)


def number(heading: str, show: Show | None = None) -> Column:
    """A column of numbers, aligned right; without ``show`` the heading is the key of the value."""
    return Column(heading, heading if show is None else show, right=True)


def table(
    rows: Iterable[Any],
    *columns: Column,
    title: str | None = None,
    section: Show | None = None,
    style: Callable[[Any], str | None] | None = None,
) -> Table:
    """A table without a frame, which a narrow terminal shows in parts, one below the other.

    Args:
        rows: The rows, for example ``frame.iter_rows(named=True)``.
        columns: The columns, in their order.
        title: The title above the table.
        section: A key or function whose values group the rows: a line is drawn where it changes.
        style: The style of a row, or None.

    >>> rows = [{"system": "a", "n": 3, "mean": 0.25}, {"system": "b", "n": 4, "mean": 0.5}]
    >>> shown = table(rows, text("system"), number("n"), number("mean", lambda r: f"{r['mean']:.1f}"))
    >>> [str(cell) for column in shown.columns for cell in column.cells]
    ['a', 'b', '3', '4', '0.2', '0.5']
    """
    from rejoinder.cli.terminal.console import bare_table

    shown = bare_table(title)
    for column in columns:
        shown.add_column(column.heading, justify="right" if column.right else "left")
    group = None if section is None else Column("", section)
    before = None
    for row in rows:
        now = None if group is None else str(group.cell(row))
        if before is not None and now != before:
            shown.add_section()
        before = now
        shown.add_row(*(column.cell(row) for column in columns), style=style and style(row))
    return shown
