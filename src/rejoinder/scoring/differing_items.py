"""The items in which two systems differ most, with their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rejoinder.document.parts import Document, Line
from rejoinder.document.table import Table, key, number, text
from rejoinder.scoring.shown_values import number_of
from rejoinder.tables.testset import first_references

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric
    from rejoinder.tables.testset import TestSet
    from rejoinder.tables.types import Responses

MEANINGS = {
    "a_value": "Score of the reply of a.",
    "b_value": "Score of the reply of b.",
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
    testset, responses = texts
    replies = responses.frame.unique(["system", "id"], keep="first", maintain_order=True)
    rows = testset.contexts.select("id", message=pl.col("context").list.last().fill_null(""))
    references = first_references(testset).select("id", reference="text")
    rows = rows.join(references, on="id", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("reference").fill_null(""))
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
