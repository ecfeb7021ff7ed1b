"""What is shown of a plan: who would tell systems apart, how well agreement would be known, and answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import polars as pl

from rejoinder.document.numbers import NONE, Show, decimals
from rejoinder.document.parts import GAP, Document, Line, lines, reasons, spaced
from rejoinder.document.table import PAIR, Column, Table, estimate, key, number
from rejoinder.document.text import Cell, joined, styled
from rejoinder.messages import Call, counted
from rejoinder.planning.pilot import PEOPLE
from rejoinder.planning.plan_sentences import IN_FULL, OUT_OF_REACH, Planned, answers, pilot_raters
from rejoinder.scoring.shown_values import number_of, times100_of

MOST_NAMED = 4
"""So many numbers that are missing for the same reason are named."""

SAVED = (
    "r: correlation of the judge's differences with people's, over the rated items, with its 95% interval; "
    "saves: share of the ratings that '{compare}' would save with as many items rated and "
    "scored, r^2 N / (n + N) of n rated and N other items, and its 95% range; most: with many more items "
    "scored than rated; with few ratings somewhat less is saved"
)
MEANINGS = {
    "subject": "people, or the label of a metric.",
    "raters": "Number of raters of a reply; null where they are not concerned.",
    "references": "Largest number of references of an item; null for all.",
    "difference": "Difference a - b of the pilot.",
    "target": "Difference to show, or width of the interval.",
    "detectable": "Smallest difference that so many items show with the power wanted.",
    "power": "Power to show the difference.",
    "value": "Correlation with people that is expected.",
    "width": "Width of its 95% interval on so many items.",
    "needed": "Number of items for the power or the width wanted.",
    "needed_high": "Upper end of its 95% range; null where it is out of reach.",
    "or_fewer": "Whether that is the smallest number that a plan may name.",
    "least_planned": "Smallest number of items that a plan may name.",
    "needed_beyond": "Whether it is more than 4 times the pilot.",
    "needed_reason": "Why it is not known.",
    "rated": "Number of items that are rated.",
    "scored": "Number of items that have scores.",
    "saved": "Share of the ratings that the judge saves with as many items rated and scored.",
    "most": "Share that it saves with many more items scored than rated.",
    "samples": "Number of samples of each system to a prompt.",
    "error": "Standard error of the difference.",
    "ratio": "Width of the interval of the difference, as a share of the pilot's.",
    "best": "Whether it is the narrowest for the pilot's cost.",
    "between": "Variance of the true differences between prompts.",
    "within": "Variance of both systems' samples within a prompt, summed.",
    "twice_samples": "Width with twice as many samples of each prompt, as a share of the pilot's.",
}
WHO = ("subject", "raters", "references")
NEEDED = {
    "items": "needed",
    "items_low": "needed_low",
    "items_high": "needed_high",
    "or_fewer": "or_fewer",
    "least_planned": "least_planned",
    "beyond": "needed_beyond",
    "reason": "needed_reason",
}
"""The columns of what is needed, by their names in the tables of needs."""

_three = decimals(3)


def plan(result: Planned) -> Document:
    """Who would tell the systems apart; how well agreement would be known; what that rests on.

    More than 3 pairs of systems share one table on paper. What a judge saves comes behind, and at the
    end how many items there are and how many are needed, in sentences.
    """
    shown: Document = [*_comparisons(result), *_correlations(result), *_saved(result)]
    shown += _samples(result)
    shown += lines((f"assumed: {each}" for each in result.assumptions), "legend")
    shown += lines(result.notes, "note")
    missing = (
        result.comparisons, result.comparison_needs, result.correlations, result.correlation_needs
    )  # fmt: skip
    shown += reasons(*map(with_own_reasons, missing), most=MOST_NAMED)
    sentences = lines(answers(result))
    return [*shown, *[GAP] * bool(sentences), *sentences]


def with_own_reasons(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows, of which those that lack a number which others of their subject have say what they are of.

    Where one rater is never enough and three are, the reason is said of "people with 1 rater".
    """
    if not {"subject", "reason", "raters", "references"} <= set(rows.columns):
        return rows
    of = [name for name in ("subject", "a", "b", "correlation") if name in rows.columns]
    mixed = pl.col("reason").is_null().any().over(of) & pl.col("reason").is_not_null()
    words = [
        pl.when(mixed & pl.col(name).is_not_null()).then(
            pl.format(" with {} " + name, name).str.replace(r" 1 (\w+)s$", " 1 ${1}")
        ).otherwise(pl.lit(""))
        for name in ("raters", "references")
    ]  # fmt: skip
    return rows.with_columns(subject=pl.concat_str("subject", *words))


def _comparisons(result: Planned) -> Document:
    """Subjects and numbers of items, of each pair or of all pairs in one table."""
    rows = _with_needs(result.comparisons, result.comparison_needs, "a", "b", *WHO)
    pairs = rows.select("a", "b").unique(maintain_order=True).rows()
    pilots = {pair: pilot_raters(result, *pair) for pair in pairs}
    shown: Document = []
    if 0 < len(pairs) <= IN_FULL:
        for a, b in pairs:
            shown_rows = rows.filter((pl.col("a") == a) & (pl.col("b") == b))
            columns = [_label("", result, pilots[a, b]), *_differences(result, to_show=True)]
            shown.append(Line(joined("Comparing ", styled(a, "bold"), " with ", styled(b, "bold"))))
            shown.append(_table(shown_rows, columns, above=("a", "b")))
            shown += [*_components(result, a, b), GAP]
    else:
        # On paper, the pilot's own raters and references alone.
        shown_rows = [
            row["references"] is None and row["raters"] in (None, pilots[row["a"], row["b"]])
            for row in rows.iter_rows(named=True)
        ]
        paper = rows.filter(pl.Series(shown_rows, dtype=pl.Boolean))
        columns = [
            key("", WHO, lambda subject, *_: subject, once=True),
            *PAIR,
            *_differences(result),
        ]
        first = pl.col("subject") != PEOPLE
        shown += spaced(_table(rows, columns, paper=paper.sort(first, maintain_order=True)))
    return [*shown, Line(_legend(result), "legend"), GAP] if pairs else shown


def _table(rows: pl.DataFrame, columns: Sequence[Column], **more: Any) -> Table:
    """Rows of so many items each, which stand side by side."""
    if "clusters" in rows.columns:
        columns = [*columns, number("clusters", paper=False)]
    return Table(rows, columns, across="items", section=("subject",), meanings=MEANINGS, **more)


def _with_needs(rows: pl.DataFrame, needs: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """The rows, each with how many items its subject needs."""
    needed = needs.select(*keys, **{name: pl.col(need) for need, name in NEEDED.items()})
    return rows.join(needed, on=keys, how="left", nulls_equal=True, maintain_order="left")


def _differences(result: Planned, to_show: bool = False) -> Iterator[Column]:
    """The pilot's difference, what each number of items finds, and how many items are needed."""

    def show(subject: str) -> Show:
        return number_of(result.metrics.get(subject))

    yield number("difference", show=show, by="subject")
    if to_show and result.parameters["difference"]:
        yield number("to show", "target", show, by="subject")
    yield number(
        lambda size: f"{_head(result, size)} detects", "detectable", show, by="subject", across=True
    )
    yield number("power", ("detectable", "power"), _power, across=True, belongs=True)
    yield _needs(f"items for {_wanted(result)}", result)


def _power(detectable: float, power: float) -> Cell:
    if math.isnan(detectable):
        return NONE
    return styled(">99%" if power > 0.99 else f"{100 * power:.0f}%", "dim")


def _legend(result: Planned) -> str:
    power = _wanted(result)
    percent = times100_of(result.metrics)
    scale = f"; x100 for {', '.join(percent)}" if percent else ""
    which = "difference to show" if result.parameters["difference"] else "difference of the pilot"
    return (
        "difference: the first system minus the second, in the pilot; detects: under a number of items, the "
        f"smallest difference that is found with {power} power; power: the one for the {which}{scale}; last "
        f"column: items for {power} power, 95% range{_or_fewer(result.comparison_needs)}; *: the pilot's; "
        f"!: beyond 4 times the pilot{_clusters(result.comparisons)}"
    )


def _components(result: Planned, a: str, b: str) -> Iterator[Line]:
    rows = result.components.filter((pl.col("a") == a) & (pl.col("b") == b))
    for row in rows.filter(pl.col("rest").is_not_nan()).iter_rows(named=True):
        parts = {"between items": "items", "between raters": "raters", "the rest": "rest"}
        words = ", ".join(
            f"{name} {'not seen' if math.isnan(row[of]) else f'{row[of]:.2g}'}"
            for name, of in parts.items()
        )
        yield Line(f"variance of one rater's difference on one item: {words}", "legend")


def _correlations(result: Planned) -> Document:
    """Metrics and items; on paper, of the raters the fewest, the pilot's and the most, or those asked for."""
    facts, rows = result.parameters, result.correlations
    if rows.is_empty():
        return []
    pilot, width, name = facts["pilot_raters"], facts["width"], facts["correlation"]
    columns = [
        _label(name, result, pilot),
        number("expected", "value", _three),
        number(partial(_head, result), "width", _three, across=True),
    ]
    if width is not None:
        rows = _with_needs(rows, result.correlation_needs, *WHO)
        columns.append(_needs(f"items for {width:g}", result))
    raters = [rows["raters"].min(), pilot, rows["raters"].max(), *facts["raters"]]
    paper = rows.filter(pl.col("raters").is_in(raters))
    legend = (
        f"under each number of items: width of the 95% interval of {name} with people; expected: the "
        f"correlation itself{_or_fewer(result.correlation_needs)}"
    )
    return [_table(rows, columns, name="correlations", paper=paper), Line(legend, "legend"), GAP]


def _saved(result: Planned) -> Document:
    """How many ratings each judge would save."""

    def saved(value: float, low: float, high: float) -> str:
        span = "" if math.isnan(low) else f" ({100 * low:.0f}-{100 * high:.0f}%)"
        return _percent(value) + span * (value == value)

    columns = [
        *PAIR,
        key("judge"),
        estimate("r and interval", ("correlation", "low", "high"), decimals(2)),
        number("rated", ("rated", "scored"), lambda rated, scored: f"{rated}/{scored}"),
        number("saves", ("saved", "saved_low", "saved_high"), saved),
        number("most", show=_percent),
    ]
    rows, title = result.labels_saved, "ratings that a judge saves"
    if rows.is_empty():
        return []
    table = Table(rows, columns, name="saved", title=title, meanings=MEANINGS)
    return [table, Line(SAVED.format(compare=Call("rejoinder.compare_with_people")), "legend"), GAP]


def _samples(result: Planned) -> Document:
    """Prompts and samples of each for the pilot's cost."""
    rows = result.samples
    if rows.is_empty():
        return []
    columns = [
        *PAIR,
        key("metric", "subject"),
        key("samples"),
        number("prompts", "items"),
        number("width", ("ratio", "best"), lambda ratio, best: f"{ratio:.2f}{'*' * best}"),
    ]
    title = "prompts, and samples of each, for the pilot's cost"
    legend = "width: of the interval of the difference, with the pilot's as 1.00; * the narrowest"
    section = ("a", "b", "subject")
    table = Table(rows, columns, name="samples", title=title, section=section, meanings=MEANINGS)
    return [table, Line(legend, "legend"), GAP]


def _percent(value: float) -> str:
    return NONE if math.isnan(value) else f"{100 * value:.0f}%"


def _label(heading: str, result: Planned, pilot: int | None) -> Column:
    """A subject, named once, with its raters or references."""

    def label(subject: str, raters: int | None, references: int | None, place: int) -> str:
        name = " " * len(subject) if place else subject
        metric = result.metrics.get(subject)
        means = "ratings" in result.parameters
        if references is not None:
            return f"{name} {counted(references, 'reference')} "
        if means and subject == PEOPLE:
            return f"{name} as rated (means)"
        if raters is not None and not means:
            return f"{name} {counted(raters, 'rater')}{'*' if raters == pilot else ' '}"
        return name + " all references*" * (metric is not None and "references" in metric.needs)

    return key(heading, WHO, label, placed=True)


def _needs(heading: str, result: Planned) -> Column:
    """How many items are needed; not shown beyond so many times the pilot."""
    most = OUT_OF_REACH * result.items

    def need(
        items: int | None,
        low: int | None,
        high: int | None,
        or_fewer: bool,
        least: int,
        beyond: bool,
        reason: str | None,
    ) -> Cell:
        if reason and low is None:
            return NONE
        shown = [
            None if each is None or each > most else f"{each:,}" for each in (items, low, high)
        ]
        if shown[0] is None:
            return f"over {most:,}!"
        end = shown[2] or f"over {most:,}"
        if or_fewer:
            words, span = f"{shown[0]} or fewer", "" if high == items else f" (up to {end})"
        elif low == least:
            words, span = f"{shown[0]} ", f"(up to {end})"
        else:
            words, span = f"{shown[0]} ", f"({shown[1]}{'-' if shown[2] else ' to '}{end})"
        return joined(words, styled(span, "dim"), "!" if beyond else " ")

    return number(heading, tuple(NEEDED.values()), need)


def _head(result: Planned, size: int) -> str:
    return f"{size:,}{'*' * (size == result.items)}{'!' * (size > 4 * result.items)}"


def _wanted(result: Planned) -> str:
    return f"{100 * result.parameters['power']:g}%"


def _clusters(rows: pl.DataFrame) -> str:
    """How many clusters the numbers of items make; empty where items are independent."""
    if "clusters" not in rows.columns:
        return ""
    numbers = rows.group_by("items", maintain_order=True).agg(pl.max("clusters").fill_null(0))
    words = ", ".join(f"{items:,}: {number:,}" for items, number in numbers.iter_rows())
    return f"; clusters of so many items: {words}" if words else ""


def _or_fewer(needs: pl.DataFrame) -> str:
    """What a number of items that is the smallest of all plans means; empty where there is none."""
    least = needs.filter("or_fewer")["least_planned"].unique().sort()
    if least.is_empty():
        return ""
    return f"; or fewer: fewer than {' and '.join(f'{each:,}' for each in least)} items are not planned"
