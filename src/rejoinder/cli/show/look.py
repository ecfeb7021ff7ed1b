"""What a file is taken for, for people."""

from __future__ import annotations

from rejoinder.cli.terminal.columns import table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.messages import counted
from rejoinder.tables.look import FileLook, Reading


def look(result: FileLook) -> None:
    """The kinds of table that the file can be read as, and the verbs that read these."""
    out = console()
    shown = table(
        result.readings,
        text("read as", lambda each: each.kind),
        text("format", lambda each: each.format),
        text("holds", _holds),
        text("columns", _columns),
    )
    out.print(shown)
    whole = "; it needs no other file" if result.holds_all else ""
    out.print()
    out.print(f"verbs: {', '.join(result.verbs)}{whole}")
    print_notes(out, tuple(dict.fromkeys(n for each in result.readings for n in each.notes)))


def _holds(each: Reading) -> str:
    return ", ".join(counted(count, name[:-1]) for name, count in each.counts.items())


def _columns(each: Reading) -> str:
    return ", ".join(f"{column} as {name}" for column, name in each.columns.items())
