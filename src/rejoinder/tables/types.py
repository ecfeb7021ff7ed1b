"""The types of tables: what a table holds is checked once, when it becomes one.

A public call takes a frame or one of these types, and makes the type of a frame (``Ratings.of``); what is
called from there on gets the type, whose rules are known to be kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import InitVar, dataclass
from typing import Self

import polars as pl

from rejoinder.tables.checks.validation import check_preferences, check_scores, conform
from rejoinder.tables.frames import Frame, polars_of
from rejoinder.tables.notes import Note
from rejoinder.tables.origin import Origin
from rejoinder.tables.schemas import AGAINST, PREFERENCES, PROBABILITY, RATINGS
from rejoinder.tables.selection import of_criterion


@dataclass(frozen=True, eq=False)
class Judgements(ABC):
    """What people, or judges, said of replies, checked: the base of ratings and preferences.

    Args:
        frame: The table: its own columns, then additional ones.
        notes: What the reader left out or took another way.
        origin: Where its rows stood, for the errors of the check; None for a table made in memory.

    Raises:
        InputError: A column is absent, misspelt or of another type, or a row breaks a rule.
    """

    frame: pl.DataFrame
    notes: tuple[Note, ...] = ()
    origin: InitVar[Origin | None] = None

    def __post_init__(self, origin: Origin | None) -> None:
        """Brings the table into its columns and checks every row."""
        object.__setattr__(self, "frame", self._checked(self.frame, origin))

    @abstractmethod
    def _checked(self, frame: pl.DataFrame, origin: Origin | None) -> pl.DataFrame:
        """The table in its columns, every row of which is checked."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.frame.columns

    def with_frame(self, frame: pl.DataFrame) -> Self:
        """Some of these ratings, or with other columns beside them: nothing that a rule is about."""
        part = copy(self)
        object.__setattr__(part, "frame", frame)
        return part

    def of_criterion(self, criterion: str | None, *, one: bool = False) -> Self:
        """The ratings under one criterion, as ``selection.of_criterion`` selects them."""
        return self.with_frame(of_criterion(self.frame, criterion, one=one))


@dataclass(frozen=True, eq=False)
class Ratings(Judgements):
    """Ratings of replies: ``schemas.RATINGS``, ``against`` and ``probability`` where they hold anything."""

    def _checked(self, frame: pl.DataFrame, origin: Origin | None) -> pl.DataFrame:
        frame = conformed(frame, "ratings")
        check_scores(frame, origin or Origin.of_table("ratings", frame))
        return frame

    @classmethod
    def of(cls, given: Frame | Ratings) -> Ratings:
        """The ratings of a Python call: a frame becomes checked ratings, and these stay as they are.

        Raises:
            InputError: A column is absent, or a row breaks a rule; a missing rating has no row.
            ParameterError: It is no frame.
        """
        return given if isinstance(given, Ratings) else cls(frame_of_ratings(given))

    def table(self, probability: bool = False) -> pl.DataFrame:
        """The columns of ratings alone: ``schemas.RATINGS``, and ``against`` where one is of a pair.

        Args:
            probability: Whether to keep the column ``probability`` where it holds anything.
        """
        optional = (AGAINST, PROBABILITY) if probability else (AGAINST,)
        return self.frame.select(*RATINGS, *(each for each in optional if each in self.columns))


@dataclass(frozen=True, eq=False)
class Preferences(Judgements):
    """Comparisons of two systems' replies: ``schemas.PREFERENCES``."""

    def _checked(self, frame: pl.DataFrame, origin: Origin | None) -> pl.DataFrame:
        frame = conform(frame, PREFERENCES, "preferences")
        check_preferences(frame, origin or Origin.of_table("preferences", frame))
        return frame

    @classmethod
    def of(cls, given: Frame | Preferences) -> Preferences:
        """The comparisons of a Python call: a frame becomes checked ones, and these stay as they are.

        Raises:
            InputError: A column is absent, or a row breaks a rule.
            ParameterError: It is no frame.
        """
        if isinstance(given, Preferences):
            return given
        remedy = "read files with rejoinder.read_preferences(*paths)"
        return cls(polars_of(given, "preferences", ", ".join(PREFERENCES), remedy))


def frame_of_ratings(given: Frame | Ratings) -> pl.DataFrame:
    """The ratings of a Python call as they were given, not yet checked, as a frame of Polars.

    Raises:
        ParameterError: It is no frame.
    """
    if isinstance(given, Ratings):
        return given.frame
    columns = "id, system, rater, criterion and score"
    return polars_of(given, "ratings", columns, "read files with rejoinder.read_ratings(*paths)")


def conformed(frame: pl.DataFrame, table: str, keep: Sequence[str] | None = None) -> pl.DataFrame:
    """The columns of ratings in their types.

    Args:
        frame: The ratings.
        table: What they are called in messages.
        keep: Additional columns to keep, as text, where they are there; None: all, as they are.

    Returns:
        ``schemas.RATINGS``, the columns ``against`` (an empty text in it is null) and ``probability``
        where they hold anything, and the columns to keep.

    Raises:
        InputError: A column is absent, misspelt, or of the wrong type.
    """
    optional = {AGAINST: pl.String, PROBABILITY: pl.Float64}
    ratings = conform(frame, RATINGS | optional, table, optional)
    if keep is not None:
        kept = [pl.col(name).cast(pl.String) for name in keep if name in ratings.columns]
        ratings = ratings.select(*RATINGS, *optional, *kept)
    blank = pl.col(AGAINST).str.strip_chars() == ""
    ratings = ratings.with_columns(pl.when(~blank).then(pl.col(AGAINST)).alias(AGAINST))
    return ratings.drop(name for name in optional if not ratings.get_column(name).count())
