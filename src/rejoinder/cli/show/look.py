"""What a file is taken for, for people."""

from __future__ import annotations

from collections.abc import Sequence

from rejoinder.cli.terminal.columns import table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.document.text import styled
from rejoinder.messages import counted, listed
from rejoinder.tables.look import FileLook, Reading


def looks(results: Sequence[FileLook], named: bool) -> None:
    """What each of several files is taken for, under its name where there are several."""
    out = console()
    for place, each in enumerate(results):
        if place:
            out.print()
        if named:
            out.print(styled(each.path, "bold"))
        look(each)


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
    out.print()
    whole = "; it needs no other file" if result.holds_all else ""
    for what, names in _names(result).items():
        out.print(f"{what}: {names}")
    out.print(f"verbs: {', '.join(result.verbs)}{whole}")
    for each in result.examples:
        out.print(f"example: {each}", soft_wrap=True)
    print_notes(out, tuple(dict.fromkeys(n for each in result.readings for n in each.notes)))


def _names(result: FileLook) -> dict[str, str]:
    """What the file names: systems, criteria and metrics, and the columns that group items."""
    lines: dict[str, str] = {}
    for each in result.readings:
        lines |= {what: listed(names) for what, names in each.contents.names.items()}
    groups = {column: n for each in result.readings for column, n in each.contents.groups.items()}
    if groups:
        columns = (f"{column} ({count} values)" for column, count in groups.items())
        lines["columns for --by and --cluster"] = ", ".join(columns)
    return lines


def _holds(each: Reading) -> str:
    one = {"criteria": "criterion"}
    return ", ".join(
        counted(count, one.get(name, name[:-1]), name) for name, count in each.counts.items()
    )


def _columns(each: Reading) -> str:
    return ", ".join(f"{column} as {name}" for column, name in each.columns.items())
