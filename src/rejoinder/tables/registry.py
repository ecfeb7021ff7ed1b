"""The registry of kinds of tables: the type and the writer of each."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.every_eval_ever import instances_of, write_instances
from rejoinder.tables.external_scores import SegmentScores
from rejoinder.tables.format import FormatName
from rejoinder.tables.in_memory import read_as
from rejoinder.tables.testset import TestSet, read_testset
from rejoinder.tables.types import Preferences, Ratings, Responses
from rejoinder.tables.write import (
    write_preferences,
    write_ratings,
    write_responses,
    write_table,
    write_testset,
)

TYPES = (Responses, Ratings, Preferences, SegmentScores)

EVERY_EVAL_EVER = "every-eval-ever"
"""The items, replies and scores of a file as instances of that schema."""

KINDS: dict[str, Callable[[Any, Any], None]] = {
    "test set": write_testset,
    "responses": write_responses,
    "ratings": write_ratings,
    "preferences": write_preferences,
    "scores": write_table,
    EVERY_EVAL_EVER: write_instances,
}
"""By kind of table that a file of any format may hold its writer, by the suffix of the path."""


def table_of(
    path: str | os.PathLike[str],
    kind: str,
    *,
    format: FormatName = None,
    columns: Columns = None,
    testset: TestSet | None = None,
) -> Any:
    """A file read as a kind of table; instances of Every Eval Ever are objects.

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
    if testset is not None and kind != "responses":
        raise ParameterError(
            Argument("testset"),
            f" gives the ids of responses, and {Argument('kind')} is {kind!r}; leave one of them out",
        )
    if kind == "test set":
        return read_testset(path, format=format, columns=columns)
    if kind == EVERY_EVAL_EVER:
        return instances_of(path, format=format, columns=columns)
    (of_kind,) = (each for each in TYPES if kind == each.KIND)
    ids = None if testset is None else testset.ids
    return read_as(of_kind, [path], format=format, columns=columns, ids=ids).frame


def write_as(kind: str, table: Any, output: str | os.PathLike[str]) -> None:
    """Writes a table of a kind, by the suffix of the path.

    Args:
        kind: The kind of the table.
        table: The table.
        output: The file.

    Raises:
        InputError: The suffix is none of its kind's, or the path cannot be written.
    """
    KINDS[kind](table, output)
