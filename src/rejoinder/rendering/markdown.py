"""A document as Markdown: every text of others is escaped."""

from __future__ import annotations

import re

from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Grid
from rejoinder.document.text import Cell, plain

SPECIAL = str.maketrans(
    {each: f"\\{each}" for each in "\\`*_|~$"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)
"""What Markdown would read as emphasis, code, a formula, the end of a cell or HTML."""


def as_markdown(document: Document) -> str:
    """A document, an empty line between any two parts."""
    parts: list[str] = []
    for part in document:
        if not isinstance(part, Line):
            parts += map(_table, part.grids())
        elif part.text:
            parts.append(_line(part))
    return "\n\n".join(parts) + "\n"


def _line(line: Line) -> str:
    words = _inline(line.shown)
    if line.kind == "heading":
        return f"#### {words}"
    # What would begin a heading, a quotation, a list or a definition is text here.
    if words[:1] in ("#", "+", "-", "=", "["):
        return f"\\{words}"
    return re.sub(r"^(\d+)([.)] )", r"\1\\\2", words)


def _table(grid: Grid) -> str:
    title = f"*{_inline(grid.title)}*\n\n" if grid.title else ""
    head = _row([head.heading for head in grid.heads])
    sides = f"| {' | '.join('---:' if head.right else ':---' for head in grid.heads)} |"
    return title + "\n".join([head, sides, *map(_row, grid.rows)])


def _row(cells: list[Cell] | list[str]) -> str:
    return f"| {' | '.join(map(_inline, cells))} |"


def _inline(cell: Cell) -> str:
    words = plain(cell).translate(SPECIAL)
    words = words.replace("](", "\\](").replace("][", "\\][")  # links
    return words.replace("\n", "<br>").replace("\t", " ")
