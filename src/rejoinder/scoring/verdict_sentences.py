"""What a test of two systems shows, in words: who is better, or that it is not clear."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from rejoinder.document.numbers import not_as_zero, p_value, with_interval
from rejoinder.document.text import Cell, Text, joined, plain, styled
from rejoinder.messages import SIGNIFICANT, p_is
from rejoinder.scoring.margins import UNDEFINED, WORSE
from rejoinder.scoring.measurements import Measurements
from rejoinder.scoring.shown_values import number_of
from rejoinder.statistics.conventions import NOISE, is_least_p

MOST_PAIRS = 3
"""So many pairs of systems, those of three, have sentences; of more there are the tables alone."""


def verdict(p: float, difference: float) -> Cell:
    """The verdict on a system that is ahead of another one by a difference, by the corrected p."""
    if not p < SIGNIFICANT:
        return styled("not clear", "yellow")
    # On the items that both answered the order may be the other one.
    return styled("worse", "red") if difference < 0 else styled("better", "green")


def is_limit(draws: Mapping[str, int], label: str, p: float) -> bool:
    """Whether no permutation was as extreme as the data, so that p is an upper limit.

    Args:
        draws: ``Comparison.draws``.
        label: The metric.
        p: The p-value of the randomization test.
    """
    return label in draws and is_least_p(p, draws[label])


def sentences(
    scores: Measurements, pairs: pl.DataFrame, draws: Mapping[str, int], digits: int | None = None
) -> Iterator[Text]:
    """A sentence on each pair of systems under each metric that ranks systems.

    At the end those on which metrics disagree. Of more than `MOST_PAIRS` pairs there is one on how many
    these are, and none where there are verdicts against a baseline, which are of other tests.

    Args:
        scores: ``Comparison.scores``.
        pairs: ``Comparison.table``.
        draws: ``Comparison.draws``.
        digits: Decimals of scores.
    """
    number, disagree = pairs.select("a", "b").n_unique(), disagreements(scores, pairs)
    if "verdict" in pairs.columns:
        return
    if number > MOST_PAIRS:
        if count := len(disagree):
            words = f"The metrics disagree on {count} of {number} pairs of systems"
            yield Text(((f"{words}; on each at least one is significant.", ""),))
        return
    for row in pairs.iter_rows(named=True):
        if scores.measured[row["metric"]].metric.ranks:
            yield _sentence(scores, row, draws, digits)
    yield from disagree


def disagreements(scores: Measurements, pairs: pl.DataFrame) -> list[Text]:
    """A sentence on each pair of systems of which metrics prefer one and the other, one significantly."""
    texts: list[Text] = []
    for (a, b), rows in pairs.group_by("a", "b", maintain_order=True):
        better: dict[Any, list[str]] = {a: [], b: []}
        for row in rows.iter_rows(named=True):
            metric, p = scores.measured[row["metric"]].metric, row["p_randomization_holm"]
            # Rounding errors, and what is undefined, prefer nobody.
            if metric.ranks and abs(row["difference"]) > NOISE:
                first = (row["difference"] > 0) == metric.higher_is_better
                better[a if first else b].append(row["metric"] + "*" * (p < SIGNIFICANT))
        winners = [name for each in better.values() for name in each]
        if all(better.values()) and any(name.endswith("*") for name in winners):
            sides = "; ".join(
                f"{', '.join(names)} {'prefers' if len(names) == 1 else 'prefer'} {system}"
                for system, names in better.items()
            )
            texts.append(joined(f"The metrics disagree: {sides} (*: significant)."))
    return texts


def _sentence(
    scores: Measurements, row: Mapping[str, Any], draws: Mapping[str, int], digits: int | None
) -> Text:
    label, p = row["metric"], row["p_randomization_holm"]
    metric = scores.measured[label].metric
    show = with_interval(number_of(metric, digits), number_of(metric, digits, written=not_as_zero))
    limit = is_limit(draws, label, row["p_randomization"])
    words = standing(row, p, show, "p Holm", limit, metric.higher_is_better)
    return joined(f"{label}: ", words, ".")


def standing(
    row: Mapping[str, Any],
    p: float,
    show: Callable[[float, float, float], Cell],
    test: str = "p",
    limit: bool = False,
    higher: bool = True,
) -> Text:
    """Which of two systems is better, and by how much; or that it is not clear, or not known.

    Args:
        row: ``a``, ``b``, ``difference`` (of a less b), ``low``, ``high``.
        p: The p-value that decides.
        show: How a difference and the ends of its interval are written.
        test: What p is called.
        limit: Whether p is an upper limit.
        higher: Whether higher values are better.
    """
    ahead, behind, difference = row["a"], row["b"], row["difference"]
    low, high = row["low"], row["high"]
    if difference is None or math.isnan(difference):
        return joined(f"the difference of {ahead} and {behind} is undefined")
    if higher != (difference > 0):
        ahead, behind = behind, ahead
    if difference < 0:
        difference, low, high = -difference, -high, -low
    by = plain(show(difference, low, high))
    if p is None or math.isnan(p):
        if difference <= NOISE:
            return joined(f"{row['a']} and {row['b']} score the same")
        chance = "whether this is more than chance cannot be tested"
        return joined(f"{ahead} is ahead of {behind} by {by}; {chance}")
    sentence, word = p_is(p, limit).replace("p", test, 1), verdict(p, difference)
    if difference <= NOISE:
        which = f"whether {row['a']} or {row['b']} is better: both score the same"
        return joined("it is ", verdict(math.nan, 0.0), f" {which}, {sentence}")
    if p < SIGNIFICANT:
        return joined(f"{ahead} is ", word, f" than {behind} by {by}, {sentence}")
    which = f"whether {ahead} is better than {behind}: ahead by {by}"
    alone = row.get("p_randomization", row.get("p", p))
    return joined("it is ", word, f" {which}, {sentence}{beside_interval(low, alone)}")


def beside_interval(low: float, p: float) -> str:
    """What decides where a difference is not significant, and its interval lies above 0; otherwise empty.

    Args:
        low: The lower end of the interval.
        p: The p-value of this pair alone, not corrected.
    """
    if not low > 0:
        return ""
    other = "is of this pair alone" if p < SIGNIFICANT else "is computed in another way"
    return f"; p decides: the interval, which does not contain 0, {other}"


def failure(row: Mapping[str, Any]) -> str:
    """Why a system fails against the baseline, in a line."""
    a, b, margin = f"'{row['a']}'", f"'{row['b']}'", f"{row['worse_by']:g}"
    metric, difference = row["metric"], f"difference {row['difference']:.4g}"
    if row["verdict"] == UNDEFINED:
        return f"{metric}: the difference of {a} and the baseline {b} is undefined"
    if not math.isnan(row["low"]):
        difference += f", 95% interval [{row['low']:.4g}, {row['high']:.4g}]"
    if row["verdict"] == WORSE:
        why = f"p {p_value(row['p_worse_holm'])}"
        return f"{metric}: {a} is worse than the baseline {b} by more than {margin} ({difference}; {why})"
    known = not math.isnan(row["p_not_worse_holm"])
    why = f"p {p_value(row['p_not_worse_holm'])}" if known else "no interval, so no test"
    return (
        f"{metric}: it is not excluded that {a} is worse than the baseline {b} by more than {margin} "
        f"({difference}; {why})"
    )
