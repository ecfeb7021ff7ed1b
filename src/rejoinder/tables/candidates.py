"""Candidates: texts that may become references, each with its source in the place of a system."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from rejoinder.errors import RejoinderError
from rejoinder.files.reading import existing
from rejoinder.files.sources import keeping_sources
from rejoinder.tables.assembly.column_mapping import ColumnMapping, Columns, column_mapping
from rejoinder.tables.format import FormatName
from rejoinder.tables.formats.format_choice import columns_of_replies
from rejoinder.tables.in_memory import ResponsesLike, is_by_system, taken
from rejoinder.tables.parts import Origin
from rejoinder.tables.responses import read_responses
from rejoinder.tables.schemas import RESPONSES
from rejoinder.tables.testset import TestSet, first_references
from rejoinder.tables.types import Responses

SOURCE = "source"
"""What the column is called that tells the candidates of one item apart."""

ORIGINAL = "original"
"""The source of an item's own first reference, where it is rated beside other candidates."""


@keeping_sources()
def read_candidates(
    *paths: str | os.PathLike[str],
    format: FormatName = None,
    ids: Sequence[str] | None = None,
    columns: Columns = None,
) -> pl.DataFrame:
    """Reads candidates for references: mined replies, or the replies of systems.

    A file with a column ``source`` and none called ``system`` holds candidates; any other is read as
    responses.

    Args:
        *paths: Files or folders.
        format: The name of the format of all of them, or by file; None: recognised by suffix and first bytes.
        ids: The ids of the test set, needed for plain text.
        columns: Which column is which, as for ``read_responses``.

    Returns:
        ``system, id, text``; the first column is called ``source`` where all files hold candidates.

    Raises:
        InputError: A file cannot be read or breaks a rule; the message names file and row.
        ParameterError: There is no such format.
    """
    mapping = column_mapping(columns)
    files = existing(paths, "responses")
    sourced = [is_of_candidates(path, format, mapping) for path in files]
    if not any(sourced):
        return read_responses(*files, format=format, ids=ids, columns=columns)
    frames = [
        (read_sources if by_source else read_responses)(
            path, format=format, ids=ids, columns=mapping
        )
        for path, by_source in zip(files, sourced, strict=True)
    ]
    table = pl.concat([frame.select(*RESPONSES) for frame in frames])
    table = Responses(table, Origin.of_table("candidates", table)).frame
    return table.rename({"system": SOURCE}) if all(sourced) else table


def read_sources(
    *paths: str | os.PathLike[str],
    format: FormatName = None,
    ids: Sequence[str] | None = None,
    columns: Columns = None,
) -> pl.DataFrame:
    """Reads candidates whose source stands in the place of a system; arguments as above.

    Args:
        *paths: The files.
        format: The name of the format; None: it is recognised.
        ids: The ids of the items, for files without; None: there are none.
        columns: By our names those of the file.

    Returns:
        ``schemas.RESPONSES``.

    Raises:
        InputError: A file cannot be read, has no such columns, or breaks a rule of responses.
        ParameterError: There is no such format.
    """
    mapping = column_mapping(columns) or ColumnMapping({})
    sources = ColumnMapping({"system": SOURCE}).joined(mapping)
    return read_responses(*paths, format=format, ids=ids, columns=sources).select(*RESPONSES)


def originals(testset: TestSet) -> pl.DataFrame:
    """The first reference of each item that has one, as replies of the system ``original``.

    >>> testset = TestSet.from_lists([["hi", "hello"], []], ids=["1", "2"])
    >>> originals(testset).rows()
    [('original', '1', 'hi')]
    """
    return first_references(testset).select(pl.lit(ORIGINAL).alias("system"), "id", "text")


def candidates_of(given: ResponsesLike, ids: Sequence[str]) -> tuple[Responses, bool]:
    """Candidates or responses of a Python call as responses, and whether systems made them.

    Args:
        given: A table with a column ``source`` or ``system``, or replies by system.
        ids: The ids of the test set.

    Raises:
        ParameterError: It is no frame.
        InputError: A column is absent, or a row breaks a rule of responses.
    """
    by_source = False
    if not is_by_system(given):
        given = Responses.frame_of(given)
        by_source = SOURCE in given.columns and "system" not in given.columns
        given = given.rename({SOURCE: "system"}) if by_source else given
    responses = taken(Responses, given, ids)
    return responses.with_frame(responses.single()), not by_source


def is_of_candidates(path: Path, format: FormatName, mapping: ColumnMapping | None) -> bool:
    """Whether a file has a column ``source`` and no system; a file that is no table has not.

    Args:
        path: A file.
        format: The name of its format; None: recognised.
        mapping: Which column is which.
    """
    of_file = mapping and mapping.of_file(path)
    if of_file is not None and "system" in of_file.sources:
        return False
    try:
        names = columns_of_replies(path, format, mapping)
    except RejoinderError:
        return False  # whoever reads the file says what is wrong
    return SOURCE in names and "system" not in names and "references" not in names
