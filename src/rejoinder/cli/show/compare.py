"""Tables of compared systems, for people: the best and the next best, and every pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli.show.cells import (
    heading,
    no_spread,
    number_of,
    p_value,
    scale,
    span,
    starred,
    styled,
    won,
)
from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from rejoinder.cli.show.cells import Cell
    from rejoinder.metrics.base import Metric
    from rejoinder.scoring.compare import Comparison
    from rejoinder.scoring.scores import Scores

DETECTABLE = (
    "detectable: the smallest true difference that the test finds with 80% power on this many items"
)

MARGIN = (
    "p equiv: the difference is smaller than {margin:g} either way (two one-sided tests); p not worse: a "
    "is not worse than b by {margin:g} or more; both Holm-corrected; the margin is not x100"
)
UNPAIRED = (
    "items: those that both systems answered; unpaired: the two share too few, so each is scored on "
    "its own items (how many in parentheses), with Welch's interval and without a paired test"
)


def comparison(compared: Comparison, ranks: bool = False, digits: int | None = None) -> None:
    """Every pair of systems under every metric, and with ``ranks`` the ranks of the systems."""
    out = console()
    scores, pairs = compared.scores, compared.table
    for label, each in scores.measured.items():
        show = number_of(each.metric, digits)
        additional = [number("items", _shared)] if each.answered is not None else []
        if "margin" in pairs.columns:
            additional += [
                number("p equiv", lambda row: starred(row["p_equivalence_holm"])),
                number("p not worse", lambda row: starred(row["p_noninferiority_holm"])),
            ]
        rows = pairs.filter(pairs["metric"] == label).iter_rows(named=True)
        out.print(
            table(
                rows,
                text("a"),
                text("b"),
                number("a - b", lambda row, show=show: show(row["difference"])),
                number("95% interval", lambda row, show=show: span(row["low"], row["high"], show)),
                number("p", lambda row: p_value(row["p_randomization"])),
                number("p Holm", lambda row: starred(row["p_randomization_holm"])),
                number("p boot", lambda row: p_value(row["p_bootstrap"])),
                number("W/T/L", won),
                number("detectable", lambda row, show=show: show(row["detectable"])),
                *additional,
                title=heading(scores, label),
            )
        )
        out.print()
    if ranks:
        print_ranks(out, compared.ranks())
        out.print()
    out.print(
        f"{scale(scores, pairs)}; p: approximate randomization; p Holm: corrected over a metric's pairs, "
        "* below 0.05; p boot: paired bootstrap (where the two disagree, believe p); W/T/L: items "
        f"won, tied, lost by a; {DETECTABLE}",
        style="dim",
    )
    if "margin" in pairs.columns:
        out.print(MARGIN.format(margin=pairs["margin"][0]), style="dim")
    if "paired" in pairs.columns:
        out.print(UNPAIRED, style="dim")
    bags = [label for label, each in scores.measured.items() if not each.metric.summable]
    if bags:
        words = "a score of all replies together, so single items are neither won nor lost"
        print_notes(out, [f"{', '.join(bags)}: {words}"])
    print_notes(out, no_spread(pairs, "difference", scores))
    print_notes(out, scores.notes)


def print_leads(out: Console, scores: Scores, digits: int | None = None) -> None:
    """The best system of each metric that ranks systems, the next best, and the test of the two."""
    leads = scores.leads()
    if leads.is_empty():
        return
    shows = {label: number_of(each.metric, digits) for label, each in scores.measured.items()}
    out.print(
        table(
            [_lead(row, scores.measured[row["metric"]].metric) for row in leads.to_dicts()],
            text("metric", lambda row: heading(scores, row["metric"])),
            text("best", lambda row: styled(row["a"], "bold")),
            text("next", "b"),
            number("ahead by", lambda row: shows[row["metric"]](row["difference"])),
            number(
                "95% interval",
                lambda row: span(row["low"], row["high"], shows[row["metric"]]),
            ),
            number("p", lambda row: p_value(row["p"])),
            text("verdict", _verdict),
            number("W/T/L", won),
            number("detectable", lambda row: shows[row["metric"]](row["detectable"])),
        )
    )
    pairs = len(scores.names) * (len(scores.names) - 1) // 2
    how = leads.item(0, "correction").capitalize()
    corrected = f", {how}-corrected over {pairs} pairs" if pairs > 1 else ""
    if pairs > 1 and how == "Holm":
        corrected += " as in 'rejoinder compare'"
    out.print(
        f"p: approximate randomization{corrected}; W/T/L: items won, tied, lost; {DETECTABLE}",
        style="dim",
    )


def print_ranks(out: Console, ranks: pl.DataFrame) -> None:
    """The ranges of ranks: a row for each system, a column for each metric."""
    labels = ranks["metric"].unique(maintain_order=True).to_list()
    rows: dict[str, dict[str, str]] = {}
    for row in ranks.iter_rows(named=True):
        span = f"{row['best_rank']}" + f"-{row['worst_rank']}" * (
            row["worst_rank"] > row["best_rank"]
        )
        rows.setdefault(row["system"], {"system": row["system"]})[row["metric"]] = span
    out.print(table(rows.values(), text("system"), *map(number, labels), title="ranks"))
    out.print(
        "ranks: from one more than the systems that are significantly better to all but those that are "
        "significantly worse (p Holm below 0.05)",
        style="dim",
    )


def _lead(row: dict[str, Any], metric: Metric) -> dict[str, Any]:
    """A row of ``leads`` whose difference and interval are positive where the best system is better."""
    if metric.higher_is_better:
        return row
    return row | {"difference": -row["difference"], "low": -row["high"], "high": -row["low"]}


def _shared(row: Mapping[str, Any]) -> str:
    """On how many items two systems are compared."""
    return str(row["n"]) if row["paired"] else f"unpaired ({row['n_a']}, {row['n_b']})"


def _verdict(row: Mapping[str, Any]) -> Cell:
    return styled("better", "green") if row["p"] < SIGNIFICANT else styled("not clear", "yellow")
