"""The tables of a plan, for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from rejoinder.cli.show.plan_answer import IN_FULL, OUT_OF_REACH, answers, pilot_raters
from rejoinder.cli.show.plan_ratings import print_saved
from rejoinder.cli.terminal.columns import Column, number, table, text
from rejoinder.cli.terminal.console import console
from rejoinder.document.numbers import NONE, Show, decimals, times100
from rejoinder.document.text import Cell, joined, styled
from rejoinder.messages import counted

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from rejoinder.planning.plan import Plan

PEOPLE = "people"


def plan(result: Plan) -> None:
    """Who would tell the systems apart; how well agreement would be known; what that rests on.

    More than 3 pairs of systems share one table. What a judge saves comes behind, and at the end how
    many items there are and how many are needed, in sentences.
    """
    out = console()
    percent = [label for label, each in result.metrics.items() if each.times100]
    pairs = result.comparisons.select("a", "b").unique(maintain_order=True).rows()
    for a, b in pairs[:IN_FULL] if len(pairs) <= IN_FULL else ():
        out.print(joined("Telling ", styled(a, "bold"), " from ", styled(b, "bold")))
        out.print(_comparison(result, a, b, percent, _sizes(result.comparisons)))
        _components(out, result, a, b)
        out.print()
    if len(pairs) > IN_FULL:
        out.print(_pairs(result, percent, _sizes(result.comparisons)))
        out.print()
    if pairs:
        wanted = f"{100 * result.parameters['power']:g}%"
        scale = f"; x100 for {', '.join(percent)}" if percent else ""
        out.print(
            f"difference: the first system minus the second, in the pilot; detects: under a number of "
            f"items, the smallest difference that is found with {wanted} power; power: the one for the "
            f"{'difference to show' if _given(result) else 'difference of the pilot'}{scale}; last "
            f"column: items for {wanted} power, 95% range{_or_fewer(result.comparison_needs)}; "
            f"*: the pilot's; !: beyond 4 times the pilot{_clusters(result)}",
            style="dim",
        )
        out.print()
    if result.correlations.height:
        out.print(_correlations(result, _sizes(result.correlations)))
        out.print(
            f"under each number of items: width of the 95% interval of {_name(result)} with people; "
            f"expected: the correlation itself{_or_fewer(result.correlation_needs)}",
            style="dim",
        )
        out.print()
    if result.labels_saved.height:
        print_saved(out, result)
        out.print()
    for line in result.assumptions:
        out.print(f"assumed: {line}", style="dim")
    for line in _reasons(result):
        out.print(f"note: {line}", style="yellow")
    for place, sentence in enumerate(answers(result)):
        if place == 0:
            out.print()
        out.print(sentence)


def _comparison(
    result: Plan, a: str, b: str, percent: Sequence[str], sizes: Sequence[int]
) -> Table:
    """Subjects x items of one pair."""
    needs = [need for need in _rows(result.comparison_needs) if (need["a"], need["b"]) == (a, b)]
    pilot = pilot_raters(result, a, b)
    target = number("to show", lambda row: _show(row, percent)(row["target"]))
    return table(
        _grouped(needs),
        text("", lambda row: _label(row, pilot, result)),
        *_differences(result, percent, sizes, *((target,) if _given(result) else ())),
        section="subject",
    )


def _pairs(result: Plan, percent: Sequence[str], sizes: Sequence[int]) -> Table:
    """Pairs x items, with the pilot's own raters and references."""
    needs = [
        need
        for need in _rows(result.comparison_needs)
        if need["references"] is None
        and need["raters"] in (None, pilot_raters(result, need["a"], need["b"]))
    ]
    return table(
        _grouped(sorted(needs, key=lambda row: row["subject"] != PEOPLE)),
        text("", lambda row: row["subject"] if row["first"] else ""),
        text("a"),
        text("b"),
        *_differences(result, percent, sizes),
        section="subject",
    )


def _differences(
    result: Plan, percent: Sequence[str], sizes: Sequence[int], *more: Column
) -> Iterator[Column]:
    """The pilot's difference, what each number of items finds, and how many items are needed."""
    by_size = _by_size(result.comparisons)

    def difference(row: Mapping[str, Any]) -> str:
        return _show(row, percent)(by_size[_key(row)][sizes[0]]["difference"])

    yield number("difference", difference)
    yield from more
    for size, heading in zip(sizes, _heads(result, sizes), strict=True):
        yield number(
            f"{heading} detects",
            lambda row, size=size: _detects(by_size[_key(row)][size], _show(row, percent)),
        )
        yield number("power", lambda row, size=size: _power(by_size[_key(row)][size]))
    yield number(_head(result), lambda row: _need(row, OUT_OF_REACH * result.items))


def _grouped(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows, each with whether it is the first of its subject."""
    before = None
    for row in rows:
        yield {**row, "first": row["subject"] != before}
        before = row["subject"]


def _by_size(frame: pl.DataFrame) -> dict[tuple[Any, ...], dict[int, dict[str, Any]]]:
    """The rows by what they are of, and by their number of items."""
    rows: dict[tuple[Any, ...], dict[int, dict[str, Any]]] = {}
    for row in _rows(frame):
        rows.setdefault(_key(row), {})[row["items"]] = row
    return rows


def _components(out: Console, result: Plan, a: str, b: str) -> None:
    for row in _rows(result.components):
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


def _correlations(result: Plan, sizes: Sequence[int]) -> Table:
    """Metrics x items; of the raters the fewest, the pilot's and the most, or those asked for."""
    needs = {_key(row): row for row in _rows(result.correlation_needs)}
    by_size = _by_size(result.correlations)
    pilot = result.parameters["pilot_raters"]
    numbers = sorted({row["raters"] for row in _rows(result.correlations)})
    raters = {numbers[0], pilot, numbers[-1], *result.parameters["raters"]}
    width = result.parameters["width"]
    needed = number(
        f"items for {width or 0:g}",
        lambda row: _need(needs[_key(row)], OUT_OF_REACH * result.items),
    )
    firsts = (next(iter(rows.values())) for rows in by_size.values())
    return table(
        _grouped(row for row in firsts if row["raters"] in raters),
        text(_name(result), lambda row: _label(row, pilot, result)),
        number("expected", lambda row: decimals(3)(row["value"])),
        *(
            number(heading, lambda row, size=size: decimals(3)(by_size[_key(row)][size]["width"]))
            for size, heading in zip(sizes, _heads(result, sizes), strict=True)
        ),
        *((needed,) if width is not None else ()),
        section="subject",
    )


def _label(row: Mapping[str, Any], pilot: int | None, result: Plan) -> str:
    metrics = result.metrics
    name = row["subject"] if row["first"] else " " * len(row["subject"])
    words = []
    means = "ratings" in result.parameters
    if row["references"] is not None:
        words.append(f"{counted(row['references'], 'reference')} ")
    elif means and row["subject"] == PEOPLE:
        words.append("as rated (means)")
    elif row["raters"] is not None and not means:
        own = "*" if row["raters"] == pilot else " "
        words.append(f"{counted(row['raters'], 'rater')}{own}")
    elif row["subject"] in metrics and "references" in metrics[row["subject"]].needs:
        words.append("all references*")
    return " ".join([name, *words])


def _detects(row: Mapping[str, Any], show: Show) -> Cell:
    return NONE if math.isnan(row["detectable"]) else show(row["detectable"])


def _power(row: Mapping[str, Any]) -> Cell:
    if math.isnan(row["detectable"]):
        return NONE
    power = row["power"]
    return styled(">99%" if power > 0.99 else f"{100 * power:.0f}%", "dim")


def _clusters(result: Plan) -> str:
    """How many clusters the numbers of items make; empty where items are independent."""
    if "clusters" not in result.comparisons.columns:
        return ""
    numbers: dict[int, int] = {}
    for row in _rows(result.comparisons):
        numbers[row["items"]] = max(numbers.get(row["items"], 0), row["clusters"] or 0)
    words = ", ".join(f"{items:,}: {number:,}" for items, number in numbers.items())
    return f"; clusters of so many items: {words}" if words else ""


def _need(row: Mapping[str, Any], most: int) -> Cell:
    if row["reason"] and row["items_low"] is None:
        return NONE
    low, items, high = (
        None if value is None or value > most else f"{value:,}"
        for value in (row["items_low"], row["items"], row["items_high"])
    )
    if items is None:
        return f"over {most:,}!"
    end = high or f"over {most:,}"
    if row["or_fewer"]:
        span = "" if high == items else f" (up to {end})"
        return joined(f"{items} or fewer", styled(span, "dim"), "!" if row["beyond"] else " ")
    if row["items_low"] == row["least_planned"]:
        span = f"(up to {end})"
    else:
        span = f"({low}-{high})" if high else f"({low} to {end})"
    return joined(f"{items} ", styled(span, "dim"), "!" if row["beyond"] else " ")


def _or_fewer(needs: pl.DataFrame) -> str:
    """What a number of items that is the smallest of all plans means; empty where there is none."""
    if needs.is_empty() or not needs.get_column("or_fewer").any():
        return ""
    least = needs.filter("or_fewer").get_column("least_planned").unique().sort().to_list()
    return f"; or fewer: fewer than {' and '.join(f'{each:,}' for each in least)} items are not planned"


def _reasons(result: Plan) -> Iterable[str]:
    """The plan's notes, then why numbers are missing, each reason once."""
    yield from result.notes
    subjects: dict[str, list[str]] = {}
    for frame in (
        result.comparisons,
        result.comparison_needs,
        result.correlations,
        result.correlation_needs,
    ):
        for row in _rows(frame):
            if row["reason"]:
                pair = f", {row['a']} - {row['b']}" if "a" in row else ""
                who = subjects.setdefault(row["reason"], [])
                if (label := f"{row['subject']}{pair}") not in who:
                    who.append(label)
    for reason, who in subjects.items():
        more = f" and {len(who) - 4} more" if len(who) > 4 else ""
        yield f"{'; '.join(who[:4])}{more}: {reason}"


def _sizes(frame: pl.DataFrame) -> list[int]:
    """The numbers of items, one column each."""
    return frame.get_column("items").unique().sort().to_list()


def _heads(result: Plan, sizes: Sequence[int]) -> list[str]:
    return [
        f"{size:,}{'*' if size == result.items else ''}{'!' if size > 4 * result.items else ''}"
        for size in sizes
    ]


def _head(result: Plan) -> str:
    return f"items for {100 * result.parameters['power']:g}%"


def _name(result: Plan) -> str:
    return result.parameters["correlation"]


def _given(result: Plan) -> bool:
    return bool(result.parameters["difference"])


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return frame.to_dicts()


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row.get("a"), row.get("b"), row["subject"], row["raters"], row["references"]


def _show(row: Mapping[str, Any], percent: Sequence[str]) -> Show:
    return times100 if row["subject"] in percent else decimals(2)
