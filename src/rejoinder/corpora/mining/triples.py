"""A part of a corpus as triples of context, message and response, over utterances stored once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from rejoinder.kernels.arrays import Indices
from rejoinder.tables.testset import TestSet, first_references

ROWS_AT_ONCE = 1 << 17

CONVERSATION = "conversation"
"""The column of the contexts that says which conversation an item is of, where there is one."""


@dataclass(frozen=True)
class Triples:
    """Triples over utterances.

    A triple's context are the utterances ``replies[i] - turns[i]`` to ``replies[i] - 1``, oldest first;
    the last of them is its message, and ``replies[i]`` its response.

    Attributes:
        utterances: The texts, those of a conversation in their order.
        replies: int64 [n], the place of each triple's response.
        turns: int64 [n], the number of turns of its context.
        conversations: int64 [n], ascending: the place in ``names`` of each triple's conversation.
        names: The conversations.
        rows: How many items there were.
        content: The messages and responses, for the hash of the corpus.
    """

    utterances: pl.Series
    replies: Indices
    turns: Indices
    conversations: Indices
    names: pl.Series
    rows: int
    content: pl.Series


def triples_of(part: TestSet) -> Iterator[Triples]:
    """The triples of a corpus, ``ROWS_AT_ONCE`` items at a time.

    A triple is an item's context with its first reference. Items without a context or a reference,
    and those whose reference is blank, make none. An item whose context is the item before it with
    its response goes on the same conversation; where there is a column ``conversation``, rows that
    stand together and agree in it are one conversation.
    """
    first = first_references(part).select("id", "text")
    named = CONVERSATION in part.contexts.columns
    name = pl.col(CONVERSATION).cast(pl.String) if named else pl.lit(None, dtype=pl.String)
    items = part.contexts.select("id", "context", name=name)
    for begin in range(0, items.height, ROWS_AT_ONCE):
        rows = items[begin : begin + ROWS_AT_ONCE]
        yield _triples(rows.join(first, on="id", how="left", maintain_order="left"), named)


def _triples(rows: pl.DataFrame, named: bool) -> Triples:
    has_reply = pl.col("text").str.strip_chars() != ""
    whole = rows.filter((pl.col("context").list.len() > 0) & has_reply)
    so_far = pl.concat_list(pl.col("context").shift(1), pl.col("text").shift(1))
    same = pl.col("name").eq_missing(pl.col("name").shift(1)) if named else pl.lit(True)
    whole = whole.with_columns(goes_on=((pl.col("context") == so_far) & same).fill_null(False))
    added = (
        pl.when("goes_on").then(pl.concat_list("text")).otherwise(pl.concat_list("context", "text"))
    )
    whole = whole.with_columns(added=added, turns=pl.col("context").list.len())
    sizes = whole.get_column("added").list.len().to_numpy().astype(np.int64)
    # A row without a name is a conversation of its own where nothing else says otherwise.
    begins = ~pl.col("goes_on")
    if named:
        begins &= pl.col("name").is_null() | pl.col("name").ne_missing(pl.col("name").shift(1))
    starts = whole.select(begins.alias("begins")).to_series().to_numpy()
    if starts.size:
        starts = starts.copy()
        starts[0] = True
    names = whole.filter(pl.Series(starts, dtype=pl.Boolean))
    content = pl.concat_str(
        pl.col("context").list.last(), pl.lit("\0"), pl.col("text"), pl.lit("\0")
    )
    return Triples(
        whole.get_column("added").explode(),
        np.cumsum(sizes) - 1,
        whole.get_column("turns").to_numpy().astype(np.int64),
        np.cumsum(starts, dtype=np.int64) - 1,
        names.select(pl.coalesce("name", "id")).to_series(),
        rows.height,
        whole.select(content.alias("content")).to_series(),
    )
