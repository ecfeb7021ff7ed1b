"""What ``rejoinder recipe tao2018`` tells: the paper's tables for people, all rows for machines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rejoinder.cli.show.cells import NONE, Cell, joined, styled
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table

    from rejoinder.recipes.tao2018.study import Study

Drawn = tuple[list[Path], list[str]]
"""Files of pictures, and what these cannot show."""


def write(studies: Mapping[str, Study], cases: pl.DataFrame, drawn: Drawn) -> None:
    """One JSON value; NaN is null, and has its reason."""
    from rejoinder.cli.show import machine

    told = {
        name: {
            "table": study.rows().to_dicts(),
            "signature": study.pooled.signature,
            "signatures": study.pooled.signatures,
            "notes": study.notes,
        }
        for name, study in studies.items()
    }
    first = told.pop("")
    paths, notes = drawn
    machine.write(
        {
            **first,
            "notes": [*first["notes"], *notes],
            "cases": cases.to_dicts(),
            "transfer": next(iter(told.values()), None),
            "files": [str(path) for path in paths],
        }
    )


def show(studies: Mapping[str, Study], cases: pl.DataFrame, drawn: Drawn) -> None:
    """Tables for people."""
    from rejoinder.cli.terminal.console import console

    out = console()
    for name, study in studies.items():
        if name:
            out.print()
            out.print(f"{name}: another test set, the same model", style="bold")
        _study(out, study, None if name else cases)
    paths, notes = drawn
    for note in notes:
        out.print(f"note: {note}", style="yellow")
    for path in paths:
        out.print(f"written: {path}", soft_wrap=True)


def _study(out: Console, study: Study, cases: pl.DataFrame | None) -> None:
    from rejoinder.recipes.tao2018.study import MEAN

    table = study.table()
    systems = len(study.systems) or 1
    if study.systems:
        out.print(_paper_table(study.table(MEAN), MEAN, tested=True))
        out.print()
        out.print(
            f"{MEAN}: the mean over {systems} systems of each system's own correlation; (low, high): "
            "95% interval, jackknife over contexts; p: contexts permuted inside each system; * p "
            f"below {SIGNIFICANT}; {NONE}: undefined",
            style="dim",
        )
        out.print()
    out.print(_paper_table(table, "pooled", tested=not study.systems))
    out.print()
    test = "" if study.systems else f"; p: permutation test; * p below {SIGNIFICANT}"
    out.print(
        f"{table['n'].max()} replies of {systems} system{'s' * (systems > 1)}; (low, high): 95% "
        f"interval, contexts resampled{test}; {NONE}: undefined",
        style="dim",
    )
    if study.systems:
        _within(out, study)
    if cases is not None:
        _cases(out, study, cases)
    out.print()
    for note in (*study.notes, *_reasons(table)):
        out.print(f"note: {note}", style="yellow")
    out.print()
    out.print(study.pooled.signature, style="dim", soft_wrap=True)
    for label, signature in study.pooled.signatures.items():
        out.print(f"{label}: {signature}", style="dim", soft_wrap=True)


def _paper_table(table: pl.DataFrame, title: str, tested: bool) -> Table:
    """The paper's Table 2; p only where there is a test that holds."""
    shown = _empty("", title)
    for name in ("pearson", "spearman"):
        for column in (name, *(["p"] if tested else [])):
            shown.add_column(column, justify="right")
    before = None
    for row in table.iter_rows(named=True):
        if before not in (None, row["heading"]):
            shown.add_section()
        heading = row["heading"] if row["heading"] != before else ""
        before = row["heading"]
        number = 2 if tested else 1
        marked = row["metric"] != "random"
        cells = [
            cell for name in ("pearson", "spearman") for cell in _cells(row, name, marked)[:number]
        ]
        shown.add_row(heading, row["metric"], *cells)
    return shown


def _cells(row: Mapping[str, Any], name: str, marked: bool = True) -> tuple[Cell, str]:
    value, low, high, p = (row[f"{name}{end}"] for end in ("", "_low", "_high", "_p"))
    if math.isnan(value):
        return NONE, ""
    ends = styled("" if math.isnan(low) else f" ({low:.3f}, {high:.3f})", "dim")
    told = "<0.001" if p < 0.0005 else f"{p:.3f}"
    test = "" if math.isnan(p) else told + (_star(p) if marked else " ")
    return joined(f"{value:.3f}", ends), test


def _star(p: float) -> str:
    return "*" if p < SIGNIFICANT else " "


def _within(out: Console, study: Study) -> None:
    """Each system's own coefficients, and their mean: a column for each."""
    groups = study.groups[1:]
    rows = study.rows()
    cells = {
        (row["coefficient"], row["group"], row["metric"]): row for row in rows.iter_rows(named=True)
    }
    labels = rows["metric"].unique(maintain_order=True).to_list()
    for coefficient in rows["coefficient"].unique(maintain_order=True):
        shown = _empty(f"{coefficient}, within")
        for name in groups:
            shown.add_column(name, justify="right")
        for label in labels:
            of_groups = [cells.get((coefficient, name, label)) for name in groups]
            shown.add_row(label, *map(_short, of_groups))
        out.print()
        out.print(shown)


def _short(row: Mapping[str, Any] | None) -> str:
    if row is None or math.isnan(row["value"]):
        return f"{NONE} "
    return f"{row['value']:.3f}{_star(row['p'])}"


def _cases(out: Console, study: Study, cases: pl.DataFrame) -> None:
    """The paper's Table 3: a few replies with their scores."""
    from rejoinder.recipes.tao2018.figures import paper_labels

    labels = paper_labels(study)
    for (name,), replies in cases.group_by("id", maintain_order=True):
        first = replies.row(0, named=True)
        out.print()
        out.print(f"{name}: {first['query']}", style="bold")
        out.print(f"reference: {first['reference']}")
        shown = _empty("system", "reply")
        for each in ("human", *labels):
            shown.add_column(each, justify="right")
        for row in replies.iter_rows(named=True):
            numbers = [f"{row['human']:.2f}", *(_score(row[label]) for label in labels)]
            shown.add_row(row["system"], row["reply"], *numbers)
        out.print(shown)


def _score(value: float) -> str:
    return NONE if math.isnan(value) else f"{value:.3f}"


def _empty(*names: str) -> Table:
    from rejoinder.cli.terminal.console import bare_table

    shown = bare_table()
    for name in names:
        shown.add_column(name)
    return shown


def _reasons(table: pl.DataFrame) -> Sequence[str]:
    """Why numbers are missing, each reason once; of people no interval is expected."""
    missing = table.filter(table["reason"].is_not_null())
    return [
        f"{row['metric']}: {row['reason']}"
        for row in missing.iter_rows(named=True)
        if not row["metric"].startswith("human") or math.isnan(row["pearson"])
    ]
