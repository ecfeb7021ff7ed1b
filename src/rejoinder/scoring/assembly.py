"""From joined tables to Scores: one way for replies, and for replies without their own references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError
from rejoinder.files.shards import in_shards
from rejoinder.kernels.arrays import Indices
from rejoinder.messages import Argument, counted, merged
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import interval_facts
from rejoinder.metrics.engine.measurement import data_facts, measure, provided, remarks
from rejoinder.metrics.engine.measurement_in_shards import measure_in_shards
from rejoinder.metrics.engine.rows import Matrix, rows_of
from rejoinder.metrics.external import External
from rejoinder.progress import Progress
from rejoinder.scoring.external import dropped_facts, scored_items
from rejoinder.scoring.measurements import Measured, few_items
from rejoinder.scoring.scores import Scores
from rejoinder.tables.responses import Alignment, MissingOrPairwise
from rejoinder.tables.testset import TestSet
from rejoinder.text.strings import Strings

LEAVE_OUT = ("leave such items out with ", Argument("drop_unusable", True), ", which says how many")
"""The remedy for items that a metric cannot score."""


def assemble(
    alignment: Alignment,
    contexts: pl.DataFrame,
    metrics: Mapping[str, Metric],
    batch: Batch,
    usable: Sequence[np.ndarray],
    *,
    facts: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    resamples: int,
    seed: int,
    progress: Progress | None = None,
) -> Scores:
    """Measures a batch with every metric, once, and keeps the rows with signatures and notes.

    Args:
        alignment: The replies, S systems to each of n items.
        contexts: The n items kept.
        metrics: By label.
        batch: The replies item by item and, within an item, system by system: n items of S replies,
            or n * S items of one reply.
        usable: For each metric the items that it can score, bool [n].
        facts: Additional words of the signatures.
        notes: Additional notes, behind those on missing replies.
        resamples: Number of resamples of the paired bootstrap.
        seed: Random seed.
        progress: Called with the number of slices measured and of all slices.
    """
    systems = len(alignment.systems)
    of_texts = {label: each for label, each in metrics.items() if not isinstance(each, External)}
    if in_shards():
        names = item_names(contexts)
        batch, statistics = measure_in_shards(list(of_texts.values()), batch, names, progress)
    else:
        batch = provided(list(of_texts.values()), batch, progress)
        statistics = measure(list(of_texts.values()), batch, progress)
    rows = {label: rows_of(each, systems) for label, each in zip(of_texts, statistics, strict=True)}
    for label, metric in metrics.items():
        if isinstance(metric, External):
            rows[label] = Matrix(metric.rows(alignment.systems, alignment.ids))
    changed = {**_missing(alignment), **(facts or {})}
    measured = {
        label: Measured(
            metric,
            rows[label].pick(keep),
            keep,
            metric.signature(
                **data_facts(metric, batch),
                **(changed | dropped_facts(metric, keep)),
                **interval_facts(metric, resamples, seed),
            ),
        )
        for (label, metric), keep in zip(metrics.items(), usable, strict=True)
    }
    return Scores(
        tuple(alignment.systems),
        contexts.drop("context"),
        measured,
        (
            *_gaps(alignment),
            *notes,
            *remarks(metrics, batch, alignment.systems),
            *(few_items(measured) if resamples else ()),
        ),
        resamples,
        seed,
        spread(batch, scored_by_references(metrics, usable)),
    )


def item_names(contexts: pl.DataFrame) -> list[str]:
    """The name of each item by which shards are formed: its conversation, where it has one, or its id."""
    ids = contexts.get_column("id").cast(pl.String)
    if "conversation" not in contexts.columns:
        return ids.to_list()
    whole = contexts.get_column("conversation").cast(pl.String)
    return pl.select(pl.coalesce(whole, ids)).to_series().to_list()


def usable_items(
    metrics: Mapping[str, Metric],
    batch: Batch,
    ids: Sequence[str],
    drop: bool,
    where: str | None = None,
    *,
    systems: Sequence[str] = (),
    missing: MissingOrPairwise = "error",
) -> tuple[list[np.ndarray], list[str]]:
    """The items that each metric can score for every system (bool [n]), and notes on the others.

    Args:
        metrics: By label.
        batch: As for ``assemble``.
        ids: The n items.
        drop: Leave the other items out instead of raising.
        where: Words behind the reason, where references were left out. A metric may then be left
            without any item.
        systems: The systems, by which scores of other tools are found.
        missing: What to do where such a score is missing.

    Raises:
        InputError: A metric cannot score an item, and ``drop`` is false; or it can score none.
    """
    usable, dropped, external = [], [], []
    for label, metric in metrics.items():
        if isinstance(metric, External):
            items, notes = scored_items(label, metric, systems, ids, missing)
            usable.append(items)
            external += notes
            continue
        unusable, why = metric.unusable(batch)
        lacking = unusable.reshape(len(ids), -1).any(axis=1)
        count = int(lacking.sum())
        why = f"{why} {where}" if where else why
        if count == len(ids) and not where:
            raise InputError(f"{label}: no item can be scored: each one {why}")
        if count and not drop:
            first = ids[int(np.flatnonzero(lacking)[0])]
            raise InputError(
                f"{label}: item '{first}' {why} ({count} of {len(ids)} items); ", *LEAVE_OUT
            )
        if count:
            dropped.append((label, dropped_items(count, len(ids), why)))
        usable.append(~lacking)
    return usable, [*external, *merged(dropped)]


def dropped_items(count: int, items: int, why: str) -> str:
    """The note on items that a metric could not score.

    Args:
        count: Number of items that are dropped.
        items: Number of all items.
        why: Why, as a sentence about each of them goes on.
    """
    return f"{count} of {items} items dropped: each {why}"


def item_by_item(replies: pl.Series, systems: int) -> Strings:
    """Replies sorted by system and then by item, as texts sorted by item and then by system."""
    order = np.arange(len(replies)).reshape(systems, -1).T.ravel()
    return Strings.of(replies, "responses").take(order)


def references_of(testset: TestSet, contexts: pl.DataFrame) -> pl.DataFrame:
    """The references of some items, in the order of these items, with their place as ``item``."""
    items = contexts.select("id").with_row_index("item")
    placed = testset.references.join(items, on="id", how="inner", maintain_order="left")
    if not placed.get_column("item").is_sorted():
        placed = placed.sort("item", maintain_order=True)
    return placed


def bounds_of(references: pl.DataFrame, items: int) -> Indices:
    """Where the references of each item begin and end: int64 [n + 1]."""
    counts = np.bincount(references.get_column("item").to_numpy(), minlength=items)
    return np.concatenate([[0], np.cumsum(counts)])


def scored_by_references(metrics: Mapping[str, Metric], usable: Sequence[np.ndarray]) -> np.ndarray:
    """The items that some metric compared with references: bool [n]; all where no metric has any.

    Args:
        metrics: By label.
        usable: For each metric the items that it could score, bool [n].
    """
    compared = [
        items
        for metric, items in zip(metrics.values(), usable, strict=True)
        if metric.needs & {"references", "weights"}
    ]
    return np.any(compared, axis=0) if compared else np.ones_like(usable[0])


def spread(batch: Batch, scored: np.ndarray) -> tuple[int, int]:
    """The fewest and the most references of an item that was scored (bool [n])."""
    scored = np.repeat(scored, len(batch) // max(1, scored.size))
    counts = np.diff(batch.reference_bounds)[scored]
    return int(counts.min(initial=counts.max(initial=0))), int(counts.max(initial=0))


def _missing(alignment: Alignment) -> dict[str, str]:
    """How missing replies were treated, as a signature says it; nothing where none was missing."""
    if alignment.dropped:
        return {"missing": "drop"}
    return {"missing": "empty"} if alignment.filled else {}


def _gaps(alignment: Alignment) -> list[str]:
    """Notes on missing replies."""
    notes = [
        f"{counted(count, 'missing reply', 'missing replies')} of '{system}' scored as empty"
        for system, count in alignment.filled.items()
    ]
    if alignment.dropped:
        notes.append(f"{counted(alignment.dropped, 'item')} dropped that a system did not answer")
    return notes
