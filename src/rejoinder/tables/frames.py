"""Frames as users have them: Polars' own, and pandas', which are taken over."""

from __future__ import annotations

from typing import Any, Protocol

import polars as pl

from rejoinder.errors import ParameterError


class Frame(Protocol):
    """A frame of Polars or of pandas."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...


def ratings_of(table: Frame) -> pl.DataFrame:
    """``polars_of`` of ratings."""
    columns = "id, system, rater, criterion and score"
    return polars_of(table, "ratings", columns, "read files with rejoinder.read_ratings(*paths)")


def polars_of(table: Frame, what: str, columns: str, remedy: str) -> pl.DataFrame:
    """A table as a Polars frame; pandas' missing values become nulls.

    Args:
        table: A frame of Polars or of pandas.
        what: What it is called, for messages.
        columns: Those that it should have, in words.
        remedy: How to get one from files.

    Raises:
        ParameterError: It is no frame.
    """
    if isinstance(table, pl.DataFrame):
        return table
    kind = type(table)
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame":
        return _of_pandas(table, what)
    if isinstance(table, pl.LazyFrame):
        raise ParameterError(f"{what} is a LazyFrame; expected a frame; collect it: .collect()")
    raise ParameterError(
        f"{what} is {kind.__name__}, expected a frame of Polars or pandas with the columns {columns}; "
        f"{remedy}"
    )


def _of_pandas(table: Any, what: str) -> pl.DataFrame:
    """A frame of pandas as one of Polars.

    Raises:
        ParameterError: A column holds values of several types.
    """
    try:
        return pl.from_pandas(table)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:  # Arrow's are ValueErrors
        why = str(error).split("\n")[0]
        raise ParameterError(
            f"{what}: the frame of pandas cannot be taken over ({why}); give each column one type, "
            "such as frame['text'].astype(str)"
        ) from None
