"""A document as HTML, for notebooks and files: every text of others is escaped."""

from __future__ import annotations

import html

from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Grid
from rejoinder.document.text import Cell, parts_of

STYLES = {
    "dim": "opacity: 0.7",
    "bold": "font-weight: bold",
    "italic": "font-style: italic",
    "red": "color: #c0392b",
    "green": "color: #26804d",
}
"""Colours that can be read on a light and on a dark page; no yellow can, so notes have none."""

TABLE = "font-family: monospace; color: inherit; border-collapse: collapse; margin: 0.6em 0"

CLASSES = "rejoinder tex2jax_ignore mathjax_ignore"
"""Two of them keep the MathJax of a notebook from reading formulas between dollar signs in texts."""


def as_html(document: Document) -> str:
    """A document as one element, with its style in it and no script."""
    parts: list[str] = []
    for part in document:
        if not isinstance(part, Line):
            parts += map(_table, part.grids())
        elif part.text:
            tag = "h4" if part.kind == "heading" else "p"
            words = _inline(part.shown, part.style)
            parts.append(f'<{tag} style="white-space: pre-wrap">{words}</{tag}>')
    return f'<div class="{CLASSES}">\n' + "\n".join(parts) + "\n</div>"


def _table(grid: Grid) -> str:
    head = _row(grid, [head.heading for head in grid.heads], "th")
    styles = grid.styles or ("",) * len(grid.rows)
    rows = [
        _row(grid, cells, "td", style, place in grid.ends)
        for place, (cells, style) in enumerate(zip(grid.rows, styles, strict=True))
    ]
    caption = ""
    if grid.title:
        words = _inline(grid.title)
        caption = f'<caption style="text-align: left; font-style: italic">{words}</caption>'
    body = "\n".join(rows)
    return (
        f'<table style="{TABLE}">{caption}\n<thead>\n{head}\n</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )


def _row(
    grid: Grid, cells: list[Cell] | list[str], tag: str, of_row: str = "", end: bool = False
) -> str:
    shown = []
    line = "; border-bottom: 1px solid" if end else ""
    for cell, head in zip(cells, grid.heads, strict=True):
        side = "right" if head.right else "left"
        style = f"text-align: {side}; white-space: pre-wrap; padding: 0 0.6em{line}"
        shown.append(f'<{tag} style="{style}">{_inline(cell, of_row)}</{tag}>')
    return f"<tr>{''.join(shown)}</tr>"


def _inline(cell: Cell, style: str = "") -> str:
    return "".join(_part(*part) for part in parts_of(cell, style))


def _part(text: str, style: str) -> str:
    text = html.escape(text).replace("\n", "<br>")
    css = "; ".join(dict.fromkeys(STYLES[word] for word in style.split() if word in STYLES))
    return f'<span style="{css}">{text}</span>' if css else text
