"""Which items are independent: clusters of items, named by a column of a table of judgements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument, listed, quoted
from rejoinder.tables.checks.arguments import expect
from rejoinder.tables.schemas import AGAINST, PREFERENCES, RATINGS

CONVERSATION = "conversation"
"""The column that names the clusters where no other is given."""

NONE = "none"
"""In place of a column: every item is independent."""

OWN_COLUMNS = {*RATINGS, *PREFERENCES, AGAINST}
"""What judgements themselves consist of: none of these names clusters."""


@dataclass(frozen=True)
class ItemClusters:
    """The cluster of each item.

    Attributes:
        column: The column that names the clusters.
        labels: By id the item's cluster.
    """

    column: str
    labels: Mapping[str, str]

    def of(self, ids: NDArray[np.generic]) -> NDArray[np.generic]:
        """The label of each item."""
        return np.array([self.labels[id] for id in ids.tolist()])


def has_value(column: str) -> pl.Expr:
    """Whether a cell names a cluster: it is not null, and holds more than white space."""
    return pl.col(column).is_not_null() & (pl.col(column).cast(pl.String).str.strip_chars() != "")


def cluster_columns(cluster: str | None) -> tuple[str, ...]:
    """The columns of a file that are kept beside those of judgements, for clusters."""
    if cluster is None:
        return (CONVERSATION,)
    return () if cluster == NONE else (cluster,)


def item_clusters(
    table: pl.DataFrame, cluster: str | None, what: str
) -> tuple[ItemClusters | None, list[str]]:
    """The clusters that a column of judgements names, and a note where it cannot be used.

    Args:
        table: The judgements, as they were given.
        cluster: The column; ``none`` takes every item as independent; None takes ``conversation``
            where there is such a column and each item has one value in it.
        what: What the table is called, for messages.

    Raises:
        ParameterError: There is no such column, or it is one of the judgements themselves.
        InputError: An item has no value in the column, or two.
    """
    if cluster is not None:
        expect(cluster, str, "cluster", "the name of a column, or 'none'")
    (column,) = cluster_columns(cluster) or ("",)
    if not column or (cluster is None and column not in table.columns):
        return None, []
    if column in OWN_COLUMNS:
        raise ParameterError(
            Argument("cluster", column),
            f" is a column of the {what} themselves; name the column that says which "
            "items belong together, such as 'conversation'",
        )
    if column not in table.columns:
        raise ParameterError(
            Argument("cluster", column),
            f": the {what} have no column {quoted(column)}; got {listed(table.columns)}; name the column of "
            "their file that says which items belong together",
        )
    pairs = table.select(pl.col("id", column).cast(pl.String)).unique(maintain_order=True)
    several, empty = pairs.filter(pl.col("id").is_duplicated()), pairs.filter(~has_value(column))
    fault = ""
    if empty.height:
        id = empty.item(0, "id")
        fault = f"id {quoted(id)} has no value in the column '{column}'"
    elif several.height:
        id = several.item(0, "id")
        first, second = several.filter(id=id).get_column(column).to_list()[:2]
        fault = f"id {quoted(id)} has two values in the column '{column}', '{first}' and '{second}'"
    if fault and cluster is None:
        return None, [f"{fault}, so all items are taken as independent; give each item one value"]
    if fault:
        raise InputError(f"{what}: {fault}; give each item one value, or name another column")
    return ItemClusters(column, dict(pairs.iter_rows())), []
