"""A document on the terminal, or wherever its console prints."""

from __future__ import annotations

from dataclasses import replace

from rejoinder.cli.terminal.console import PlainConsole, console, print_notes
from rejoinder.cli.terminal.stacked_table import StackedTable
from rejoinder.document.parts import Document, Line
from rejoinder.document.text import plain


def show(document: Document, out: PlainConsole | None = None) -> None:
    """Prints the parts of a document, in their order; None: on standard output."""
    out = out or console()
    for part in document:
        if not isinstance(part, Line):
            shown = [StackedTable(grid) for grid in part.grids()]
            if part.apart and any(len(each.parts(out.width)) > 1 for each in shown):
                shown = [StackedTable(grid) for grid in replace(part, most=1).grids()]
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
