"""Ratings that belong to a pair of systems: the optional column ``against`` of ratings.

In Galley et al. (2015), section 5, each pair of systems has items and ratings of its own, so that
one reply may be rated several times by one rater: once beside each other system.
"""

from __future__ import annotations

import polars as pl

from rejoinder.messages import counted
from rejoinder.tables.schemas import AGAINST, RATINGS


def belong_to_pairs(ratings: pl.DataFrame) -> bool:
    """Whether any rating belongs to a pair of systems."""
    return AGAINST in ratings.columns and ratings.get_column(AGAINST).count() > 0


def over_pairs(ratings: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The ratings of replies by themselves: a rater's scores of a reply in several pairs averaged.

    Each rater of a reply counts once, in however many pairs the reply was rated.

    Args:
        ratings: ``schemas.RATINGS``, with or without ``against``.

    Returns:
        ``schemas.RATINGS`` with one row per reply, rater and criterion, in the order of the first
        rating of each, and what to say of it: nothing where no rating belongs to a pair.

    >>> rows = [("1", "a", "r", "overall", 2.0, "b"), ("1", "a", "r", "overall", 5.0, "c")]
    >>> table = pl.DataFrame(rows, schema=[*RATINGS, "against"], orient="row")
    >>> over_pairs(table)[0].rows()
    [('1', 'a', 'r', 'overall', 3.5)]
    """
    if not belong_to_pairs(ratings):
        return ratings.select(*RATINGS), []
    keys = [name for name in RATINGS if name != "score"]
    averaged = ratings.group_by(keys, maintain_order=True).agg(pl.col("score").mean())
    several = int(ratings.select(pl.struct(keys).is_duplicated()).to_series().sum())
    note = (
        "ratings belong to pairs of systems (column 'against'), which count here as ratings of the "
        "reply by itself"
    )
    if several:
        note += (
            f": {counted(several, 'rating')} of one reply by one rater in several pairs averaged to "
            f"{averaged.height - (ratings.height - several)}"
        )
    return averaged.select(*RATINGS), [note]
