"""The verdict of an audit on a metric: the trivial baselines that it rewards, and a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rejoinder.auditing.trivial_baselines import COPY, SHUFFLED
from rejoinder.messages import enumerated, p_is
from rejoinder.metrics.base import Metric
from rejoinder.statistics.conventions import NOISE, is_least_p
from rejoinder.statistics.holm import SIGNIFICANT


@dataclass(frozen=True)
class MetricVerdict:
    """The verdict of an audit on one metric.

    Attributes:
        metric: Its label.
        rewarded: The baselines that reach or beat the median real system, best first. ``copy`` is none
            of them: it is an original reply, and a metric does well to rank it high.
        unclear: The baselines below the median system whose difference from it is not significant.
        copy_reached: How many real systems ``copy`` reaches or beats; None where there is no copy.
        order_costs: What share of its score ``copy`` loses when its words are shuffled.
        order_p: The p-value of that loss (randomization test).
        sentence: All this in words.
    """

    metric: str
    rewarded: tuple[str, ...]
    unclear: tuple[str, ...]
    copy_reached: int | None
    order_costs: float | None
    order_p: float | None
    sentence: str


def verdict(
    label: str,
    metric: Metric,
    rows: Sequence[Mapping[str, Any]],
    order: Mapping[str, Any] | None,
    draws: int,
) -> MetricVerdict:
    """Judges a metric by its rows of the audit's table.

    Args:
        label: What the metric is called.
        metric: The metric.
        rows: Its baselines; those without a standing (``reaches``) are ignored.
        order: ``copy`` compared with ``shuffled``, a row of ``compare``; None where there is no test.
        draws: The permutations of each test.
    """
    placed = {row["baseline"]: row for row in rows if row.get("reaches") is not None}
    copy, shuffled = placed.pop(COPY, None), placed.get(SHUFFLED)
    baselines = sorted(placed.values(), key=lambda row: -row["reached"] / row["systems"])
    rewarded = [row for row in baselines if row["reaches"] != "none"]
    unclear = [row for row in baselines if row["reaches"] == "none" and not _clear(row)]
    costs = None
    if copy is not None and shuffled is not None and metric.higher_is_better and copy["value"] > 0:
        costs = (copy["value"] - shuffled["value"]) / copy["value"]
    p = None if order is None else order["p_randomization"]
    return MetricVerdict(
        label,
        tuple(row["baseline"] for row in rewarded),
        tuple(row["baseline"] for row in unclear),
        None if copy is None else copy["reached"],
        costs,
        p,
        _sentence(label, rewarded, unclear, copy, costs, p, draws),
    )


def _clear(row: Mapping[str, Any]) -> bool:
    """Whether a baseline differs significantly from the median system; true without a test."""
    p = row.get("p_holm_median")
    return p is None or p < SIGNIFICANT


def _sentence(
    label: str,
    rewarded: Sequence[Mapping[str, Any]],
    unclear: Sequence[Mapping[str, Any]],
    copy: Mapping[str, Any] | None,
    costs: float | None,
    p: float | None,
    draws: int,
) -> str:
    words = f"{label} ranks no trivial baseline at or above the median system"
    if rewarded:
        each = [f"'{row['baseline']}' {_reached(row)}{_sureness(row, draws)}" for row in rewarded]
        words = f"{label} ranks {enumerated(each)}"
    tested = [row for row in unclear if not math.isnan(row["p_holm_median"])]
    untested = [f"'{row['baseline']}'" for row in unclear if math.isnan(row["p_holm_median"])]
    if tested:
        names = [f"'{row['baseline']}' ({_p(row, draws)})" for row in tested]
        words += (
            f"; the difference of {enumerated(names)} from the median system is not significant"
        )
    if untested:
        words += (
            f"; the difference of {enumerated(untested)} from the median system cannot be tested"
        )
    if copy is not None:
        words += f"; it ranks 'copy', an original reply, {_reached(copy)}"
        if costs is not None:
            words += f", and a shuffle of its words {_cost(costs)}"
            if p is not None and not math.isnan(p) and abs(costs) >= NOISE:
                words += f" ({p_is(p, is_least_p(p, draws))})"
    return words + "."


def _p(row: Mapping[str, Any], draws: int) -> str:
    """The p-value of the difference from the median system."""
    return p_is(row["p_holm_median"], is_least_p(row["p_median"], draws))


def _reached(row: Mapping[str, Any]) -> str:
    reached, systems = row["reached"], row["systems"]
    if systems == 1:
        return f"{'at or above' if reached else 'below'} the only system"
    if not reached:
        return f"below all {systems} systems"
    return f"at or above {'all ' if reached == systems else f'{reached} of '}{systems} systems"


def _sureness(row: Mapping[str, Any], draws: int) -> str:
    p = row.get("p_holm_median")
    if p is None:
        return ""
    if math.isnan(p):
        return " (difference from the median cannot be tested)"
    if _clear(row):
        return f" (above the median: {_p(row, draws)})"
    return f" (difference from the median not significant: {_p(row, draws)})"


def _cost(share: float) -> str:
    if abs(share) < NOISE:
        return "costs nothing"
    return f"{'costs' if share > 0 else 'adds'} {100 * abs(share):.1f}% of its score"
