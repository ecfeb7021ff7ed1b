"""What ``rejoinder recipe galley2015`` shows: Table 2 for people, all numbers for machines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.document.numbers import NONE
from rejoinder.document.text import Cell, joined, styled

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from rejoinder.recipes.galley2015.study import Study


def document(study: Study, paths: Sequence[Path]) -> dict[str, Any]:
    """What ``--json`` prints."""
    document = study.as_json()
    first = {key: document.pop(key) for key in ("table", "figure")}
    return {**first, "files": [str(path) for path in paths], **document}


def show(study: Study) -> None:
    """The paper's table, and notes."""
    from rejoinder.cli.terminal.columns import number, table, text
    from rejoinder.cli.terminal.console import console, print_notes
    from rejoinder.messages import counted

    out = console()
    rows = study.table.table()
    coefficients = [
        column
        for name in ("spearman", "kendall-b")
        for column in (
            number(name, lambda row, name=name: _value(row, name)),
            number("p", lambda row, name=name: _p(row, name)),
        )
    ]
    out.print(
        table(
            rows.iter_rows(named=True),
            text("metric"),
            text("refs", "references"),
            *coefficients,
            section="metric",
        )
    )
    out.print()
    agreement = study.table.agreement
    out.print(
        f"{counted(rows.item(0, 'n'), 'unit')} of {counted(study.table.unit_size, 'item')} from "
        f"{agreement.systems} systems; n-grams up to {study.table.order}; (low, high): 95% interval; "
        f"p: permutation test; {NONE}: undefined",
        style="dim",
    )
    out.print(agreement.protocol.spread, style="dim")
    if study.cases is not None:
        _cases(out, study.cases)
    reasons = [each for each in rows["reason"].unique(maintain_order=True) if each]
    print_notes(out, (*study.notes, *reasons))
    out.print()
    out.print(agreement.signature, style="dim", soft_wrap=True)


def _cases(out: Console, cases: pl.DataFrame) -> None:
    """The paper's Table 1: the turns of an item, then its references with their weights."""
    from rejoinder.cli.terminal.columns import number, table, text

    for (id,), rows in cases.group_by("id", maintain_order=True):
        context, message = rows.row(0, named=True)["context"], rows.row(0, named=True)["message"]
        out.print()
        out.print(f"{id}", style="bold")
        for turn in [*(context or "").splitlines(), message or ""]:
            out.print(f"  {turn}", soft_wrap=True)
        columns = [
            number("weight", lambda row: NONE if row["weight"] is None else f"{row['weight']:.2f}"),
            text("reference"),
            text("source", lambda row: row["source"] or ""),
        ]
        out.print(table(rows.iter_rows(named=True), *columns))
    out.print()


def _value(row: Mapping[str, Any], name: str) -> Cell:
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if math.isnan(value):
        return NONE
    ends = styled("" if math.isnan(low) else f" ({low:.2f}, {high:.2f})", "dim")
    return joined(f"{value:.3f}", ends)


def _p(row: Mapping[str, Any], name: str) -> str:
    value, p = row[name], row[f"{name}_p"]
    return "" if math.isnan(value) or math.isnan(p) else f"{p:.3f}"
