"""Tables of why two numbers differ, for people: a row for each setting that was changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.document.numbers import NONE, decimals
from rejoinder.messages import counted
from rejoinder.scoring.shown_values import number_of
from rejoinder.statistics.median_of_means import RESAMPLES

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric
    from rejoinder.scoring.explain_diff import ExplainedDifference
    from rejoinder.scoring.reported import ReportedFigure


def explain_diff(result: ExplainedDifference) -> None:
    """The steps of every system, what each setting does, and what the numbers do not say."""
    out = console()
    shows = {name: number_of(each, 2) for name, each in _ends(result).items()}
    signed = decimals(2)

    def changed(key: str, row: Mapping[str, Any]) -> str:
        if row[key] is None:
            return "" if row["step"] == 0 else NONE
        scaled = row[key] * (100 if result.second.times100 else 1)
        return f"+{signed(scaled)}" if scaled >= 0.005 else signed(scaled)

    out.print(
        table(
            result.table.iter_rows(named=True),
            text("system"),
            text("setting", lambda row: row["setting"] or result.first.label),
            text("from", "before"),
            text("to", "after"),
            number("score", lambda row: shows["second"](row["value"])),
            number("change", lambda row: changed("change", row)),
            number("alone", lambda row: changed("alone", row)),
            section="system",
        )
    )
    scale = "x100" if result.second.times100 else "not multiplied by 100"
    out.print()
    out.print(
        f"{counted(result.items, 'item')}; values {scale}; change: against the row above; alone: against the "
        f"first row, with this setting alone ({NONE}: it cannot be set alone)",
        style="dim",
    )
    for setting, meaning in result.meanings.items():
        out.print(f"{setting}: {meaning}")
    if not result.meanings:
        out.print(
            "Both are the same metric under the same settings. Where two tools still differ, they did "
            "not read the same texts, or one shows values x100: compare the replies, the references and "
            "their order."
        )
    for row in result.aggregates.iter_rows(named=True):
        low, mid, high = (shows["second"](row[key]) for key in ("low", "mid", "high"))
        out.print(
            f"{row['system']}: rouge-score's aggregator prints {mid} in place of the mean (the median of "
            f"{RESAMPLES:,} means of random resamples, 95% of which lie within {low} and {high})"
        )
    print_notes(out, result.notes)
    out.print()
    for name, signature in zip(("from", "to"), result.signatures, strict=True):
        out.print(f"{name}: {signature}", style="dim")


def reported_figure(result: ReportedFigure) -> None:
    """The settings that give a figure, or the nearest."""
    out = console()
    four = decimals(4)
    out.print(
        table(
            result.table.iter_rows(named=True),
            text("settings"),
            number("value", lambda row: four(row["scale"] * row["value"])),
            text("scale", lambda row: "x100" if row["scale"] == 100 else "as it is"),
            number("distance", lambda row: four(row["distance"])),
        )
    )
    out.print()
    if result.table["gives_it"].any():
        said = (
            f"{result.system}: these of {result.tried} settings tried give {result.reported} when rounded. "
            "Several may, and a figure of few decimals is given by chance too: check on other replies."
        )
    else:
        said = (
            f"{result.system}: none of the {result.tried} settings tried gives {result.reported}; these are "
            "the nearest. The tool may have read other texts, or have settings of its own."
        )
    out.print(said)
    out.print(f"{counted(result.items, 'item')}", style="dim")
    print_notes(out, result.notes)


def _ends(result: ExplainedDifference) -> dict[str, Metric]:
    return {"first": result.first, "second": result.second}
