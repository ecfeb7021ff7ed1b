"""A file of any format in Rejoinder's own formats."""

from __future__ import annotations

import os

from rejoinder.files.sources import keeping_sources
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.format import FormatName
from rejoinder.tables.look import kind_of
from rejoinder.tables.registry import table_of, write_as
from rejoinder.tables.testset import TestSet


@keeping_sources()
def convert(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    kind: str | None = None,
    format: FormatName = None,
    columns: Columns = None,
    testset: TestSet | None = None,
) -> tuple[str, int]:
    """Converts a file of any format to one of Rejoinder's: ``.jsonl`` or ``.parquet``, by its suffix.

    Args:
        path: A file or a folder.
        output: The file to write; all but a test set may be ``.csv`` or ``.tsv`` too.
        kind: What to read it as; None where there is one kind alone that it can be read as.
        format: The name of its format; None: recognised.
        columns: Which column is which, as for ``read_testset``.
        testset: The test set of responses that have no ids: line i of plain text answers item i. The
            file is then read as responses.

    Returns:
        The kind, and the number of rows (of items, for a test set).

    Raises:
        InputError: It cannot be read, or the output cannot be written.
        ParameterError: There is no such kind, or the file may be several and none is named.
    """
    if kind is None:
        kind = "responses" if testset else kind_of(path, format=format, columns=columns)
    table = table_of(path, kind, format=format, columns=columns, testset=testset)
    write_as(kind, table, output)
    return kind, len(table)
