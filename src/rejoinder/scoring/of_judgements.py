"""Systems and items that people judged, as scores of no metric."""

from __future__ import annotations

import polars as pl

from rejoinder.scoring.clusters import clustered
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.item_clusters import item_clusters


def of_judgements(
    table: pl.DataFrame,
    items: pl.DataFrame | None = None,
    *,
    cluster: str | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> Scores:
    """Scores of no metric, for what reads people's judgements from a table beside them.

    Args:
        table: ``system`` and ``id`` of each judgement, and a column of clusters if there is one.
        items: The items, with ``id``; None takes those of the table.
        cluster: As for ``rejoinder.ratings``.
        resamples: As for ``score``.
        seed: As for ``score``.

    >>> rows = {"system": ["a", "b", "a"], "id": ["1", "1", "2"]}
    >>> of_judgements(pl.DataFrame(rows)).names
    ('a', 'b')
    """
    check_draws(resamples, seed)
    notes: list[str] = []
    if items is None:
        items = table.select("id").unique(maintain_order=True)
        clusters, notes = item_clusters(table, cluster, "ratings")
        if clusters is not None:
            labels = pl.col("id").replace_strict(clusters.labels)
            items = items.with_columns(labels.alias(clusters.column))
            cluster = clusters.column
    names = table.get_column("system").unique(maintain_order=True)
    scores = Scores(tuple(names), items, {}, tuple(notes), resamples, seed)
    return clustered(scores, cluster)
