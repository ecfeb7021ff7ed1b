"""For whom the intervals of people's differences hold, and who rates which system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rejoinder.human_evaluation.by_people.replies import RatedReplies
from rejoinder.human_evaluation.different_raters import different_raters, listed_pairs
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import between, some_of
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.mean_difference import paired_difference
from rejoinder.statistics.prediction_powered import FEWEST_LABELLED
from rejoinder.statistics.rater_variance import MOST_OF_ONE, TIED, Scope, shared

FEW = 4
"""With fewer raters of equal shares the interval for others is wide, and covers a little less or more."""


UNEVEN = 0.1
"""Different people rate two systems where more than so much of their shares cannot be compared."""

MOST_NAMED = 3
"""So many raters who are more severe or more lenient than the others are named."""


def severity_notes(replies: RatedReplies) -> list[str]:
    """A sentence on each rater who is clearly more severe, or more lenient, than the others.

    A rater's grades are compared with the mean of the others' grades of the same replies, item by
    item, with Bonferroni's correction over raters. The one who differs most is named and then left
    out, so that nobody seems lenient beside one severe rater. Ratings of fewer than 10 items name
    nobody. Differences count as spread at least as those of half of the raters (the median variance): one
    of several raters who by chance met no failure hardly differs from item to item, and would seem
    lenient. The mean variance would not do: one rater who grades at random would hide severe ones.
    """
    notes: list[str] = []
    left = list(range(len(replies.raters)))
    while replies.single is not None and len(left) > 1 and len(notes) < MOST_NAMED:
        apart = {r: _apart(replies.single, r, [each for each in left if each != r]) for r in left}
        known = {r: np.isfinite(values) for r, values in apart.items()}
        apart = {r: v[known[r]] for r, v in apart.items() if known[r].sum() >= FEWEST_LABELLED}
        if not apart:
            break
        least = float(np.median([values.var(ddof=1) for values in apart.values()]))
        wider = {r: _spread(values, least) for r, values in apart.items()}
        tested = {r: paired_difference(wider[r], replies.group[known[r]]) for r in apart}
        first = max(tested, key=lambda r: abs(tested[r].value))
        mean = tested[first]
        if not mean.p * len(left) < SIGNIFICANT:
            break
        left.remove(first)
        word, side = ("severe", "lower") if mean.value < 0 else ("lenient", "higher")
        low, high = sorted((abs(mean.interval.low), abs(mean.interval.high)))
        spread = ", by the median spread of raters" if wider[first] is not apart[first] else ""
        others = some_of([f"'{replies.raters[each]}'" for each in left], MOST_NAMED)
        notes.append(
            f"rater '{replies.raters[first]}' is more {word} than {others}: grades of the same replies are "
            f"{abs(mean.value):.2f} {side} on average (95% interval {low:.2f} to {high:.2f}{spread})"
        )
    return notes


def _spread(values: Floats, least: float) -> Floats:
    """Values with at least so large a variance about the same mean: float64 [n]."""
    variance = values.var(ddof=1)
    if not 0 < variance < least:
        return values
    return values.mean() + (values - values.mean()) * np.sqrt(least / variance)


def _apart(single: Floats, rater: int, others: Sequence[int]) -> Floats:
    """By how much a rater's grades of each item's replies differ from the mean of others: float64 [n]."""
    rated = np.isfinite(single)
    count = rated[..., others].sum(axis=2)
    both = rated[..., rater] & (count > 0)
    theirs = np.where(rated, single, 0.0)[..., others].sum(axis=2) / np.maximum(1, count)
    apart = np.where(both, single[..., rater] - theirs, 0.0).sum(axis=0)
    number = both.sum(axis=0)
    return np.where(number > 0, apart / np.maximum(1, number), np.nan)


def scope_notes(replies: RatedReplies, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """For which raters the intervals of differences hold, and whether severity is taken off them."""
    by_scope: dict[Scope, list[tuple[int, int]]] = {}
    for a, b in pairs:
        if replies.shares_of(a, b) is not None:
            by_scope.setdefault(replies.scope_of(a, b), []).append((a, b))
    random = replies.rule.random and replies.single is not None
    notes = [] if random and "other raters" not in by_scope else [replies.rule.note]
    if random and "these raters" in by_scope:
        share, rater, system = max(_largest(replies, a, b) for a, b in by_scope["these raters"])
        why = (
            f"one rater counts for more than two thirds of a system's mean ('{rater}' for {share:.0%} of "
            f"that of '{system}')"
            if share > MOST_OF_ONE + NOISE
            else "two raters, by their effective number, do not show how raters differ"
        )
        names = listed_pairs(_names(replies, by_scope["these raters"]))
        notes.append(f"{names}: {why}, so intervals hold for these raters only")
    if random and "no raters" in by_scope:
        names = listed_pairs(_names(replies, by_scope["no raters"]))
        notes.append(f"{names}: no interval, since different people rate the two systems")
    if adjusted := [pair for pair in pairs if is_adjusted(replies, *pair)]:
        names = listed_pairs(_names(replies, adjusted))
        notes.append(
            f"{names}: the raters rated different shares of the two systems' replies, so that the difference "
            "is without their severity (by a two-way additive fit of replies and raters); means, wins and "
            "losses are of the ratings as they are"
        )
    return notes


def is_adjusted(replies: RatedReplies, a: int, b: int) -> bool:
    """Whether the severity of raters is taken off the difference of two systems.

    Args:
        replies: The replies.
        a: The place of the first system.
        b: That of the second.
    """
    return bool(np.abs(replies.severity_of(a, b).labels).max(initial=0.0) > NOISE)


def _largest(replies: RatedReplies, a: int, b: int) -> tuple[float, str, str]:
    """The largest share that a rater has in the mean of one of two systems, the rater, and the system."""
    shares = replies.shares_of(a, b)
    assert shares is not None
    side, rater = np.unravel_index(shares.argmax(), shares.shape)
    system = replies.systems[(a, b)[int(side)]]
    return float(shares[side, rater]), replies.raters[int(rater)], system


def _names(replies: RatedReplies, pairs: Sequence[tuple[int, int]]) -> list[tuple[str, str]]:
    return [(replies.systems[a], replies.systems[b]) for a, b in pairs]


def rater_notes(replies: RatedReplies, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """For whom intervals hold, and notes on raters with names, each once for all pairs."""
    notes = scope_notes(replies, pairs)
    if replies.single is None:
        return notes
    shares = {pair: known for pair in pairs if (known := replies.shares_of(*pair)) is not None}
    if replies.rule.random and replies.rule.note in notes:
        numbers = [float((1 / (each**2).sum(axis=1)).min()) for each in shares.values()]
        wide = ": so few hardly show how raters differ, and intervals are wide"
        notes.append(
            f"effective number of raters of a system: {between(min(numbers), max(numbers))} (so many raters, "
            f"each with as many ratings, have as small an error){wide if min(numbers) < FEW else ''}"
        )
    apart = [
        pair
        for pair, each in shares.items()
        if shared(each) < TIED or replies.severity_of(*pair).unknown > UNEVEN
    ]
    alone = np.zeros(replies.single.shape[2], np.bool_)
    without: list[tuple[str, str]] = []
    for a, b in pairs:
        if (of_one := replies.raters_of_one(a, b)).any():
            without.append((replies.systems[a], replies.systems[b]))
            alone |= of_one
    if without:
        names = some_of([f"'{each}'" for each in np.array(replies.raters)[alone]], MOST_NAMED)
        notes.append(
            f"{listed_pairs(without)}: {names} rated only one of the two systems; only ratings by raters of "
            "both count in the difference, while means are of all ratings"
        )
    rated = dict(zip(replies.systems, np.isfinite(replies.single), strict=True))
    notes += different_raters(rated, replies.raters, _names(replies, apart))
    return notes + severity_notes(replies)
