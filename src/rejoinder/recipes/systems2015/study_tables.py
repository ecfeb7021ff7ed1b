"""What is shown of the systems of Galley et al. (2015): their values by metric, and how alike they reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from rejoinder.document.numbers import NONE, decimals
from rejoinder.document.parts import GAP, Document, lines, signed
from rejoinder.document.table import Table, estimate, key, number, text

MEANINGS = {
    "features": "Number of features with a weight.",
    "tuned_on": "Metric that the weights were tuned on; null: none.",
    "one": "Metric that one of two systems was tuned on.",
    "other": "Metric that the other one was tuned on.",
    "same": "Share of items with the same reply of both.",
    "items": "Number of items.",
}


def study(
    table: pl.DataFrame,
    agreement: pl.DataFrame,
    signatures: Mapping[str, str],
    notes: Sequence[str],
) -> Document:
    """The tables of a study, with its notes.

    Args:
        table: The scores of the systems.
        agreement: How often two systems reply the same.
        signatures: The signature of each metric, by label.
        notes: The notes of the study.
    """
    columns = [
        key("metric"),
        key("system"),
        number("features", show=lambda count: NONE if count is None else str(count)),
        text("tuned on", "tuned_on", lambda metric: metric or NONE),
        estimate("value x100", ("value", "low", "high"), lambda value: decimals(2)(100 * value)),
        number("n", belongs=True),
    ]
    alike = [
        key("system"),
        key("tuned on", "one"),
        key("and on", "other"),
        number("same reply %", "same", lambda share: f"{100 * share:.1f}"),
        number("items"),
    ]
    return [
        Table(table, columns, section=("metric",), meanings=MEANINGS),
        GAP,
        Table(agreement, alike, "agreement", section=("system",), meanings=MEANINGS),
        GAP,
        *lines([f"[low, high]: 95% interval; {NONE}: none"], "legend"),
        *lines(notes, "note"),
        GAP,
        *signed(signatures),
    ]
