"""Which items are independent: clusters of items, named by a column of the contexts.

The turns of one conversation, or the questions of one user, are alike. Resampled one by one they
count as more evidence than they are, so intervals and tests resample, leave out and swap whole
clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.messages import Argument, counted
from rejoinder.references.text_notes import repeat_notes
from rejoinder.scoring.measurements import Measurements, clusters_of, few_items, with_word
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.standard_error import standard_errors
from rejoinder.tables.checks.arguments import expect
from rejoinder.tables.item_clusters import (
    CONVERSATION,
    NO_CLUSTERS,
    NONE,
    labels_in,
    note_on_unlabelled,
)

S = TypeVar("S", bound=Measurements)


def clustered(scores: S, cluster: str | None) -> S:
    """The same scores, with intervals and tests over the clusters of a column.

    Args:
        scores: Scores of single items.
        cluster: A column of the contexts; ``none`` takes every item as independent; None takes the
            column ``conversation`` where two items share a value there, and otherwise leaves the scores
            as they are.

    Raises:
        ParameterError: There is no such column, or the rows are blocks of items.
        InputError: An item has no value in the column.
    """
    if cluster is None and (scores.cluster or not _has_conversations(scores.items)):
        return scores
    if cluster != NONE:
        scores.need_items()
    column, _ = cluster_column(scores.items, cluster)
    return with_notes_of(with_clusters(scores, column), scores)


def with_notes_of(changed: S, scores: S) -> S:
    """Changed scores: their own notes on their clusters, and the other notes of the scores they were."""
    # Notes of kept scores may name an option behind the semicolon where these name an argument.
    before = {_fact(each) for each in _notes(scores)}
    others = [each for each in scores.notes if _fact(each) not in before]
    return replace(changed, notes=(*_notes(changed), *others))


def cluster_column(items: pl.DataFrame, cluster: str | None) -> tuple[str, list[str]]:
    """The column of clusters, empty for none; and a note where some items have no value in the default.

    Args:
        items: The contexts.
        cluster: As in ``clustered``.

    Raises:
        ParameterError: There is no such column.
        InputError: An item has no value in the column.
    """
    if cluster == NONE or (cluster is None and not _has_conversations(items)):
        return "", []
    column = CONVERSATION if cluster is None else cluster
    expect(column, str, "cluster", "the name of a column of the contexts, or 'none'")
    empty = _without_value(items, column)
    if not empty:
        return column, []
    if cluster is None:
        return column, [note_on_unlabelled(column, "", empty, items.height)]
    raise InputError(
        f"cluster '{column}': item '{empty[0]}' has no value there ({len(empty)} of {items.height} items); "
        "give every item one, or name another column"
    )


def _fact(note: str) -> str:
    return note.partition(";")[0]


def _has_conversations(items: pl.DataFrame) -> bool:
    """Whether some conversation has several items."""
    if CONVERSATION not in items.columns:
        return False
    labels = labels_in(items.get_column(CONVERSATION))
    return labels is not None and bool(labels.drop_nulls().is_duplicated().any())


def design_effects(scores: Measurements, label: str) -> np.ndarray:
    """How many times the variance of each score grows by its clusters: float64 [S].

    The squared ratio of the jackknife's standard errors, by cluster and by item; NaN where items do
    not vary.
    """
    each = scores.measured[label]
    if each.answered is not None:
        parts = [scores.of(label, [s]) for s in range(len(scores.names))]
        return np.concatenate([design_effects(part, label) for part in parts])
    errors = standard_errors(each.rows.left_out(each.metric))
    return (standard_errors(scores.left_out(label)) / np.where(errors > 0, errors, np.nan)) ** 2


def difference_design_effects(
    scores: Measurements, label: str, pairs: Sequence[tuple[int, int]]
) -> np.ndarray:
    """How many times the variance of the difference of two systems grows by clusters: float64 [p].

    The squared ratio of the jackknife's standard errors, by cluster and by item, of systems that
    answered the same items; NaN where the difference does not vary. What two replies to one item
    have in common cancels in a difference, so this is mostly less than the scores' own effects.

    Args:
        scores: Of systems that answered the same items.
        label: The metric.
        pairs: The places of the two systems.
    """
    each, (a, b) = scores.measured[label], np.array(pairs).T
    clusters, items = scores.left_out(label), each.rows.left_out(each.metric)
    by_cluster = standard_errors(clusters[a] - clusters[b])
    by_item = standard_errors(items[a] - items[b])
    return (by_cluster / np.where(by_item > NOISE, by_item, np.nan)) ** 2


def worth(scores: Measurements, label: str) -> np.ndarray:
    """How many independent items the score of each system is worth: float64 [S].

    For rates, the number by which their interval is made.
    """
    each = scores.measured[label]
    assert each.clusters is not None
    if each.answered is not None:
        parts = [scores.of(label, [s]) for s in range(len(scores.names))]
        return np.concatenate([worth(part, label) for part in parts])
    if (sizes := each.interval_sizes()) is not None:
        return np.minimum(sizes, each.n)
    effects = design_effects(scores, label)
    if np.isnan(effects).all():
        return np.full(effects.shape, each.clusters.least_effective)
    return np.maximum(each.n / np.maximum(effects, 1.0), each.clusters.least_effective)


def repeated_items(contexts: pl.DataFrame, replies: pl.Series) -> list[str]:
    """A note where many items repeat others; see ``text_notes.repeat_notes``.

    Args:
        contexts: n items; those without a context are left out.
        replies: The replies of S systems to them, sorted by system and then by item.
    """
    n = contexts.height
    keys = np.empty((n, 1 + len(replies) // n), dtype=np.uint64)
    keys[:, 0] = contexts.get_column("context").hash().to_numpy()
    keys[:, 1:] = replies.hash().to_numpy().reshape(-1, n).T
    keys = keys[contexts.get_column("context").list.len().to_numpy() > 0]
    return repeat_notes(len(keys) - len(np.unique(keys, axis=0)), n)


def _without_value(items: pl.DataFrame, column: str) -> list[str]:
    """The ids of items without a value in a column.

    Raises:
        ParameterError: There is no such column.
        InputError: It names no clusters.
    """
    choices = [name for name in items.columns if name != "id"]
    if column not in choices:
        remedy = (
            f"choose {one_of(choices)}"
            if choices
            else "they have none besides id; give a test set, or scores without replies, that have it"
        )
        raise ParameterError(
            Argument("cluster", column), f": the contexts have no column '{column}'; {remedy}"
        )
    labels = labels_in(items.get_column(column))
    if labels is None:
        raise InputError(f"cluster '{column}': {NO_CLUSTERS}")
    return items.filter(labels.is_null()).get_column("id").to_list()


def with_clusters(scores: S, column: str) -> S:
    """The same scores over the clusters of a column, without notes; empty for none.

    White space around the labels is taken off.

    Raises:
        ParameterError: There is no such column.
        InputError: It names no clusters.
    """
    items = scores.items
    if column:
        _without_value(items, column)
        labels = labels_in(items.get_column(column))
        if labels is not None and items.schema[column] == pl.String:
            items = items.with_columns(labels)
    measured = {
        label: replace(
            each,
            signature=with_word(each.signature, "cluster", column),
            clusters=clusters_of(items, column, each.usable),
        )
        for label, each in scores.measured.items()
    }
    return replace(
        scores, items=items, measured=measured, cluster=column,
        _draws={}, _resampled={}, _left_out={},
    )  # fmt: skip


def _notes(scores: Measurements) -> list[str]:
    """Which items are clusters of their own, how much all are worth, and where they are few."""
    notes = []
    if scores.cluster and (empty := _without_value(scores.items, scores.cluster)):
        notes.append(note_on_unlabelled(scores.cluster, "", empty, scores.items.height))
    if scores.resamples:
        notes += [*_notes_on_worth(scores), *few_items(scores.measured)]
    return notes


def _notes_on_worth(scores: Measurements) -> list[str]:
    """How much the items are worth, metrics with the same items in one sentence."""
    if not scores.cluster:
        return []
    sizes: dict[tuple[int, int], list[str]] = {}
    for label, each in scores.measured.items():
        if each.size > 1:
            sizes.setdefault((each.n, each.size), []).append(label)
    notes = []
    for (n, size), labels in sizes.items():
        start = "" if len(sizes) == 1 else f"{', '.join(labels)}: "
        notes.append(
            f"{start}{counted(n, 'item')} in {counted(size, 'cluster')} of '{scores.cluster}', worth "
            f"about {_range_of_worth(scores, labels)}; {Argument('cluster', NONE)} takes "
            "every item as independent"
        )
    return notes


def _range_of_worth(scores: Measurements, labels: Sequence[str]) -> str:
    """The least and the greatest worth of these metrics, and which score is worth least.

    Metrics of which no score varies do not count, if others do.
    """
    labels = [each for each in labels if np.isfinite(design_effects(scores, each)).any()] or labels
    table = np.array([worth(scores, label) for label in labels])
    fewest, most = round(float(np.nanmin(table))), round(float(np.nanmax(table)))
    if fewest == most:
        return f"{fewest} independent ones"
    metric, system = divmod(int(np.nanargmin(table)), table.shape[1])
    least = f"{labels[metric]} of '{scores.names[system]}'"
    return f"{fewest} to {most} independent ones (fewest: {least})"
