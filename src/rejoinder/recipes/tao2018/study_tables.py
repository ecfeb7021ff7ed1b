"""What is shown of the study of Tao et al. (2018): its Tables 2 and 3, and each system by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from rejoinder.document.numbers import NONE, decimals, three_decimals
from rejoinder.document.parts import GAP, Document, Line
from rejoinder.document.table import Column, Table, estimate, key, number
from rejoinder.document.text import styled
from rejoinder.messages import SIGNIFICANT, counted

COEFFICIENTS = ("pearson", "spearman")
CASES = ("id", "query", "reference", "system", "reply", "human")
MEANINGS = {
    "group": "pooled, the mean of systems, or a system.",
    "heading": "What a metric stands under in the paper.",
    "coefficient": "Correlation coefficient.",
}


def agreement(pooled: pl.DataFrame, mean: pl.DataFrame | None, systems: int, name: str) -> Document:
    """The paper's Table 2, of several systems within these too; p only where there is a test that holds.

    Args:
        pooled: ``TaoStudy.table()``.
        mean: The same of the mean within systems; None of a single system.
        systems: How many systems there are.
        name: What the mean is called.
    """
    shown: Document = []
    if mean is not None:
        legend = (
            f"{name}: the mean over {systems} systems of each system's own correlation; [low, high]: "
            "95% interval, jackknife over contexts; p: contexts permuted inside each system; * p "
            f"below {SIGNIFICANT}; {NONE}: undefined"
        )
        shown = [_paper_table(mean, name, True), GAP, Line(legend, "legend"), GAP]
    test = "" if mean is not None else f"; p: permutation test; * p below {SIGNIFICANT}"
    legend = (
        f"{pooled['n'].max()} replies of {counted(systems, 'system')}; [low, high]: 95% "
        f"interval, contexts resampled{test}; {NONE}: undefined"
    )
    table = _paper_table(pooled, "pooled", mean is None)
    return [*shown, table, GAP, Line(legend, "legend")]


def within(rows: pl.DataFrame, groups: Sequence[str]) -> Document:
    """Each system's own coefficients, and their mean: a column for each."""
    part = rows.filter(rows["group"].is_in(list(groups)))
    shown: Document = []
    for (coefficient,), frame in part.group_by("coefficient", maintain_order=True):
        columns = [
            key(f"{coefficient}, within", "metric"),
            number(str, ("value", "p"), _short, across=True),
        ]
        above = ("coefficient",)
        table = Table(frame, columns, "systems", "", above, "group", meanings=MEANINGS)
        shown += [GAP, table]
    return shown


def cases(frame: pl.DataFrame) -> Document:
    """The paper's Table 3: a few replies with their scores."""
    shown: Document = []
    labels = [each for each in frame.columns if each not in CASES]
    columns = [
        key("system"),
        key("reply"),
        number("human", show=decimals(2)),
        *(number(label, show=decimals(3)) for label in labels),
    ]
    meanings = {
        "reply": "The reply.",
        "human": "Its rating.",
        **dict.fromkeys(labels, "Value of this metric."),
    }
    for (id, query, reference), rows in frame.group_by(
        "id", "query", "reference", maintain_order=True
    ):
        shown += [GAP, Line(styled(f"{id}: {query}", "bold")), Line(f"reference: {reference}")]
        shown.append(Table(rows, columns, "cases", above=("id",), meanings=meanings))
    return shown


def _paper_table(rows: pl.DataFrame, title: str, tested: bool) -> Table:
    columns: list[Column] = [key("", "heading", once=True), key(title, "metric")]
    for name in COEFFICIENTS:
        ends = (name, f"{name}_low", f"{name}_high")
        columns.append(estimate(name, ends, decimals(3)))
        if tested:
            columns.append(number("p", ("metric", name, f"{name}_p"), _p, belongs=True))
    frame = rows.with_columns(group=pl.lit(title))
    return Table(frame, columns, above=("group",), section=("heading",), meanings=MEANINGS)


def _p(metric: str, value: float, p: float) -> str:
    """The p-value, with a star where it is significant; the random baseline has none."""
    return "" if math.isnan(value) else three_decimals(p, metric != "random")


def _short(value: float, p: float) -> str:
    return f"{decimals(3)(value)}{'*' if p < SIGNIFICANT else ' '}"
