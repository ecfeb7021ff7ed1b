"""What is shown of compared systems: every pair under every metric, ranks, and the legends of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from rejoinder.document.numbers import NONE, p_value, starred, won
from rejoinder.document.parts import GAP, Document, View, lines
from rejoinder.document.rank_table import ranks_of
from rejoinder.document.sign_matrix import (
    BETTER,
    EQUIVALENT,
    LEGEND,
    MOST_LISTED,
    UNCLEAR,
    UNTESTED,
    WORSE,
    SignMatrix,
    how_many_differ,
    signs_of,
)
from rejoinder.document.table import PAIR, Column, Table, ends, number, text
from rejoinder.document.text import Cell, styled
from rejoinder.messages import ALL_PAIRS, AS_JSON, SIGNIFICANT, between
from rejoinder.scoring import margins
from rejoinder.scoring.measurements import Measurements
from rejoinder.scoring.ranks import significant_pairs
from rejoinder.scoring.rates import has_mcnemar
from rejoinder.scoring.shown_values import heading, no_spread, number_of, scale
from rejoinder.scoring.verdict_sentences import is_limit, sentences
from rejoinder.statistics.conventions import is_least_p
from rejoinder.statistics.power import fewest_planned

DETECTABLE = (
    "detectable: a true difference of this size would be significant in 80 of 100 such studies (p < "
    "0.05, not corrected for several pairs)"
)

PAIRS = (
    "p: approximate randomization; p Holm: corrected over a metric's pairs, * below 0.05; p boot: paired "
    "bootstrap, not corrected (where it and p disagree, prefer p); <: the smallest p that so many draws "
    f"allow; W/T/L: items won, tied, lost by a; {DETECTABLE}"
)
MARGIN = (
    "p equiv: the difference is smaller than {margin:g} either way (two one-sided tests); p not worse: a "
    "is not worse than b by {margin:g} or more; both Holm-corrected; the margin is not x100"
)
ITEMS = "items: those that both systems answered"
UNPAIRED = (
    "unpaired: the two share too few items, so each is scored on its own (how many in parentheses), "
    "with Welch's interval (rates: Mee's score interval) and without a paired test"
)
TANGO = "Tango's score interval"
MID_P = "mid-p: McNemar's exact test of two rates, less strict than p where few items differ; not corrected"
IN_CLUSTERS = (
    "rates: McNemar's test is of independent items, so clusters have none; p swaps whole clusters"
)
MEANINGS = {
    "paired": "Whether the two share enough items for a paired test.",
    "n_a": "Number of items that a answered.",
    "n_b": "Number of items that b answered.",
    "p_equivalence_holm": "p-value of equivalence within the margin, after Holm's correction.",
    "p_noninferiority_holm": "p-value of a not being worse by the margin, after Holm's correction.",
    "p_worse_holm": "p-value of a being worse by more than is accepted, after Holm's correction.",
    "p_mcnemar": "p-value of McNemar's exact test, of rates of independent items; NaN where unpaired.",
    "p_mid": "The mid-p value of McNemar's exact test.",
    "p_mid_holm": "The same, after Holm's correction.",
    "verdict": "worse, not worse, not clear or undefined; null where the metric does not rank.",
}
STYLES = {
    margins.WORSE: "red",
    margins.UNDEFINED: "red",
    margins.NOT_CLEAR: "yellow",
    margins.NOT_WORSE: "green",
}


def comparison(
    scores: Measurements,
    pairs: pl.DataFrame,
    draws: Mapping[str, int],
    ranks: pl.DataFrame | None,
    view: View,
) -> Document:
    """The systems under every metric, pair by pair, and their ranks.

    Many systems have a matrix for each metric, or with ``view.all_pairs`` a row for each pair.

    Args:
        scores: ``Comparison.scores``.
        pairs: ``Comparison.table``.
        draws: ``Comparison.draws``.
        ranks: ``Comparison.ranks()``; None for none.
        view: What was asked of the showing.
    """
    systems = len(scores.names)
    every = systems * (systems - 1) // 2 * len(scores.measured)
    wide = systems > MOST_LISTED and pairs.height == every and not view.all_pairs
    shown: Document = []
    for label in scores.measured:
        of_metric = pairs.filter(pairs["metric"] == label)
        columns = _columns(scores, label, pairs.columns, draws, view.digits)
        if wide:
            shown.append(_matrix(scores, label, of_metric, columns, view.digits))
        else:
            title = heading(scores, label)
            shown.append(
                Table(of_metric, columns, title=title, above=("metric",), meanings=MEANINGS)
            )
        shown.append(GAP)
    if ranks is not None:
        shown += [*ranks_of(ranks), GAP]
    words = lines(sentences(scores, pairs, draws, view.digits))
    shown += [*words, *[GAP] * bool(words)]
    shown += lines(_legends(scores, pairs, wide), "legend")
    bags = [label for label, each in scores.measured.items() if not each.metric.summable]
    reason = "a score of all replies together, so single items are neither won nor lost"
    notes = [f"{', '.join(bags)}: {reason}"] * (bool(bags) and not wide)
    notes += [*no_spread(pairs, "difference", scores), *scores.notes]
    return [*shown, *lines(notes, "note")]


def _columns(
    scores: Measurements,
    label: str,
    names: Sequence[str],
    draws: Mapping[str, int],
    digits: int | None,
) -> list[Column]:
    """The columns of a row for each pair of systems under a metric."""
    measured = scores.measured[label]
    show = number_of(measured.metric, digits)

    def corrected(holm: float, p: float) -> Cell:
        return starred(holm, is_limit(draws, label, p))

    columns = [
        *PAIR,
        number("a - b", "difference", show),
        ends(show, belongs=True),
        number(
            "p", "p_randomization", lambda p: p_value(p, is_limit(draws, label, p)), belongs=True
        ),
        number("p Holm", ("p_randomization_holm", "p_randomization"), corrected, belongs=True),
        number("p boot", "p_bootstrap", lambda p: p_value(p, is_least_p(p, scores.resamples))),
        *([number("mid-p", "p_mid", p_value)] if has_mcnemar(measured) else []),
        number("W/T/L", ("wins", "ties", "losses"), won),
        number("detectable", "detectable", show),
    ]
    if measured.answered is not None:
        columns.append(SHARED)
    if "margin" in names:
        columns.append(number("p equiv", "p_equivalence_holm", starred))
        columns.append(number("p not worse", "p_noninferiority_holm", starred))
    if "verdict" in names:
        columns.append(number("p worse", "p_worse_holm", starred))
        columns.append(text("verdict", "verdict", _verdict, belongs=True))
    return columns


def _verdict(verdict: str | None) -> Cell:
    """A verdict against a baseline; none of a metric without better and worse."""
    return NONE if verdict is None else styled(verdict, STYLES[verdict])


def _shared(paired: bool, n: int, n_a: int, n_b: int) -> str:
    """On how many items two systems are compared."""
    return str(n) if paired else f"unpaired ({n_a}, {n_b})"


SHARED = number("items", ("paired", "n", "n_a", "n_b"), _shared)


def _matrix(
    scores: Measurements,
    label: str,
    pairs: pl.DataFrame,
    columns: Sequence[Column],
    digits: int | None,
) -> SignMatrix:
    """The systems under a metric, best first, with the signs of their pairs."""
    order, better = significant_pairs(scores, label, pairs)

    def sign(row: Mapping[str, Any]) -> tuple[int, int, str]:
        a, b = scores.place(row["a"]), scores.place(row["b"])
        p = row["p_randomization_holm"]
        if better[a, b] or better[b, a]:
            return a, b, BETTER if better[a, b] else WORSE
        if row.get("p_equivalence_holm", 1.0) < SIGNIFICANT:
            return a, b, EQUIVALENT
        return a, b, UNCLEAR if p == p else UNTESTED

    signs = signs_of(order.tolist(), map(sign, pairs.iter_rows(named=True)))
    measured = scores.measured[label]
    show, values = number_of(measured.metric, digits), measured.scores()
    clear = sum(row.count(BETTER) for row in signs)
    return SignMatrix(
        pairs,
        columns,
        title=f"{heading(scores, label)}: {how_many_differ(clear, pairs.height)}",
        above=("metric",),
        meanings=MEANINGS,
        names=[scores.names[s] for s in order],
        values=[show(float(values[s])) for s in order],
        signs=signs,
    )


def _legends(scores: Measurements, pairs: pl.DataFrame, wide: bool) -> Iterator[str]:
    """What the tables hold, those alone that may stand in them."""
    of = pairs.clear() if wide else pairs  # a matrix has no intervals
    shown = scale(scores, of, {*pairs["a"], *pairs["b"]}, TANGO)
    margin = pairs["margin"][0] if "margin" in pairs.columns else None
    if wide:
        words = LEGEND
        if margin is not None:
            words += f"; =: the difference is smaller than {margin:g} either way (p equiv)"
        if pairs["p_randomization_holm"].is_nan().any():
            words += "; ?: no test"
        yield shown
        yield f"{words}; {ALL_PAIRS} prints a row for each pair, {AS_JSON} all numbers"
    else:
        yield f"{shown}; {PAIRS}"
        if any(map(has_mcnemar, scores.measured.values())):
            yield MID_P
        elif scores.cluster and any(each.metric.share for each in scores.measured.values()):
            yield IN_CLUSTERS
        if margin is not None:
            yield MARGIN.format(margin=margin)
    if (metrics := pairs["metric"].n_unique()) > 1:
        yield f"each metric is tested for itself: no p is corrected over the {metrics} metrics"
    if "verdict" in pairs.columns:
        yield _verdicts_legend(scores, pairs)
    if not wide:
        yield from legends_of_items(pairs)
    yield from _cluster_legends(pairs)


def _verdicts_legend(scores: Measurements, pairs: pl.DataFrame) -> str:
    rates = any(each.metric.share for each in scores.measured.values())
    test = "one-sided t test, of rates score test" if rates else "one-sided t test"
    words = (
        f"p worse: a is worse than the baseline b by more than {pairs['worse_by'][0]:g} ({test}, "
        "without an interval a randomization test; Holm-corrected; the margin is not x100); verdict: worse "
        f"where it is below 0.05, not worse where the opposite {'' if rates else 't '}test is, otherwise not "
        "clear"
    )
    if pairs["verdict"].is_null().any():
        words += f"; {NONE}: the metric does not rank systems"
    return words


def legends_of_items(pairs: pl.DataFrame) -> Iterator[str]:
    """What the column of items says, where systems answered different items, and where items are few."""
    if "paired" in pairs.columns:
        yield ITEMS + ("" if pairs["paired"].all() else f"; {UNPAIRED}")
    unit, fewest = ("clusters" if "clusters" in pairs.columns else "items"), fewest_planned()
    if (pairs["clusters" if unit == "clusters" else "n"] < fewest).any():
        yield f"detectable is {NONE} for fewer than {fewest} {unit}"


def _cluster_legends(pairs: pl.DataFrame) -> Iterator[str]:
    """By how much clusters multiply the variance of differences: the least and the most of all pairs."""
    if "design_effect" not in pairs.columns:
        return
    known = pairs.filter(pl.col("design_effect").is_not_nan())
    least, most = pl.min("design_effect"), pl.max("design_effect").alias("most")
    rows = known.group_by("metric", maintain_order=True).agg(least, most).iter_rows()
    words = [f"{label} {between(*ends)}" for label, *ends in rows]
    if words:
        yield (
            "design effect (clusters multiply the variance of the difference a - b by it): "
            + ", ".join(words)
        )
