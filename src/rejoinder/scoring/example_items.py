"""The items in which two systems differ most, and the worst replies of each system, with their texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from rejoinder.document.numbers import Show
from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Table, key, number, text
from rejoinder.scoring.shown_values import number_of
from rejoinder.tables.testset import first_references

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric
    from rejoinder.scoring.measurements import Measured
    from rejoinder.tables.testset import TestSet
    from rejoinder.tables.types import Responses

MEANINGS = {
    "a_value": "Score of the reply of a.",
    "b_value": "Score of the reply of b.",
    "value": "Score of the reply.",
    "reply": "The reply.",
    "message": "The last turn of the context.",
    "reference": "The first reference.",
    "a_reply": "The reply of a.",
    "b_reply": "The reply of b.",
}


def differing_items(
    segments: pl.DataFrame,
    texts: tuple[TestSet, Responses],
    metric: str,
    pair: tuple[str, str],
    most: int,
) -> pl.DataFrame:
    """The items in which the scores of two systems differ most, the largest difference first.

    Items with equal differences stay in the order of the test set.

    Args:
        segments: ``Scores.segments()``.
        texts: What was measured; of several replies to an item the first is shown.
        metric: A column of the segments.
        pair: The systems a and b.
        most: So many items, if there are as many that differ.

    Returns:
        ``metric``, ``id``, ``a``, ``b``, ``a_value``, ``b_value``, ``message``, ``reference``,
        ``a_reply``, ``b_reply``.
    """
    rows, replies = _items(texts[0]), _first_replies(texts[1])
    for side, name in zip("ab", pair, strict=True):
        values = segments.filter(system=name).select("id", pl.col(metric).alias(f"{side}_value"))
        written = replies.filter(system=name).select("id", pl.col("text").alias(f"{side}_reply"))
        rows = rows.join(values, on="id", maintain_order="left")
        rows = rows.join(written, on="id", maintain_order="left")
    gap = (pl.col("a_value") - pl.col("b_value")).abs()
    rows = rows.with_columns(gap=gap.fill_nan(None)).filter(pl.col("gap") > 0)
    return rows.sort("gap", descending=True, maintain_order=True).head(most).select(
        pl.lit(metric).alias("metric"), "id", a=pl.lit(pair[0]), b=pl.lit(pair[1]),
        a_value="a_value", b_value="b_value", message="message", reference="reference",
        a_reply="a_reply", b_reply="b_reply",
    )  # fmt: skip


def worst_replies(
    values: pl.DataFrame,
    texts: tuple[TestSet, Responses],
    systems: Sequence[str],
    most: int,
    highest: bool = False,
) -> pl.DataFrame:
    """The replies of each system that have the lowest values, the worst first.

    Replies of equal values stay in the order of the test set.

    Args:
        values: ``system``, ``id`` and ``value``; a reply whose value is NaN is passed over.
        texts: What was measured; of several replies to an item the first is shown.
        systems: The systems, in the order in which they are to stand.
        most: So many replies of each.
        highest: Whether the highest values are the worst.

    Returns:
        ``system``, ``id``, ``value``, ``message``, ``reference``, ``reply``.
    """
    rows = _items(texts[0]).join(values, on="id", maintain_order="left")
    rows = rows.join(_first_replies(texts[1]), on=["system", "id"], maintain_order="left")
    rows = rows.filter(pl.col("value").is_not_nan())
    rows = rows.sort("value", descending=highest, maintain_order=True)
    return pl.concat([rows.filter(system=name).head(most) for name in systems]).select(
        "system", "id", "value", "message", "reference", reply="text"
    )


def _items(testset: TestSet) -> pl.DataFrame:
    """``id``, ``message`` and ``reference`` of each item, empty where there is none."""
    rows = testset.contexts.select("id", message=pl.col("context").list.last().fill_null(""))
    references = first_references(testset).select("id", reference="text")
    rows = rows.join(references, on="id", how="left", maintain_order="left")
    return rows.with_columns(pl.col("reference").fill_null(""))


def _first_replies(responses: Responses) -> pl.DataFrame:
    """The first reply of each system to each item."""
    return responses.frame.unique(["system", "id"], keep="first", maintain_order=True)


def shown_worst(
    rows: pl.DataFrame, measured: Mapping[str, Measured], digits: int | None
) -> Document:
    """A table of the replies that a metric scores worst.

    Args:
        rows: The replies, with their ``metric``.
        measured: The metrics.
        digits: Number of decimals; None: as usual for the metric.
    """
    if rows.is_empty():
        return [Line("no reply has a score of its own", "note")]
    label = rows.item(0, "metric")
    show = number_of(measured[label].metric, digits)
    return [table_of_worst(rows, f"replies that {label} scores worst", label, show)]


def table_of_worst(
    rows: pl.DataFrame, title: str, heading: str, show: Show, fold: str = ""
) -> Table:
    """A table of the worst replies: item, value and text, below their system.

    Args:
        rows: The replies.
        title: What the table holds.
        heading: What the values are.
        show: How a value is shown.
        fold: Words in the place of the table on a page.
    """
    columns = [
        key("system", once=True),
        key("id"),
        number(heading, "value", show),
        text("reply"),
        text("message" if any(rows.get_column("message")) else "reference"),
    ]
    return Table(
        rows,
        columns,
        name="examples",
        title=title,
        section=("system",),
        fold=fold,
        meanings=MEANINGS,
    )


def shown(rows: pl.DataFrame, metric: Metric, digits: int | None) -> Document:
    """A table of these items: the value and the text of both replies.

    Where no context is known, the first reference says what each item is about.

    Args:
        rows: The items.
        metric: The metric.
        digits: Number of decimals; None: as usual for the metric.
    """
    if rows.is_empty():
        return [Line("the two systems differ in no single item", "note")]
    label, a, b = rows.select("metric", "a", "b").row(0)
    show = number_of(metric, digits)
    columns = [
        key("id"),
        text("message" if any(rows.get_column("message")) else "reference"),
        number(a, "a_value", show),
        text(f"reply of {a}", "a_reply"),
        number(b, "b_value", show),
        text(f"reply of {b}", "b_reply"),
    ]
    title = f"items in which {a} and {b} differ most: {label}"
    above = ("metric", "a", "b")
    return [Table(rows, columns, name="examples", title=title, above=above, meanings=MEANINGS)]
