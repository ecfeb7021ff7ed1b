"""People's ratings of replies as one weight for each reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from rejoinder.errors import InputError, ParameterError, check_least
from rejoinder.human_evaluation.grades import check_scale
from rejoinder.human_evaluation.rater_exclusion import THRESHOLD
from rejoinder.human_evaluation.rating_filter import reliable_ratings
from rejoinder.messages import Argument, counted
from rejoinder.statistics import aggregation
from rejoinder.statistics.raters import LEAST_SHARED
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.pair_ratings import over_pairs
from rejoinder.tables.ratings import check_ratings
from rejoinder.tables.selection import criterion_notes
from rejoinder.tables.types import Ratings


@dataclass(frozen=True)
class RatingRules:
    """Which ratings count, and what they are worth.

    Attributes:
        scale: The worst and the best grade that could be given.
        criterion: Which criterion of the ratings, where there are several.
        filter_raters: Raters whose kappa against the others is below are excluded; None: nobody is.
        least: The fewest replies shared with others to be judged by kappa.
        least_raters: The fewest raters of a reply that gets a weight.

    Raises:
        ParameterError: A number is out of range, or ``least`` has no effect.
    """

    scale: tuple[float, float]
    criterion: str | None = None
    filter_raters: float | None = None
    least: int = LEAST_SHARED
    least_raters: int = 1

    def __post_init__(self) -> None:
        check_least(1, least_raters=self.least_raters)
        if self.filter_raters is None and self.least != LEAST_SHARED:
            raise ParameterError(
                Argument("least", self.least),
                " has no effect without filter_raters; add "
                f"{Argument('filter_raters', THRESHOLD)}, or leave least out",
            )


@dataclass(frozen=True, eq=False)
class RatingWeights:
    """The weights of rated replies.

    Attributes:
        weights: ``system, id, weight``, a row for each rated reply.
        ratings: ``schemas.RATINGS``, those that count.
        notes: What was excluded, and why.
    """

    weights: pl.DataFrame
    ratings: pl.DataFrame
    notes: tuple[str, ...]


def rating_weights(
    ratings: Frame | Ratings, replies: pl.DataFrame, rules: RatingRules, without: Sequence[str] = ()
) -> RatingWeights:
    """The weight of each rated reply: its mean rating s as ``2 (s - low) / (high - low) - 1``.

    Args:
        ratings: The table of ``read_ratings``.
        replies: ``system, id``: the replies that may have ratings.
        rules: Which ratings count.
        without: Systems that the user left out, for the notes.

    Raises:
        InputError: The tables do not fit, a rating is off the scale, or no rating is left.
        ParameterError: A criterion is unknown, or a rule is out of range.
    """
    table = taken(Ratings, ratings).of_criterion(rules.criterion, one=True)
    rated = check_ratings(table, replies, without)
    notes = criterion_notes(table.frame, rules.criterion)
    notes += [f"weights: {note}" for note in rated.notes]
    check_scale(rated.ratings, rules.scale)
    usable = rated.ratings
    if rules.filter_raters is not None:
        usable, more = reliable_ratings(usable, rules.filter_raters, rules.least)
        notes += [f"weights: {note}" for note in more]
    by_itself, more = over_pairs(usable)
    notes += [f"weights: {note}" for note in more]
    groups = by_itself.group_by("system", "id", maintain_order=True)
    means = groups.agg(pl.col("score").mean(), pl.col("rater").n_unique().alias("raters"))
    enough = means.filter(pl.col("raters") >= rules.least_raters)
    if skipped := means.height - enough.height:
        words = counted(skipped, "reply", "replies")
        notes.append(f"weights: {words} with fewer than {rules.least_raters} raters skipped")
    if not enough.height:
        raise InputError(
            f"weights: no reply has {rules.least_raters} raters (the most is "
            f"{means.get_column('raters').max()}); lower ",
            Argument("least_raters"),
        )
    weights = aggregation.scale(enough.get_column("score").to_numpy(), *rules.scale)
    return RatingWeights(
        enough.select("system", "id", pl.Series("weight", weights)), usable, tuple(notes)
    )


def scale_note(ratings: pl.DataFrame, scale: tuple[float, float]) -> str:
    """The note on the scale, and on the grades that were given."""
    scores = ratings.get_column("score")
    return (
        f"weights: a mean rating of {scale[0]:g} becomes -1, one of {scale[1]:g} becomes 1 (the ratings "
        f"here are from {scores.min():g} to {scores.max():g})"
    )
