"""Tables of how far metrics agree with people, for people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from rejoinder.agreement.holm import SIGNIFICANT
from rejoinder.cli.cells import NONE, decimals, interval
from rejoinder.cli.console import bare_table, console, print_notes

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.figures.album import Album
    from rejoinder.scoring.correlate import Agreement


def agreement(
    told: Agreement,
    within: pl.DataFrame | None = None,
    compared: pl.DataFrame | None = None,
    drawn: Album | None = None,
) -> None:
    """How far every metric agrees with people: the table, within systems, metrics in pairs.

    What was ``drawn`` is told below all of it, by plots.py.
    """
    out = console()
    table = told.table()
    out.print(_agreement(told, table))
    out.print()
    several = table["n"].unique().sort().to_list()
    counted = " to ".join(str(n) for n in several[:: max(1, len(several) - 1)])
    out.print(
        f"{counted} observations; \\[low, high]: 95% interval; p: permutation test; * p below "
        f"{SIGNIFICANT}; {NONE}: undefined",
        style="dim",
    )
    spread = told.protocol.spread
    if spread:
        out.print(spread, style="dim", markup=False)
        out.print()
        out.print(_spread(told, table))
    if within is not None:
        out.print()
        out.print(_within(told, within))
        out.print(
            "within systems: the mean over systems of each one's own correlation, which the systems' "
            "different levels do not inflate",
            style="dim",
        )
        means = within.filter(within["system"] == "mean")
        _reasons(out, means.with_columns(metric=means["metric"] + " within systems"))
    if compared is not None:
        out.print()
        out.print(_metric_pairs(compared))
        out.print(
            f"a - b: difference of {compared.item(0, 'correlation')}; p: paired permutation; "
            "Williams' t takes observations for independent and normal; * p below 0.05, not "
            "corrected for the number of pairs",
            style="dim",
        )
    _reasons(out, table)
    print_notes(out, told.notes)
    out.print()
    out.print(told.signature, style="dim", markup=False, soft_wrap=True)
    for label, signature in told.signatures.items():
        out.print(f"{label}: {signature}", style="dim", markup=False, soft_wrap=True)


def _agreement(told: Agreement, table: pl.DataFrame) -> Table:
    shown = bare_table()
    shown.add_column("metric")
    for name in told.correlations:
        shown.add_column(name, justify="right")
        shown.add_column("p", justify="right")
    before = None
    for label, rows in _by_metric(table):
        if before in told.labels and label not in told.labels:
            shown.add_section()
        before = label
        cells = []
        for name in told.correlations:
            row = rows[name]
            # Chance is there to be seen beside: a star would call it a finding.
            cells += [_interval(row), _p(row["p"], label in told.labels)]
        shown.add_row(escape(label), *cells)
    return shown


def _within(told: Agreement, within: pl.DataFrame) -> Table:
    shown = bare_table()
    shown.add_column("within systems")
    for name in told.correlations:
        shown.add_column(name, justify="right")
    for label, rows in _by_metric(within.filter(within["system"] == "mean")):
        shown.add_row(escape(label), *(_interval(rows[name]) for name in told.correlations))
    return shown


def _spread(told: Agreement, table: pl.DataFrame) -> Table:
    shown = bare_table()
    shown.add_column("95% of assignments")
    for name in told.correlations:
        shown.add_column(name, justify="right")
    for label, rows in _by_metric(table):
        ends = [(rows[name]["spread_low"], rows[name]["spread_high"]) for name in told.correlations]
        shown.add_row(
            escape(label),
            *(NONE if math.isnan(low) else f"{low:.3f} to {high:.3f}" for low, high in ends),
        )
    return shown


def _metric_pairs(compared: pl.DataFrame) -> Table:
    shown = bare_table()
    for name in ("a", "b"):
        shown.add_column(name)
    for name in ("a - b", "p", "Williams t", "p"):
        shown.add_column(name, justify="right")
    for row in compared.iter_rows(named=True):
        williams = f"{row['williams_t']:.2f}" if not math.isnan(row["williams_t"]) else ""
        shown.add_row(
            escape(row["a"]),
            escape(row["b"]),
            _interval({**row, "value": row["difference"]}),
            _p(row["p"]),
            williams,
            _p(row["williams_p"]),
        )
    return shown


def _by_metric(table: pl.DataFrame) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    for (label,), rows in table.group_by("metric", maintain_order=True):
        yield str(label), {row["correlation"]: row for row in rows.iter_rows(named=True)}


def _interval(row: Mapping[str, Any]) -> str:
    return interval(row["value"], row["low"], row["high"], decimals(3))


def _p(p: float, marked: bool = True) -> str:
    if math.isnan(p):
        return ""
    star = "*" if marked and p < SIGNIFICANT else " "
    return ("<0.001" if p < 0.0005 else f"{p:.3f}") + star


def _reasons(out: Console, table: pl.DataFrame) -> None:
    """Why numbers are missing, each reason once."""
    # People have neither interval nor test; only where they have no value either, that is said.
    people = table["metric"].str.starts_with("human") & table["value"].is_not_nan()
    missing = table.filter(table["reason"].is_not_null() & ~people)
    for (reason,), rows in missing.group_by("reason", maintain_order=True):
        labels = ", ".join(rows["metric"].unique(maintain_order=True))
        print_notes(out, [f"{labels}: {reason}"])
