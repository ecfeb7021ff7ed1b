"""Tables of compared systems, for people: the best and the next best, and every pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli.show.cells import (
    NONE,
    heading,
    no_spread,
    number_of,
    p_of,
    p_value,
    scale,
    span,
    starred,
    styled,
    won,
)
from rejoinder.cli.show.gate import explained, verdict_cell
from rejoinder.cli.show.pair_matrix import is_wide, legend, pair_matrix
from rejoinder.cli.show.verdicts import is_limit, sentences, verdict
from rejoinder.cli.terminal.columns import number, table, text
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.messages import between
from rejoinder.scoring.compare import is_upper_limit
from rejoinder.statistics.power import fewest_planned

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from rich.table import Table

    from rejoinder.metrics.base import Metric
    from rejoinder.scoring.compare import Comparison
    from rejoinder.scoring.scores import Scores

DETECTABLE = (
    "detectable: a true difference of this size would be significant in 80 of 100 such studies (p < "
    "0.05, not corrected for several pairs)"
)

PAIRS = (
    "p: approximate randomization; p Holm: corrected over a metric's pairs, * below 0.05; p boot: paired "
    "bootstrap, not corrected (where it and p disagree, believe p); <: the least p that so many draws "
    f"allow; W/T/L: items won, tied, lost by a; {DETECTABLE}"
)
MARGIN = (
    "p equiv: the difference is smaller than {margin:g} either way (two one-sided tests); p not worse: a "
    "is not worse than b by {margin:g} or more; both Holm-corrected; the margin is not x100"
)
DIFFERENCES = (
    "read the differences, not the values: a difference rests on the items that both systems "
    "answered, a value on all items of its system"
)
ITEMS = "items: those that both systems answered"
UNPAIRED = (
    "unpaired: the two share too few items, so each is scored on its own (how many in parentheses), "
    "with Welch's interval and without a paired test"
)


def comparison(
    compared: Comparison,
    ranks: bool = False,
    digits: int | None = None,
    all_pairs: bool = False,
) -> None:
    """The systems under every metric, pair by pair, and with ``ranks`` their ranks.

    Many systems have a matrix for each metric, or with ``all_pairs`` a row for each pair.
    """
    out = console()
    scores, pairs = compared.scores, compared.table
    wide = is_wide(compared) and not all_pairs
    for label in scores.measured:
        out.print(pair_matrix(compared, label, digits) if wide else _pairs(compared, label, digits))
        out.print()
    if ranks:
        print_ranks(out, compared.ranks())
        out.print()
    for sentence in (words := list(sentences(compared, digits))):
        out.print(sentence)
    if words:
        out.print()
    shown = scale(scores, pairs, {*pairs["a"].to_list(), *pairs["b"].to_list()})
    out.print(shown if wide else f"{shown}; {PAIRS}", style="dim")
    if wide:
        out.print(legend(compared), style="dim")
    if "margin" in pairs.columns and not wide:
        out.print(MARGIN.format(margin=pairs["margin"][0]), style="dim")
    if "verdict" in pairs.columns:
        out.print(explained(pairs), style="dim")
    if not wide:
        _explain_items(out, pairs)
    _explain_clusters(out, pairs)
    bags = [label for label, each in scores.measured.items() if not each.metric.summable]
    if bags and not wide:
        words = "a score of all replies together, so single items are neither won nor lost"
        print_notes(out, [f"{', '.join(bags)}: {words}"])
    print_notes(out, no_spread(pairs, "difference", scores))
    print_notes(out, scores.notes)


def _pairs(compared: Comparison, label: str, digits: int | None) -> Table:
    """A row for each pair of systems under a metric."""
    scores, pairs = compared.scores, compared.table
    each = scores.measured[label]
    show = number_of(each.metric, digits)

    def limit(row: Mapping[str, Any]) -> bool:
        return is_limit(compared, row)

    additional = [number("items", _shared)] if each.answered is not None else []
    if "margin" in pairs.columns:
        additional += [
            number("p equiv", lambda row: starred(row["p_equivalence_holm"])),
            number("p not worse", lambda row: starred(row["p_noninferiority_holm"])),
        ]
    if "verdict" in pairs.columns:
        additional += [
            number("p worse", lambda row: starred(row["p_worse_holm"])),
            text("verdict", verdict_cell),
        ]
    return table(
        pairs.filter(pairs["metric"] == label).iter_rows(named=True),
        text("a"),
        text("b"),
        number("a - b", lambda row: show(row["difference"])),
        number("95% interval", lambda row: span(row["low"], row["high"], show)),
        number("p", lambda row: p_value(row["p_randomization"], limit(row))),
        number("p Holm", lambda row: starred(row["p_randomization_holm"], limit(row))),
        number("p boot", lambda row: p_of(row["p_bootstrap"], scores.resamples)),
        number("W/T/L", won),
        number("detectable", lambda row: show(row["detectable"])),
        *additional,
        title=heading(scores, label),
    )


def print_leads(out: Console, scores: Scores, digits: int | None = None) -> None:
    """The best system of each metric that ranks systems, the next best, and the test of the two."""
    leads = scores.leads()
    if leads.is_empty():
        return
    families = len(scores.names) * (len(scores.names) - 1) // 2
    shows = {label: number_of(each.metric, digits) for label, each in scores.measured.items()}
    out.print(
        table(
            [_lead(row, scores.measured[row["metric"]].metric) for row in leads.to_dicts()],
            text("metric", lambda row: heading(scores, row["metric"])),
            text("best", lambda row: styled(row["a"], "bold")),
            text("next", "b"),
            *([number("items", _shared)] if "paired" in leads.columns else []),
            number("ahead by", lambda row: shows[row["metric"]](row["difference"])),
            number(
                "95% interval",
                lambda row: span(row["low"], row["high"], shows[row["metric"]]),
            ),
            number("p", lambda row: _corrected(scores, row, families)),
            text("verdict", lambda row: verdict(row["p"], row["difference"])),
            number("W/T/L", won),
            number("detectable", lambda row: shows[row["metric"]](row["detectable"])),
        )
    )
    how = leads.item(0, "correction").capitalize()
    corrected = f", {how}-corrected over {families} pairs" if families > 1 else ""
    if families > 1 and how == "Holm":
        corrected += " as in 'rejoinder compare'"
    out.print(
        f"p: approximate randomization{corrected}; <: the least p that so many draws allow; "
        f"W/T/L: items won, tied, lost; {DETECTABLE}",
        style="dim",
    )
    _explain_items(out, leads)
    if "paired" in leads.columns:
        out.print(DIFFERENCES, style="dim")


def print_ranks(out: Console, ranks: pl.DataFrame) -> None:
    """The ranges of ranks: a row for each system, a column for each metric."""
    labels = ranks["metric"].unique(maintain_order=True).to_list()
    rows: dict[str, dict[str, str]] = {}
    for row in ranks.iter_rows(named=True):
        span = f"{row['best_rank']}" + f"-{row['worst_rank']}" * (
            row["worst_rank"] > row["best_rank"]
        )
        span += f" {row['letters']}"
        rows.setdefault(row["system"], {"system": row["system"]})[row["metric"]] = span
    out.print(table(rows.values(), text("system"), *map(number, labels), title="ranks"))
    out.print(
        "ranks: 2-5 means that one system is significantly better, and that this one may be as low as "
        "fifth (p below 0.05 after Holm's correction over all pairs); two systems that share a letter do "
        "not differ significantly, two that share none do",
        style="dim",
    )


def _explain_items(out: Console, pairs: pl.DataFrame) -> None:
    """What the column of items says, where systems answered different items."""
    if "paired" in pairs.columns:
        unpaired = "" if pairs["paired"].all() else f"; {UNPAIRED}"
        out.print(ITEMS + unpaired, style="dim")
    unit, fewest = ("clusters" if "clusters" in pairs.columns else "items"), fewest_planned()
    if (pairs["clusters" if unit == "clusters" else "n"] < fewest).any():
        out.print(f"detectable is {NONE} for fewer than {fewest} {unit}", style="dim")


def _explain_clusters(out: Console, pairs: pl.DataFrame) -> None:
    """By how much clusters multiply the variance of differences: the least and the most of all pairs."""
    if "design_effect" not in pairs.columns:
        return
    effects: dict[str, list[float]] = {}
    for row in pairs.iter_rows(named=True):
        if row["design_effect"] == row["design_effect"]:
            effects.setdefault(row["metric"], []).append(row["design_effect"])
    words = [f"{label} {between(min(each), max(each))}" for label, each in effects.items()]
    if words:
        out.print(
            "design effect (clusters multiply the variance of the difference a - b by it): "
            + ", ".join(words),
            style="dim",
        )


def _lead(row: dict[str, Any], metric: Metric) -> dict[str, Any]:
    """A row of ``leads`` whose difference and interval are positive where the best system is better."""
    if metric.higher_is_better:
        return row
    return row | {"difference": -row["difference"], "low": -row["high"], "high": -row["low"]}


def _corrected(scores: Scores, row: Mapping[str, Any], families: int) -> str:
    """The corrected p of a lead, marked where no draw was as extreme."""
    return p_value(row["p"], is_upper_limit(scores.measured[row["metric"]], row, families))


def _shared(row: Mapping[str, Any]) -> str:
    """On how many items two systems are compared."""
    return str(row["n"]) if row["paired"] else f"unpaired ({row['n_a']}, {row['n_b']})"
