"""The column of contexts: a list of turns per item."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import polars as pl


def turns_column(contexts: Sequence[Sequence[str | None]]) -> pl.Series:
    """The turns of every item as one column of lists.

    Args:
        contexts: For each item its turns, oldest first; zero or more.

    Example:
        >>> turns_column([["Hi", "Hello"], []]).to_list()
        [['Hi', 'Hello'], []]
    """
    flat = pl.Series("context", list(chain.from_iterable(contexts)), dtype=pl.String)
    return list_column(flat, list(map(len, contexts)))


def list_column(flat: pl.Series, lengths: Sequence[int]) -> pl.Series:
    """A column of lists, of which each takes so many of the values.

    Polars builds a column of lists item by item; grouping one flat column is ten times as fast.
    """
    items = pl.DataFrame(
        {"item": range(len(lengths)), "length": lengths}, {"item": pl.UInt32, "length": pl.UInt32}
    )
    repeated = items.select(pl.col("item").repeat_by("length").list.explode(empty_as_null=False))
    lists = repeated.with_columns(flat).group_by("item", maintain_order=True).agg(flat.name)
    joined = items.join(lists, on="item", how="left", maintain_order="left")
    return joined.select(pl.col(flat.name).fill_null([])).to_series()
