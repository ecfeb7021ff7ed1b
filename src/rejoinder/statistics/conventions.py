"""The conventions that all statistics share.

A number that the data cannot give is NaN, never 0, and comes with a reason in words. Intervals cover
95%. A standard deviation of a sample has the divisor n - 1. The p-value of random draws counts the
observed result among them: ``(c + 1) / (n + 1)``, so it is never 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import overload

import numpy as np

from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument

LEVEL = 0.95
"""The coverage of intervals."""

LEAST_GROUPS = 4
"""With fewer groups, resamples have too few distinct ones for their spread to mean anything."""

FEW_GROUPS = 10
"""With fewer groups there is an interval and a note."""

PERFECT = 1 - 1e-12
"""A coefficient this close to 1 is 1 but for rounding."""

NO_SPREAD = 1e-12
"""Resampled values this close together are equal but for rounding."""

NOISE = 1e-12
"""Differences this small are rounding errors: a permutation reaches the observed value."""

UNDEFINED_SHARE = 0.05
"""The largest share of undefined resamples that an interval may leave out."""


@overload
def p_of_draws(reached: int, draws: int) -> float: ...
@overload
def p_of_draws(reached: Floats, draws: int) -> Floats: ...
def p_of_draws(reached: int | Floats, draws: int) -> float | Floats:
    """The p-value of a random test: ``(c + 1) / (n + 1)`` for c of n draws as extreme as the data.

    >>> p_of_draws(0, 999)
    0.001
    """
    return (reached + 1) / (draws + 1)


def p_of_drawn(blocks: Iterable[Floats], observed: float, exact: bool = False) -> float:
    """The two-sided p-value of a statistic by values of it that were drawn, or enumerated.

    Equal values reach, and so does NaN: a permutation that leaves nothing to compare is no evidence.

    Args:
        blocks: The statistic of some permutations (float64 [b] each).
        observed: That of the data.
        exact: Whether these are all permutations, the observed one among them.

    >>> p_of_drawn([np.array([0.1, -0.9]), np.array([0.3])], 0.9)
    0.5
    """
    reached = number = 0
    for values in blocks:
        reached += int((~(np.abs(values) < abs(observed) - NOISE)).sum())
        number += values.size
    return reached / number if exact else p_of_draws(reached, number)


def is_least_p(p: float, draws: int) -> bool:
    """Whether no draw was as extreme as the data: p is then an upper limit. False for NaN.

    >>> is_least_p(0.001, 999), is_least_p(0.002, 999)
    (True, False)
    """
    return p <= p_of_draws(0, draws) + NOISE


def too_few_groups(number: int, groups: str = "groups") -> str | None:
    """Why so few groups have no interval; None where they have one.

    >>> too_few_groups(3, "contexts"), too_few_groups(4)
    ('fewer than 4 contexts to resample', None)
    """
    return f"fewer than {LEAST_GROUPS} {groups} to resample" if number < LEAST_GROUPS else None


def check_choice(choices: Collection[str], **values: object) -> None:
    """Raises a ParameterError for an argument that is none of the choices.

    >>> check_choice(["half", "davidson"], ties="half")
    """
    for name, value in values.items():
        if value not in choices:
            raise ParameterError(Argument(name, value), f" is unknown; choose {one_of(choices)}")


def check_level(level: float) -> None:
    """Raises a ParameterError for a level outside (0, 1)."""
    if not 0 < level < 1:
        raise ParameterError(Argument("level", level), " is outside (0, 1); 0.95 is usual")


def check_resamples(resamples: int) -> None:
    """Raises a ParameterError for fewer than one resample."""
    if resamples < 1:
        raise ParameterError(Argument("resamples", resamples), "; a bootstrap needs at least 1")


def check_permutations(permutations: int) -> None:
    """Raises a ParameterError for fewer than one permutation."""
    if permutations < 1:
        raise ParameterError(
            Argument("permutations", permutations), "; a permutation test needs at least 1"
        )
