"""Ratings of some replies beside scores of all: the arrays that pairs of systems are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.human_evaluation.grades import Scale
from rejoinder.human_evaluation.panel import coded
from rejoinder.human_evaluation.rater_effects import FIXED, RaterEffects, RaterRule
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import more, quoted
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.rater_variance import SingleRatings
from rejoinder.tables.schemas import PROBABILITY


@dataclass(frozen=True)
class RepliesWithRatings:
    """The replies of S systems to n items: scores of all, and ratings of some.

    Attributes:
        systems: The systems [S].
        labels: The predictors [k].
        values: float64 [k, S, n], their scores, higher is better; NaN where there is none.
        ratings: float64 [S, n], the mean rating of each reply; NaN where nobody rated it.
        single: float64 [S, n, raters], the single ratings; None where raters have no names.
        probabilities: float64 [S, n], of having been drawn for rating; None: all alike.
        group: int64 [n], the cluster of each item, numbered from 0.
        groups_are: What the clusters are called: items, or clusters.
        scale: The worst and the best grade that could be given; None: see `ends`.
        raters: The names of the raters, in the order of ``single``.
        rule: Whether the raters are a sample of all raters.
    """

    systems: tuple[str, ...]
    labels: tuple[str, ...]
    values: Floats
    ratings: Floats
    single: Floats | None
    probabilities: Floats | None
    group: Indices
    groups_are: str
    scale: Scale | None = None
    raters: tuple[str, ...] = ()
    rule: RaterRule = FIXED

    @classmethod
    def of(
        cls,
        scores: Scores,
        rated: Rated,
        table: pl.DataFrame,
        scale: Scale | None = None,
        rater_effects: RaterEffects | None = None,
    ) -> RepliesWithRatings:
        """The replies of the rated systems.

        Args:
            scores: The scores.
            rated: The ratings that were matched with them.
            table: The ratings of the criterion, with the column ``probability`` where there is one.
            scale: The worst and the best grade that could be given, where that is known.
            rater_effects: Whether the raters are a sample; None: where there are four or more.

        Raises:
            ParameterError: Random effects of raters that cannot be estimated.
            InputError: Some ratings of the table have a probability and others have none, or those
                of one reply have different ones.
        """
        systems = [scores.names.index(name) for name in rated.systems]
        items = scores.items.get_column("id")
        place = np.flatnonzero(items.is_in(list(rated.ids)).to_numpy())
        grid = np.full((len(systems), items.len()), np.nan)
        grid[:, place] = rated.grid
        rule, single = RaterRule.of(rater_effects, rated.raters), None
        if rule.named and len(rated.raters) > 1:
            single = np.full((*grid.shape, rated.matrix.shape[1]), np.nan)
            single[:, place] = [rated.ratings_of(name) for name in rated.systems]
        group = np.arange(items.len())
        if scores.cluster:
            labels = scores.items.get_column(scores.cluster).cast(pl.String)
            _, group = np.unique(labels.to_numpy(), return_inverse=True)
        return cls(
            rated.systems,
            tuple(scores.labels),
            np.stack([values_of(scores, label, systems) for label in scores.labels]),
            grid,
            single,
            _probabilities(table, rated.systems, items, grid),
            group,
            "clusters" if scores.cluster else "items",
            scale,
            rated.raters,
            rule,
        )

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """Which replies have a score of every predictor: bool [S, n]."""
        return np.logical_and.reduce(np.isfinite(self.values))

    @cached_property
    def rated(self) -> NDArray[np.bool_]:
        """Which of these have a rating: bool [S, n]."""
        return self.scored & np.isfinite(self.ratings)

    def items_of(self, a: int, b: int) -> Indices:
        """The items that both systems have scored replies to."""
        return np.flatnonzero(self.scored[a] & self.scored[b])

    def labels_of(self, a: int, b: int) -> Floats:
        """The differences of two systems' ratings: float64 [n], NaN where one has no rating."""
        both = self.rated[a] & self.rated[b]
        return np.where(both, self.ratings[a] - self.ratings[b], np.nan)

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

    def room(self, a: int, b: int) -> tuple[float, float]:
        """How far below, and above, the mean difference of two systems that of one more item could lie.

        One of its two replies then has a grade at an end of the scale, the other the mean of its system. 0
        where no end is known.
        """
        if self.ends is None:
            return 0.0, 0.0
        both = self.rated[a] & self.rated[b]
        low, high = self.ends
        of_a, of_b = (float(self.ratings[system, both].mean()) for system in (a, b))
        return max(of_a - low, high - of_b), max(high - of_a, of_b - low)

    def predictions_of(self, a: int, b: int) -> Floats:
        """The differences of two systems' scores: float64 [k, n], NaN where one has none."""
        return np.where(
            self.scored[a] & self.scored[b], self.values[:, a] - self.values[:, b], np.nan
        )

    def single_of(self, a: int, b: int) -> SingleRatings | None:
        """The single ratings of the items that both are rated on; None where raters have no names."""
        if self.single is None:
            return None
        items = np.flatnonzero(self.rated[a] & self.rated[b])
        parts = []
        for system, sign in ((a, 1.0), (b, -1.0)):
            item, rater = np.nonzero(np.isfinite(self.single[system, items]))
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


def values_of(scores: Scores, label: str, systems: Sequence[int]) -> Floats:
    """The scores of the replies by themselves, higher is better: float64 [S, n], NaN without one."""
    each = scores.measured[label]
    values = np.full((len(systems), scores.items.height), np.nan)
    segments = each.rows.of(systems).segments(each.metric)
    if each.answered is not None:
        segments = np.where(each.answered[list(systems)], segments, np.nan)
    values[:, each.usable] = segments
    return values if each.metric.higher_is_better else -values


def _probabilities(
    table: pl.DataFrame, systems: Sequence[str], items: pl.Series, grid: Floats
) -> Floats | None:
    """By reply the probability of having been drawn, float64 [S, n]; None where there is none."""
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
    values = np.full(grid.shape, np.nan)
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
