"""The tables of ``rejoinder judge``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console
from rich.table import Table

from rejoinder.cli.show.judge_answer import answer
from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.document.numbers import NONE, decimals, interval, p_value, starred
from rejoinder.document.text import Cell

if TYPE_CHECKING:
    from rejoinder.meta_evaluation.judge import JudgeReport

MOST_SYSTEMS = 20  # of more, those with a significant error are named alone

LEGEND = (
    "severity: mean mark less mean rating; slope: marks' units for one of the ratings', within systems; "
    "r: Pearson's correlation with mean ratings, of all replies and within systems; corrected: within "
    "systems, as it would be with very many raters"
)
ERRORS = (
    "error: the judge's marks less people's ratings, above 0 where it favours the system. Before that the "
    "marks are brought to the people's scale (divided by the slope, where the raters' noise is known), so "
    "that the error is in units of the ratings. 'compare --ratings' has people less judge, between two "
    "systems and of the marks as they are, not divided ('errors of the judges'): with a slope other than 1 "
    "the two can name different systems. length, markdown: for each unit of the logarithm of words (marks) "
    "+ 1; p Holm: corrected over a judge's rows"
)
TEST = (
    "stands in: whether the judge beats half of the raters or more, each of whom is left out in turn: it is "
    "not worse by more than the tolerance; advantage: on which share of items the judge is at least as close "
    "to the other raters as the one left out; rater: that share of the rater's"
)


def judge(report: JudgeReport) -> None:
    """How each judge follows people, where it errs, and whether it may stand in for a rater.

    Behind the tables stand two sentences for each judge: what the tables come to.
    """
    out = console()
    out.print(_measures(report.measures))
    out.print()
    judges = report.measures.get_column("judge").unique(maintain_order=True).to_list()
    for name in judges:
        _errors(out, report.errors.filter(pl.col("judge") == name), name)
    if report.repeats.height:
        out.print(_repeats(report.repeats))
        out.print()
    tested = report.tests.filter(pl.col("reason").is_null())
    if tested.height:
        out.print(_tests(tested))
        out.print()
    if report.panel is not None:
        panel = report.panel
        out.print(_panel(panel._asdict(), report.measures.get_column("judge").n_unique()))
        out.print()
    for name in judges:
        out.print(answer(report, name))
    out.print()
    legends = [f"{LEGEND}; [low, high]: 95% interval", ERRORS, *([TEST] if tested.height else [])]
    for legend in legends:
        out.print(legend, style="dim")
    out.print(f"* p below 0.05; {NONE}: undefined", style="dim")
    _reasons(out, report)
    print_notes(out, report.notes)
    out.print()
    out.print(report.signature, style="dim", soft_wrap=True)


def _measures(rows: pl.DataFrame) -> Table:
    judges = [
        {row["measure"]: row for row in own.to_dicts()} | {"judge": name}
        for (name,), own in rows.group_by("judge", maintain_order=True)
    ]
    columns = (
        ("severity", "severity"),
        ("slope", "slope"),
        ("r", "correlation"),
        ("r within", "within"),
        ("corrected", "corrected"),
    )
    return table(
        judges,
        text("judge"),
        number("replies", lambda row: str(row["severity"]["n"])),
        *(number(heading, lambda row, name=name: _cell(row[name], 2)) for heading, name in columns),
    )


def _errors(out: Console, rows: pl.DataFrame, judge: str) -> None:
    if rows.filter(pl.col("value").is_not_nan()).is_empty():
        return
    all_shown = rows.filter(pl.col("factor") == "system").height <= MOST_SYSTEMS
    shown = (
        rows
        if all_shown
        else rows.filter((pl.col("p_holm") < 0.05) | (pl.col("factor") != "system"))
    )
    shown = shown.sort(pl.col("factor") != "system", "value", descending=[False, True])
    if not all_shown:
        hidden = rows.height - shown.height
        out.print(
            f"{judge}: {hidden} systems without a significant error are in --json", style="dim"
        )
    if shown.height:
        out.print(
            table(
                shown.iter_rows(named=True),
                text(f"error of {judge}", lambda row: row["level"] or row["factor"]),
                number("replies", "n"),
                number("error", lambda row: _cell(row, 2)),
                number("p", lambda row: p_value(row["p"])),
                number("p Holm", lambda row: starred(row["p_holm"])),
            )
        )
    out.print()


def _repeats(rows: pl.DataFrame) -> Table:
    return table(
        rows.iter_rows(named=True),
        text("marked more than once", "judge"),
        number("replies"),
        number("marks"),
        number("reliability of one mark", lambda row: _cell({"value": row["single"]}, 2)),
        number("of their mean", lambda row: _cell({"value": row["mean"]}, 2)),
    )


def _panel(row: Mapping[str, Any], judges: int) -> Table:
    return table(
        [row],
        text("panel", lambda _: f"{judges} judges"),
        number("worth so many with independent errors", lambda row: _cell(row, 2)),
    )


def _tests(rows: pl.DataFrame) -> Table:
    return table(
        rows.iter_rows(named=True),
        text("alternative annotator test", "judge"),
        number("raters beaten", lambda row: f"{row['beaten']} of {row['raters']}"),
        number("advantage", lambda row: _cell({"value": row["advantage"]}, 2)),
        number("rater", lambda row: _cell({"value": row["rater_advantage"]}, 2)),
        text("stands in", lambda row: "yes" if row["passed"] else "no"),
    )


def _reasons(out: Console, report: JudgeReport) -> None:
    """Why numbers are missing, each reason once."""
    reasons: dict[str, list[str]] = {}
    for row in report.measures.filter(pl.col("reason").is_not_null()).iter_rows(named=True):
        reasons.setdefault(row["reason"], []).append(f"{row['judge']}, {row['measure']}")
    for row in report.errors.filter(pl.col("reason").is_not_null()).iter_rows(named=True):
        what = f"{row['judge']}, error of {row['level'] or row['factor']}"
        reasons.setdefault(row["reason"], []).append(what)
    for row in report.tests.filter(pl.col("reason").is_not_null()).iter_rows(named=True):
        reasons.setdefault(row["reason"], []).append(f"{row['judge']}, alternative annotator test")
    for reason, what in reasons.items():
        more = f" and {len(what) - 3} more" if len(what) > 3 else ""
        print_notes(out, [f"{'; '.join(what[:3])}{more}: {reason}"])


def _cell(row: Mapping[str, Any], digits: int) -> Cell:
    nothing = float("nan")
    low, high = row.get("low", nothing), row.get("high", nothing)
    return interval(row["value"], low, high, decimals(digits))
