"""Ratings of some replies beside scores of all: the arrays that pairs of systems are compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.human_evaluation.by_people.replies import RatedReplies, of_raters, probabilities
from rejoinder.human_evaluation.grades import Scale
from rejoinder.human_evaluation.rater_effects import RaterEffects
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.meta_evaluation.evidence import Rated
from rejoinder.scoring.scores import Scores
from rejoinder.tables.item_clusters import cluster_labels


@dataclass(frozen=True, kw_only=True)
class RepliesWithRatings(RatedReplies):
    """The replies of S systems to n items: scores of all, and ratings of some.

    Attributes:
        labels: The predictors [k].
        values: Their scores, higher is better (float64 [k, S, n]); NaN where there is none.
    """

    labels: tuple[str, ...]
    values: Floats

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
        places, shape = (rated.system, place[rated.item]), (len(systems), items.len())
        group = np.arange(items.len())
        if scores.cluster:
            labels = cluster_labels(scores.items, scores.cluster)
            _, group = np.unique(labels.to_numpy(), return_inverse=True)
        return cls(
            systems=rated.systems,
            labels=tuple(scores.labels),
            values=np.stack([values_of(scores, label, systems) for label in scores.labels]),
            probabilities=probabilities(table, rated.systems, items),
            group=group,
            groups_are="clusters" if scores.cluster else "items",
            scale=scale,
            **of_raters(places, rated.matrix, shape, rated.raters, rater_effects),
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

    def predictions_of(self, a: int, b: int) -> Floats:
        """The differences of two systems' scores: float64 [k, n], NaN where one has none."""
        return np.where(
            self.scored[a] & self.scored[b], self.values[:, a] - self.values[:, b], np.nan
        )


def values_of(scores: Scores, label: str, systems: Sequence[int]) -> Floats:
    """The scores of the replies by themselves, higher is better: float64 [S, n], NaN without one.

    Args:
        scores: The scores.
        label: The label of the metric.
        systems: The places of the systems, S.
    """
    each = scores.measured[label]
    values = np.full((len(systems), scores.items.height), np.nan)
    segments = each.rows.of(systems).segments(each.metric)
    if each.answered is not None:
        segments = np.where(each.answered[list(systems)], segments, np.nan)
    values[:, each.usable] = segments
    return values if each.metric.higher_is_better else -values
