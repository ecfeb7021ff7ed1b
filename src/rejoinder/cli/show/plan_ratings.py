"""What a plan says of ratings: how many a judge saves, and which items to have rated next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.document.numbers import NONE, Show, decimals, span
from rejoinder.document.text import Cell, joined
from rejoinder.messages import counted
from rejoinder.tables.drawn_items import NEXT

if TYPE_CHECKING:
    from rich.console import Console

    from rejoinder.planning.next_items import NextItems
    from rejoinder.planning.plan import Plan

SAVED = (
    "r: correlation of the judge's differences with people's, over the rated items, with its 95% interval; "
    "saves: share of the ratings that 'rejoinder compare --ratings' would save with as many items rated and "
    "scored, r^2 N / (n + N) of n rated and N other items, and its 95% range; most: with many more items "
    "scored than rated; with few ratings somewhat less is saved"
)

MOST_ITEMS = 20
"""So many of the items to be rated next are listed."""

WITHOUT_FILES = "rejoinder annotate serve TESTSET RESPONSES --drawn FILE --db STUDY.sqlite"
"""The command that has the items rated, where no file is known."""


def print_saved(out: Console, result: Plan) -> None:
    """How many ratings each judge would save."""
    two = decimals(2)
    out.print(
        table(
            result.labels_saved.iter_rows(named=True),
            text("a"),
            text("b"),
            text("judge"),
            number("r and interval", lambda row: _with_interval(row, two)),
            number("rated", lambda row: f"{row['rated']}/{row['scored']}"),
            number("saves", _saved),
            number("most", lambda row: _percent(row["most"])),
            title="ratings that a judge saves",
        )
    )
    out.print(SAVED, style="dim")


def _with_interval(row: Mapping[str, Any], show: Show) -> Cell:
    if math.isnan(row["correlation"]):
        return NONE
    return joined(show(row["correlation"]), " ", span(row["low"], row["high"], show))


def _saved(row: Mapping[str, Any]) -> Cell:
    if math.isnan(row["saved"]):
        return NONE
    if math.isnan(row["saved_low"]):
        return _percent(row["saved"])
    low, high = (f"{100 * row[name]:.0f}" for name in ("saved_low", "saved_high"))
    return f"{_percent(row['saved'])} ({low}-{high}%)"


def _percent(value: float) -> Cell:
    return NONE if math.isnan(value) else f"{100 * value:.0f}%"


def next_items(
    items: NextItems, file: Path | None = None, commands: Sequence[str] = (WITHOUT_FILES,)
) -> None:
    """The items to be rated next, each with its probability, and the commands that have them rated.

    Args:
        items: The draw.
        file: The table that was written; None: it is not known.
        commands: To have the items rated; capitals stand for files that are not known.
    """
    out = console()
    rows = items.table.filter(items.table["status"] == NEXT)
    shown = table(
        rows.head(MOST_ITEMS).iter_rows(named=True),
        text("id"),
        number("probability", lambda row: f"{row['probability']:.3g}"),
    )
    out.print(shown)
    if rows.height > MOST_ITEMS:
        where = "" if file is None else f" in {file}, with the status '{NEXT}'"
        more = counted(rows.height - MOST_ITEMS, "more item")
        out.print(f"and {more}{where}", style="dim", soft_wrap=True)
    out.print()
    _print_next(out, items, "the table" if file is None else str(file))
    for each in commands:
        out.print(f"example: {each}", soft_wrap=True)
    print_notes(out, items.notes)


def _print_next(out: Console, items: NextItems, file: str) -> None:
    """How many items are to be rated next, and with which probabilities they were drawn."""
    alike = items.highest - items.lowest < 5e-4
    span = f"{items.lowest:.3g}" if alike else f"{items.lowest:.3g} to {items.highest:.3g}"
    out.print(
        f"next: {counted(items.number, 'item')} drawn to be rated, each with a probability of {span}. "
        "(That is of this draw; the column 'probability' has that of being drawn in this round or an earlier "
        "one.) Have them rated on the page of a server ('annotate serve') or, without a server, in one "
        f"HTML file for each rater ('annotate page'), and give {file} to "
        "'rejoinder compare --ratings --drawn' beside all ratings"
    )
