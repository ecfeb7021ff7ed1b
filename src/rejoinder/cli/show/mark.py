"""The marks of a model, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.document.numbers import NONE
from rejoinder.messages import counted

if TYPE_CHECKING:
    from rejoinder.marking.result import Marks

_NEXT = {
    "scores": "a model's marks are not people's: 'rejoinder judge --scores' compares them, and "
    "'rejoinder compare --scores ... --ratings' corrects them by people",
    "preferences": "a model's preferences are not people's; go on with 'rejoinder preferences'",
}

_GAPS = (
    "replies without a mark: with '--missing drop' both verbs leave out the items that lack one, and with "
    "'--missing pairwise' each system keeps its own"
)


def mark(result: Marks) -> None:
    """The mean marks of systems, or the comparisons of pairs; then what was asked."""
    out = console()
    rows = result.systems.to_dicts()
    out.print(_scores(rows) if result.kind == "scores" else _preferences(rows))
    out.print()
    counts = result.counts()
    calls = counts["calls"]
    served = f"; {counted(calls, 'call')}, {counted(counts['tokens'], 'token')}" if calls else ""
    out.print(
        f"{result.model}: {counted(counts['questions'], 'question')}, {counted(counts['marks'], 'mark')}, "
        f"{counts['expectations']} of them expectations over the scale{served}"
        if result.kind == "scores"
        else f"{result.model}: {counted(counts['questions'], 'question')}, "
        f"{counted(counts['marks'], 'answer')}{served}"
    )
    out.print(_NEXT[result.kind], style="dim")
    if result.kind == "scores" and counts["marks"] < counts["questions"]:
        out.print(_GAPS, style="dim")
    out.print(result.signature, style="dim", soft_wrap=True)
    print_notes(out, result.notes)


def _scores(rows: list[dict[str, Any]]) -> Any:
    return table(
        rows,
        text("system"),
        text("criterion"),
        number("replies"),
        number("without mark", "missing"),
        number("mean mark", lambda row: _decimals(row["mean"])),
    )


def _preferences(rows: list[dict[str, Any]]) -> Any:
    return table(
        rows,
        text("a"),
        text("b"),
        text("criterion"),
        number("comparisons"),
        number("without answer", "missing"),
        number("a better", "a_wins"),
        number("b better", "b_wins"),
        number("ties"),
        number("same in both orders", lambda row: f"{row['consistent']} of {row['both_orders']}"),
    )


def _decimals(value: float) -> str:
    return NONE if value != value else f"{value:.2f}"
