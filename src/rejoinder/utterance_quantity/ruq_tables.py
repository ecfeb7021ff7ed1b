"""What is shown of RUQ: models against generic replies, who is ahead, and the prompts where models fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rejoinder.document.numbers import NONE, not_as_zero, times100, with_interval
from rejoinder.document.parts import GAP, Document, Line
from rejoinder.document.table import Table, estimate, key, number
from rejoinder.document.text import joined, styled
from rejoinder.messages import counted
from rejoinder.scoring.compare import is_upper_limit
from rejoinder.scoring.measurements import Measurements
from rejoinder.scoring.verdict_sentences import standing
from rejoinder.tables.testset import TestSet

WIDEST = 400  # characters of a text that is shown
MEANINGS = {"generic": "The generic reply; empty for the strongest of these."}


def models(scores: Measurements, table: pl.DataFrame) -> Document:
    """The share of prompts whose reference each model prefers to each generic reply.

    Args:
        scores: ``Quantity.scores``, whose first metric is against the strongest generic reply.
        table: ``Scores.systems()`` of them.
    """
    strongest = scores.labels[0]
    texts = {label: getattr(each.metric, "generic", "") for label, each in scores.measured.items()}
    frame = table.with_columns(
        generic=pl.col("metric").replace_strict({**texts, strongest: None}, return_dtype=pl.String),
        strongest=pl.col("metric") == strongest,
    )
    columns = [
        key(
            "RUQ against",
            ("metric", "generic"),
            lambda _, text: "the strongest of these" if text is None else text,
        ),
        estimate(str, ("value", "low", "high"), times100, across=True),
        number("prompts", "n"),
    ]
    legend = "; [low, high]: 95% interval (Wilson)" if scores.resamples else ""
    words = (
        "x100: the share of prompts whose reference the model finds likelier, token by token, than "
        f"the generic reply{legend}; {NONE}: undefined"
    )
    return [
        Table(frame, columns, across="system", section=("strongest",), meanings=MEANINGS),
        Line(words, "legend"),
    ]


def ahead(scores: Measurements, row: Mapping[str, Any]) -> Line:
    """The best model against the next, a row of ``Scores.leads()``, by the strongest generic reply."""
    pairs = len(scores.names) * (len(scores.names) - 1) // 2
    limit = is_upper_limit(scores.measured[row["metric"]], row, pairs)
    show = with_interval(times100, lambda end: not_as_zero(1)(100 * end))
    words = standing(row, row["p"], show, limit=limit)
    return Line(joined("against the strongest: ", words, " (approximate randomization)"))


def worst(table: pl.DataFrame, testset: TestSet, named: bool) -> Document:
    """The prompts where a generic reply is ahead by most, a row of ``Quantity.worst()`` each.

    Args:
        table: The rows.
        testset: Has the texts of prompts and references.
        named: Whether the model is named above its prompts.
    """
    turns = dict(zip(testset.ids, testset.contexts["context"].to_list(), strict=True))
    texts: dict[str, list[str]] = {}
    for id, text in testset.references.select("id", "text").iter_rows():
        texts.setdefault(id, []).append(text)
    shown: Document = []
    for (system,), rows in table.group_by("system", maintain_order=True):
        words = (
            f"{f'{system}: ' * named}{counted(rows.height, 'prompt')} where a generic reply wins by "
            "most (log-probability to a token)"
        )
        shown += [GAP, Line(styled(words, "bold"))]
        for row in rows.iter_rows(named=True):
            reference = texts[row["id"]][row["reference"]]
            shown += [
                Line(styled(f"{row['id']}  {turns[row['id']][-1]}"[:WIDEST], "dim")),
                Line(f"  {row['generic_mean']:7.2f}  {row['generic']}"[:WIDEST]),
                Line(f"  {row['reference_mean']:7.2f}  {reference}"[:WIDEST]),
            ]
    return [*shown, *[GAP] * bool(shown)]
