"""Where tables and notes for people are printed, and how they look."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from rejoinder.cli.stacked_table import StackedTable


def console() -> Console:
    """Where tables go: as wide as the terminal, or as COLUMNS says, or 120 in a pipe."""
    columns = shutil.get_terminal_size(fallback=(120, 24)).columns
    return Console(width=columns, highlight=False)


def bare_table(title: str | None = None) -> Table:
    """A table without a frame, which a narrow terminal shows in parts, one below the other."""
    return StackedTable(
        title=title, title_justify="left", show_edge=False, pad_edge=False, header_style="bold"
    )


def print_notes(out: Console, notes: Iterable[str]) -> None:
    """What is to be said beside numbers, a line each."""
    for note in notes:
        out.print(f"note: {note}", style="yellow", markup=False)
