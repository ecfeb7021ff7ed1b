"""How many ratings a judge would save, forecast from a pilot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import polars as pl

from rejoinder.meta_evaluation.with_people.estimates import combined_differences
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.planning.criterion import Answer, PlanningCriterion, Schema
from rejoinder.planning.pilot import Pilot
from rejoinder.statistics.labels_saved import forecast_saved
from rejoinder.statistics.prediction_powered import or_ranks

COMBINED = "combined"
"""All judges together, across folds, beside the names of judges."""


class LabelsSaved(PlanningCriterion):
    """The share of ratings that metrics as judges would save, each by itself and all combined."""

    tables: ClassVar[Mapping[str, Schema]] = {
        "labels_saved": {
            "a": pl.String, "b": pl.String, "judge": pl.String, "rated": pl.Int64, "scored": pl.Int64,
            "correlation": pl.Float64, "low": pl.Float64, "high": pl.Float64, "saved": pl.Float64,
            "saved_low": pl.Float64, "saved_high": pl.Float64, "most": pl.Float64, "reason": pl.String,
        }
    }  # fmt: skip

    def answer(self, pilot: Pilot) -> Answer:
        """A row for each pair and judge, and for all judges combined where there are several."""
        if pilot.rated is None or pilot.ratings is None or not pilot.labels:
            return Answer({})
        replies = RepliesWithRatings.of(pilot.scores, pilot.rated, pilot.ratings.table())
        places = {name: place for place, name in enumerate(replies.systems)}
        rows: list[dict[str, Any]] = []
        for a, b in pilot.pairs:
            if a not in places or b not in places:
                continue
            i, j = places[a], places[b]
            items, differences = replies.items_of(i, j), replies.labels_of(i, j)
            has = np.flatnonzero(np.isfinite(differences))
            if not has.size:
                continue
            by = dict(zip(replies.labels, replies.predictions_of(i, j), strict=True))
            by = {label: by[label] for label in pilot.labels}
            if len(replies.labels) > 1:
                by[COMBINED] = combined_differences(replies, [(i, j)], pilot.seed)[0]
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
        return Answer({"labels_saved": rows})
