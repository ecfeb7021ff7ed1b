"""What ``rejoinder recipe khayrallah2021`` shows: the paper's tables, or all numbers for machines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rejoinder.document.numbers import NONE
from rejoinder.document.text import Cell, joined, stacked, styled
from rejoinder.messages import p_is
from rejoinder.scoring.compare import FEWEST_TRIALS
from rejoinder.statistics.conventions import is_least_p

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from rejoinder.recipes.khayrallah2021.result import Study


def document(study: Study) -> dict[str, Any]:
    """What ``--json`` prints."""
    from rejoinder.recipes.khayrallah2021.tables import absent, cells

    return {
        "cells": cells(study).to_dicts(),
        "compared": study.compared().to_dicts(),
        "absent": absent(study),
        "settings": study.settings.as_json(),
        "signatures": study.signatures(),
        "notes": study.notes,
        "files": [str(path) for path in study.files],
    }


def show(study: Study) -> None:
    """The paper's tables, with its figures beside ours."""
    from rejoinder.cli.terminal.console import console
    from rejoinder.recipes.khayrallah2021.tables import TITLES, absent, cells

    out = console()
    numbers, missing = cells(study), absent(study)
    for table, title in TITLES.items():
        of_table = [row for row in numbers.iter_rows(named=True) if row["table"] == table]
        if of_table:
            _table(out, f"Table {table}: {_title(table, title, missing)}", table, of_table)
            out.print()
    _compared(out, study.compared())
    out.print(
        "metrics and RUQ x100; (low, high): 95% interval over prompts; dim: the paper's "
        "figure, of its own sizes and data",
        style="dim",
    )
    for table, why in missing.items():
        out.print(f"Table {table}: {why}", style="yellow", soft_wrap=True)
    for note in study.notes:
        out.print(f"note: {note}", style="yellow", soft_wrap=True)
    out.print()
    for label, signature in study.signatures().items():
        out.print(f"{label}: {signature}", style="dim", soft_wrap=True)


def _title(table: str, title: str, missing: dict[str, str]) -> str:
    """Table 2 names METEOR only where it is METEOR."""
    from rejoinder.recipes.khayrallah2021.tables import INSTEAD

    return f"multi-reference {INSTEAD}" if table == "2" and "2" in missing else title


def _table(out: Console, title: str, table: str, of_table: list[dict[str, Any]]) -> None:
    """One table of the paper."""
    from rejoinder.cli.terminal.columns import number, text
    from rejoinder.cli.terminal.columns import table as declared
    from rejoinder.recipes.khayrallah2021.tables import TIMES_100

    by_place = {(row["row"], row["column"]): row for row in of_table}
    rows, columns = (list(dict.fromkeys(row[key] for row in of_table)) for key in ("row", "column"))
    factor = 100 if table in TIMES_100 else 1
    numbers = [
        number(name, lambda row, name=name: _cell(by_place.get((row, name)), factor))
        for name in columns
    ]
    out.print(title, style="bold")
    out.print(declared(rows, text("", str), *numbers))


def _cell(row: dict[str, Any] | None, factor: int) -> Cell:
    """A number, its interval, and the paper's figure below."""
    if row is None or row["value"] is None or math.isnan(row["value"]):
        return NONE
    if factor == 1 and row["n"] is None:
        return f"{row['value']:g}"
    ends = [row[key] for key in ("low", "high")]
    cell: Cell = f"{factor * row['value']:.{1 if factor > 1 else 2}f}"
    if not any(end is None or math.isnan(end) for end in ends):
        low, high = (f"{factor * end:.{1 if factor > 1 else 2}f}" for end in ends)
        cell = joined(cell, styled(f" ({low}, {high})", "dim"))
    if row["paper"] is not None:
        cell = stacked(cell, styled(f"{factor * row['paper']:.1f}", "dim"))
    return cell


def _compared(out: Console, table: pl.DataFrame) -> None:
    for row in table.iter_rows(named=True):
        p = row["p_randomization"]
        out.print(
            f"RUQ-{row['prompts']}: {row['a']} - {row['b']} = {100 * row['difference']:+.1f} "
            f"({100 * row['low']:.1f}, {100 * row['high']:.1f}), {row['n']} prompts, "
            f"{p_is(p, is_least_p(p, FEWEST_TRIALS))}",
            soft_wrap=True,
        )
