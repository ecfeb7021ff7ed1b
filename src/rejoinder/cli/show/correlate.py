"""Tables of how far metrics agree with people, for people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import bare_table, console, print_notes
from rejoinder.document.numbers import NONE, decimals, has_intervals, interval, three_decimals
from rejoinder.document.text import Cell
from rejoinder.meta_evaluation.turn_level import OTHER_SYSTEMS
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.meta_evaluation.correlate import Agreement


def agreement(result: Agreement, compared: pl.DataFrame | None = None) -> None:
    """How far every metric agrees with people: the table, within systems, metrics in pairs.

    With several systems at turn level the first table is the mean within systems, which has the
    test; the table of all replies pooled has none.

    Args:
        result: The agreement.
        compared: The comparisons of metrics, where they were asked for.
    """
    out = console()
    rows = result.table()
    several = "within" in rows.columns
    if several:
        _print_within(out, result, rows)
    _print_by_coefficient(
        out, result.correlations, lambda names: _agreement(result, rows, names, several)
    )
    out.print()
    interval_legend = "; [low, high]: 95% interval" if has_intervals(rows) else ""
    test = "" if several else f"; p: permutation test; * p below {SIGNIFICANT}"
    pooled = "pooled: the replies of all systems together; " if several else ""
    out.print(
        f"{pooled}{_counted(result, rows)}{interval_legend}{test}; {NONE}: undefined",
        style="dim",
    )
    if rows.filter(rows["metric"].str.starts_with("human") & rows["value"].is_not_nan()).height:
        out.print(PEOPLE, style="dim")
    if any(label == RANDOM for label in rows["metric"]):
        out.print(RANDOM_ROW, style="dim")
    if "chance" in rows.columns:
        out.print(CHANCE[result.protocol.name], style="dim")
    if "epsilon" in rows.columns and (rows["epsilon"] != 0).any():
        out.print(EPSILON, style="dim")
    spread = result.protocol.spread
    if spread:
        out.print(spread, style="dim")
        out.print()
        out.print(_spread(result, rows))
    if compared is not None:
        out.print()
        _print_pairs(out, result, compared)
    _reasons(out, rows)
    print_notes(out, result.notes)
    out.print()
    out.print(result.signature, style="dim", soft_wrap=True)
    for label, signature in result.signatures.items():
        out.print(f"{label}: {signature}", style="dim", soft_wrap=True)


def _counted(result: Agreement, rows: pl.DataFrame) -> str:
    """How many observations there are; of the accuracy of decided pairs, how many were decided."""
    decided = rows["correlation"] == "decided"
    pairs = rows.filter(decided)["n"]
    numbers = rows.filter(~decided)["n"].unique().sort().to_list()
    counted = " to ".join(str(n) for n in numbers[:: max(1, len(numbers) - 1)])
    text = f"{counted} {result.protocol.observation[numbers != [1]]}"
    if pairs.is_empty():
        return text
    return f"{text} (accuracy), of which people rate {pairs.max()} differently (decided)"


WIDE = 10_000
"""Columns enough for every table."""

RANDOM = "random"

RANDOM_ROW = (
    "random: one random draw of scores, shown for comparison; it never has a star, whatever its p; "
    "--seed gives another draw"
)

PEOPLE = (
    "human (avg), human (max): each rater against the mean of the other raters; human (max) is the "
    "best of them, so it is high by selection; where raters are places in a list (1, 2, ...) and "
    "not the same people throughout, both rows say little"
)

EPSILON = (
    "epsilon: scores that differ by no more than this are a tie for the accuracy; it is in the units "
    "of the metric's own scores"
)

CHANCE = {
    "pairwise": "chance: the mean accuracy when the ratings change places at random; with ties it is "
    "not one half, and it differs by metric: compare a value with the chance beside it; p tests that "
    "difference",
    "soft": "soft: soft pairwise accuracy, how far ratings and metric agree in how sure they are which "
    "of two systems is better (1: equally sure of every pair); chance: the mean when the systems of "
    "the ratings change names at random; p tests the difference from chance; [low, high] is a "
    "jackknife over systems, somewhat wide with few of them (simulated, it holds in 95 to 99%)",
}


def _print_by_coefficient(
    out: Console, names: Sequence[str], make: Callable[[Sequence[str]], Table]
) -> None:
    """All coefficients side by side, or a table for each where the terminal is too narrow."""
    whole = make(names)
    if len(names) == 1 or _width(out, whole) <= out.width:
        out.print(whole)
        return
    for place, name in enumerate(names):
        if place:
            out.print()
        out.print(make([name]))


def _width(out: Console, table: Table) -> int:
    """How many columns of a terminal a table takes."""
    return out.measure(table, options=out.options.update(width=WIDE)).maximum


def _print_within(out: Console, agreement: Agreement, table: pl.DataFrame) -> None:
    """The mean within systems, with its interval, its test and the reasons of what is missing."""
    inside = table.drop("value", "low", "high", "p", "reason").rename(
        {"within": "value", **{f"within_{name}": name for name in ("low", "high", "p", "reason")}}
    )
    _print_by_coefficient(
        out,
        agreement.correlations,
        lambda names: _agreement(agreement, inside, names, title="within systems"),
    )
    what = agreement.groups_are
    fewer = inside["reason"].str.contains(OTHER_SYSTEMS, literal=True).any()
    where = " (over fewer where a note says so)" if fewer else ""
    out.print()
    out.print(
        f"within systems: the mean over {agreement.systems} systems{where} of "
        f"each system's own correlation; [low, high]: 95% interval, jackknife over {what}; p: "
        f"{what} permuted inside each system; * p below {SIGNIFICANT}; {NONE}: undefined",
        style="dim",
    )
    _reasons(out, inside.with_columns(metric=inside["metric"] + " within systems"))
    out.print()


def _agreement(
    agreement: Agreement,
    table: pl.DataFrame,
    names: Sequence[str],
    pooled: bool = False,
    title: str = "metric",
) -> Table:
    shown = bare_table()
    shown.add_column("pooled" if pooled else title)
    chance = "chance" in table.columns
    epsilon = "epsilon" in table.columns and bool((table["epsilon"] != 0).any())
    for name in names:
        shown.add_column(name, justify="right", no_wrap=True)
        if chance:
            shown.add_column("chance", justify="right", no_wrap=True)
            if epsilon and name == "accuracy":
                shown.add_column("epsilon", justify="right", no_wrap=True)
        if not pooled:
            shown.add_column("p", justify="right", no_wrap=True)
    before = None
    for label, rows in _by_metric(table):
        if before in agreement.labels and label not in agreement.labels:
            shown.add_section()
        before = label
        cells = []
        for name in names:
            row = rows[name]
            cells.append(_interval(row))
            if chance:
                cells.append(decimals(3)(row["chance"]))
                if epsilon and name == "accuracy":
                    cells.append(_epsilon(row["epsilon"]))
            if not pooled:
                # The random row has no star: a star would call chance a finding.
                cells.append(three_decimals(row["p"], label in agreement.labels))
        shown.add_row(label, *cells)
    return shown


def _epsilon(value: float) -> str:
    """An epsilon to three digits, in the units of the metric itself."""
    return NONE if math.isnan(value) else f"{value:.3g}"


def _spread(result: Agreement, agreement: pl.DataFrame) -> Table:
    def ends(rows: Mapping[str, Mapping[str, Any]], name: str) -> str:
        low, high = rows[name]["spread_low"], rows[name]["spread_high"]
        return NONE if math.isnan(low) else f"{low:.3f} to {high:.3f}"

    return table(
        _by_metric(agreement),
        text("middle 95% over assignments", lambda row: row[0]),
        *(number(name, lambda row, name=name: ends(row[1], name)) for name in result.correlations),
    )


def _print_pairs(out: Console, agreement: Agreement, compared: pl.DataFrame) -> None:
    """Every two metrics: within systems where there are several, else with Williams' test too."""
    name = compared.item(0, "correlation")
    if "within" not in compared.columns:
        out.print(_metric_pairs(compared))
        out.print(_pairs_note(agreement, compared), style="dim")
        names = compared["a"] + " - " + compared["b"]
        _reasons(out, compared.with_columns(metric=names, value=compared["difference"]))
        return
    out.print(_metric_pairs_within(compared))
    what = agreement.groups_are
    out.print(
        f"a - b: difference of the means within systems of {name}, over systems where both are "
        f"defined, with its 95% interval (jackknife over {what}); p: permutation test in which the "
        f"two metrics' scores of randomly chosen {what} are exchanged; * p below 0.05, not "
        "corrected for the number of pairs; pooled: the difference over the replies of all systems "
        "together, which differences between systems can make large by themselves: no test",
        style="dim",
    )
    undefined = compared.drop_nulls("within_reason")
    for (reason,), rows in undefined.group_by("within_reason", maintain_order=True):
        pairs = ", ".join(f"{a} and {b}" for a, b in rows.select("a", "b").iter_rows())
        print_notes(out, [f"{pairs} within systems: {reason}"])


def _metric_pairs_within(compared: pl.DataFrame) -> Table:
    return table(
        compared.iter_rows(named=True),
        text("a"),
        text("b"),
        number(
            "a - b",
            lambda row: _interval(
                {"value": row["within"], "low": row["within_low"], "high": row["within_high"]}
            ),
        ),
        number("p", lambda row: three_decimals(row["within_p"])),
        number("pooled", lambda row: _interval({**row, "value": row["difference"]})),
    )


def _metric_pairs(compared: pl.DataFrame) -> Table:
    williams = (
        number(
            "Williams t",
            lambda row: "" if math.isnan(row["williams_t"]) else f"{row['williams_t']:.2f}",
        ),
        number("p", lambda row: three_decimals(row["williams_p"])),
    )
    independent = compared["williams_t"].is_not_nan().any()
    return table(
        compared.iter_rows(named=True),
        text("a"),
        text("b"),
        number("a - b", lambda row: _interval({**row, "value": row["difference"]})),
        number("p", lambda row: three_decimals(row["p"])),
        *(williams if independent else ()),
    )


def _pairs_note(agreement: Agreement, compared: pl.DataFrame) -> str:
    """What stands below the table of comparisons."""
    coefficient = compared.item(0, "correlation")
    if agreement.protocol.name == "unit":
        tests = "p: the two metrics' scores of whole systems are swapped"
    else:
        tests = "p: paired permutation"
    if compared["williams_t"].is_not_nan().any():
        tests += "; Williams' t takes observations for independent and normal"
    return (
        f"a - b: difference of {coefficient}; {tests}; * p below {SIGNIFICANT}, not corrected for "
        "the number of pairs"
    )


def _by_metric(table: pl.DataFrame) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    for (label,), rows in table.group_by("metric", maintain_order=True):
        yield str(label), {row["correlation"]: row for row in rows.iter_rows(named=True)}


def _interval(row: Mapping[str, Any]) -> Cell:
    return interval(row["value"], row["low"], row["high"], decimals(3))


def _reasons(out: Console, table: pl.DataFrame) -> None:
    """Why numbers are missing, each reason once."""
    # People have neither interval nor test; only where they have no value either, that is said.
    people = table["metric"].str.starts_with("human") & table["value"].is_not_nan()
    missing = table.filter(table["reason"].is_not_null() & ~people)
    for (reason,), rows in missing.group_by("reason", maintain_order=True):
        labels = ", ".join(rows["metric"].unique(maintain_order=True))
        print_notes(out, [f"{labels}: {reason}"])
