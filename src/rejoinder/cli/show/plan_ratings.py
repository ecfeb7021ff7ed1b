"""What a plan says of ratings: how many a judge saves, and which items to have rated next."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli.show.cells import NONE, Cell, decimals, span
from rejoinder.cli.terminal.columns import number, table, text

if TYPE_CHECKING:
    from rich.console import Console

    from rejoinder.planning.next_items import NextItems
    from rejoinder.planning.plan import Plan

SAVED = (
    "r: correlation of the judge's differences with people's, over the rated items; saves: share of the "
    "ratings that 'rejoinder compare --ratings' would save with as many items rated and scored, "
    "r^2 N / (n + N) of n rated and N other items, and its 95% range; at most: with many more items scored "
    "than rated; with few ratings somewhat less is saved"
)


def print_saved(out: Console, result: Plan) -> None:
    """How many ratings each judge would save."""
    two = decimals(2)
    out.print(
        table(
            result.labels_saved.iter_rows(named=True),
            text("a"),
            text("b"),
            text("judge"),
            number("r", lambda row: two(row["correlation"])),
            number("95% interval", lambda row: span(row["low"], row["high"], two)),
            number("rated", lambda row: f"{row['rated']}/{row['scored']}"),
            number("saves", _saved),
            number("at most", lambda row: _percent(row["most"])),
            title="ratings that a judge saves",
        )
    )
    out.print(SAVED, style="dim")


def _saved(row: Mapping[str, Any]) -> Cell:
    if math.isnan(row["saved"]):
        return NONE
    if math.isnan(row["saved_low"]):
        return _percent(row["saved"])
    return (
        f"{_percent(row['saved'])} ({_percent(row['saved_low'])} to {_percent(row['saved_high'])})"
    )


def _percent(value: float) -> Cell:
    return NONE if math.isnan(value) else f"{100 * value:.0f}%"


def print_next(out: Console, items: NextItems) -> None:
    """How many items are to be rated next, and with which probabilities they were drawn."""
    alike = items.highest - items.lowest < 5e-4
    span = f"{items.lowest:.3g}" if alike else f"{items.lowest:.3g} to {items.highest:.3g}"
    out.print(
        f"next: {items.number} items drawn to be rated, each with a probability of {span}. Have the items "
        "with the status 'next' rated ('rejoinder annotate serve --drawn FILE'), and give the table to "
        "'rejoinder compare --ratings --drawn FILE'"
    )
