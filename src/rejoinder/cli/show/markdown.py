"""Tables and lines as Markdown: every text of others is escaped."""

from __future__ import annotations

import re

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

SPECIAL = str.maketrans(
    {each: f"\\{each}" for each in "\\`*_|~$"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)
"""What Markdown would read as emphasis, code, a formula, the end of a cell or HTML."""


def as_markdown(collector: Collector) -> str:
    """What was collected, an empty line between any two parts."""
    parts = [
        _table(collector, each) if isinstance(each, Table) else _line(collector, each)
        for each in collector.parts
    ]
    return "\n\n".join(parts) + "\n"


def _line(collector: Collector, line: Line) -> str:
    words = _inline(collector, line.text)
    if line.kind == "heading":
        return f"#### {words}"
    # What would begin a heading, a quotation, a list or a definition is text here.
    if words[:1] in ("#", "+", "-", "=", "["):
        return f"\\{words}"
    return re.sub(r"^(\d+)([.)] )", r"\1\\\2", words)


def _table(collector: Collector, table: Table) -> str:
    marks = ["---:" if right else ":---" for right in right_of(table)]
    rows = [headings_of(table), *cells_of(table)]
    lines = [_row([_inline(collector, cell) for cell in cells]) for cells in rows]
    title = f"*{_inline(collector, as_text(table.title))}*\n\n" if table.title else ""
    return title + "\n".join([lines[0], _row(marks), *lines[1:]])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _inline(collector: Collector, text: Text) -> str:
    words = "".join(each.text for each in collector.segments(text)).strip()
    words = words.translate(SPECIAL)
    words = words.replace("](", "\\](").replace("][", "\\][")  # links
    return words.replace("\n", "<br>").replace("\t", " ")
