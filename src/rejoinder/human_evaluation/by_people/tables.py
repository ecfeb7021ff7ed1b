"""What is shown of systems compared by people: which one is best, their pairs, their ranks."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rejoinder.document.numbers import Show, decimals, p_value, starred, won
from rejoinder.document.parts import GAP, Document, Line, View, lines, reasons, spaced
from rejoinder.document.rank_table import ranks_of
from rejoinder.document.sign_matrix import (
    BETTER,
    LEGEND,
    MOST_LISTED,
    UNCLEAR,
    UNTESTED,
    WORSE,
    SignMatrix,
    how_many_differ,
    signs_of,
)
from rejoinder.document.table import PAIR, Column, Table, estimate, number
from rejoinder.human_evaluation.by_people.estimates import missed
from rejoinder.human_evaluation.shown_judgements import CRITERION
from rejoinder.messages import ALL_PAIRS, AS_JSON, SIGNIFICANT

P_HEADINGS = {"p_holm": "p Holm", "p_max": "p max"}
"""What the columns of corrected p-values are called."""

ANY_LOOK = "a confidence sequence, which holds at every look while ratings come in"
MEANINGS = {
    "kind": "Whether the difference is paired over shared items, or unpaired.",
    "difference": "Mean rating of a less that of b.",
    "rated": "Number of items on which both are rated.",
    "mean": "Mean of the system's ratings.",
}
MOST_REASONS = 3
"""So many pairs are named that have no interval for one reason."""


def comparison(
    verdicts: pl.DataFrame,
    pairs: pl.DataFrame,
    ranks: pl.DataFrame,
    p: str,
    anytime: bool,
    notes: Sequence[str],
    view: View,
) -> Document:
    """Of each criterion which system is best, and every pair of systems.

    More than 6 systems are a matrix of symbols; with ``view.all_pairs`` every pair has a row.

    Args:
        verdicts: ``RatingComparison.verdicts``.
        pairs: ``RatingComparison.pairs``.
        ranks: ``RatingComparison.ranks``: the means; with ``view.ranks`` the ranges of ranks too.
        p: The column of the p-values that say which pairs differ.
        anytime: Whether intervals hold at every look.
        notes: Further notes.
        view: What was asked of the showing.
    """
    show = decimals(2 if view.digits is None else view.digits)
    columns = [
        *PAIR,
        estimate("a - b", ("difference", "low", "high"), show),
        number("p", show=p_value, belongs=True),
        number(P_HEADINGS[p], p, starred, belongs=True),
        number("items W/T/L", ("wins", "ties", "losses"), won),
        number(
            "items", ("rated", "kind"), lambda n, kind: f"{n}{' (unpaired)' * (kind != 'paired')}"
        ),
    ]
    shown: Document = []
    criteria = pairs["criterion"].unique(maintain_order=True).to_list()
    matrices = False
    for name in criteria:
        rows, ranked = (each.filter(criterion=name) for each in (pairs, ranks))
        matrix = (
            len({*rows["a"], *rows["b"]}) > MOST_LISTED and ranked.height > 0 and not view.all_pairs
        )
        matrices |= matrix
        if len(criteria) > 1:
            shown.append(Line(name, "heading"))
        beside = (f"{each}." for each in missed(rows, p))
        verdict = lines([*verdicts.filter(criterion=name)["sentence"], *beside])
        shown += [*verdict, *[GAP] * len(verdict)]
        paper = rows.clear() if matrix else rows
        about = {"meanings": MEANINGS, "caption": "Pairs of systems by people"}
        shown += spaced(Table(rows, columns, above=CRITERION, paper=paper, **about))
        if matrix:
            shown += [sign_matrix("people", rows, ranked, columns, p, show), GAP]
    how = "by the maximum over" if p == "p_max" else "over"
    intervals = ANY_LOOK if anytime else "Student's t"
    legend = (
        f"[low, high]: 95% interval ({intervals}); {P_HEADINGS[p]}: corrected {how} the pairs"
        f"{' of a criterion' * (len(criteria) > 1)}, * below 0.05; items W/T/L: won, tied, lost by a, by "
        "mean ratings; items: those on which both are rated"
    )
    if matrices:
        legend = matrix_legend(p)
    shown.append(Line(legend, "legend"))
    if ranks.height:
        shown += [GAP, *ranks_of(ranks, "criterion", show, view.ranks)]
    return [*shown, *reasons(pairs, most=MOST_REASONS), *lines(notes, "note")]


def matrix_legend(p: str, unknown: bool = True) -> str:
    """What a `sign_matrix` holds.

    Args:
        p: The column of the p-values that say which pairs differ.
        unknown: Whether a pair may have no interval.
    """
    return (
        f"{LEGEND.replace('p Holm', P_HEADINGS[p])}{'; ?: no interval' * unknown}; mean a - b: of the system "
        f"and each other; {ALL_PAIRS} prints a row for each pair, {AS_JSON} all numbers"
    )


def sign_matrix(
    by: str,
    pairs: pl.DataFrame,
    ranks: pl.DataFrame,
    columns: Sequence[Column],
    p: str,
    show: Show,
) -> SignMatrix:
    """The systems by people alone or corrected, best first, with the signs of their pairs.

    CSV has all pairs in another table.

    Args:
        by: What the differences rest on.
        pairs: Every pair of the systems: ``a``, ``b``, ``difference``.
        ranks: The systems, best first: ``system``, ``difference``.
        columns: Those of a row for each pair.
        p: The column of the p-values that say which pairs differ.
        show: How a difference is written.
    """

    def sign(p: float, difference: float) -> str:
        if p < SIGNIFICANT:
            return BETTER if difference > 0 else WORSE
        return UNCLEAR if p == p else UNTESTED

    signs = (
        (a, b, sign(*row)) for a, b, *row in pairs.select("a", "b", p, "difference").iter_rows()
    )
    clear = int((pairs[p] < SIGNIFICANT).sum())
    return SignMatrix(
        pairs.clear(),
        columns,
        title=f"{by}: {how_many_differ(clear, pairs.height)}",
        names=ranks["system"].to_list(),
        heading="mean a - b",
        values=[show(each) for each in ranks["difference"]],
        signs=signs_of(ranks["system"].to_list(), signs),
    )
