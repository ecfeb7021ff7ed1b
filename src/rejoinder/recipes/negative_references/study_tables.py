"""What is shown of the study of negative references: a table for each kind of bad reply."""

from __future__ import annotations

import polars as pl

from rejoinder.document.numbers import p_value, times100
from rejoinder.document.parts import GAP, Document, lines
from rejoinder.document.table import Table, estimate, key, number

KEYS = ("kind", "metric", "form", "order")
MEANINGS = {
    "kind": "Source of the bad reply.",
    "form": "How a single reply is scored.",
    "order": "Longest n-gram; null where there is none.",
    "accuracy": "Share of pairs whose good reply scores higher, ties half.",
    "ties": "Share of pairs whose replies score alike.",
    "difference": "Accuracy less that of BLEU.",
    "auc": "The accuracy over all pairs of any contexts.",
}


def separations(
    table: pl.DataFrame, comparisons: pl.DataFrame, forms: dict[str, str], order: int
) -> Document:
    """A table for each kind of bad reply, with n-grams up to ``order``; CSV has all orders.

    Args:
        table: ``NegativeReferences.table``.
        comparisons: ``NegativeReferences.comparisons``.
        forms: What each form is.
        order: The longest n-gram.
    """
    tests = comparisons.select(*KEYS, "difference", "low", "high", "p_holm")
    columns = [
        key("metric"),
        key("form"),
        estimate("accuracy %", ("accuracy", "accuracy_low", "accuracy_high"), times100),
        number("ties %", "ties", times100),
        estimate(
            "against BLEU",
            ("difference", "low", "high"),
            lambda value: f"{100 * value:+.1f}",
            times100,
        ),
        number("p", "p_holm", p_value, belongs=True),
        estimate("AUC %", ("auc", "auc_low", "auc_high"), times100),
    ]
    shown: Document = []
    joined = table.join(tests, on=KEYS, how="left", nulls_equal=True, maintain_order="left")
    for (kind,), rows in joined.group_by("kind", maintain_order=True):
        first = rows.row(0, named=True)
        each = Table(
            rows,
            columns,
            title=f"bad: {kind} ({first['pairs']} pairs of {first['contexts']} contexts)",
            above=("kind", "order"),
            paper=rows.filter(rows["order"].is_null() | (rows["order"] == order)),
            meanings=MEANINGS,
        )
        shown += [each, GAP]
    legend = (
        f"n-grams up to {order}; values x100; accuracy: the good reply of a context above the bad "
        "one, ties half; AUC: over all contexts; [low, high]: 95%, contexts resampled; p: Holm"
    )
    words = (f"{form}: {words}" for form, words in forms.items())
    return [*shown, *lines((legend, *words), "legend")]
