"""Tables of an audit, for people: every trivial baseline beside the range of the systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from rejoinder.auditing.results import MOST_PAIRS
from rejoinder.auditing.trivial_baselines import BASELINES, COPY
from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import bare_table, console, print_notes
from rejoinder.document.numbers import Show, interval, p_value, span
from rejoinder.document.text import Cell, joined, styled
from rejoinder.scoring.compare import trials
from rejoinder.scoring.shown_values import number_of, scale
from rejoinder.statistics.conventions import is_least_p
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.auditing.audit import Audit
    from rejoinder.scoring.scores import Scores

HEAD = "trivial baseline"
METRICS_AT_ONCE = 4  # a mark and a system's name stand in a cell


def audit(result: Audit) -> None:
    """Every baseline under every metric beside the range of the systems, and the verdicts."""
    out = console()
    for references, scores in (("all", result.scores), ("leave-one-out", result.left_out)):
        if scores is None:
            continue
        rows = result.table.filter(result.table["references"] == references)
        tables = -(-len(scores.labels) // METRICS_AT_ONCE)
        step = -(-len(scores.labels) // tables)
        for begin in range(0, len(scores.labels), step):
            out.print(_baselines(scores, rows, scores.labels[begin : begin + step]))
            out.print()
        what = "all references" if references == "all" else "without the reference that 'copy' is"
        out.print(f"{what}: {scale(scores, rows)}\n", style="dim")
    out.print(
        "! the score reaches the median system; !! it reaches the best system; ? it is below the "
        "median system, but the difference is not significant in the randomization test, which "
        "compares item by item (p Holm >= 0.05), so equal scores can have different marks. Each "
        "interval is for one score or one difference alone and is not corrected; p Holm is corrected "
        "for the number of trivial baselines of the metric, so an interval without 0 can stand beside a p "
        "above 0.05. 'copy' has no mark: it is an original reply, which a good metric ranks high.\n",
        style="dim",
    )
    out.print(f"{_explained(result)}\n", style="dim")
    differences = _differences(result)
    if differences.rows:
        out.print(differences)
        out.print()
    for verdict in result.verdicts:
        out.print(verdict.sentence)
    print_notes(out, result.notes)


def _explained(result: Audit) -> str:
    """What each trivial baseline of the tables replies."""
    shown = result.table["fake"].unique(maintain_order=True).to_list()
    words = ", ".join(f"'{name}' ({BASELINES[name].meaning})" for name in shown)
    return f"trivial baselines, which are none of the systems: {words}"


def _baselines(scores: Scores, rows: pl.DataFrame, labels: Sequence[str]) -> Table:
    """Baselines x metrics, and below them the lowest, the median and the best system."""
    shown = bare_table()
    shown.add_column(HEAD)
    for label in labels:
        shown.add_column(label, justify="right")
    cells: dict[tuple[str, str], dict[str, Any]] = {
        (row["metric"], row["fake"]): row for row in rows.iter_rows(named=True)
    }
    baselines = rows["fake"].unique(maintain_order=True).to_list()
    for baseline in baselines:
        marked: list[Cell] = []
        for label in labels:
            row = cells[label, baseline]
            show = number_of(scores.measured[label].metric)
            value = interval(row["value"], row["low"], row["high"], show)
            marked.append(joined(value, f" {_mark(row):2}"))
        shown.add_row(baseline, *marked)
    shown.add_section()
    for places in _places([cells[label, baselines[0]] for label in labels]):
        place = places[0]
        places_of: list[Cell] = []
        for label in labels:
            row = cells[label, baselines[0]]
            known = row[place] is not None
            value = number_of(scores.measured[label].metric)(row[place]) if known else ""
            system = styled(row[f"{place}_system"] or "", "dim")
            places_of.append(joined(value, " ", system, "   ") if known else "")
        if any(places_of):
            shown.add_row(f"{', '.join(places)} system", *places_of)
    return shown


def _places(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Lowest, median and best; together where they are the same system under every metric.

    Of two systems the median is the lower one; a single system is all three.
    """
    together: list[list[str]] = []
    for place in ("lowest", "median", "best"):
        before = together[-1][0] if together else None
        if before and all(row[f"{before}_system"] == row[f"{place}_system"] for row in rows):
            together[-1].append(place)
        else:
            together.append([place])
    return together


def _mark(row: Mapping[str, Any]) -> str:
    """The mark of a trivial baseline; none of 'copy', which a metric does well to rank high."""
    return "" if row["fake"] == COPY else _standing(row)


def _standing(row: Mapping[str, Any]) -> str:
    p = row["p_holm_median"]
    if row["reaches"] == "none":
        return "?" if p is not None and p >= SIGNIFICANT else ""
    return {"median": "!", "best": "!!"}.get(row["reaches"], "")


def _differences(result: Audit) -> Table:
    """The baselines near or above the median system, compared with it and with the best system."""

    def show(row: Mapping[str, Any]) -> Show:
        return number_of(result.scores.measured[row["metric"]].metric)

    def interval(row: Mapping[str, Any], name: str) -> str:
        known = row[f"p_holm_{name}"] is not None
        return span(row[f"low_{name}"], row[f"high_{name}"], show(row)) if known else ""

    def p(row: Mapping[str, Any], name: str) -> str:
        if row[f"p_holm_{name}"] is None:
            return ""
        draws = trials(result.scores.measured[row["metric"]], MOST_PAIRS)
        return p_value(row[f"p_holm_{name}"], is_least_p(row[f"p_{name}"], draws))

    return table(
        (row for row in result.table.iter_rows(named=True) if _standing(row)),
        text("metric"),
        text(HEAD, "fake"),
        number("reaches", lambda row: f"{row['reached']} of {row['systems']}"),
        *(
            column
            for name in ("median", "best")
            for column in (
                number(
                    f"minus {name}", lambda row, name=name: show(row)(row[f"difference_{name}"])
                ),
                number("95% interval", lambda row, name=name: interval(row, name)),
                number("p Holm", lambda row, name=name: p(row, name)),
            )
        ),
    )
