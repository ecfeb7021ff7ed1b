"""What is shown of reranked candidates: which were taken, and what metrics say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from rejoinder.document.numbers import decimals
from rejoinder.document.parts import GAP, Document, Line, lines
from rejoinder.document.table import Table, estimate, key, number, text
from rejoinder.messages import counted
from rejoinder.metrics.base import Metric
from rejoinder.tuning.tune_tables import TIMES100, show_of

MEANINGS = {
    "used": "Whether this metric chose the candidates, or the weights were tuned by it.",
    "first": "Value of the first candidates.",
    "reranked": "Value of the chosen candidates.",
    "gain": "By how much the chosen candidates are better.",
    "candidate": "Number of the chosen candidate in its list, from 1.",
    "of": "Number of candidates of the list.",
    "sample": "The sample that it is; null where there is none.",
    "text": "The text of the candidate.",
}

CHOSEN = {"value": "What it was chosen by.", "first": "That of the first candidate."}

MOST_ITEMS = 20
"""So many items are listed."""


def reranked(
    table: pl.DataFrame,
    gains: pl.DataFrame,
    rule: str,
    metrics: Mapping[str, Metric],
    used: str,
    notes: Sequence[str],
) -> Document:
    """How candidates were chosen, what metrics say of them, and which were taken.

    Args:
        table: ``Reranked.table``.
        gains: ``Reranked.gains``.
        rule: The rule, in words.
        metrics: By label.
        used: What is said of a metric that chose.
        notes: What is to be said of the numbers.
    """
    show = show_of(metrics)
    columns = [
        key("metric"),
        text("", ("used",), lambda each: used if each else "not used"),
        number("first", "first", show, by="metric"),
        number("reranked", "reranked", show, by="metric"),
        estimate("gain", ("gain", "low", "high"), show, by="metric"),
    ]
    taken = [
        key("id"),
        number("candidate"),
        number("of"),
        text("sample", show=lambda each: "" if each is None else each),
        number("value", show=decimals(4)),
        number("first", show=decimals(4)),
        text("text"),
    ]
    other = table.filter(pl.col("candidate") > 1).height
    shown: Document = [
        Line(
            f"{rule}: another than the first candidate for {other} of {counted(table.height, 'item')}"
        )
    ]
    if gains.height:
        shown += [GAP, Table(gains, columns, name="metrics", meanings=MEANINGS)]
        shown.append(Line(TIMES100, "legend"))
    paper = table.head(MOST_ITEMS)
    shown += [GAP, Table(table, taken, paper=paper, meanings={**MEANINGS, **CHOSEN})]
    if table.height > MOST_ITEMS:
        shown.append(Line(f"and {counted(table.height - MOST_ITEMS, 'more item')}", "legend"))
    return [*shown, *lines(notes, "note")]


def candidates_of(table: pl.DataFrame) -> Document:
    """The candidates of an item, the best first, with what each was chosen by.

    Args:
        table: What ``Reranked.explain`` returns.
    """
    numbers = [name for name in table.columns if name not in ("candidate", "text")]
    columns = [
        key("candidate"),
        *(number(name, show=decimals(4)) for name in numbers),
        text("text"),
    ]
    meanings = {
        **MEANINGS,
        "candidate": "Number of the candidate in its list, from 1.",
        **dict.fromkeys(numbers, "A number of the candidate, or its part of the weighted sum."),
        "value": "What candidates are chosen by.",
    }
    return [Table(table, columns, meanings=meanings)]
