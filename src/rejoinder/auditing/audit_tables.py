"""What is shown of an audit: every trivial baseline beside the range of the systems, and the verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rejoinder.auditing.results import AGAINST, ALL, LEFT_OUT, MOST_PAIRS
from rejoinder.auditing.trivial_baselines import BASELINES, COPY
from rejoinder.document.numbers import interval, p_value, span
from rejoinder.document.parts import GAP, Document, Line, spaced
from rejoinder.document.table import Column, Table, key, number
from rejoinder.document.text import Cell, joined, styled
from rejoinder.messages import SIGNIFICANT
from rejoinder.scoring.compare import trials
from rejoinder.scoring.measurements import Measurements
from rejoinder.scoring.shown_values import number_of, scale
from rejoinder.statistics.conventions import is_least_p

HEAD = "trivial baseline"
METRICS_AT_ONCE = 4  # a mark and a system's name stand in a cell
MARKS = (
    "! the score reaches the median system; !! it reaches the best system; ? it is below the "
    "median system, but the difference is not significant in the randomization test, which "
    "compares item by item (p Holm >= 0.05), so equal scores can have different marks. Each "
    "interval is for one score or one difference alone and is not corrected; p Holm is corrected "
    "for the number of trivial baselines of the metric, so an interval without 0 can stand beside a p "
    "above 0.05. 'copy' has no mark: it is an original reply, which a good metric ranks high."
)
REFERENCES = {ALL: "all references", LEFT_OUT: "without the reference that 'copy' is"}
MEANINGS = {
    "references": "all, or leave-one-out: without the references that are copied.",
    "baseline": "Name of the trivial baseline; null of a system.",
    "place": "Of a system: whether it is the lowest, the median or the best.",
    "reaches": "The place of the best system that the trivial baseline reaches.",
    "reached": "Number of systems that it reaches.",
    "systems": "Number of systems.",
    **{
        f"{name}_{against}": f"{what}, against the {against} system."
        for against in AGAINST
        for name, what in (
            ("difference", "Value of the trivial baseline less that of the system"),
            ("low", "Lower end of the 95% interval of the difference"),
            ("high", "Upper end of the 95% interval of the difference"),
            ("p", "p-value of approximate randomization"),
            ("p_holm", "The same after Holm's correction"),
        )
    },
}


def baselines(scores: Measurements, table: pl.DataFrame, references: str) -> Document:
    """The trivial baselines under every metric, and below them the lowest, the median and the best system.

    Args:
        scores: Systems and baselines.
        table: ``Audit.table``.
        references: Which references the scores are of.
    """
    rows = table.filter(table["references"] == references)
    tables = -(-len(scores.labels) // METRICS_AT_ONCE)
    step = -(-len(scores.labels) // tables)
    shown: Document = []
    for begin in range(0, len(scores.labels), step):
        part = rows.filter(rows["metric"].is_in(list(scores.labels[begin : begin + step])))
        shown += [_table(scores, part), GAP]
    words = f"{REFERENCES[references]}: {scale(scores, rows)}"
    return [*shown, Line(words, "legend"), GAP]


def legends(table: pl.DataFrame) -> Document:
    """What the marks are, and what each trivial baseline of ``Audit.table`` replies."""
    names = table["baseline"].unique(maintain_order=True)
    words = ", ".join(f"'{name}' ({BASELINES[name].meaning})" for name in names)
    replies = f"trivial baselines, which are none of the systems: {words}"
    return [Line(MARKS, "legend"), GAP, Line(replies, "legend"), GAP]


def differences(scores: Measurements, table: pl.DataFrame) -> Document:
    """The baselines near or above the median system, compared with it and with the best system."""
    shows = {label: number_of(each.metric) for label, each in scores.measured.items()}

    def interval(label: str, low: float, high: float, p: float | None) -> str:
        return "" if p is None else span(low, high, shows[label])

    def corrected(label: str, p: float, holm: float | None) -> Cell:
        limit = holm is not None and is_least_p(p, trials(scores.measured[label], MOST_PAIRS))
        return "" if holm is None else p_value(holm, limit)

    columns: list[Column] = [
        key("metric"),
        key(HEAD, "baseline"),
        number("reaches", ("reached", "systems"), lambda reached, of: f"{reached} of {of}"),
    ]
    for name in AGAINST:
        holm = f"p_holm_{name}"
        columns += [
            number(f"minus {name}", f"difference_{name}", shows.__getitem__, by="metric"),
            number(
                "95% interval",
                ("metric", f"low_{name}", f"high_{name}", holm),
                interval,
                belongs=True,
            ),
            number("p Holm", ("metric", f"p_{name}", holm), corrected, belongs=True),
        ]
    near = [bool(standing(row)) for row in table.iter_rows(named=True)]
    paper = table.filter(pl.Series(near, dtype=pl.Boolean))
    above = ("references",)
    return spaced(Table(table, columns, "differences", above=above, paper=paper, meanings=MEANINGS))


def mark(row: Mapping[str, Any]) -> str:
    """The mark of a trivial baseline; none of 'copy', which a metric does well to rank high."""
    return "" if row["baseline"] == COPY else standing(row)


def standing(row: Mapping[str, Any]) -> str:
    """Which systems a trivial baseline reaches, or that it may reach the median one; or nothing."""
    p = row["p_holm_median"]
    if row["reaches"] == "none":
        return "?" if p is not None and p >= SIGNIFICANT else ""
    return {"median": "!", "best": "!!"}.get(row["reaches"], "")


def _table(scores: Measurements, rows: pl.DataFrame) -> Table:
    """Baselines x metrics, and below them systems."""

    def name(baseline: str | None, place: str) -> str:
        return f"{place} system" if baseline is None else baseline

    def cell(label: str, value: float, low: float, high: float, system: str, *marks: Any) -> Cell:
        show = number_of(scores.measured[label].metric)
        if system is not None:
            return joined(show(value), " ", styled(system, "dim"), "   ")
        row = dict(zip(marked, marks, strict=True))
        return joined(interval(value, low, high, show), f" {mark(row):2}")

    marked = ("baseline", "reaches", "p_holm_median")
    shown = ("metric", "value", "low", "high", "system", *marked)
    columns = [key(HEAD, ("baseline", "place"), name), number(str, shown, cell, across=True)]
    frame = pl.concat([rows, _places(rows)], how="diagonal_relaxed")
    return Table(
        frame.with_columns(real=frame["baseline"].is_null()),
        columns,
        above=("references",),
        across="metric",
        section=("real",),
        meanings=MEANINGS,
    )


def _places(rows: pl.DataFrame) -> pl.DataFrame:
    """The lowest, the median and the best system; together where they are one under every metric.

    Of two systems the median is the lower one; a single system is all three.
    """
    first = rows.unique("metric", keep="first", maintain_order=True)
    together: list[list[str]] = []
    for place in ("lowest", "median", "best"):
        system, before = first[f"{place}_system"], together[-1][0] if together else ""
        if before and system.eq_missing(first[f"{before}_system"]).all():
            together[-1].append(place)
        else:
            together.append([place])
    return pl.concat(
        first.select(
            "metric",
            "references",
            place=pl.lit(", ".join(places)),
            value=places[0],
            system=f"{places[0]}_system",
        ).drop_nulls("value")
        for places in together
    )
