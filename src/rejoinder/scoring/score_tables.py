"""What is shown of scores: systems under metrics, the best against the next best, groups of items."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import polars as pl

from rejoinder.document.numbers import p_value, span, won
from rejoinder.document.parts import GAP, Document, Line, View, lines, signed
from rejoinder.document.rank_table import SAME_LETTER, ranks_of
from rejoinder.document.table import Column, Table, estimate, key, number, text
from rejoinder.document.text import IN_PAPERS, LETTERS, Cell, joined, styled
from rejoinder.messages import AS_JSON, SIGNIFICANT, counted
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS
from rejoinder.scoring.compare import trials
from rejoinder.scoring.compare_tables import DETECTABLE, MEANINGS, SHARED, TANGO, legends_of_items
from rejoinder.scoring.measurements import Measurements
from rejoinder.scoring.shown_values import heading, no_spread, number_of, scale
from rejoinder.scoring.verdict_sentences import verdict
from rejoinder.statistics.conventions import is_least_p

COLUMNS_AT_ONCE = 5
OF_LEADS = {
    "p": "p_randomization corrected over all pairs of systems: below 0.05 the best system is better.",
}
OF_SOMETIMES = {
    "passed": "Number of samples of the item that pass.",
    "samples": "Number of samples of the item.",
}
DIFFERENCES = (
    "read the differences, not the values: a difference rests on the items that both systems "
    "answered, a value on all items of its system"
)


def systems(
    scores: Measurements,
    table: pl.DataFrame,
    leads: pl.DataFrame,
    sometimes: pl.DataFrame,
    ranks: pl.DataFrame | None,
    view: View,
) -> Document:
    """Every system under every metric, the verdicts, and the signatures; with ranks these too.

    Args:
        scores: The scores.
        table: ``Scores.systems()``.
        leads: ``Scores.leads()``; empty for none.
        sometimes: ``Scores.sometimes()``.
        ranks: ``Scores.ranks()``; None for none.
        view: What was asked of the showing.
    """
    order = f"; systems in the order of {scores.labels[0]}" if len(scores.labels) > 1 else ""
    values = _marked(_values(scores, view.digits), _best(scores, table), ranks)
    columns = [key("system"), values, number("n", paper=False)]
    columns += [number("n_samples", paper=False)] * ("n_samples" in table.columns)
    shown: Document = [Table(table, columns, across="metric", most=COLUMNS_AT_ONCE), GAP]
    words = "; best values bold" + f"; {SAME_LETTER}" * (ranks is not None)
    shown.append(Line(joined(scale(scores, table) + order, styled(words, IN_PAPERS)), "legend"))
    if not leads.is_empty():
        shown += [GAP, *_leads(scores, leads, view.digits)]
    elif len(scores.names) > 1 and scores.resamples > 0:
        shown.append(GAP)
    if ranks is not None:
        shown += [GAP, *ranks_of(ranks)]
    if not sometimes.is_empty():
        shown += [GAP, *_sometimes(sometimes)]
    return [*shown, *_end(scores, table, view.signatures)]


MOST_SOMETIMES = 20
"""So many items that pass sometimes are on paper."""


def _sometimes(rows: pl.DataFrame) -> Document:
    """The items that pass sometimes, of each system in how many of its samples."""
    columns = [
        key("metric"),
        key("id"),
        number(
            str,
            ("passed", "samples"),
            lambda passed, samples: f"{passed} of {samples}",
            across=True,
        ),
    ]
    paper = rows.head(MOST_SOMETIMES)
    more = rows.height - paper.height
    words = "items of which some samples of a system pass and some fail"
    legend = "2 of 5: 2 of 5 samples pass; an empty cell: all samples of the system pass, or none"
    legend += f"; {more} more in {AS_JSON}" if more else ""
    table = Table(
        rows, columns, name="sometimes", title=words, across="system", most=COLUMNS_AT_ONCE,
        paper=paper, meanings=OF_SOMETIMES,
    )  # fmt: skip
    return [table, Line(legend, "legend")]


def groups(
    scores: Measurements, table: pl.DataFrame, column: str, digits: int | None = None
) -> Document:
    """The systems for each value of a column.

    Args:
        scores: The scores.
        table: ``Scores.by(column)``.
        column: The column, as its heading.
        digits: Decimals of scores.
    """
    group = table.columns[0]
    values = table[group].to_list()
    table = table[
        sorted(range(table.height), key=lambda place: (values[place] is None, str(values[place])))
    ]
    counts: dict[tuple[Any, str], set[int]] = {}
    for value, system, n in table.select(group, "system", "n").iter_rows():
        counts.setdefault((value, system), set()).add(n)

    def items(value: Any, system: str, n: int) -> str:
        every = sorted(counts[value, system])
        return " to ".join(str(n) for n in every[:: max(1, len(every) - 1)])

    columns = [
        key(column, group, _group, once=True),
        key("system"),
        _values(scores, digits),
        number("n", (group, "system", "n"), items, belongs=True),
    ]
    small = table.filter((table["n"] < LEAST_ITEMS) & table["low"].is_nan())[group].n_unique()
    words = f"{counted(small, 'group')} of fewer than {LEAST_ITEMS} items: no interval"
    return [
        Table(
            table,
            columns,
            across="metric",
            section=(group,),
            meanings={group: f"Value of the column {column}."},
        ),
        Line(scale(scores, table), "legend"),
        *[Line(words, "note")] * bool(small and scores.resamples),
        *_end(scores, table),
    ]


def _group(value: Any) -> str:
    """The value of a group as it is shown: JSON's words for what is true or false."""
    if value is None:
        return "(none)"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _values(scores: Measurements, digits: int | None) -> Column:
    """The values of each metric with their intervals."""
    shows = {label: number_of(each.metric, digits) for label, each in scores.measured.items()}
    return estimate(
        lambda label: heading(scores, label),
        ("value", "low", "high"),
        shows.__getitem__,
        by="metric",
        across=True,
    )


def _best(scores: Measurements, table: pl.DataFrame) -> set[tuple[str, str]]:
    """The metrics that rank systems, each with the systems of its best value."""
    best: set[tuple[str, str]] = set()
    for label, each in scores.measured.items():
        rows = table.filter(pl.col("metric") == label, pl.col("value").is_not_nan())
        if each.metric.ranks and rows.height > 1:
            value = rows["value"].max() if each.metric.higher_is_better else rows["value"].min()
            best |= {(label, name) for name in rows.filter(value=value)["system"]}
    return best


def _marked(
    column: Column, best: Collection[tuple[str, str]], ranks: pl.DataFrame | None
) -> Column:
    """The column of values, the best ones bold, and in papers with the letters of ranks."""
    rows = () if ranks is None else ranks.select("metric", "system", "letters").iter_rows()
    letters = {(metric, system): text for metric, system, text in rows}

    def cell(metric: str, value: float, low: float, high: float, system: str) -> Cell:
        of, written = (metric, system), str(column.show(metric, value, low, high))
        number, blank, interval = written.partition(" ")
        return joined(
            styled(number, "bold" if of in best else ""),
            styled(letters.get(of, ""), LETTERS),
            blank + interval,
        )

    return replace(column, keys=(*column.keys, "system"), show=cell)


def _end(scores: Measurements, table: pl.DataFrame, signatures: bool = True) -> Document:
    shown = lines([*no_spread(table, "value", scores), *scores.notes], "note")
    of = {label: each.signature for label, each in scores.measured.items()}
    return [*shown, GAP, *signed(of)] if signatures else shown


def _leads(scores: Measurements, leads: pl.DataFrame, digits: int | None) -> Document:
    """The best system of each metric that ranks systems, the next best, and the test of the two."""
    families = len(scores.names) * (len(scores.names) - 1) // 2
    shows = {label: number_of(each.metric, digits) for label, each in scores.measured.items()}

    def ahead(label: str, difference: float) -> float:
        """The difference, positive where the best system is better."""
        higher = scores.measured[label].metric.higher_is_better
        return difference if higher else -difference

    def interval(label: str, low: float, high: float) -> str:
        low, high = sorted((ahead(label, low), ahead(label, high)))
        return span(low, high, shows[label])

    def corrected(label: str, p: float, uncorrected: float) -> Cell:
        draws = trials(scores.measured[label], families)
        return p_value(p, is_least_p(uncorrected, draws))

    columns = [
        key("metric", show=lambda label: heading(scores, label)),
        key("best", "a", lambda name: styled(name, "bold")),
        key("next", "b"),
        *([SHARED] if "paired" in leads.columns else []),
        number(
            "ahead by",
            ("metric", "difference"),
            lambda label, value: shows[label](ahead(label, value)),
        ),
        number("95% interval", ("metric", "low", "high"), interval, belongs=True),
        number("p", ("metric", "p", "p_randomization"), corrected, belongs=True),
        text(
            "verdict",
            ("metric", "p", "difference"),
            lambda label, p, value: verdict(p, ahead(label, value)),
            belongs=True,
        ),
        number("W/T/L", ("wins", "ties", "losses"), won),
        number("detectable", "detectable", shows.__getitem__, by="metric"),
    ]
    intervals = leads.select("p", "low", "high").iter_rows()
    how = leads.item(0, "correction").capitalize()
    by = f", {how}-corrected over {families} pairs" if families > 1 else ""
    if families > 1 and how == "Holm":
        by += " as in 'rejoinder compare'"
    legends = [
        f"p: approximate randomization{by}; <: the smallest p that so many draws allow; "
        f"W/T/L: items won, tied, lost; {DETECTABLE}",
        *[f"95% interval of a rate's difference: {TANGO}"]
        * any(scores.measured[label].metric.share for label in leads["metric"]),
        *legends_of_items(leads),
        *["p decides the verdict: an interval is of its pair alone, and computed in another way"]
        * any(not p < SIGNIFICANT and low * high > 0 for p, low, high in intervals),
        *[DIFFERENCES] * ("paired" in leads.columns),
    ]
    table = Table(leads, columns, name="leads", meanings=MEANINGS | OF_LEADS)
    return [table, *lines(legends, "legend")]
