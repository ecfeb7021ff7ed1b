"""Tables of scores, for people: systems, groups of items, single items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from rejoinder.cli.show.cells import heading, no_spread, scale, score
from rejoinder.cli.show.compare import print_leads, print_ranks
from rejoinder.cli.terminal.console import bare_table, console, print_notes, rows
from rejoinder.messages import counted
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.scoring.scores import Scores

COLUMNS_AT_ONCE = 5


def systems(scores: Scores, ranks: bool = False, digits: int | None = None) -> None:
    """Every system under every metric, the verdicts, and the signatures; with ``ranks`` these too."""
    print_systems(console(), scores, ranks=ranks, digits=digits)


def print_systems(
    out: Console,
    scores: Scores,
    signatures: bool = True,
    ranks: bool = False,
    digits: int | None = None,
) -> None:
    """The same, to any console."""
    ranges = scores.ranks() if ranks else None  # one system alone has none: before any line
    table = scores.systems()
    several = len(scores.names) > 1 and scores.resamples > 0
    tables = -(-len(scores.labels) // COLUMNS_AT_ONCE)
    step = -(-len(scores.labels) // tables)
    for begin in range(0, len(scores.labels), step):
        out.print(_systems(scores, table, scores.labels[begin : begin + step], digits))
        out.print()
    order = f"; systems in the order of {scores.labels[0]}" if len(scores.labels) > 1 else ""
    out.print(scale(scores, table) + order, style="dim")
    if several:
        out.print()
        print_leads(out, scores, digits)
    if ranges is not None:
        out.print()
        print_ranks(out, ranges)
    print_notes(out, [*no_spread(table, "value", scores), *scores.notes])
    if signatures:
        _signatures(out, scores)


def groups(scores: Scores, column: str, digits: int | None = None) -> None:
    """The systems for each value of a column."""
    table = scores.by(column)
    out = console()
    shown = bare_table()
    for name in (column, "system"):
        shown.add_column(name)
    for label in scores.labels:
        shown.add_column(heading(scores, label), justify="right")
    shown.add_column("n", justify="right")
    cells: dict[tuple[Any, str], dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        cells.setdefault((row[table.columns[0]], row["system"]), {})[row["metric"]] = row
    before = None
    for (value, system), row in sorted(cells.items(), key=lambda each: str(each[0][0])):
        if before is not None and value != before:
            shown.add_section()
        counts = sorted({each["n"] for each in row.values()})
        shown.add_row(
            "" if value == before else str(value),
            system,
            *(score(scores.measured[label].metric, row[label], digits) for label in scores.labels),
            " to ".join(str(n) for n in counts[:: max(1, len(counts) - 1)]),
        )
        before = value
    out.print(shown)
    out.print(scale(scores, table), style="dim")
    few = table.filter(table["n"] < LEAST_ITEMS)[table.columns[0]].unique().len()
    if few and scores.resamples:
        words = f"{counted(few, 'group')} of fewer than {LEAST_ITEMS} items: no interval"
        print_notes(out, [words])
    print_notes(out, [*no_spread(table, "value", scores), *scores.notes])
    _signatures(out, scores)


def _signatures(out: Console, scores: Scores) -> None:
    """The signature of every metric."""
    out.print()
    for label, each in scores.measured.items():
        out.print(f"{label}: {each.signature}", style="dim", soft_wrap=True)


def segments(scores: Scores) -> None:
    """A row for each system and item, tab-separated."""
    rows(scores.segments())
    print_notes(console(stderr=True), scores.notes)


def _systems(
    scores: Scores, table: pl.DataFrame, labels: Sequence[str], digits: int | None
) -> Table:
    shown = bare_table()
    shown.add_column("system")
    cells: dict[tuple[str, str], dict[str, Any]] = {
        (row["metric"], row["system"]): row for row in table.iter_rows(named=True)
    }
    for label in labels:
        shown.add_column(heading(scores, label), justify="right")
    first = scores.labels[0]
    for row in table.filter(table["metric"] == first).iter_rows(named=True):
        name = row["system"]
        shown.add_row(
            name,
            *(score(scores.measured[label].metric, cells[label, name], digits) for label in labels),
        )
    return shown
