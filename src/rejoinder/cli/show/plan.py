"""The tables of a plan, for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from rejoinder.cli.show import cells
from rejoinder.cli.show.cells import NONE, Cell, Show, joined, styled
from rejoinder.cli.terminal.console import bare_table, console
from rejoinder.messages import counted

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from rejoinder.planning.plan import Plan

IN_FULL = 3
"""More pairs of systems than these get a line each, and no tables of their own."""
OUT_OF_REACH = 20
"""Beyond this many times the pilot a number of items is no longer told."""
PEOPLE = "people"


def plan(told: Plan) -> None:
    """Who would tell the systems apart; how well agreement would be known; what that rests on.

    More than 3 pairs of systems share one table.
    """
    out = console()
    percent = [label for label, each in told.metrics.items() if cells.percent(each)]
    pairs = told.comparisons.select("a", "b").unique(maintain_order=True).rows()
    for a, b in pairs[:IN_FULL] if len(pairs) <= IN_FULL else ():
        out.print(joined("Telling ", styled(a, "bold"), " from ", styled(b, "bold")))
        out.print(_comparison(told, a, b, percent, _sizes(told.comparisons)))
        _components(out, told, a, b)
        out.print()
    if len(pairs) > IN_FULL:
        out.print(_pairs(told, percent, _sizes(told.comparisons)))
        out.print()
    if pairs:
        wanted = f"{100 * told.parameters['power']:g}%"
        scale = f"; x100 for {', '.join(percent)}" if percent else ""
        out.print(
            f"difference: the first less the second, in the pilot; under each number of items: the "
            f"smallest one that shows with {wanted} power, and the power for the "
            f"{'one to show' if _given(told) else 'pilot one'}{scale}; last column: "
            f"items for {wanted} power, 95% range; *: the pilot's; !: beyond 4 times the pilot",
            style="dim",
        )
        out.print()
    if told.correlations.height:
        out.print(_correlations(told, _sizes(told.correlations)))
        out.print(
            f"under each number of items: width of the 95% interval of {_name(told)} with people; "
            "expected: the correlation itself",
            style="dim",
        )
        out.print()
    for line in told.assumptions:
        out.print(f"assumed: {line}", style="dim")
    for line in _reasons(told):
        out.print(f"note: {line}", style="yellow")


def _comparison(told: Plan, a: str, b: str, percent: Sequence[str], sizes: Sequence[int]) -> Table:
    """Subjects x items of one pair."""
    given = _given(told)
    shown = _table(
        "", "difference", *(["to show"] if given else []), *_heads(told, sizes), _head(told)
    )
    of_pair = [each for each in _rows(told.comparisons) if (each["a"], each["b"]) == (a, b)]
    needs = [each for each in _rows(told.comparison_needs) if (each["a"], each["b"]) == (a, b)]
    pilot = _pilot_raters(told, a, b)
    before = None
    for need in needs:
        rows = {row["items"]: row for row in of_pair if _same(row, need)}
        subject = need["subject"]
        if before not in (None, subject):
            shown.add_section()
        show = _show(subject in percent)
        first = next(iter(rows.values()))
        shown.add_row(
            _label(need, subject != before, pilot),
            show(first["difference"]),
            *([show(need["target"])] if given else []),
            *(_cell(rows[size], show) for size in sizes),
            _need(need, OUT_OF_REACH * told.items),
        )
        before = subject
    return shown


def _pairs(told: Plan, percent: Sequence[str], sizes: Sequence[int]) -> Table:
    """Pairs x items, with the pilot's own raters and references."""
    shown = _table("", "a", "b", "difference", *_heads(told, sizes), _head(told))
    for name in ("a", "b"):
        next(each for each in shown.columns if each.header == name).justify = "left"
    before = None
    found: dict[tuple[Any, ...], dict[int, dict[str, Any]]] = {}
    for row in _rows(told.comparisons):
        found.setdefault(_key(row), {})[row["items"]] = row
    needs = sorted(_rows(told.comparison_needs), key=lambda row: row["subject"] != PEOPLE)
    for need in needs:
        a, b, subject = need["a"], need["b"], need["subject"]
        own = need["raters"] in (None, _pilot_raters(told, a, b))
        if not own or need["references"] is not None:
            continue
        if before not in (None, subject):
            shown.add_section()
        rows, show = found[_key(need)], _show(subject in percent)
        shown.add_row(
            "" if subject == before else subject,
            a,
            b,
            show(next(iter(rows.values()))["difference"]),
            *(_cell(rows[size], show) for size in sizes),
            _need(need, OUT_OF_REACH * told.items),
        )
        before = subject
    return shown


def _components(out: Console, told: Plan, a: str, b: str) -> None:
    for row in _rows(told.components):
        if (row["a"], row["b"]) != (a, b) or math.isnan(row["rest"]):
            continue
        parts = {
            "between items": row["items"],
            "between raters": row["raters"],
            "the rest": row["rest"],
        }
        words = ", ".join(
            f"{name} {'not seen' if math.isnan(value) else f'{value:.2g}'}"
            for name, value in parts.items()
        )
        out.print(f"variance of one rater's difference on one item: {words}", style="dim")


def _correlations(told: Plan, sizes: Sequence[int]) -> Table:
    """Metrics x items; of the raters the fewest, the pilot's and the most, or those asked for."""
    wanted = told.parameters["width"]
    last = [f"items for {wanted:g}"] if wanted is not None else []
    shown = _table(_name(told), "expected", *_heads(told, sizes), *last)
    needs = {_key(row): row for row in _rows(told.correlation_needs)}
    held: dict[tuple[Any, ...], dict[int, dict[str, Any]]] = {}
    for row in _rows(told.correlations):
        held.setdefault(_key(row), {})[row["items"]] = row
    pilot = told.parameters["pilot_raters"]
    numbers = sorted({row["raters"] for row in _rows(told.correlations)})
    kept = {numbers[0], pilot, numbers[-1], *told.parameters["raters"]}
    before = None
    for key, rows in held.items():
        row = next(iter(rows.values()))
        if row["raters"] not in kept:
            continue
        subject = row["subject"]
        if before not in (None, subject):
            shown.add_section()
        shown.add_row(
            _label(row, subject != before, pilot),
            NONE if math.isnan(row["value"]) else f"{row['value']:.3f}",
            *(_width(rows[size]) for size in sizes),
            *([_need(needs[key], OUT_OF_REACH * told.items)] if last else []),
        )
        before = subject
    return shown


def _label(row: Mapping[str, Any], first: bool, pilot: int | None) -> str:
    name = row["subject"] if first else " " * len(row["subject"])
    words = []
    if row["raters"] is not None and row["references"] is None:
        own = "*" if row["raters"] == pilot else " "
        words.append(f"{counted(row['raters'], 'rater')}{own}")
    elif row["references"] is not None:
        words.append(f"{counted(row['references'], 'reference')} ")
    elif row["subject"] != PEOPLE:
        words.append("all references*")
    return " ".join([name, *words])


def _cell(row: Mapping[str, Any], show: Show) -> Cell:
    if math.isnan(row["detectable"]):
        return NONE
    power = row["power"]
    chance = ">99%" if power > 0.99 else f"{100 * power:.0f}%"
    return joined(f"{show(row['detectable'])} ", styled(f"{chance:>4}", "dim"))


def _width(row: Mapping[str, Any]) -> str:
    return NONE if math.isnan(row["width"]) else f"{row['width']:.3f}"


def _need(row: Mapping[str, Any], most: int) -> Cell:
    if row["reason"] and row["items_low"] is None:
        return NONE
    low, items, high = (
        None if value is None or value > most else f"{value:,}"
        for value in (row["items_low"], row["items"], row["items_high"])
    )
    if items is None:
        if low is None:
            return f"over {most:,}!"
        return joined(f"over {most:,} ", styled(f"({low} or more)", "dim"), "!")
    span = f"({low}-{high})" if high else f"({low} or more)"
    return joined(f"{items} ", styled(span, "dim"), "!" if row["beyond"] else " ")


def _reasons(told: Plan) -> Iterable[str]:
    """The plan's notes, then why numbers are missing, each reason once."""
    yield from told.notes
    found: dict[str, list[str]] = {}
    for table in (
        told.comparisons,
        told.comparison_needs,
        told.correlations,
        told.correlation_needs,
    ):
        for row in _rows(table):
            if row["reason"]:
                pair = f", {row['a']} - {row['b']}" if "a" in row else ""
                who = found.setdefault(row["reason"], [])
                if (label := f"{row['subject']}{pair}") not in who:
                    who.append(label)
    for reason, who in found.items():
        more = f" and {len(who) - 4} more" if len(who) > 4 else ""
        yield f"{'; '.join(who[:4])}{more}: {reason}"


def _sizes(table: pl.DataFrame) -> list[int]:
    """The numbers of items, one column each."""
    return table.get_column("items").unique().sort().to_list()


def _heads(told: Plan, sizes: Sequence[int]) -> list[str]:
    return [
        f"{size:,}{'*' if size == told.items else ''}{'!' if size > 4 * told.items else ''}"
        for size in sizes
    ]


def _head(told: Plan) -> str:
    return f"items for {100 * told.parameters['power']:g}%"


def _name(told: Plan) -> str:
    return told.parameters["correlation"]


def _given(told: Plan) -> bool:
    return bool(told.parameters["difference"])


def _pilot_raters(told: Plan, a: str, b: str) -> int | None:
    for row in _rows(told.components):
        if (row["a"], row["b"]) == (a, b):
            return max(1, round(row["raters_per_reply"]))
    return told.parameters["pilot_raters"]


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    return table.to_dicts()


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row.get("a"), row.get("b"), row["subject"], row["raters"], row["references"]


def _same(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return _key(row) == _key(other)


def _show(percent: bool) -> Show:
    return cells.times100 if percent else cells.decimals(2)


def _table(first: str, *others: str) -> Table:
    shown = bare_table()
    shown.add_column(first)
    for each in others:
        shown.add_column(each, justify="right")
    return shown
