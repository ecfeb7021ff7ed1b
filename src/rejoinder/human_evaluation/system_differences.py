"""Pairs of systems compared by their mean ratings, where they are rated on different items."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from rejoinder.human_evaluation.rater_exclusion import SummaryOptions
from rejoinder.statistics.holm import holm
from rejoinder.statistics.mean_difference import paired_difference, unpaired_difference
from rejoinder.statistics.skewed_mean import Inference

DIFFERENCES = {
    "criterion": pl.String, "a": pl.String, "b": pl.String, "kind": pl.String, "shared": pl.Int64,
    "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64, "p": pl.Float64,
    "p_holm": pl.Float64, "reason": pl.String,
}  # fmt: skip
"""The table of differences."""

Ratings = Mapping[str, float]
"""By id of an item the rating of a system's reply to it."""


def system_differences(
    criterion: str, systems: Mapping[str, Ratings], options: SummaryOptions
) -> list[dict[str, Any]]:
    """A row for each pair of systems: paired over shared items, unpaired where there are none."""
    rows = []
    for a, b in combinations(systems, 2):
        shared = [id for id in systems[a] if id in systems[b]]
        compared = _paired if shared else _unpaired
        value, interval, p = compared(systems[a], systems[b], shared, options)
        row = {"criterion": criterion, "a": a, "b": b, "kind": "paired" if shared else "unpaired"}
        row |= {"shared": len(shared), "difference": value, "p": p}
        rows.append(row | {"low": interval.low, "high": interval.high, "reason": interval.reason})
    for row, p in zip(rows, holm(np.array([row["p"] for row in rows])), strict=True):
        row["p_holm"] = float(p)
    return rows


def _paired(a: Ratings, b: Ratings, shared: list[str], options: SummaryOptions) -> Inference:
    differences = np.array([a[id] - b[id] for id in shared])
    return paired_difference(differences, options.cluster_labels(shared))


def _unpaired(a: Ratings, b: Ratings, _: list[str], options: SummaryOptions) -> Inference:
    values = [np.array(list(each.values())) for each in (a, b)]
    labels = [options.cluster_labels(list(each)) for each in (a, b)]
    return unpaired_difference(*values, *labels)
