"""Tables as users have them in memory, as frames of Polars.

Polars' own (lazy ones are collected), pandas', Arrow's tables and whatever gives Arrow's C stream
(DuckDB's results, for example), data sets of Hugging Face, lists of dictionaries, and dictionaries of
columns.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.messages import listed


class Columned(Protocol):
    """A frame of Polars or of pandas."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...


class ArrowStream(Protocol):
    """What gives its rows by Arrow's C data interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


Frame: TypeAlias = (
    Columned
    | ArrowStream
    | pl.LazyFrame
    | Sequence[Mapping[str, Any]]
    | Mapping[str, Sequence[Any]]
)
"""A table: a frame of Polars or pandas, Arrow, a data set of Hugging Face, a list of dictionaries, each a
row, or a dictionary of lists, each a column."""


def is_table(given: object) -> bool:
    """Whether something is a table in memory, and no path."""
    if isinstance(given, str | os.PathLike):
        return False
    return (
        isinstance(given, pl.DataFrame | pl.LazyFrame)
        or hasattr(given, "__arrow_c_stream__")
        or _is_of(given, "pandas", "DataFrame")
        or _is_of(given, "datasets", "Dataset", "DatasetDict", "IterableDataset")
        or is_list_of_rows(given)
        or is_of_columns(given)
    )


def is_of_columns(given: object) -> bool:
    """Whether something is a dictionary of columns: lists, arrays or series.

    >>> is_of_columns({"id": ["c1"], "text": ("yes",)}), is_of_columns({"id": "c1"}), is_of_columns({})
    (True, False, False)
    """
    return (
        isinstance(given, Mapping)
        and bool(given)
        and all(
            isinstance(column, list | tuple | pl.Series) or hasattr(column, "__array__")
            for column in given.values()
        )
    )


def is_list_of_rows(given: object) -> bool:
    """Whether something is a list of dictionaries, each a row."""
    return (
        isinstance(given, list | tuple)
        and bool(given)
        and all(isinstance(row, Mapping) for row in given)
    )


def polars_of(table: Frame, what: str, columns: str, remedy: str) -> pl.DataFrame:
    """A table as a Polars frame; pandas' missing values become nulls.

    Args:
        table: A frame of Polars or pandas, an Arrow table or stream, a data set of Hugging Face, a list
            of dictionaries, or a dictionary of columns.
        what: What it is called, for messages.
        columns: Those that it should have, in words.
        remedy: How to get one from files.

    Raises:
        ParameterError: It is no table, or cannot be one of Polars.
    """
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    is_pandas = _is_of(table, "pandas", "DataFrame")
    try:
        if is_pandas:
            return pl.from_pandas(table)  # pyright: ignore
        if _is_of(table, "datasets", "Dataset"):
            return _dataset_frame(table)
        if hasattr(table, "__arrow_c_stream__") or is_of_columns(table):
            return pl.DataFrame(table)  # pyright: ignore
        if is_list_of_rows(table):
            return pl.from_dicts([dict(row) for row in table], infer_schema_length=None)  # pyright: ignore
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:  # Arrow's are ValueErrors
        why, kind = (
            str(error).split("\n")[0],
            "frame of pandas" if is_pandas else type(table).__name__,
        )
        such = ", such as frame['text'].astype(str)" * is_pandas
        raise ParameterError(
            f"{what}: the {kind} cannot be taken over ({why}); give each column one type{such}"
        ) from None
    if _is_of(table, "datasets", "DatasetDict"):
        splits = listed(list(table))  # pyright: ignore
        raise ParameterError(f"{what} is a DatasetDict; choose a split: data['test'] ({splits})")
    raise ParameterError(
        f"{what} is {type(table).__name__}, expected a frame of Polars or pandas, an Arrow table, a "
        f"data set, a list of dictionaries or a dictionary of columns, with the columns {columns}; {remedy}"
    )


def _is_of(given: object, module: str, *names: str) -> bool:
    """Whether something is of a class of a library, which need not be installed."""
    return any(
        kind.__module__.partition(".")[0] == module and kind.__name__ in names
        for kind in type(given).__mro__
    )


def _dataset_frame(data: Any) -> pl.DataFrame:
    """A data set of Hugging Face, its rows as they are selected and sorted in it."""
    frame = pl.from_arrow(data.with_format("arrow")[:])
    assert isinstance(frame, pl.DataFrame)
    return frame
