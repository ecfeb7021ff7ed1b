"""What is shown of tuned weights: the gain held out under every metric, and the weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from rejoinder.document.numbers import NONE, Show
from rejoinder.document.parts import GAP, Document, Line, lines, signed
from rejoinder.document.table import Table, estimate, key, number, text
from rejoinder.messages import counted
from rejoinder.metrics.base import Metric
from rejoinder.scoring.shown_values import number_of

MEANINGS = {
    "tuned": "Whether the weights were tuned by this metric.",
    "first": "Value of the first candidate of each list.",
    "held_out": "Value of the candidates that weights of the other folds choose.",
    "gain": "By how much the reranked candidates are better, on items not tuned on.",
    "training_gain": "The gain on the items tuned on, mean over folds; null where it was not tuned.",
    "shown": "Whether the interval of the gain lies above 0.",
    "feature": "The feature.",
    "weight": "Its weight, tuned on all items.",
}

TIMES100 = "values of metrics within -1 and 1 are x100"


def show_of(metrics: Mapping[str, Metric]) -> Callable[[str], Show]:
    """How values of a metric are shown, by its name."""
    return lambda label: number_of(metrics.get(label), plain=3)


def tuned(
    table: pl.DataFrame,
    weights: Mapping[str, float],
    settings: Mapping[str, int],
    metrics: Mapping[str, Metric],
    signatures: Mapping[str, str],
    notes: Sequence[str],
) -> Document:
    """The gain held out, the weights, and how they were found.

    Args:
        table: ``Tuned.table``.
        weights: By feature.
        settings: ``Tuned.settings``.
        metrics: By label.
        signatures: By metric.
        notes: What was left out.
    """
    show = show_of(metrics)
    columns = [
        key("metric"),
        text("", ("tuned",), lambda each: "tuned" if each else "not tuned"),
        number("first", "first", show, by="metric"),
        number("reranked", "held_out", show, by="metric"),
        estimate("gain held out", ("gain", "low", "high"), show, by="metric"),
        text("", ("shown", "low"), _verdict),
        number(
            "in training",
            "training_gain",
            lambda metric: lambda value: "" if value is None else show(metric)(value),
            by="metric",
        ),
    ]
    shares = pl.DataFrame({"feature": list(weights), "weight": list(weights.values())})
    return [
        Table(table, columns, meanings=MEANINGS),
        Line(
            f"{counted(settings['items'], 'item')}, {counted(settings['candidates'], 'candidate')}; each "
            f"item reranked by weights tuned on the other {settings['folds'] - 1} of "
            f"{settings['folds']} folds; {TIMES100}",
            "legend",
        ),
        GAP,
        Table(
            shares,
            [key("feature"), number("weight", show=lambda value: f"{value:.4g}")],
            name="weights",
            meanings=MEANINGS,
        ),
        GAP,
        *signed(signatures),
        *lines(notes, "note"),
    ]


def _verdict(shown: bool, low: float) -> str:
    if low != low:
        return NONE
    return "gain" if shown else "no gain shown"
