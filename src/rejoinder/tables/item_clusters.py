"""Which items are independent: clusters of items, named by a column of a table of judgements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument, counted, listed, quoted
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


NO_CLUSTERS = "the column names no clusters (lists or fractions); name another one"


def has_text(column: str) -> pl.Expr:
    """Whether a cell holds more than white space."""
    return pl.col(column).is_not_null() & (pl.col(column).cast(pl.String).str.strip_chars() != "")


def labels_in(cells: pl.Series) -> pl.Series | None:
    """The clusters that a column names, as text; null in an empty cell. None where it cannot name any.

    White space around a label is no part of it, and a whole number is the same label however it is
    stored. Lists, objects, bytes and numbers with fractions name no clusters.

    >>> labels_in(pl.Series([1.0, None, 2.0])).to_list(), labels_in(pl.Series([" a", " "])).to_list()
    (['1', None, '2'], ['a', None])
    """
    if cells.dtype.is_nested() or cells.dtype in (pl.Object, pl.Binary, pl.Duration):
        return None
    if cells.dtype.is_float():
        cells = cells.fill_nan(None)
        if not (cells == cells.round()).all():
            return None
        if (cells.abs() < 2.0**63).all():
            cells = cells.cast(pl.Int64)
    text = cells.cast(pl.String).str.strip_chars()
    return text.set(text == "", None)


def cluster_labels(items: pl.DataFrame, column: str) -> pl.Series:
    """The cluster of each item as text; an item that has none is a cluster of its own.

    Args:
        items: The items, with ``id`` and the column.
        column: A column that names clusters.

    Raises:
        InputError: It names none.
    """
    labels = labels_in(items.get_column(column))
    if labels is None:
        raise InputError(f"cluster '{column}': {NO_CLUSTERS}")
    filled = pl.col("label").fill_null(pl.format("item {}", "id")).alias(column)
    return items.select("id", label=labels).select(filled).to_series()


def with_labels(
    frame: pl.DataFrame, keep: Sequence[str], reserved: Collection[str]
) -> tuple[pl.DataFrame, list[str]]:
    """A table whose columns of clusters hold `labels_in` them, and which these are.

    Args:
        frame: The table.
        keep: The columns that may name clusters, where they are there.
        reserved: The columns that mean something else.
    """
    named = [
        labels_in(frame[each]) for each in keep if each in frame.columns and each not in reserved
    ]
    labels = [each for each in named if each is not None]
    return frame.with_columns(labels), [each.name for each in labels]


def cluster_columns(cluster: str | None) -> tuple[str, ...]:
    """The columns of a file that are kept beside those of judgements or scores, for clusters.

    Raises:
        ParameterError: The cluster is no text.
    """
    if cluster is not None:
        expect(cluster, str, "cluster", "the name of a column, or 'none'")
    return tuple(dict.fromkeys(name for name in (cluster, CONVERSATION) if name and name != NONE))


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
    column = CONVERSATION if cluster is None else cluster
    if column == NONE or (cluster is None and column not in table.columns):
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
    return clusters_in(table, column, what, required=cluster is not None)


def cluster_note(group: NDArray[np.generic], column: str) -> str:
    """A note that rated replies are not taken as independent.

    Args:
        group: The cluster of each rated reply.
        column: The column of the clusters.
    """
    replies = counted(group.size, "rated reply", "rated replies")
    return (
        f"{replies} in {counted(np.unique(group).size, 'cluster')} of '{column}': intervals and tests take "
        f"clusters as a whole; {Argument('cluster', NONE)} takes every item as independent"
    )


def note_on_unlabelled(column: str, of: str, ids: Sequence[str], items: int) -> str:
    """A note that some items have no label.

    Args:
        column: The column of the clusters.
        of: Behind the column, of what it is, such as " of the ratings".
        ids: The items without a label.
        items: How many items there are.
    """
    return (
        f"the column '{column}'{of} is empty for item {quoted(ids[0])} ({len(ids)} of "
        f"{counted(items, 'item')}): each such item is taken as a cluster of its own; if it belongs to one, "
        "intervals are too narrow and tests find too many differences: fill it, or name another column with "
        f"{Argument('cluster')}"
    )


def clusters_in(
    table: pl.DataFrame, column: str, what: str, required: bool
) -> tuple[ItemClusters | None, list[str]]:
    """The clusters that a column names, and a note where it cannot be used.

    Args:
        table: A table with ``id`` and the column.
        column: The column.
        what: What the table is called, for messages.
        required: Whether it is an error where the column cannot be used.

    Raises:
        InputError: The column is required, and an item has no value there, or two, or it names no clusters.
    """
    labels = labels_in(table.get_column(column))
    if labels is None and required:
        raise InputError(f"{what}: '{column}': {NO_CLUSTERS}")
    if labels is None:
        return None, [
            f"the {what} have a column '{column}' that names no clusters: lists, or fractions"
        ]
    pairs = table.select(pl.col("id").cast(pl.String), labels).unique(maintain_order=True)
    if not required:  # an empty cell says nothing of an item that has a label in another row
        pairs = pairs.filter(pl.col(column).is_not_null() | ~pl.col("id").is_duplicated())
    notes, fault, empty = [], "", pairs.filter(pl.col(column).is_null())
    if empty.height and not required:
        if empty.height == pairs.height:
            return None, []
        without = empty.get_column("id").to_list()
        notes.append(note_on_unlabelled(column, f" of the {what}", without, pairs.height))
        pairs = pairs.with_columns(cluster_labels(pairs, column))
    several = pairs.filter(pl.col("id").is_duplicated())
    if empty.height and required:
        fault = f"id {quoted(empty.item(0, 'id'))} has no value in the column '{column}'"
    elif several.height:
        id = several.item(0, "id")
        first, second = several.filter(id=id).get_column(column).to_list()[:2]
        fault = f"id {quoted(id)} has two values in the column '{column}', '{first}' and '{second}'"
    if fault and required:
        raise InputError(f"{what}: {fault}; give each item one value, or name another column")
    if fault:
        return None, [f"{fault}, so all items are taken as independent; give each item one value"]
    return ItemClusters(column, dict(pairs.iter_rows())), notes
