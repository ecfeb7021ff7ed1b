"""Tables and lines as HTML, for notebooks: every text of others is escaped."""

from __future__ import annotations

import html

from rich.segment import Segment
from rich.style import Style
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

COLOURS = {"red": "#c0392b", "green": "#26804d"}
"""Colours that can be read on a light and on a dark page; no yellow can, so notes have none."""

TABLE = "font-family: monospace; color: inherit; border-collapse: collapse; margin: 0.6em 0"


CLASSES = "rejoinder tex2jax_ignore mathjax_ignore"
"""Two of them keep the MathJax of a notebook from reading formulas between dollar signs in texts."""


def as_html(collector: Collector) -> str:
    """What was collected as one element, with its style in it and no script."""
    parts = [
        _table(collector, each) if isinstance(each, Table) else _line(collector, each)
        for each in collector.parts
    ]
    return f'<div class="{CLASSES}">\n' + "\n".join(parts) + "\n</div>"


def _line(collector: Collector, line: Line) -> str:
    tag = "h4" if line.kind == "heading" else "p"
    return f'<{tag} style="white-space: pre-wrap">{_inline(collector, line.text)}</{tag}>'


def _table(collector: Collector, table: Table) -> str:
    right = right_of(table)
    head = _row(collector, headings_of(table), right, "th")
    rows = [
        _row(collector, cells, right, "td", after=row.end_section)
        for cells, row in zip(cells_of(table), table.rows, strict=True)
    ]
    caption = ""
    if table.title:
        words = _inline(collector, as_text(table.title))
        caption = f'<caption style="text-align: left; font-style: italic">{words}</caption>'
    body = "\n".join(rows)
    return (
        f'<table style="{TABLE}">{caption}\n<thead>\n{head}\n</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )


def _row(
    collector: Collector, cells: list[Text], right: list[bool], tag: str, after: bool = False
) -> str:
    shown = []
    line = "; border-bottom: 1px solid" if after else ""
    for cell, of_numbers in zip(cells, right, strict=True):
        side = "right" if of_numbers else "left"
        style = f"text-align: {side}; white-space: pre-wrap; padding: 0 0.6em{line}"
        shown.append(f'<{tag} style="{style}">{_inline(collector, cell)}</{tag}>')
    return f"<tr>{''.join(shown)}</tr>"


def _inline(collector: Collector, text: Text) -> str:
    return "".join(_segment(each) for each in collector.segments(text))


def _segment(segment: Segment) -> str:
    text = html.escape(segment.text).replace("\n", "<br>")
    style = _css(segment.style)
    return f'<span style="{style}">{text}</span>' if style else text


def _css(style: Style | None) -> str:
    if style is None:
        return ""
    words = ["opacity: 0.7"] * bool(style.dim) + ["font-weight: bold"] * bool(style.bold)
    words += ["font-style: italic"] * bool(style.italic)
    name = style.color.name if style.color else ""
    return "; ".join([*words, *([f"color: {COLOURS[name]}"] if name in COLOURS else [])])
