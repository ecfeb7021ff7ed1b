"""Ratings of replies by people: the arrays that pairs of systems are compared by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.human_evaluation.grades import Scale
from rejoinder.human_evaluation.panel import coded, panel
from rejoinder.human_evaluation.rater_effects import FIXED, RaterEffects, RaterRule
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import more, quoted
from rejoinder.statistics.rater_variance import (
    Scope,
    SeverityInLabels,
    SingleRatings,
    scope,
    severity_in_labels,
)
from rejoinder.statistics.rating_matrix import mean_ratings
from rejoinder.tables.item_clusters import ItemClusters
from rejoinder.tables.pair_ratings import over_pairs
from rejoinder.tables.schemas import PROBABILITY


@dataclass(frozen=True, kw_only=True)
class RatedReplies:
    """The replies of S systems to n items, of which people rated some.

    Attributes:
        systems: The systems [S].
        ratings: The mean rating of each reply (float64 [S, n]); NaN where nobody rated it.
        single: The single ratings (float64 [S, n, raters]); None where raters have no names.
        probabilities: float64 [S, n], of having been drawn for rating; None: all alike.
        group: The cluster of each item, numbered from 0 (int64 [n]).
        groups_are: What the clusters are called: items, or clusters.
        scale: The worst and the best grade that could be given; None: see `ends`.
        raters: The names of the raters, in the order of ``single``.
        rule: Whether the raters are a sample of all raters.
    """

    systems: tuple[str, ...]
    ratings: Floats
    single: Floats | None
    probabilities: Floats | None
    group: Indices
    groups_are: str
    scale: Scale | None = None
    raters: tuple[str, ...] = ()
    rule: RaterRule = FIXED

    @classmethod
    def of_table(
        cls,
        table: pl.DataFrame,
        clusters: ItemClusters | None = None,
        scale: Scale | None = None,
        rater_effects: RaterEffects | None = None,
    ) -> Self:
        """The replies of a table of ratings, systems and items in the order of their first appearance.

        Args:
            table: The ratings of one criterion, with the column ``probability`` where there is one.
            clusters: Which items are not independent; None: every item is.
            scale: The worst and the best grade that could be given, where that is known.
            rater_effects: Whether the raters are a sample; None: where there are four or more.

        Raises:
            ParameterError: Random effects of raters that cannot be estimated.
            InputError: Some ratings have a probability and others have none, or those of one reply
                have different ones.
        """
        rated, _ = over_pairs(table)
        systems, ids = (
            rated.get_column(key).unique(maintain_order=True) for key in ("system", "id")
        )
        raters = sorted(set(rated.get_column("rater")))
        places, _, matrix = panel(rated, raters, system=systems.to_list(), id=ids.to_list())
        shape = systems.len(), ids.len()
        group = np.arange(ids.len())
        if clusters is not None:
            _, group = np.unique(clusters.of(ids.to_numpy()), return_inverse=True)
        return cls(
            systems=tuple(systems),
            probabilities=probabilities(table, tuple(systems), ids),
            group=group,
            groups_are="clusters" if clusters is not None else "items",
            scale=scale,
            **of_raters(places, matrix, shape, raters, rater_effects),
        )

    @cached_property
    def rated(self) -> NDArray[np.bool_]:
        """Which replies have a rating: bool [S, n]."""
        return np.isfinite(self.ratings)

    @cached_property
    def means(self) -> Floats:
        """The mean rating of each system's rated replies, float64 [S], weighted where items were drawn so."""
        weights = np.ones(1) if self.probabilities is None else 1 / self.probabilities
        weights = np.where(self.rated, weights, 0.0)
        return (weights * np.where(self.rated, self.ratings, 0.0)).sum(axis=1) / weights.sum(axis=1)

    def raters_of_one(self, a: int, b: int) -> NDArray[np.bool_]:
        """The raters whose ratings do not count in the difference of two systems: bool [raters].

        Where raters are no sample, those who rated only one of the two: otherwise the difference would hold
        how severe they are. All count where that would leave fewer than half of the items, and where the
        interval holds for other raters too (`scope`): it allows for how they differ. Without single
        ratings: bool [0].
        """
        if (a, b) not in self._not_counted:
            self._not_counted[a, b] = self._rated_one_alone(a, b)
        return self._not_counted[a, b]

    @cached_property
    def _not_counted(self) -> dict[tuple[int, int], NDArray[np.bool_]]:
        return {}

    def _rated_one_alone(self, a: int, b: int) -> NDArray[np.bool_]:
        none = np.zeros(0 if self.single is None else self.single.shape[2], np.bool_)
        if self.single is None or self._scope(a, b, ~none) == "other raters":
            return none
        rated = np.isfinite(self.single[[a, b]])
        by_system = rated.sum(axis=1) > 0
        of_one = by_system[0] != by_system[1]
        every, left = (
            int(np.logical_and.reduce(each.sum(axis=2) > 0).sum())
            for each in (rated, rated[:, :, ~of_one])
        )
        return of_one if left and 2 * left >= every else none

    def shares_of(self, a: int, b: int) -> Floats | None:
        """The share of each rater that counts in the means of two systems: float64 [2, raters].

        None where raters have no names, or nobody rated the two.
        """
        return None if self.single is None else self._shares(a, b, ~self.raters_of_one(a, b))

    def scope_of(self, a: int, b: int) -> Scope:
        """For whom the interval of the difference of two systems holds."""
        if (a, b) not in self._scopes:
            self._scopes[a, b] = self._scope(a, b, ~self.raters_of_one(a, b))
        return self._scopes[a, b]

    @cached_property
    def _scopes(self) -> dict[tuple[int, int], Scope]:
        return {}

    def _scope(self, a: int, b: int, counts: NDArray[np.bool_]) -> Scope:
        shares = self._shares(a, b, counts)
        return "these raters" if shares is None else scope(shares, self.rule.random)

    def _shares(self, a: int, b: int, counts: NDArray[np.bool_]) -> Floats | None:
        """`shares_of` the raters that count: bool [raters]."""
        assert self.single is not None
        of_each = (np.isfinite(self.single[[a, b]]) & counts).any(axis=2)
        both = of_each.all(axis=0)
        items = np.flatnonzero(both if both.any() else of_each.any(axis=0))
        if not items.size:
            return None
        weights = np.ones(items.size)
        if self.probabilities is not None:
            weights = np.nan_to_num(1 / self.probabilities[[a, b]][:, items]).max(axis=0)
        shares = self._ratings_of(a, b, items, counts).shares(weights)
        return shares / shares.sum(axis=1, keepdims=True)

    def severity_of(
        self, a: int, b: int, seen: NDArray[np.bool_] | None = None
    ) -> SeverityInLabels:
        """What the severity of raters adds to the labels of two systems.

        Nothing where raters have no names, where each adds as much to both systems, and where the interval
        holds for other raters too, since it allows for how they differ, or for none.

        Args:
            a: The place of the first system.
            b: That of the second.
            seen: The items that count: bool [n]; None: all.
        """
        key = None if seen is None else seen.tobytes()
        if (a, b, key) not in self._severities:
            self._severities[a, b, key] = self._severity(a, b, seen)
        return self._severities[a, b, key]

    @cached_property
    def _severities(self) -> dict[tuple[int, int, bytes | None], SeverityInLabels]:
        return {}

    def _severity(self, a: int, b: int, seen: NDArray[np.bool_] | None) -> SeverityInLabels:
        added = np.zeros(self.ratings.shape[1])
        if self.single is None or self.scope_of(a, b) != "these raters":
            return SeverityInLabels(added, 0.0)
        both, counts = np.isfinite(self.labels_of(a, b)), ~self.raters_of_one(a, b)
        both &= True if seen is None else seen
        of_a, of_b = (self.single[system][both][:, counts] for system in (a, b))
        if (np.isfinite(of_a) == np.isfinite(of_b)).all():
            return SeverityInLabels(added, 0.0)
        probabilities = self.probabilities_of(a, b)
        share = np.ones(len(of_a)) if probabilities is None else 1 / probabilities[both]
        of_rated, unknown = severity_in_labels(of_a, of_b, share / share.sum())
        added[both] = of_rated
        return SeverityInLabels(added, unknown)

    def means_of(self, a: int, b: int) -> Floats:
        """The mean ratings of two systems' replies by the raters that count: float64 [2, n], NaN without."""
        of_one, means = self.raters_of_one(a, b), self.ratings[[a, b]]
        if self.single is not None and of_one.any():
            single = self.single[[a, b]][:, :, ~of_one]
            means = mean_ratings(single.reshape(-1, single.shape[2])).reshape(2, -1)
        return np.where(self.rated[[a, b]], means, np.nan)

    def items_of(self, a: int, b: int) -> Indices:
        """The items on which both systems are rated."""
        return np.flatnonzero(np.isfinite(self.labels_of(a, b)))

    def labels_of(self, a: int, b: int) -> Floats:
        """The differences of two systems' ratings: float64 [n], NaN where one has no rating."""
        of_a, of_b = self.means_of(a, b)
        return of_a - of_b

    @cached_property
    def ends(self) -> Scale | None:
        """The ends of the scale: as they are known, else the worst and the best of whole grades given.

        None for other grades: the least of such numbers is no end of their scale.
        """
        if self.scale:
            return self.scale
        given = self.ratings if self.single is None else self.single
        given = given[np.isfinite(given)]
        return (float(given.min()), float(given.max())) if (given % 1 == 0).all() else None

    @property
    def widest(self) -> float:
        """The greatest difference that two mean ratings can have; infinite where no scale is given.

        The grades given are no bound: others could have given better and worse ones.
        """
        return self.scale[1] - self.scale[0] if self.scale else math.inf

    def room(self, a: int, b: int) -> tuple[float, float]:
        """How far below, and above, the mean difference of two systems that of one more item could lie.

        One of its two replies then has a grade at an end of the scale, the other the mean of its system. 0
        where no end is known.
        """
        if self.ends is None:
            return 0.0, 0.0
        low, high = self.ends
        both = np.isfinite(self.labels_of(a, b))
        of_a, of_b = self.means_of(a, b)[:, both].mean(axis=1).tolist()
        return max(of_a - low, high - of_b), max(high - of_a, of_b - low)

    def rated_items(self, a: int, b: int) -> Indices:
        """The items on which both systems are rated; those of either where there is none."""
        both = np.flatnonzero(np.isfinite(self.labels_of(a, b)))
        return both if both.size else np.flatnonzero(self.rated[a] | self.rated[b])

    def single_of(self, a: int, b: int) -> SingleRatings | None:
        """The single ratings of `rated_items`; None where raters have no names."""
        if self.single is None:
            return None
        return self._ratings_of(a, b, self.rated_items(a, b), ~self.raters_of_one(a, b))

    def _ratings_of(
        self, a: int, b: int, items: Indices, counts: NDArray[np.bool_]
    ) -> SingleRatings:
        """The ratings of some items, by the raters that count (bool [raters])."""
        assert self.single is not None
        parts = []
        for system, sign in ((a, 1.0), (b, -1.0)):
            item, rater = np.nonzero(np.isfinite(self.single[system, items]) & counts)
            score = self.single[system, items][item, rater]
            parts.append((item, rater, np.full(item.size, sign), score))
        item, rater, sign, score = map(np.concatenate, zip(*parts, strict=True))
        return SingleRatings(item, rater, sign, score, self.rule.random)

    def probabilities_of(self, a: int, b: int) -> Floats | None:
        """The probability of each item's having been drawn: float64 [n], NaN where it was not.

        Raises:
            InputError: The two replies to an item have different ones.
        """
        if self.probabilities is None:
            return None
        both = self.rated[a] & self.rated[b]
        of_a, of_b = self.probabilities[a], self.probabilities[b]
        if (of_a[both] != of_b[both]).any():
            raise InputError(
                f"ratings: the replies of '{self.systems[a]}' and '{self.systems[b]}' to one item have "
                f"different values of '{PROBABILITY}'; expected the probability that the item was drawn, "
                "the same for all its replies"
            )
        return np.where(both, of_a, np.nan)


def of_raters(
    places: tuple[Indices, ...],
    matrix: Floats,
    shape: tuple[int, int],
    raters: Sequence[str],
    rater_effects: RaterEffects | None,
) -> dict[str, Any]:
    """The attributes of `RatedReplies` that say who rated what.

    Args:
        places: The system and the item of each rated reply: int64 [r] each.
        matrix: The ratings of each (float64 [r, raters]).
        shape: How many systems and items there are.
        raters: The names of the raters.
        rater_effects: Whether the raters are a sample; None: where there are four or more.

    Raises:
        ParameterError: Random effects of raters that cannot be estimated.
    """
    ratings = np.full(shape, np.nan)
    ratings[places] = mean_ratings(matrix)
    rule, single = RaterRule.of(rater_effects, raters), None
    if rule.named and len(raters) > 1:
        single = np.full((*shape, len(raters)), np.nan)
        single[places] = matrix
    return {"ratings": ratings, "single": single, "raters": tuple(raters), "rule": rule}


def probabilities(table: pl.DataFrame, systems: Sequence[str], items: pl.Series) -> Floats | None:
    """By reply the probability of having been drawn, float64 [S, n]; None where there is none.

    Args:
        table: The ratings.
        systems: The names of the systems, S.
        items: The ids of the items, n.

    Raises:
        InputError: Some ratings have a probability and others have none, or those of one reply have
            different ones.
    """
    if PROBABILITY not in table.columns:
        return None
    known = table.filter(pl.col("system").is_in(list(systems)), pl.col("id").is_in(items.implode()))
    lacking = known.get_column(PROBABILITY).null_count()
    if lacking:
        raise InputError(
            f"ratings: {lacking} of {known.height} ratings have no '{PROBABILITY}' and the others do; "
            "give each rating that of its item, or leave the column out"
        )
    _refuse_several(known)
    _, system = coded(known.get_column("system"), systems)
    _, item = coded(known.get_column("id"), items.to_list())
    values = np.full((len(systems), items.len()), np.nan)
    values[system, item] = known.get_column(PROBABILITY).to_numpy()
    return values


def _refuse_several(ratings: pl.DataFrame) -> None:
    """Raises an InputError where the ratings of one reply have different probabilities."""
    several = (
        ratings.group_by("system", "id", maintain_order=True)
        .agg(pl.col(PROBABILITY).unique().sort())
        .filter(pl.col(PROBABILITY).list.len() > 1)
    )
    if several.height:
        system, id, values = several.row(0)
        raise InputError(
            f"ratings: the ratings of the reply of {quoted(system)} to {quoted(id)} have different values "
            f"of '{PROBABILITY}': {values[0]} and {values[1]}{more(several.height, 'item')}; expected the "
            "probability that the item was drawn, the same for all its ratings"
        )
