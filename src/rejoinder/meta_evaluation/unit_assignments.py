"""Units of items: which pairs of systems have any, and their random assignments of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Indices
from rejoinder.messages import Argument, counted
from rejoinder.meta_evaluation.evidence import Rated

# A block of assignments is drawn by a generator of its own, whatever the number of threads.
BLOCK = 16

SIZE = Argument("size", option="unit_size")

LEAST_UNITS = 3
"""The fewest units of which a correlation says anything: any two points lie on a line."""


@dataclass(frozen=True)
class UnitSettings:
    """Which units there are.

    Args:
        size: Number of items in a unit: M.
        assignments: Number of random assignments of items to units that are averaged.
        pairs: The pairs of systems that have units, by name and in any order; none takes every pair
            (the paper has 12 of the 21 pairs of 7 systems).
    """

    size: int = 100
    assignments: int = 1000
    pairs: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for name in ("size", "assignments"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ParameterError(
                    Argument(name, value, f"unit_{name}"), " must be a whole number of at least 1"
                )
        for pair in self.pairs:
            if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
                raise ParameterError(
                    f"pairs: {pair!r} is not a pair of two systems; give pairs such as ('a', 'b')"
                )
        unordered: set[tuple[str, str]] = {(min(pair), max(pair)) for pair in self.pairs}
        object.__setattr__(self, "pairs", tuple(sorted(unordered)))


def design(
    rated: Rated, settings: UnitSettings, seed: int, why: str = "as asked"
) -> tuple[Design, list[str]]:
    """The pairs of systems with at least one unit, and notes on the others.

    Args:
        rated: Scores and ratings.
        settings: Which units there are.
        seed: Random seed of the assignments.
        why: Why there are units of the chosen pairs only, as a note says it.

    Raises:
        ParameterError: There is no unit at all, or a chosen system has no rating.
    """
    if len(rated.systems) < 2:
        raise ParameterError(
            f"protocol 'unit': one rated system, {one_of(rated.systems)}; its units are of pairs"
        )
    present, size = ~np.isnan(rated.grid), settings.size
    pairs = places(rated.systems, settings.pairs)
    shared = [np.flatnonzero(present[a] & present[b]) for a, b in pairs]
    large_enough = [p for p, items in enumerate(shared) if items.size >= size]
    if not large_enough:
        most = max(items.size for items in shared)
        if not most:
            raise ParameterError(
                f"units of {size} items: no two systems are rated on the same item"
            )
        best = largest_size([items.size for items in shared])
        remedy = (
            f"choose a {SIZE} of at most {best}, which gives {LEAST_UNITS} units or more"
            if best
            else f"no {SIZE} gives {LEAST_UNITS} units, so rate more items"
        )
        raise ParameterError(
            f"units of {size} items ({SIZE}, 100 where it is not given): no two systems share so "
            f"many rated items; the most is {most}: {remedy}"
        )
    sizes = sorted({shared[p].size for p in large_enough})
    over = sorted({n % size for n in sizes})
    units = sum(shared[p].size // size for p in large_enough)
    note = (
        f"unit: {counted(units, 'unit')} of {counted(size, 'item')} from "
        f"{counted(len(large_enough), 'pair')} of systems with {_span(sizes)} "
        f"{'item' if sizes == [1] else 'items'} each"
    )
    if any(over):
        left = "item of a pair is" if over == [1] else "items of a pair are"
        note += f"; {_span(over)} {left} left over in each assignment"
    notes = [note]
    if units < LEAST_UNITS:
        notes.append(_too_few(units, largest_size([items.size for items in shared])))
    if settings.pairs:
        every = len(rated.systems) * (len(rated.systems) - 1) // 2
        notes.append(f"unit: {len(pairs)} of {counted(every, 'pair')} of systems, {why}")
    if len(large_enough) < len(pairs):
        notes.append(
            f"unit: {len(pairs) - len(large_enough)} of {len(pairs)} pairs share fewer than {size} rated "
            "items and are left out"
        )
    with_units = np.array([pairs[p] for p in large_enough])
    return Design(with_units, tuple(shared[p] for p in large_enough), size, seed), notes


def largest_size(shared: Sequence[int]) -> int:
    """The largest unit size with at least three units over all pairs of systems; 0 for none.

    Args:
        shared: How many rated items each pair of systems shares.

    >>> largest_size([150]), largest_size([34, 34, 30]), largest_size([2])
    (50, 30, 0)
    """
    sizes = range(max(shared, default=0), 0, -1)
    return next((m for m in sizes if sum(n // m for n in shared) >= LEAST_UNITS), 0)


def _too_few(units: int, best: int) -> str:
    """Says that there are too few units for a correlation, and which unit size gives enough."""
    remedy = (
        f"choose a {SIZE} of at most {best}, which is the largest that gives {LEAST_UNITS} units"
        if best
        else f"no {SIZE} gives {LEAST_UNITS} units; rate more items"
    )
    return (
        f"unit: a correlation needs at least {LEAST_UNITS} units and there "
        f"{'is' if units == 1 else 'are'} {units}: {remedy}"
    )


@dataclass(frozen=True)
class Design:
    """Which pairs of systems have units, and of which items.

    Attributes:
        pairs: [p, 2], the two systems of each pair that has a unit.
        items: For each pair the items that both have a rating for.
        size: M.
        seed: Of the assignments.
    """

    pairs: Indices
    items: tuple[Indices, ...]
    size: int
    seed: int

    @cached_property
    def pair(self) -> Indices:
        """The pair of each unit: int64 [u]."""
        return np.repeat(
            np.arange(len(self.pairs)), [each.size // self.size for each in self.items]
        )

    def assigned(self, block: int, number: int) -> Assigned:
        """The first assignments from a block on; more than a block holds go on in the next ones.

        Each pair's items are shuffled by themselves and cut into units; what is left is no unit's.
        A block is always drawn whole: 10 assignments are the first 10 of 1,000.
        """
        if number > BLOCK:
            parts = [
                self.assigned(block + begin // BLOCK, min(BLOCK, number - begin))
                for begin in range(0, number, BLOCK)
            ]
            members, turned = (np.concatenate(each) for each in zip(*parts, strict=True))
            return Assigned(members, turned)
        rng = np.random.default_rng([self.seed, 2, block])
        shuffled = [
            rng.permuted(np.tile(each, (BLOCK, 1)), axis=1)[:, : each.size - each.size % self.size]
            for each in self.items
        ]
        members = np.concatenate(shuffled, axis=1).reshape(BLOCK, -1, self.size)
        turned = rng.integers(0, 2, members.shape[:2]).astype(np.bool_)
        return Assigned(members[:number], turned[:number])


class Assigned(NamedTuple):
    """Some random assignments of items to units.

    Args:
        members: The items of each unit (int64 [b, u, size]).
        turned: Whether the unit's difference is B - A (bool [b, u]).
    """

    members: Indices
    turned: NDArray[np.bool_]


def places(systems: Sequence[str], chosen: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """The pairs of systems by place, each once and the earlier system first.

    Raises:
        ParameterError: A chosen system has no rating.
    """
    if not chosen:
        return list(combinations(range(len(systems)), 2))
    for name in (name for pair in chosen for name in pair):
        if name not in systems:
            raise ParameterError(
                f"pairs: '{name}' is not among the rated systems; choose {one_of(systems)}"
            )
    places = {tuple(sorted(systems.index(name) for name in pair)) for pair in chosen}
    return sorted((a, b) for a, b in places)


def _span(values: Sequence[int]) -> str:
    return f"{values[0]}" if len(values) == 1 else f"{values[0]} to {values[-1]}"
