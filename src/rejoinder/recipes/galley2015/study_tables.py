"""What is shown of the study of Galley et al. (2015): its Table 2, and sample reference sets."""

from __future__ import annotations

import polars as pl

from rejoinder.document.numbers import NONE, decimals, p_value
from rejoinder.document.parts import GAP, Document, Line, lines
from rejoinder.document.table import Table, estimate, key, number, text
from rejoinder.document.text import styled
from rejoinder.messages import counted
from rejoinder.recipes.galley2015.tables import Table2

COEFFICIENTS = ("spearman", "kendall-b")
MEANINGS = {
    "references": "Which references the metric has.",
    "weight": "Weight of the reference.",
    "reference": "Its text.",
    "source": "Where it comes from.",
}


def correlations(table: Table2, rows: pl.DataFrame) -> Document:
    """The paper's Table 2, the rows of ``table.table()``."""
    columns = [key("metric"), key("refs", "references")]
    for name in COEFFICIENTS:
        columns += [
            estimate(name, (name, f"{name}_low", f"{name}_high"), decimals(3), decimals(2)),
            number("p", f"{name}_p", p_value, belongs=True),
        ]
    agreement = table.agreement
    words = (
        f"{counted(rows.item(0, 'n'), 'unit')} of {counted(table.unit_size, 'item')} from "
        f"{agreement.systems} systems; n-grams up to {table.order}; [low, high]: 95% interval; "
        f"p: permutation test; {NONE}: undefined"
    )
    return [
        Table(rows, columns, section=("metric",), meanings=MEANINGS),
        GAP,
        *lines([words, agreement.protocol.spread], "legend"),
    ]


def cases(frame: pl.DataFrame) -> Document:
    """The paper's Table 1: the turns of an item, then its references with their weights."""
    columns = [
        number("weight", show=lambda w: NONE if w is None else f"{w:.2f}", key=True),
        text("reference"),
        text("source"),
    ]
    shown: Document = []
    for (id, context, message), rows in frame.group_by(
        "id", "context", "message", maintain_order=True
    ):
        turns = [*str(context or "").splitlines(), message or ""]
        shown += [GAP, Line(styled(str(id), "bold")), *lines(f"  {turn}" for turn in turns)]
        shown.append(Table(rows, columns, "cases", above=("id",), meanings=MEANINGS))
    return [*shown, GAP]
