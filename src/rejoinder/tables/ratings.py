"""People's ratings of replies: reading them, and joining them to the replies by system and id."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import counted
from rejoinder.tables.assembly.column_mapping import ColumnMapping, Columns, column_mapping
from rejoinder.tables.checks.id_slips import first_few, shift, slip
from rejoinder.tables.format import FormatName
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import read_as
from rejoinder.tables.item_clusters import cluster_columns
from rejoinder.tables.types import Ratings

_REPLY = ["system", "id"]


@dataclass(frozen=True, eq=False)
class MatchedRatings:
    """Ratings and replies that belong together, and those that have no partner.

    Attributes:
        ratings: ``schemas.RATINGS`` (and ``against``, if any has one), the ratings of replies that
            are there, in their order.
        unmatched: ``schemas.RATINGS``, the ratings of replies that are not.
        unrated: ``system, id`` of the replies that nobody rated.
        notes: What has no partner, in words and with counts; empty where all fits.
    """

    ratings: pl.DataFrame
    unmatched: pl.DataFrame
    unrated: pl.DataFrame
    notes: tuple[str, ...]


def read_ratings(
    *paths: str | os.PathLike[str] | Frame,
    format: FormatName = None,
    columns: Columns = None,
    cluster: str | None = None,
    values: Mapping[str, float] | None = None,
) -> pl.DataFrame:
    """Reads ratings of replies, in any of the formats of docs/formats.md.

    A missing rating has no row. Where the data holds only the mean of several people, the rater is
    called ``mean``; where it has no names, a rater ``1``, ``2``, ... is a place in a list and not a
    person. What is left out (rejected, cancelled, given twice) is counted in a warning of the log.

    Args:
        *paths: Files or folders, of which each is recognised by itself; or the tables themselves,
            as for ``read_testset``.
        format: The name of the format of all of them, or by file; None: recognised by suffix and first bytes.
        columns: Which column is which, as for ``read_testset``: ``"id=item,score=grade"``.
        cluster: An additional column to keep, for ``rejoinder.ratings(..., cluster=)``; None keeps
            ``conversation`` where there is one.
        values: By word its number, where people rated in words: ``{"good": 3, "fair": 2, "poor": 1}``; stars,
            thumbs, Like and Dislike, Good and Bad, True and False need none.

    Returns:
        ``schemas.RATINGS``, one row per rating, in the order of the files; then the column
        ``against`` where ratings belong to pairs of systems, and that of the clusters.

    Raises:
        InputError: A file cannot be read or breaks a rule; the message names file and row.
        ParameterError: There is no such format.
    """
    keep = cluster_columns(cluster)
    words = ColumnMapping({}, values=values or {})
    columns = words.joined(column_mapping(columns) or words)
    return read_as(Ratings, paths, format=format, columns=columns, keep=keep).frame


def check_ratings(
    ratings: Frame | Ratings, replies: pl.DataFrame, left_out: Sequence[str] = ()
) -> MatchedRatings:
    """Joins ratings to replies by system and id.

    Args:
        ratings: ``schemas.RATINGS``.
        replies: A table with ``system`` and ``id``: responses, or the rows of scores.
        left_out: Systems that the user left out of the replies; their ratings have a note that
            says so.

    Raises:
        InputError: A table breaks its rules; no rating has a reply; or the ids count from 0 in one
            table and from 1 in the other, so that nearly all of them meet a wrong partner.
    """
    ratings = Ratings.of(ratings).table()
    answered = replies.select(_REPLY).unique(maintain_order=True)
    numbered = ratings.with_row_index("row")
    matched = numbered.join(answered, on=_REPLY, how="semi").sort("row").drop("row")
    unmatched = numbered.join(answered, on=_REPLY, how="anti").sort("row").drop("row")
    unrated = answered.with_row_index("row").join(ratings, on=_REPLY, how="anti").sort("row")
    if not matched.height:
        raise InputError(_strangers(ratings, answered))
    _refuse_shifted(ratings, answered)
    unrated = unrated.select(_REPLY)
    asked = pl.col("system").is_in(list(left_out))
    notes = _notes(unmatched.filter(~asked), "rating", "without a reply", answered)
    if count := unmatched.filter(asked).height:
        noun = counted(count, "rating")
        notes += (f"{noun} not used, because the system was left out as asked",)
    notes += _notes(unrated, "reply", "without a rating", ratings)
    return MatchedRatings(matched, unmatched, unrated, notes)


def _strangers(ratings: pl.DataFrame, replies: pl.DataFrame) -> str:
    """Why no rating has a reply: the systems, the ids, or the pairs of them."""
    start = f"ratings: none of {counted(ratings.height, 'rating')} has a reply"
    rated, answering = _names(ratings, "system"), _names(replies, "system")
    if not set(rated) & set(answering):
        return (
            f"{start}: system {first_few(rated)} rated, {first_few(answering)} replying; use the "
            "same system names"
        )
    given, known = _names(ratings, "id"), _names(replies, "id")
    unknown = [id for id in given if id not in set(known)]
    if len(unknown) == len(given):
        hint = slip(unknown, given, known, "ratings", "replies")
        return f"{start}: no reply has the id {first_few(given)}; {hint}"
    pairs = [f"{system} {id}" for system, id in ratings.select(_REPLY).unique().sort(_REPLY).rows()]
    return (
        f"{start}: systems and ids are known, but no system replied to what is rated of it: "
        f"{first_few(pairs)}; are these the ratings of other replies?"
    )


def _refuse_shifted(ratings: pl.DataFrame, replies: pl.DataFrame) -> None:
    """Ids 0 ... n-1 against 1 ... n meet all but once, and each meets a wrong partner."""
    given, known = _names(ratings, "id"), _names(replies, "id")
    step = 0 if set(given) == set(known) or len(given) != len(known) else shift(given, known)
    if step:
        unknown = [id for id in given if id not in set(known)]
        hint = slip(unknown, given, known, "ratings", "replies")
        raise InputError(f"ratings: no reply has the id {first_few(unknown)}; {hint}")


def _notes(rows: pl.DataFrame, noun: str, what: str, other: pl.DataFrame) -> tuple[str, ...]:
    """Counts the rows without a partner, those of systems unknown to the other table apart."""
    if not rows.height:
        return ()
    known = set(_names(other, "system"))
    unknown = [system for system in _names(rows, "system") if system not in known]
    of_unknown = rows.filter(pl.col("system").is_in(unknown)).height
    notes = []
    if of_unknown:
        notes.append(f"{_counted(of_unknown, noun)} {what}, all of the system {first_few(unknown)}")
    if rest := rows.height - of_unknown:
        notes.append(f"{_counted(rest, noun)} {what}")
    return tuple(notes)


def _counted(count: int, noun: str) -> str:
    return counted(count, noun).replace("replys", "replies")


def _names(frame: pl.DataFrame, column: str) -> list[str]:
    return frame.get_column(column).unique(maintain_order=True).to_list()
