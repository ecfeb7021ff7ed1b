"""How many ratings a study takes that is looked at on the way: at most, and on average."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.group_sequential import (
    SPENT,
    Monitoring,
    futile_below,
    reach_of_pairs,
    spent,
    wider_for_all,
)
from rejoinder.statistics.monitored_difference import PlannedStudy
from rejoinder.statistics.power import MOST_ITEMS

Information: TypeAlias = Callable[[Floats], Floats]
"""From numbers of rated items to ``1 / error^2`` of the difference."""

FIRST_LOOK = 20
"""With fewer rated items there is no look: how much they vary is not known well enough."""

FOR_PAIRS = 5151
"""Random seed of the draws for several pairs: a design and the study that follows it have the same."""

MOST_LOOKS = 40
"""More looks than so many are forecast as so many, which makes hardly a difference."""

ESTIMATED = 2
"""So many more items make up for the estimated variance (Guenther 1981: half of 1.96 squared)."""


@dataclass(frozen=True)
class SequentialDesign:
    """A study that is looked at on the way.

    Attributes:
        most: The planned maximum of rated items; None where no number reaches the power.
        looks: The numbers of rated items at which it is looked at.
        power: At the planned effect.
        expected: By multiple of the planned effect the mean number of rated items.
    """

    most: int | None
    looks: tuple[int, ...] = ()
    power: float = math.nan
    expected: tuple[float, ...] = ()


def looks_until(most: int, every: int, first: int = FIRST_LOOK) -> tuple[int, ...]:
    """The numbers of rated items at which a study is looked at; the planned maximum is the last.

    Args:
        most: The planned maximum.
        every: Rated items between looks.
        first: The first look.

    >>> looks_until(45, 10)
    (20, 30, 40, 45)
    """
    return (*range(first, most, every), most)


def sequential_design(
    information: Information,
    effect: float,
    power: float,
    every: int = 10,
    *,
    stopping: bool = True,
    futility: bool = True,
    items: int = MOST_ITEMS,
    multiples: Sequence[float] = (0.0, 0.5, 1.0, 2.0),
    wider: float = 1.0,
) -> SequentialDesign:
    """The smallest planned maximum that reaches a power, and what is expected of it.

    Args:
        information: Of the difference after so many rated items.
        effect: The planned difference.
        power: The power.
        every: The number of rated items between looks.
        stopping: Whether the study stops when the difference is clear; else it has one look, at its end.
        futility: Whether it stops when it is futile.
        items: How many items there are.
        multiples: For which multiples of the effect a mean is wanted.
        wider: By what the boundaries of one pair are multiplied for several.

    >>> per_item = lambda n: n / 4.0
    >>> design = sequential_design(per_item, 0.5, 0.8)
    >>> design.most, round(design.expected[2])
    (147, 100)
    """
    items = min(items, MOST_ITEMS)

    def at(most: int, multiples: Sequence[float] = ()) -> SequentialDesign:
        return _at(most, information, effect, every, stopping, futility, multiples, wider)

    high = min(2 * FIRST_LOOK, items)
    while high < items and at(high).power < power:
        high = min(2 * high, items)
    low = FIRST_LOOK
    if high < low or (high == items and at(high).power < power):
        return SequentialDesign(None)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle).power >= power else (middle + 1, high)
    return at(low, multiples)


def _at(
    most: int,
    information: Information,
    effect: float,
    every: int,
    stopping: bool,
    futility: bool,
    multiples: Sequence[float],
    wider: float,
) -> SequentialDesign:
    """The design with a planned maximum."""
    looks = looks_until(most, max(every, math.ceil(most / MOST_LOOKS))) if stopping else (most,)
    numbers = np.array(looks, np.float64)
    known = information(np.maximum(numbers - ESTIMATED, 1.0))
    times = known / known[-1]
    alpha = [spent(t) for t in times] if stopping else [0.05]
    walk = Monitoring.of(times.tolist(), alpha, wider=wider)
    drift = effect * math.sqrt(float(known[-1]))
    if futility and stopping:
        final = walk.boundaries[-1]
        walk = Monitoring.of(times.tolist(), alpha, futile_below(drift, final), wider)
    expected = []
    for multiple in multiples:
        ends = np.sum(walk.exits(multiple * drift), axis=0)
        ends[-1] += 1 - ends.sum()
        expected.append(float(ends @ numbers))
    exits = walk.exits(drift)
    power = float(exits.up.sum() + exits.down.sum())
    shown = looks_until(most, every) if stopping else (most,)
    return SequentialDesign(most, shown, power, tuple(expected))


@cache
def wider_for_systems(systems: int, looks: int) -> float:
    """By what boundaries are multiplied for every pair of so many systems; the times of looks matter little.

    >>> wider_for_systems(2, 1)
    1.0
    """
    if systems == 2:
        return 1.0
    times = np.linspace(0, 1, looks + 1)[1:]
    boundaries = Monitoring.of(times.tolist(), [spent(each) for each in times]).boundaries
    finite = np.isfinite(boundaries)
    pairs = list(itertools.combinations(range(systems), 2))
    rng = np.random.default_rng(FOR_PAIRS)
    return wider_for_all(reach_of_pairs(boundaries[finite], times[finite], pairs, rng))


def planned(
    information: Information,
    design: SequentialDesign,
    effect: float,
    futility: bool = True,
    wider: float = 1.0,
) -> PlannedStudy:
    """What a design promises of one pair, for `monitored_difference.follow`.

    Args:
        information: Of the difference after so many rated items.
        design: The design.
        effect: The planned difference.
        futility: Whether the study stops when it is futile.
        wider: By what the boundaries of one pair are multiplied for several.

    Raises:
        ValueError: No number of items reaches the power.
    """
    if design.most is None:
        raise ValueError("a design without a planned maximum")
    known = information(np.maximum(np.array(design.looks, np.float64) - ESTIMATED, 1.0))
    times = known / known[-1]
    stopping = len(design.looks) > 1
    total = [spent(t) for t in times] if stopping else [SPENT]
    final = wider * float(Monitoring.of(times.tolist(), total).boundaries[-1])
    at_most = float(information(np.array([float(design.most)]))[0])
    return PlannedStudy(design.most, at_most, abs(effect), final, stopping, futility)
