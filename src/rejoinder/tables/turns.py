"""The column of contexts: a list of turns per item."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def turns_column(contexts: Sequence[Sequence[str | None]]) -> pl.Series:
    """The turns of every item as one column of lists.

    Polars builds a column of lists item by item; grouping one flat column is ten times as fast.

    Args:
        contexts: For each item its turns, oldest first; zero or more.

    Example:
        >>> turns_column([["Hi", "Hello"], []]).to_list()
        [['Hi', 'Hello'], []]
    """
    flat = pl.DataFrame(
        {
            "item": [item for item, turns in enumerate(contexts) for _ in turns],
            "context": [turn for turns in contexts for turn in turns],
        },
        schema={"item": pl.UInt32, "context": pl.String},
    )
    lists = flat.group_by("item", maintain_order=True).agg("context")
    items = pl.DataFrame({"item": range(len(contexts))}, schema={"item": pl.UInt32})
    joined = items.join(lists, on="item", how="left").sort("item")
    return joined.select(pl.col("context").fill_null([])).to_series()
