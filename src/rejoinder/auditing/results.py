"""What an audit's scores say: each baseline beside the real systems, tested, and a verdict on each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from rejoinder.auditing.trivial_baselines import BASELINES, COPY, PREFIX, SHUFFLED
from rejoinder.auditing.verdicts import MetricVerdict, verdict
from rejoinder.messages import merged
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS
from rejoinder.scoring.compare import compare_pairs, trials
from rejoinder.scoring.measurements import Measured
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.holm import holm

ALL, LEFT_OUT = "all", "leave-one-out"
"""The references that scores are of: all, or all but the copied ones."""

AGAINST = ("median", "best")
"""The real systems that each baseline is tested against."""

MOST_PAIRS = len(AGAINST) * len(BASELINES) + 1
"""The most pairs that are tested under a metric: `copy` against `shuffled` is the last one."""

TIMES = 3
WIDE = (
    f"the interval of '{{}}' is more than {TIMES} times as wide as its score: few replies have a match, "
    "so leaving out one of these few changes the score much"
)
"""The note on an interval that is wide because few replies have a match."""

_RESULTS = {
    "metric": pl.String,
    "baseline": pl.String,
    "references": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "lowest": pl.Float64,
    "lowest_system": pl.String,
    "median": pl.Float64,
    "median_system": pl.String,
    "best": pl.Float64,
    "best_system": pl.String,
    "systems": pl.Int64,
    "reached": pl.Int64,
    "reaches": pl.String,
    **{
        f"{column}_{against}": pl.Float64
        for against in AGAINST
        for column in ("difference", "low", "high", "p", "p_holm")
    },
}


def judged(
    scores: Scores, left_out: Scores | None, systems: Sequence[str]
) -> tuple[pl.DataFrame, tuple[MetricVerdict, ...], list[str]]:
    """The table of an audit, its verdicts, and notes on what cannot be said.

    Args:
        scores: Systems and baselines on the test set as it is.
        left_out: Systems and the copying baselines without the copied references; None where no item
            has a second reference.
        systems: The real systems.
    """
    rows = _rows(scores, ALL, systems)
    _test(scores, rows)
    orders: dict[str, dict[str, Any]] = {}
    if left_out is not None:
        reduced = _rows(left_out, LEFT_OUT, systems)
        orders = _test(left_out, reduced)
        rows += reduced
    rows.sort(key=lambda row: scores.labels.index(row["metric"]))  # stable: baselines stay in order
    verdicts = []
    for label, each in scores.measured.items():
        of_metric = [row for row in rows if row["metric"] == label]
        if each.metric.ranks:
            for against in AGAINST:
                _correct(of_metric, against)
            draws = trials(each, MOST_PAIRS)
            verdicts.append(verdict(label, each.metric, of_metric, orders.get(label), draws))
    unranked = [label for label, each in scores.measured.items() if not each.metric.ranks]
    notes = []
    if unranked:
        notes.append(f"no verdict on {', '.join(unranked)}: neither end of it is better")
    lone = {row["metric"] for row in rows if row["n"] < LEAST_ITEMS}
    if lone:
        which = ", ".join(sorted(lone))
        notes.append(f"fewer than {LEAST_ITEMS} items: no interval and no test for {which}")
    notes += merged((row["metric"], WIDE.format(row["baseline"])) for row in rows if _wide(row))
    return pl.DataFrame(rows, schema=_RESULTS), tuple(verdicts), notes


def _wide(row: Mapping[str, Any]) -> bool:
    return row["value"] > 0 and row["high"] - row["low"] > TIMES * row["value"]


def _test(scores: Scores, rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Tests each baseline against the median and the best system, and completes its row.

    Fewer than 4 items have no test: too few swaps differ.

    Returns:
        By metric ``copy`` against ``shuffled``, a row of ``compare``, where both are there.
    """
    orders = {}
    for label, each in scores.measured.items():
        of_metric = [row for row in rows if row["metric"] == label]
        one_sided: list[tuple[str, str]] = [
            (PREFIX + row["baseline"], row[f"{against}_system"])
            for row in of_metric
            for against in AGAINST
            if row.get(against) is not None
        ]
        order = (PREFIX + COPY, PREFIX + SHUFFLED)
        both = set(order) <= set(scores.names)
        tested: dict[tuple[str, str], dict[str, Any]] = {}
        if scores.resamples and each.metric.ranks and each.height >= LEAST_ITEMS:
            pairs = [*one_sided, order] if both else one_sided
            tested = _compared(scores, label, sorted(set(pairs)))
        for row in of_metric:
            for against in AGAINST:
                row |= _against(tested, row, against)
        if order in tested:
            orders[label] = tested[order]
    return orders


def _compared(
    scores: Scores, label: str, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of ``compare`` of some pairs, on the same permutations."""
    if not pairs:
        return {}
    places = [(scores.place(a), scores.place(b)) for a, b in pairs]
    table = compare_pairs(scores, label, places, trials(scores.measured[label], MOST_PAIRS))
    return dict(zip(pairs, table.iter_rows(named=True), strict=True))


def _rows(scores: Scores, references: str, systems: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each metric and baseline, as yet without tests."""
    table = {(row["metric"], row["system"]): row for row in scores.systems().iter_rows(named=True)}
    baselines = [baseline for baseline in BASELINES if PREFIX + baseline in scores.names]
    rows = []
    for label, each in scores.measured.items():
        values = {system: table[label, system]["value"] for system in systems}
        for baseline in baselines:
            measured = table[label, PREFIX + baseline]
            row = {key: measured[key] for key in ("metric", "value", "low", "high", "n")}
            row |= {"baseline": baseline, "references": references}
            if each.height < LEAST_ITEMS:
                row |= {"low": np.nan, "high": np.nan}
            if each.metric.ranks:
                row |= _standing(each, measured["value"], values)
            rows.append(row)
    return rows


def _standing(measured: Measured, value: float, values: Mapping[str, float]) -> dict[str, Any]:
    """The rank of a baseline among the real systems that have a score."""
    sign = 1 if measured.metric.higher_is_better else -1
    ranked = sorted(
        (system for system in values if not np.isnan(values[system])),
        key=lambda system: sign * values[system],
    )
    if not ranked or np.isnan(value):
        return {"systems": len(ranked)}
    places = {"lowest": 0, "median": (len(ranked) - 1) // 2, "best": len(ranked) - 1}
    reached = sum(sign * (value - values[system]) >= -NOISE for system in ranked)
    standing: dict[str, Any] = {"systems": len(ranked), "reached": reached, "reaches": "none"}
    for name, place in places.items():
        standing |= {name: values[ranked[place]], f"{name}_system": ranked[place]}
        if name != "lowest" and reached > place:
            standing["reaches"] = name
    return standing


def _against(
    compared: Mapping[tuple[str, str], Mapping[str, Any]], row: Mapping[str, Any], against: str
) -> dict[str, Any]:
    """The paired difference between a baseline and the median (best) system."""
    if row.get(against) is None:
        return {}
    tested = compared.get((PREFIX + row["baseline"], row[f"{against}_system"]))
    if tested is None:
        tested = {"difference": row["value"] - row[against]}
    return {
        f"difference_{against}": tested["difference"],
        f"low_{against}": tested.get("low"),
        f"high_{against}": tested.get("high"),
        f"p_{against}": tested.get("p_randomization"),
    }


def _correct(rows: Sequence[dict[str, Any]], against: str) -> None:
    """Puts beside the p-values of one metric those after Holm's correction over its baselines."""
    tested = [row for row in rows if row.get(f"p_{against}") is not None]
    corrected = holm(np.array([row[f"p_{against}"] for row in tested]))
    for row, p in zip(tested, corrected.tolist(), strict=True):
        row[f"p_holm_{against}"] = p
