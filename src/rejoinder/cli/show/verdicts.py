"""What a test of two systems shows, in words: who is better, or that it is not clear."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rejoinder.cli.show.cells import joined, number_of, span, styled
from rejoinder.messages import p_is
from rejoinder.statistics.conventions import NOISE, is_least_p
from rejoinder.statistics.holm import SIGNIFICANT

if TYPE_CHECKING:
    from rich.text import Text

    from rejoinder.cli.show.cells import Cell
    from rejoinder.scoring.compare import Comparison

MOST_PAIRS = 3
"""So many pairs of systems, those of three, have sentences; of more there are the tables alone."""


def verdict(p: float, difference: float) -> Cell:
    """The verdict on a system that is ahead of another one by a difference, by the corrected p."""
    if not p < SIGNIFICANT:
        return styled("not clear", "yellow")
    # On the items that both answered the order may be the other one.
    return styled("worse", "red") if difference < 0 else styled("better", "green")


def is_limit(compared: Comparison, row: Mapping[str, Any]) -> bool:
    """Whether no permutation was as extreme as the data, so that p is an upper limit."""
    draws = compared.draws.get(row["metric"])
    return draws is not None and is_least_p(row["p_randomization"], draws)


def sentences(compared: Comparison, digits: int | None = None) -> Iterator[Text]:
    """A sentence on each pair of systems under each metric that ranks systems.

    There is none where there are more than `MOST_PAIRS` pairs, or verdicts against a baseline, which
    are of other tests.
    """
    table = compared.table
    if "verdict" in table.columns or table.select("a", "b").n_unique() > MOST_PAIRS:
        return
    for row in table.iter_rows(named=True):
        if compared.scores.measured[row["metric"]].metric.ranks:
            yield _sentence(compared, row, digits)


def _sentence(compared: Comparison, row: Mapping[str, Any], digits: int | None) -> Text:
    metric, label = compared.scores.measured[row["metric"]].metric, row["metric"]
    ahead, behind, difference = row["a"], row["b"], row["difference"]
    low, high, p = row["low"], row["high"], row["p_randomization_holm"]
    if math.isnan(difference):
        return joined(f"{label}: the difference of {ahead} and {behind} is undefined.")
    if metric.higher_is_better != (difference > 0):
        ahead, behind = behind, ahead
    if difference < 0:
        difference, low, high = -difference, -high, -low
    show = number_of(metric, digits)
    by = show(difference) + ("" if math.isnan(low) else f" {span(low, high, show)}")
    if math.isnan(p):
        chance = "whether this is more than chance cannot be tested"
        return joined(f"{label}: {ahead} is ahead of {behind} by {by}; {chance}.")
    test = p_is(p, is_limit(compared, row)).replace("p", "p Holm", 1)
    if difference <= NOISE:
        which = f"whether {row['a']} or {row['b']} is better: both score the same"
        return joined(f"{label}: it is ", verdict(math.nan, 0.0), f" {which}, {test}.")
    word = verdict(p, difference)
    if p < SIGNIFICANT:
        return joined(f"{label}: {ahead} is ", word, f" than {behind} by {by}, {test}.")
    which = f"whether {ahead} is better than {behind}: ahead by {by}"
    return joined(f"{label}: it is ", word, f" {which}, {test}.")
