"""How many ratings a judge would save, forecast from a pilot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.meta_evaluation.with_people.estimates import combined_differences
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.labels_saved import forecast_saved
from rejoinder.statistics.prediction_powered import or_ranks
from rejoinder.tables.types import Ratings

COMBINED = "combined"
"""All judges together, across folds, beside the names of judges."""

LABELS_SAVED = {
    "a": pl.String, "b": pl.String, "judge": pl.String, "rated": pl.Int64, "scored": pl.Int64,
    "correlation": pl.Float64, "low": pl.Float64, "high": pl.Float64, "saved": pl.Float64,
    "saved_low": pl.Float64, "saved_high": pl.Float64, "most": pl.Float64, "reason": pl.String,
}  # fmt: skip
"""The table of ratings saved; see `planning.plan.Plan`."""


def labels_saved(
    scores: Scores,
    rated: Rated,
    ratings: Ratings,
    pairs: Sequence[tuple[str, str]],
    labels: Sequence[str],
    seed: int,
) -> pl.DataFrame:
    """A row for each pair and judge, and for all judges combined where there are several.

    Args:
        scores: What was measured.
        rated: The ratings that were matched with it.
        ratings: The ratings, of one criterion.
        pairs: The pairs of systems that are planned for.
        labels: The metrics that rank systems.
        seed: Random seed of the folds.
    """
    replies, _ = RepliesWithRatings.of(scores, rated, ratings.table())
    places = {name: place for place, name in enumerate(replies.systems)}
    rows: list[dict[str, Any]] = []
    for a, b in pairs:
        if a not in places or b not in places:
            continue
        i, j = places[a], places[b]
        items, differences = replies.items_of(i, j), replies.labels_of(i, j)
        has = np.flatnonzero(np.isfinite(differences))
        if not has.size:
            continue
        by = dict(zip(replies.labels, replies.predictions_of(i, j), strict=True))
        by = {label: by[label] for label in labels}
        if len(replies.labels) > 1:
            by[COMBINED] = combined_differences(replies, [(i, j)], seed)[0]
        groups = replies.group[has] if replies.groups_are == "clusters" else None
        for judge, predictions in by.items():
            used = or_ranks(differences[items], predictions[items])[np.isin(items, has)]
            each = forecast_saved(differences[has], used, items.size - has.size, groups)
            interval = each.interval
            rows.append(
                {"a": a, "b": b, "judge": judge, "rated": has.size, "scored": items.size}
                | {"low": interval.low, "high": interval.high, "reason": interval.reason}
                | {name: value for name, value in each._asdict().items() if name != "interval"}
            )
    return pl.DataFrame(rows, schema=LABELS_SAVED, orient="row")
