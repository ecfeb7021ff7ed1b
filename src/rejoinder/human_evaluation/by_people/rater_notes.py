"""For whom the intervals of people's differences hold, and who rates which system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rejoinder.human_evaluation.by_people.replies import RatedReplies
from rejoinder.human_evaluation.different_raters import different_raters, listed_pairs
from rejoinder.messages import between
from rejoinder.statistics.rater_variance import TIED, Scope, scope, shared

FEW = 4
"""With fewer raters of equal shares the interval for others is wide, and covers a little less or more."""


def rater_notes(replies: RatedReplies, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """For whom intervals hold, and notes on raters with names, each once for all pairs."""
    if replies.single is None:
        return [replies.rule.note]
    by_scope: dict[Scope, list[tuple[str, str]]] = {}
    apart, numbers, top = [], [], (0.0, 0, "")
    for a, b in pairs:
        single = replies.single_of(a, b)
        if single is None or not single.item.size:
            continue
        items = int(single.item.max()) + 1
        shares = single.shares(np.full(items, 1 / items))
        shares /= shares.sum(axis=1, keepdims=True)
        names = replies.systems[a], replies.systems[b]
        if shared(shares) < TIED:
            apart.append(names)
        by_scope.setdefault(scope(shares, single.random), []).append(names)
        numbers.append(float((1 / (shares**2).sum(axis=1)).min()))
        side, rater = np.unravel_index(shares.argmax(), shares.shape)
        top = max(top, (float(shares[side, rater]), int(rater), names[side]))
    random = replies.rule.random
    notes = [] if random and "other raters" not in by_scope else [replies.rule.note]
    if "other raters" in by_scope:
        few = min(numbers) < FEW
        worth = between(min(numbers), max(numbers))
        notes.append(
            f"effective number of raters of a system: {worth} (so many raters, each with as many ratings, "
            "have as small an error)"
            + (": so few hardly show how raters differ, and intervals are wide" if few else "")
        )
    if random and "these raters" in by_scope:
        share, rater, system = top
        notes.append(
            f"{listed_pairs(by_scope['these raters'])}: one rater gives more than two thirds of a system's "
            f"ratings ('{replies.raters[rater]}' {share:.0%} of those of '{system}'), so intervals "
            "hold for these raters only"
        )
    rated = dict(zip(replies.systems, np.isfinite(replies.single), strict=True))
    return notes + different_raters(rated, replies.raters, apart)
