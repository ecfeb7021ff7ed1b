"""What is shown of items that were drawn to be rated next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rejoinder.document.parts import GAP, Document, Line, lines
from rejoinder.document.table import Table, key, number
from rejoinder.messages import Call, counted
from rejoinder.tables.drawn_items import NEXT

MOST_ITEMS = 20
"""So many of the items to be rated next are listed."""

WITHOUT_FILES = "rejoinder annotate serve TESTSET RESPONSES --drawn FILE --db STUDY.sqlite"
"""The command that has the items rated, where no file is known."""

MEANINGS = {"probability": "Probability that the item was drawn in this round or an earlier one."}


def drawn_items(
    items: pl.DataFrame,
    lowest: float,
    highest: float,
    notes: Sequence[str],
    file: Path | None,
    commands: Sequence[str],
) -> Document:
    """The items to be rated next, each with its probability, and the commands that have them rated.

    Args:
        items: ``NextItems.table``.
        lowest: The lowest probability of this draw alone.
        highest: The highest.
        notes: Notes on the draw.
        file: The table that was written; None: it is not known.
        commands: To have the items rated; capitals stand for files that are not known.
    """
    rows = items.filter(pl.col("status") == NEXT)
    columns = [key("id"), number("probability", show=lambda value: f"{value:.3g}")]
    shown: Document = [Table(rows, columns, paper=rows.head(MOST_ITEMS), meanings=MEANINGS)]
    if rows.height > MOST_ITEMS:
        where = "" if file is None else f" in {file}, with the status '{NEXT}'"
        more = counted(rows.height - MOST_ITEMS, "more item")
        shown.append(Line(f"and {more}{where}", "signature"))
    alike = highest - lowest < 5e-4
    span = f"{lowest:.3g}" if alike else f"{lowest:.3g} to {highest:.3g}"
    words = (
        f"next: {counted(rows.height, 'item')} drawn to be rated, each with a probability of {span}. "
        "(That is of this draw; the column 'probability' has that of being drawn in this round or an earlier "
        "one.) Have them rated on the page of a server ('annotate serve') or, without a server, in one "
        f"HTML file for each rater ('annotate page'), and give {file or 'the table'} to "
        f"'{Call('rejoinder.compare_with_people with drawn=')}' beside all ratings"
    )
    shown += [GAP, Line(words), *lines((f"example: {each}" for each in commands), "command")]
    return [*shown, *lines(notes, "note")]
