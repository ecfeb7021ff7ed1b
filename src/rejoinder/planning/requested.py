"""What a plan is asked for: its parameters checked, its pairs of systems, and the differences to show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from rejoinder.errors import ParameterError, one_of
from rejoinder.human_evaluation.grades import Scale, check_difference
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.planning.extrapolation import NORMAL, PEOPLE
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import MOST_DRAWS, check_draws
from rejoinder.statistics.power import MOST_ITEMS


def check_parameters(
    scores: Scores,
    power: float,
    alpha: float,
    width: float | None,
    correlation: str,
    resamples: int,
    seed: int,
) -> None:
    """Checks the parameters of a plan.

    Raises:
        ParameterError: One is out of range.
        InputError: The scores have no items.
    """
    if not 0.5 <= power < 1:
        raise ParameterError(f"power={power!r} must be from 0.5 to below 1; 0.8 is usual")
    if not 1e-6 <= alpha <= 0.5:
        raise ParameterError(f"alpha={alpha!r} must be from 0.000001 to 0.5; 0.05 is usual")
    if width is not None and not 0 < width < 2:
        raise ParameterError(f"width={width!r} must lie between 0 and 2: a correlation's interval")
    if correlation not in NORMAL:
        raise ParameterError(f"correlation={correlation!r} is unknown; choose {one_of(NORMAL)}")
    check_draws(resamples, seed)
    if not 100 <= resamples <= MOST_DRAWS:
        raise ParameterError(f"resamples={resamples}: a plan is drawn; give 100 or more")
    scores.need_items()


def numbers_of(name: str, given: Sequence[int]) -> list[int]:
    """The numbers of items or of raters that are named, each once, in order.

    Raises:
        ParameterError: One is no number of items or raters.
    """
    for each in given:
        if not isinstance(each, (int, np.integer)) or not 1 <= each <= MOST_ITEMS:
            raise ParameterError(f"{name}={each!r} must be a whole number from 1 to {MOST_ITEMS:,}")
    return sorted({int(each) for each in given})


def differences_of(
    given: float | Mapping[str, float] | None,
    scores: Scores,
    labels: Sequence[str],
    rated: Rated | None,
    scale: Scale | None,
) -> dict[str, float]:
    """By subject the difference that is to show.

    Args:
        given: One for people (without ratings for every metric), or by subject; None: the pilot's.
        scores: What was measured.
        labels: The metrics that rank systems.
        rated: The ratings; None where there are none.
        scale: The worst and the best grade that could be given.

    Raises:
        ParameterError: A subject is unknown, or a difference is none that can be.
    """
    if given is None:
        return {}
    known = [*([PEOPLE] if rated is not None else []), *labels]
    if not isinstance(given, Mapping):
        given = dict.fromkeys(known[:1] if rated is not None else known, given)
    for subject, value in given.items():
        if subject not in known:
            raise ParameterError(
                f"difference=: '{subject}' is unknown here; choose {one_of(known)}"
            )
        if not 0 < value < math.inf:
            raise ParameterError(f"difference={value!r}, of {subject}: must be above 0")
        if subject == PEOPLE and rated is not None:
            check_difference(value, rated.matrix, scale)
        if subject != PEOPLE:
            low, high = scores.measured[subject].metric.bounds
            if value > high - low:
                raise ParameterError(
                    f"difference={value!r}: {subject} lies from {low:g} to {high:g}; tables "
                    "show it x100, so give 0.02 for a difference of 2.0"
                )
    return dict(given)


def pairs_of(
    scores: Scores,
    names: Sequence[str],
    labels: Sequence[str],
    rated: Rated | None,
    a: str | None,
    b: str | None,
    every_pair: bool,
) -> list[tuple[str, str]]:
    """The pairs of systems that a plan is for; none where ratings are of one system alone.

    Args:
        scores: What was measured.
        names: The systems that are not left out.
        labels: The metrics that rank systems.
        rated: The ratings; None where there are none.
        a: A system named.
        b: Another one.
        every_pair: Whether all pairs are asked for.

    Raises:
        ParameterError: A name is unknown or left out, or there is nothing to plan.
    """
    for name in (a, b):
        if name is not None:
            scores.place(name)
            if name not in names:
                raise ParameterError(
                    f"'{name}' is to be compared and to be left out; do one of them"
                )
    if a is not None and a == b:
        raise ParameterError(f"'{a}' cannot be compared with itself; name two systems")
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
