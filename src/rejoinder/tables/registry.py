"""The registry of kinds of tables: the reader and the writer of each."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.external_scores import read_scores
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import TestSet, read_testset
from rejoinder.tables.write import (
    write_preferences,
    write_ratings,
    write_responses,
    write_table,
    write_testset,
)


@dataclass(frozen=True)
class Kind:
    """A kind of table.

    Attributes:
        read: Reads a path, with ``format`` and ``columns``.
        write: Writes a table to a path, by its suffix.
    """

    read: Callable[..., TestSet | pl.DataFrame]
    write: Callable[[Any, Any], None]


KINDS: dict[str, Kind] = {
    "test set": Kind(read_testset, write_testset),
    "responses": Kind(read_responses, write_responses),
    "ratings": Kind(read_ratings, write_ratings),
    "preferences": Kind(read_preferences, write_preferences),
    "scores": Kind(read_scores, write_table),
}
"""The kinds of table that a file of any format may hold."""


def table_of(
    path: str | os.PathLike[str],
    kind: str,
    *,
    format: str | None = None,
    columns: Columns = None,
    testset: TestSet | None = None,
) -> TestSet | pl.DataFrame:
    """A file read as a kind of table.

    Args:
        path: A file or a folder.
        kind: The kind.
        format: The name of its format; None: recognised.
        columns: Which column is which, as for ``read_testset``.
        testset: The test set of responses that have no ids: line i of plain text answers item i.

    Raises:
        InputError: It cannot be read.
        ParameterError: There is no such kind, or a test set is given and the kind is not responses.
    """
    if kind not in KINDS:
        raise ParameterError(f"kind: got {kind!r}; expected {one_of(KINDS)}")
    if testset is not None:
        if kind != "responses":
            raise ParameterError(
                Argument("testset"),
                f" gives the ids of responses, and {Argument('kind')} is {kind!r}; leave one of them out",
            )
        return read_responses(path, format=format, columns=columns, ids=testset.ids)
    return KINDS[kind].read(path, format=format, columns=columns)


def write_as(kind: str, table: TestSet | pl.DataFrame, output: str | os.PathLike[str]) -> None:
    """Writes a table of a kind, by the suffix of the path.

    Raises:
        InputError: The suffix is none of its kind's, or the path cannot be written.
    """
    KINDS[kind].write(table, output)
