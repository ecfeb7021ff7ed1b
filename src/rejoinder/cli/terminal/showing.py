"""A document on the terminal, or wherever its console prints."""

from __future__ import annotations

from dataclasses import replace

from rejoinder.cli.terminal.console import bare_table, console, print_notes
from rejoinder.cli.terminal.stacked_table import StackedTable
from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Grid
from rejoinder.document.text import plain


def show(document: Document) -> None:
    """Prints the parts of a document, in their order."""
    out = console()
    for part in document:
        if not isinstance(part, Line):
            shown = [_table(grid) for grid in part.grids()]
            if part.apart and any(len(each.parts(out.width)) > 1 for each in shown):
                shown = [_table(grid) for grid in replace(part, most=1).grids()]
            for place, table in enumerate(shown):
                if place:
                    out.print()
                out.print(table)
        elif part.kind == "heading":
            out.rule(part.text, align="left")
        elif part.kind == "note":
            print_notes(out, [plain(part.text)])
        else:
            soft = part.kind in ("signature", "command")
            out.print(part.text, style=part.style or None, soft_wrap=soft)


def _table(grid: Grid) -> StackedTable:
    table = bare_table(grid.title or None)
    for head in grid.heads:
        table.add_column(head.heading, justify="right" if head.right else "left")
    table.heads = grid.heads
    styles = grid.styles or ("",) * len(grid.rows)
    for place, (cells, style) in enumerate(zip(grid.rows, styles, strict=True)):
        table.add_row(*cells, style=style or None, end_section=place in grid.ends)
    return table
