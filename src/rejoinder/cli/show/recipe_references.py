"""What ``rejoinder recipe references`` shows: sources, systems, agreement, as far as the chain went."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rejoinder.document.numbers import NONE

if TYPE_CHECKING:
    from rejoinder.recipes.references.study import ReferencesStudy


def show(study: ReferencesStudy) -> None:
    """A table for each step that was done, and notes."""
    from rejoinder.cli.terminal.columns import number, table, text
    from rejoinder.cli.terminal.console import console, print_notes
    from rejoinder.messages import counted

    out = console()
    mined = study.candidates
    out.print(
        f"{counted(mined.height, 'candidate')} of {counted(mined['id'].n_unique(), 'item')}, the "
        "items' own first references among them"
    )
    if study.weighed is not None:
        out.print()
        out.print(
            table(
                study.weighed.sources(),
                text("source", lambda row: row["source"] or "(none named)"),
                number("references"),
                number("mean weight", lambda row: f"{row['mean']:.3f}"),
                number("above 0", lambda row: f"{100 * row['positive']:.1f}%"),
            )
        )
    if study.scores is not None:
        out.print()
        out.print(
            table(
                study.scores.systems().iter_rows(named=True),
                text("metric"),
                text("system"),
                number("value x100", lambda row: _ends(row, 100, 2)),
                number("n"),
                section="metric",
            )
        )
    if study.agreement is not None:
        out.print()
        out.print(
            table(
                study.agreement.table().iter_rows(named=True),
                text("metric"),
                text("correlation"),
                number("value", lambda row: _ends(row, 1, 3)),
                number("p", lambda row: NONE if _undefined(row["p"]) else f"{row['p']:.3f}"),
                number("units", "n"),
                section="metric",
            )
        )
    out.print()
    print_notes(out, study.notes)
    for name, signature in study.signatures.items():
        out.print(f"{name}: {signature}", style="dim", soft_wrap=True)


def _ends(row: dict[str, Any], factor: int, digits: int) -> str:
    """A value with its 95% interval, where it has one."""
    if _undefined(row["value"]):
        return NONE
    value = f"{factor * row['value']:.{digits}f}"
    if _undefined(row["low"]) or _undefined(row["high"]):
        return value
    return f"{value} ({factor * row['low']:.{digits}f}, {factor * row['high']:.{digits}f})"


def _undefined(value: float | None) -> bool:
    return value is None or math.isnan(value)
