"""Units of items that belong to one pair of systems alone, with rows or ratings of that pair's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted
from rejoinder.meta_evaluation.evidence import Draws, Rated, Subject
from rejoinder.meta_evaluation.unit_assignments import Assigned, Design, UnitSettings
from rejoinder.meta_evaluation.unit_level import UnitObservations
from rejoinder.metrics.engine.rows import Rows
from rejoinder.statistics.ranked import Ranked


@dataclass(frozen=True)
class Copies:
    """The items of each pair of systems, one pair after the other.

    Attributes:
        pairs: The two systems of each pair, the earlier one first.
        items: For each pair its items, int64 [of the pair].
    """

    pairs: tuple[tuple[int, int], ...]
    items: tuple[Indices, ...]

    @property
    def item(self) -> Indices:
        """The item of each copy: int64 [c]."""
        return np.concatenate(self.items)


class PairUnits(UnitObservations):
    """Observations of units whose items are those of one pair of systems.

    Each pair has copies of its items, so that two systems share those of their own pair alone. Rows
    of the copies may be the pair's own (references that leave out both systems), and so may ratings
    (``Rated.paired``; Galley et al. 2015, section 5): then q is the mean rating of A beside B less
    that of B beside A.

    The permutation test moves the ratings of the items themselves. Where ratings belong to pairs
    there is none: systems cannot change names, since a pair's ratings are of these two.

    Args:
        rated: Scores and ratings.
        settings: Which units there are; without ``pairs`` of every pair, or of every pair with
            ratings of its own.
        draws: Number of permutations, and the seed.
        rows: The rows of a metric for the copies, given its label and itself; by default the same
            rows in every pair.
    """

    def __init__(
        self,
        rated: Rated,
        settings: UnitSettings,
        draws: Draws,
        rows: Callable[[str, Subject, Copies], Rows] | None = None,
    ) -> None:
        self.base = rated
        self.copies, notes = _copies(rated)
        why = "as asked"
        if rated.paired is not None:
            self.no_test = "the ratings belong to pairs of systems, which cannot change names"
            if not settings.pairs:
                why = "those with ratings of their own"
                pairs = tuple((rated.systems[a], rated.systems[b]) for a, b in self.copies.pairs)
                settings = replace(settings, pairs=pairs)
        super().__init__(_copied(rated, self.copies, rows), settings, draws, why)
        self.notes += notes

    @cached_property
    def _complete(self) -> bool:
        present = ~np.isnan(self.base.grid)
        return self.base.paired is None and bool((present == present[0]).all())

    def _permute(self, begin: int, correlations: Sequence[str], ranked: dict[str, Ranked]) -> None:
        plain = copy(self)
        plain.rated = self.base
        design = self.design
        plain.design = _Folded(
            design.pairs, design.items, design.size, design.seed, self.copies.item
        )
        UnitObservations._permute(plain, begin, correlations, ranked)


@dataclass(frozen=True)
class _Folded(Design):
    """A design whose units name the items themselves, not a pair's copies of them."""

    item: Indices

    def assigned(self, block: int, number: int) -> Assigned:
        members, turned = super().assigned(block, number)
        return Assigned(self.item[members], turned)


def _copies(rated: Rated) -> tuple[Copies, list[str]]:
    """The items of each pair: all of them, or those that were rated for the pair on both sides.

    Raises:
        InputError: The ratings belong to pairs, and no item has both ratings of a pair.
    """
    every = tuple(combinations(range(len(rated.systems)), 2))
    if rated.paired is None:
        return Copies(every, (np.arange(len(rated.ids)),) * len(every)), []
    present = ~np.isnan(rated.paired)
    both = present & present.transpose(1, 0, 2)
    lonely = int(present.sum() - both.sum())
    items_of = {pair: np.flatnonzero(both[pair]) for pair in every if both[pair].any()}
    if not items_of:
        raise InputError(
            "ratings: column 'against': no item has a rating of both systems of a pair; give each "
            "item of a pair two rows, one for A against B and one for B against A"
        )
    notes = [
        "human: the mean rating of the first system beside the second, less that of the second "
        "beside the first, on the items rated for the pair"
    ]
    if lonely:
        notes.append(
            f"unit: {counted(lonely, 'rated reply', 'rated replies')} of a pair left out, because the "
            "other system's reply has no rating for that pair"
        )
    return Copies(tuple(items_of), tuple(items_of.values())), notes


def _copied(
    rated: Rated, copies: Copies, rows: Callable[[str, Subject, Copies], Rows] | None
) -> Rated:
    """The same replies, once for each pair of systems, rated for that pair."""
    grid, at = rated.grid, 0
    human = np.full((len(rated.systems), copies.item.size), np.nan)
    for (a, b), items in zip(copies.pairs, copies.items, strict=True):
        of_pair = slice(at, at + items.size)
        human[a, of_pair] = _ratings(rated, grid, a, b)[items]
        human[b, of_pair] = _ratings(rated, grid, b, a)[items]
        at += items.size
    system, item = np.nonzero(~np.isnan(human))
    ids = tuple(
        f"{p}:{rated.ids[i]}" for p, items in enumerate(copies.items) for i in items.tolist()
    )
    subjects = {}
    for label, subject in rated.subjects.items():
        copied = rows(label, subject, copies) if rows else subject.rows.pick(copies.item)
        subjects[label] = replace(subject, rows=copied)
    values = human[system, item]
    return Rated(rated.systems, ids, subjects, system, item, values[:, None], values, rated.mean)


def _ratings(rated: Rated, grid: Floats, system: int, other: int) -> Floats:
    """The ratings of one system's replies beside another's: float64 [n]."""
    return grid[system] if rated.paired is None else rated.paired[system, other]
