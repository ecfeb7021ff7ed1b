"""A table of declared columns: the frame with all digits, and how it stands on paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from rejoinder.document import numbers
from rejoinder.document.meanings import meaning_of
from rejoinder.document.text import Cell

if TYPE_CHECKING:
    import polars as pl

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A column on paper, and the columns of the frame that it shows.

    Attributes:
        heading: Its heading; of a column that is repeated ``across`` values, a function of the value, empty
            where that value has no such column.
        keys: The columns of the frame that it shows: CSV has these.
        show: A function from their values to the content of the cell.
        right: Whether it is aligned right, as numbers are.
        key: Whether it says what a row is of, so that each part of a table that is too wide repeats it.
            The first columns of a table are keys.
        belongs: Whether it says something of the column before it, from which it is never parted.
        across: Whether it stands there once for each value of the table's ``across``.
        once: Whether its cell is empty where the section is that of the row before.
        placed: Whether ``show`` gets the place of the row in its section too, behind the values.
        paper: Whether it stands on paper; CSV has it in any case.
    """

    heading: str | Callable[[Any], str]
    keys: tuple[str, ...]
    show: Callable[..., Cell]
    right: bool = False
    key: bool = False
    belongs: bool = False
    across: bool = False
    once: bool = False
    placed: bool = False
    paper: bool = True

    def cell(self, row: Row | None, place: int) -> Cell:
        """The cell of a row of the frame, at this place in its section; empty without one."""
        if row is None or (self.once and place):
            return ""
        return self.show(*(row[name] for name in self.keys), *[place] * self.placed)


class Head(NamedTuple):
    """The head of a column of a grid; for the attributes see ``Column``."""

    heading: str
    right: bool = False
    key: bool = False
    belongs: bool = False


@dataclass(frozen=True)
class Grid:
    """A table as paper has it: what every renderer but that of CSV takes.

    Attributes:
        title: The title above it, or empty.
        heads: The columns.
        rows: The cells.
        ends: The rows behind which a line is drawn.
        styles: The style of each row, or empty.
        numbers: So many first rows are part of the head: numbers of columns, digit below digit.
        fold: Words in the place of a long table on a page; empty for a table that is shown.
    """

    title: str
    heads: list[Head]
    rows: list[list[Cell]]
    ends: frozenset[int] = frozenset()
    styles: tuple[str, ...] = ()
    numbers: int = 0
    fold: str = ""


@dataclass(frozen=True)
class Table:
    """A frame of a result, and how it stands on paper.

    The frame is long and has all digits: it is what CSV has, all of ``data``. Terminal, Markdown, LaTeX,
    HTML and pages show ``grids``.

    Attributes:
        frame: A row for each case.
        columns: The columns, in their order.
        name: Of the CSV file: tables of the same name go into one file, below each other; ``--tables x.csv``
            writes the one without a name as ``x.csv``, others as ``x-NAME.csv``.
        title: The title above it on paper.
        above: Columns of the frame that a title or heading above says on paper (the criterion).
        across: The column of the frame whose values stand side by side on paper (metrics); a row on paper
            is then what has the same keys. Empty where each row is one on paper.
        most: So many values of ``across`` stand side by side; more are further tables.
        apart: Whether each value of ``across`` has a table of its own where a terminal is too narrow for
            all.
        section: Columns of the frame: where their values change, a line is drawn.
        style: The style of a row on paper, a function of it.
        fold: Words in the place of the table on a page, where it is long.
        paper: The rows of the frame that are on paper, where these are not all; of none there is no table.
        caption: The caption in LaTeX of a table without title and legend.
        meanings: What its columns hold, in a sentence each, where `meanings.meaning_of` does not say it,
            for the JSON schema and the documentation.

    >>> import polars as pl
    >>> rows = {"metric": ["x", "x", "y", "y"], "system": ["a", "b"] * 2, "value": [0.25, 0.5, 1, 2]}
    >>> value = number(str, "value", numbers.decimals(1), across=True)
    >>> table = Table(pl.DataFrame(rows), [key("system"), value], across="metric")
    >>> [head.heading for head in table.grids()[0].heads], table.grids()[0].rows
    (['system', 'x', 'y'], [['a', '0.2', '1.0'], ['b', '0.5', '2.0']])
    >>> table.data().columns
    ['metric', 'system', 'value']
    """

    frame: pl.DataFrame
    columns: Sequence[Column]
    name: str = ""
    title: str = ""
    above: tuple[str, ...] = ()
    across: str = ""
    most: int = 0
    apart: bool = False
    section: tuple[str, ...] = ()
    style: Callable[[Row], str] | None = None
    fold: str = ""
    paper: pl.DataFrame | None = None
    caption: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)

    def meaning(self, name: str) -> str:
        """What a column of the frame holds, in a sentence."""
        return meaning_of(name, self.meanings)

    def data(self) -> pl.DataFrame:
        """The columns of the frame that are shown, with all digits."""
        across = [self.across] if self.across else []
        shown = (name for column in self.columns for name in column.keys)
        return self.frame.select([*dict.fromkeys([*self.above, *across, *shown])])

    def grids(self) -> list[Grid]:
        """The table as paper has it: one grid, or more where values of ``across`` are too many."""
        frame = self.frame if self.paper is None else self.paper
        if frame is self.paper and frame.is_empty():
            return []
        rows = self._rows(frame)
        values = list(dict.fromkeys(frame[self.across])) if self.across else [None]
        tables = math.ceil(len(values) / self.most) if self.most else 1
        step = math.ceil(len(values) / max(1, tables)) or 1
        return [self._grid(rows, values[at : at + step]) for at in range(0, len(values) or 1, step)]

    def _rows(self, frame: pl.DataFrame) -> list[dict[Any, Row]]:
        """The rows on paper: of each the rows of the frame, by the value of ``across``."""
        if not self.across:
            return [{None: row} for row in frame.iter_rows(named=True)]
        keys = [name for column in self.columns if column.key for name in column.keys]
        rows: dict[tuple[Any, ...], dict[Any, Row]] = {}
        for row in frame.iter_rows(named=True):
            rows.setdefault(tuple(row[name] for name in keys), {})[row[self.across]] = row
        return list(rows.values())

    def _grid(self, rows: Sequence[Mapping[Any, Row]], values: Sequence[Any]) -> Grid:
        printed = [column for column in self.columns if column.paper]
        columns = [
            (column, value)
            for across, some in groupby(printed, lambda column: column.across)
            for some in [list(some)]
            for value in (values if across else [None])
            for column in some
            if not across or _heading(column, value)
        ]
        ends, styles, cells = set[int](), [], list[list[Cell]]()
        before, place = None, 0
        for row in rows:
            first = next(iter(row.values()))
            section = [first[name] for name in self.section]
            if before is not None and section != before:
                ends.add(len(cells) - 1)
            place = place + 1 if section == before else 0
            cells.append(
                [
                    column.cell(row.get(value) if column.across else first, place)
                    for column, value in columns
                ]
            )
            styles.append(self.style(first) if self.style else "")
            before = section
        heads = [
            Head(_heading(column, value), column.right, column.key, column.belongs)
            for column, value in columns
        ]
        return Grid(self.title, heads, cells, frozenset(ends), tuple(styles), fold=self.fold)


def _heading(column: Column, value: Any) -> str:
    return column.heading if isinstance(column.heading, str) else column.heading(value)


Keys: TypeAlias = str | tuple[str, ...]
Heading: TypeAlias = str | Callable[[Any], str]


def as_it_is(*values: Any) -> str:
    """A value as it is; null is an empty cell."""
    return " ".join("" if value is None else str(value) for value in values)


def key(
    heading: str, keys: Keys = "", show: Callable[..., Cell] = as_it_is, **more: bool
) -> Column:
    """A column that says what a row is of; without ``keys`` its heading is that of the frame.

    Args:
        heading: The heading of the column.
        keys: The columns of the frame that a cell shows; empty: the one named like the heading.
        show: Makes the cell of their values.
        **more: Further fields of `Column`.
    """
    return Column(heading, _keys(heading, keys), show, key=True, **more)


def text(
    heading: Heading, keys: Keys = "", show: Callable[..., Cell] = as_it_is, **more: bool
) -> Column:
    """A column of texts, aligned left.

    Args:
        heading: The heading of the column.
        keys: The columns of the frame that a cell shows; empty: the one named like the heading.
        show: Makes the cell of their values.
        **more: Further fields of `Column`.
    """
    return Column(heading, _keys(heading, keys), show, **more)


def number(
    heading: Heading,
    keys: Keys = "",
    show: Callable[..., Any] = as_it_is,
    by: str = "",
    **more: bool,
) -> Column:
    """A column of numbers, aligned right.

    With ``by``, a column of the frame such as the metric, ``show`` gets its value, and returns how
    numbers of it are written.

    Args:
        heading: The heading of the column.
        keys: The columns of the frame that a cell shows; empty: the one named like the heading.
        show: Makes the cell of their values.
        by: A column of the frame on which the way of writing depends; may be empty.
        **more: Further fields of `Column`.
    """
    if not by:
        return Column(heading, _keys(heading, keys), show, right=True, **more)

    def cell(of: Any, *values: Any) -> Cell:
        return show(of)(*values)

    return Column(heading, (by, *_keys(heading, keys)), cell, right=True, **more)


def estimate(
    heading: Heading,
    keys: tuple[str, str, str],
    show: Callable[..., Any],
    show_ends: numbers.Show | None = None,
    by: str = "",
    **more: bool,
) -> Column:
    """A value with its interval behind it: the keys of value, low and high; ``by`` as in `number`."""

    def written(show: numbers.Show) -> Callable[[float, float, float], Cell]:
        return numbers.with_interval(show, show_ends)

    return number(heading, keys, _each(written, show, by), by, **more)


def ends(
    show: Callable[..., Any], keys: tuple[str, str] = ("low", "high"), by: str = "", **more: bool
) -> Column:
    """An interval in a column of its own; ``by`` as in `number`."""

    def written(show: numbers.Show) -> Callable[[float, float], Cell]:
        return lambda low, high: numbers.span(low, high, show)

    return number("95% interval", keys, _each(written, show, by), by, **more)


def _each(
    written: Callable[[numbers.Show], Any], show: Callable[..., Any], by: str
) -> Callable[..., Any]:
    return (lambda of: written(show(of))) if by else written(show)


def _keys(heading: Heading, keys: Keys) -> tuple[str, ...]:
    if isinstance(keys, tuple):
        return keys
    return (keys or str(heading),)


PAIR = (key("a"), key("b"))
"""The two systems, or metrics, of a pair."""

TESTED = (
    number("p", show=numbers.p_value, belongs=True),
    number("p Holm", "p_holm", numbers.starred, belongs=True),
)
"""The p-value of a row, and the same corrected for several rows."""
