"""The pilot that a plan is asked for: its ratings, its pairs of systems, its numbers of items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.planning.pilot import named, ranking
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import FEWEST_RESAMPLES, check_draws
from rejoinder.statistics.power import MOST_ITEMS


def check_draws_of(scores: Scores, resamples: int, seed: int) -> None:
    """Checks the number of resamples of a plan and its seed.

    Raises:
        ParameterError: A number is out of range.
        InputError: The scores have no items.
    """
    check_draws(resamples, seed)
    if not resamples:
        raise ParameterError(
            Argument("resamples", resamples),
            f": planning uses the bootstrap; give {FEWEST_RESAMPLES} or more",
        )
    scores.need_items()


def numbers_of(name: str, given: Sequence[int]) -> list[int]:
    """The numbers of items or of raters that are named, each once, in order.

    Raises:
        ParameterError: One is no number of items or raters.
    """
    for each in given:
        if not isinstance(each, (int, np.integer)) or not 1 <= each <= MOST_ITEMS:
            raise ParameterError(
                Argument(name, each), f" must be a whole number from 1 to {MOST_ITEMS:,}"
            )
    return sorted({int(each) for each in given})


def pairs_of(
    scores: Scores,
    without: Sequence[str],
    rated: Rated | None,
    a: str | None,
    b: str | None,
    every_pair: bool,
) -> list[tuple[str, str]]:
    """The pairs of systems that a plan is for; none where ratings are of one system alone.

    Args:
        scores: What was measured.
        without: The systems that are left out.
        rated: The ratings; None where there are none.
        a: A system named.
        b: Another one.
        every_pair: Whether all pairs are asked for.

    Raises:
        ParameterError: A name is unknown or left out, or there is nothing to plan.
    """
    names, labels = named(scores, without), ranking(scores)
    for name in (a, b):
        if name is not None:
            scores.place(name)
            if name not in names:
                raise ParameterError(
                    f"'{name}' is to be compared and to be left out; do one of them"
                )
    if a is not None and a == b:
        raise ParameterError(
            Argument("a", a), f": '{a}' cannot be compared with itself; name two systems"
        )
    if every_pair and (a or b):
        raise ParameterError("every pair, or the systems named: give one of them")
    if rated is None and not labels:
        raise ParameterError(
            "no metric here ranks systems, and there are no ratings: nothing to plan"
        )
    if len(names) < 2 and rated is None:
        raise ParameterError(
            f"there is one system alone, {one_of(names)}, and no ratings: nothing to plan"
        )
    if len(names) < 2 or every_pair:
        return list(combinations(names, 2))
    one = a or b
    if a and b:
        return [(a, b)]
    if one:
        others = [name for name in names if name != one]
        return [(name, one) if a is None else (one, name) for name in others]
    best = _best_first(scores, names, labels, rated)
    return [(best[0], best[1])]


def _best_first(
    scores: Scores, names: Sequence[str], labels: Sequence[str], rated: Rated | None
) -> list[str]:
    """By people's mean rating; else by the first metric."""
    values = dict.fromkeys(names, -math.inf)
    if rated is not None:
        number = np.bincount(rated.system, minlength=len(rated.systems))
        means = np.bincount(rated.system, rated.human, len(rated.systems)) / number
        values |= dict(zip(rated.systems, means.tolist(), strict=True))
    else:
        measured = scores.measured[labels[0]]
        sign = 1 if measured.metric.higher_is_better else -1
        scored = dict(zip(scores.names, (sign * measured.scores()).tolist(), strict=True))
        values = {name: scored[name] for name in names}
    return sorted(names, key=lambda name: -values[name])
