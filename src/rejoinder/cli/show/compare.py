"""Tables of systems held against each other, for people: the best and the next, and every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from rejoinder.cli.show.cells import no_spread, number_of, p_value, scale, span, styled, won
from rejoinder.cli.terminal.console import bare_table, console, print_notes
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    from rejoinder.scoring.compare import Comparison
    from rejoinder.scoring.scores import Scores


def comparison(compared: Comparison) -> None:
    """Every pair of systems under every metric."""
    scores, table = compared.scores, compared.table
    out = console()
    for label, each in scores.measured.items():
        show = number_of(each.metric)
        shown = bare_table(label)
        for name in ("a", "b"):
            shown.add_column(name)
        for name in ("a - b", "95% interval", "p", "p Holm", "p boot", "W/T/L", "would show"):
            shown.add_column(name, justify="right")
        for row in table.filter(table["metric"] == label).iter_rows(named=True):
            clear = row["p_randomization_holm"] < SIGNIFICANT
            shown.add_row(
                row["a"],
                row["b"],
                show(row["difference"]),
                span(row["low"], row["high"], show),
                p_value(row["p_randomization"]),
                p_value(row["p_randomization_holm"]) + ("*" if clear else " "),
                p_value(row["p_bootstrap"]),
                won(row),
                show(row["detectable"]),
            )
        out.print(shown)
        out.print()
    more = (
        "; p boot: paired bootstrap (where the two disagree, believe p); W/T/L: items won, tied, "
        "lost by a; would show: the smallest difference that so many items show with 80% power"
    )
    out.print(
        f"{scale(scores)}; p: approximate randomization; p Holm: corrected over a metric's pairs, "
        f"* below 0.05{more}",
        style="dim",
    )
    bags = table.filter(table["wins"].is_null())["metric"].unique(maintain_order=True)
    if bags.len():
        words = "of all replies together, so items are neither won nor lost"
        print_notes(out, [f"{', '.join(bags)}: {words}"])
    print_notes(out, no_spread(table, "difference", scores))
    print_notes(out, scores.notes)


def print_leads(out: Console, scores: Scores) -> None:
    """The best system of each metric that ranks them, the next, and how sure that is."""
    table = scores.leads()
    if table.is_empty():
        return
    shown = bare_table()
    for name in ("metric", "best", "next"):
        shown.add_column(name)
    for name in ("ahead by", "95% interval", "p", "verdict", "W/T/L", "would show"):
        shown.add_column(name, justify="left" if name == "verdict" else "right")
    for row in table.iter_rows(named=True):
        show = number_of(scores.measured[row["metric"]].metric)
        clear = row["p"] < SIGNIFICANT
        shown.add_row(
            row["metric"],
            styled(row["a"], "bold"),
            row["b"],
            show(abs(row["difference"])),
            span(row["low"], row["high"], show),
            p_value(row["p"]),
            styled("better", "green") if clear else styled("not clear", "yellow"),
            won(row),
            show(row["detectable"]),
        )
    out.print(shown)
    pairs = len(scores.names) * (len(scores.names) - 1) // 2
    how = table.item(0, "correction").capitalize()
    corrected = f", {how}-corrected over {pairs} pairs" if pairs > 1 else ""
    if pairs > 1 and how == "Holm":
        corrected += " as in 'rejoinder compare'"
    more = (
        "; W/T/L: items won, tied, lost; would show: the smallest difference that so many items "
        "show with 80% power"
    )
    out.print(f"p: approximate randomization{corrected}{more}", style="dim")
