"""Two systems' rates of passes: their difference with its interval and tests, paired or not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.metrics.base import Metric
from rejoinder.scoring.measurements import Measured, Measurements
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.equivalence import MarginTests
from rejoinder.statistics.holm import SIGNIFICANT, holm
from rejoinder.statistics.intervals import normal_quantile
from rejoinder.statistics.paired_rates import PairedRates, SeparateRates, mcnemar

MCNEMAR = ["p_mcnemar", "p_mid", "p_mid_holm"]
"""The columns of McNemar's exact test, its mid-p, and this one corrected over pairs."""


def paired_rates(measured: Measured, differences: Floats) -> PairedRates | None:
    """What two systems passed of the same items; None where a metric is no rate, or items are too few.

    Args:
        measured: The metric as it was measured.
        differences: float64 [p, n], of the values of each item, for each pair.
    """
    if not (measured.metric.share and measured.has_interval):
        return None
    return PairedRates.of(differences / _span(measured.metric), measured.clusters)


def separate_rates(first: Measured, second: Measured) -> SeparateRates | None:
    """What two systems passed of different items, float64 [1] each; see `Measured.interval_sizes`.

    None where a metric is no rate, a system has too few items, or items lie in clusters, which may have
    items of both.

    Args:
        first: What one system alone was measured with, on the items that it answered.
        second: The same of the other.
    """
    metric = first.metric
    enough = first.has_interval and second.has_interval
    if not metric.share or first.clusters is not None or not enough:
        return None
    counts = []
    for each in (first, second):
        sizes = each.interval_sizes()
        worth = np.array([float(each.height)]) if sizes is None else sizes
        counts += [(each.scores() - metric.ends[0]) / _span(metric) * worth, worth]
    return SeparateRates(*counts)


def inference_of(
    metric: Metric, rates: PairedRates | SeparateRates
) -> tuple[Floats, Floats, Callable[[float], MarginTests]]:
    """The 95% interval of each difference in the metric's own range, and its tests against a margin."""
    low, high = rates.interval()
    span = _span(metric)
    return span * low, span * high, lambda margin: rates.margin_tests(margin / span)


def has_mcnemar(measured: Measured) -> bool:
    """Whether McNemar's test is of use: of a rate whose items are independent, with one reply each."""
    return measured.metric.share and measured.clusters is None and measured.samples is None


def mcnemar_columns(measured: Measured, differences: Floats) -> dict[str, Floats]:
    """McNemar's test of each pair of systems; NaN where some item is neither a pass nor a failure.

    Args:
        measured: The metric, a share of items that are independent.
        differences: float64 [p, n], of the values of each item, for each pair.
    """
    apart = differences / _span(measured.metric)
    whole = np.abs(apart - np.round(apart)).max(axis=1) <= NOISE
    of = np.full((len(apart), 2), np.nan)
    for pair in np.flatnonzero(whole):
        wins, losses = int((apart[pair] > NOISE).sum()), int((apart[pair] < -NOISE).sum())
        of[pair] = mcnemar(wins, losses)
    return dict(zip(MCNEMAR, (*of.T, holm(of[:, 1])), strict=True))


def gate_notes(scores: Measurements, worse_by: float) -> list[str]:
    """What a gate says beforehand of rates on so few items that no system can pass it as not worse.

    Where two systems pass the same items, the one-sided test excludes a loss of m from ``z^2 (1 - m) / m``
    items on. Clusters count as items here.

    Args:
        scores: What is compared.
        worse_by: The largest loss that is accepted.
    """
    notes = []
    for label, each in scores.measured.items():
        if not (each.metric.share and each.metric.ranks and worse_by > 0):
            continue
        margin = worse_by / _span(each.metric)
        fewest = math.ceil(normal_quantile(1 - 2 * SIGNIFICANT) ** 2 * (1 - margin) / margin)
        if each.size < fewest:
            number = counted(each.size, "cluster" if scores.cluster else "item")
            notes.append(
                f"{label}: {number} cannot exclude a loss greater than {worse_by:g}, unless a system is "
                f"ahead of the baseline: where the two pass the same ones, it takes {fewest:,}"
            )
    return notes


def _span(metric: Metric) -> float:
    """How far a pass lies above a failure."""
    return metric.ends[1] - metric.ends[0]
