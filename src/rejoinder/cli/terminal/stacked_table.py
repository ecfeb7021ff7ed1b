"""A table that loses nothing in a narrow terminal: what does not fit stands in a part below.

Every part repeats the first columns (system, metric), so that a row can be read in each of them. No
number is cut or wrapped; names and texts are folded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table
from rich.text import Text

from rejoinder.document.table import Grid
from rejoinder.document.text import parts_of
from rejoinder.visible import visible

BETWEEN = 3
"""What stands between two columns: a blank, a line, a blank."""

SHORT = 12
"""Cells of a name that is not folded as long as there is another way."""

TEXT = 24
"""Cells that a column of text has at least, where it is longer."""


class StackedTable(Table):
    """A rich table whose columns go into parts, where they do not fit side by side.

    Which columns are keys, and which belong to the column before them, is declared.

    Args:
        grid: The table as a document has it.

    >>> from rejoinder.document.table import Head
    >>> heads = [Head("system", False, True, False), Head("BLEU", True), Head("length", True)]
    >>> table = StackedTable(Grid("", heads, [["tuned", "49.3 [44.1, 54.1]", "10.48 [9.61, 11.36]"]]))
    >>> [[column.header for column in part.columns] for part in table.parts(40)]
    [['system', 'BLEU'], ['system', 'length']]
    >>> len(table.parts(80))
    1
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(show_edge=False, pad_edge=False, header_style="bold")
        self.above, self.heads = grid.title, grid.heads
        for head in grid.heads:
            self.add_column(head.heading, justify="right" if head.right else "left")
        styles = grid.styles or ("",) * len(grid.rows)
        for place, (cells, style) in enumerate(zip(grid.rows, styles, strict=True)):
            row = (Text.assemble(*parts_of(cell)) for cell in cells)
            self.add_row(*row, style=style or None, end_section=place in grid.ends)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table, or its parts with an empty line between them, each below the title."""
        for place, part in enumerate(self.parts(options.max_width)):
            if place:
                yield ""
            if self.above:  # rich would break it at the width of the table
                yield Text(visible(self.above), "italic")
            yield from Table.__rich_console__(part, console, options)

    def parts(self, width: int) -> list[Table]:
        """Tables of at most ``width`` cells that together hold all columns.

        Args:
            width: Of the terminal, in cells: a Chinese character takes two.
        """
        natural = [max(_length(column.header), _cells(column)) for column in self.columns]
        if _total(natural) <= width:
            return [self]
        keys, groups = self._keys(), self._groups()
        least = [self._least(column, size) for column, size in enumerate(natural)]
        widest = max((_total([least[c] for c in group]) for group in groups), default=0)
        room = max(width // 2, width - widest - BETWEEN)
        room = min(room, max(width - min(widest, width // 2) - BETWEEN, len(keys)))
        for column, size in zip(
            keys, _shared([natural[c] for c in keys], room - BETWEEN * (len(keys) - 1)), strict=True
        ):
            least[column] = size
        rest = width - _total([least[c] for c in keys]) - BETWEEN
        return [
            self._part([*keys, *shown], self._sizes(shown, natural, least, keys, rest))
            for shown in _packed(groups, least, rest)
        ] or [self._part(keys, [least[c] for c in keys])]

    def _keys(self) -> list[int]:
        return [place for place, head in enumerate(self.heads) if head.key]

    def _groups(self) -> list[list[int]]:
        """The other columns, those that belong together in one list."""
        groups: list[list[int]] = []
        for place, head in enumerate(self.heads):
            if groups and head.belongs:
                groups[-1].append(place)
            elif not head.key:
                groups.append([place])
        return groups

    def _least(self, place: int, natural: int) -> int:
        """A number needs all of its cells; a heading can be folded, and a text too."""
        column = self.columns[place]
        if column.justify == "right":
            return max(_cells(column), min(_length(column.header), SHORT))
        return min(natural, TEXT)

    def _sizes(
        self,
        columns: Sequence[int],
        natural: Sequence[int],
        least: Sequence[int],
        keys: Sequence[int],
        rest: int,
    ) -> list[int]:
        """The widths of the keys and of some columns; texts get what is left over."""
        sizes = [min(least[c], rest) for c in columns]
        over = rest - _total(sizes)
        for place, column in enumerate(columns):
            more = max(0, min(over, natural[column] - sizes[place]))
            sizes[place] += more
            over -= more
        return [*(least[c] for c in keys), *sizes]

    def _part(self, columns: Sequence[int], sizes: Sequence[int]) -> Table:
        """A table of some columns alone, each of a given width."""
        part = Table(show_edge=False, pad_edge=False, header_style=self.header_style)
        for column, size in zip(columns, sizes, strict=True):
            column_of = self.columns[column]
            part.add_column(
                column_of.header,
                justify=column_of.justify,
                style=column_of.style,
                width=size,
                overflow="fold",
            )
        cells = [list(self.columns[column].cells) for column in columns]
        for place, row in enumerate(self.rows):
            part.add_row(
                *(each[place] for each in cells), style=row.style, end_section=row.end_section
            )
        return part


def _packed(groups: Sequence[list[int]], least: Sequence[int], rest: int) -> Iterator[list[int]]:
    """As many groups as fit, then the next; one that is too wide by itself is alone."""
    packed: list[int] = []
    fitting: list[list[int]] = []
    for group in groups:
        together = _total([least[c] for c in group]) <= rest
        fitting += [group] if together else [[column] for column in group]
    for group in fitting:
        if packed and _total([least[c] for c in (*packed, *group)]) > rest:
            yield packed
            packed = []
        packed = [*packed, *group]
    if packed:
        yield packed


def _shared(natural: Sequence[int], room: int) -> list[int]:
    """Widths of the keys: the longest is cut first, none below ``SHORT`` while that is possible."""
    sizes = list(natural)
    while sum(sizes) > max(room, 2 * len(sizes)):
        longest = max(range(len(sizes)), key=sizes.__getitem__)
        sizes[longest] -= 1
    return sizes


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + BETWEEN * max(0, len(sizes) - 1)


def _cells(column: Column) -> int:
    return max((_length(cell) for cell in column.cells), default=0)


def _length(cell: object) -> int:
    text = cell if isinstance(cell, Text) else Text(visible(str(cell)))
    return max((line.cell_len for line in text.split(allow_blank=True)), default=0)
