"""What is shown of the chain from a corpus to weighted references, as far as it went."""

from __future__ import annotations

import polars as pl

from rejoinder.document.numbers import decimals, p_value
from rejoinder.document.parts import GAP, Document, Line
from rejoinder.document.table import Table, estimate, key, number
from rejoinder.messages import counted

ENDS = ("value", "low", "high")
MEANINGS = {
    "source": "Where the references come from.",
    "references": "Number of references.",
    "mean": "Mean weight.",
    "positive": "Share of weights above 0.",
}


def candidates(frame: pl.DataFrame) -> Document:
    """How many candidates there are."""
    return [
        Line(
            f"{counted(frame.height, 'candidate')} of {counted(frame['id'].n_unique(), 'item')}, the "
            "items' own first references among them"
        )
    ]


def sources(frame: pl.DataFrame) -> Document:
    """The rows of ``Weighed.sources()``."""
    columns = [
        key("source", show=lambda source: source or "(none named)"),
        number("references"),
        number("mean weight", "mean", decimals(3)),
        number("above 0", "positive", lambda share: f"{100 * share:.1f}%"),
    ]
    return [GAP, Table(frame, columns, meanings=MEANINGS)]


def systems(frame: pl.DataFrame) -> Document:
    """The rows of ``Scores.systems()``."""
    columns = [
        key("metric"),
        key("system"),
        estimate("value x100", ENDS, lambda value: decimals(2)(100 * value)),
        number("n", belongs=True),
    ]
    return [GAP, Table(frame, columns, "scores", section=("metric",))]


def agreement(frame: pl.DataFrame) -> Document:
    """The rows of ``Agreement.table()``."""
    columns = [
        key("metric"),
        key("correlation"),
        estimate("value", ENDS, decimals(3)),
        number("p", show=p_value, belongs=True),
        number("units", "n"),
    ]
    return [GAP, Table(frame, columns, "agreement", section=("metric",))]
