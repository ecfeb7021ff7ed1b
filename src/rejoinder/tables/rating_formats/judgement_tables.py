"""Tables of judgements (ratings, preferences, scores) in any file of columns: CSV, JSON, Parquet.

A table of ratings is long (a row for each rating) or wide (a column for each rater).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.long_or_wide import ratings_of_table
from rejoinder.tables.assembly.mapped_parts import part_of_judgements
from rejoinder.tables.assembly.mapped_rows import ReadRows
from rejoinder.tables.assembly.two_tables import Part
from rejoinder.tables.formats import datasets_folder, delimited, parquet
from rejoinder.tables.formats.registry import FORMATS as TABLE_FORMATS
from rejoinder.tables.in_memory import frame_of
from rejoinder.tables.io.delimited import read_csv, read_quoted_tsv
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.io.json_table import read_json_table
from rejoinder.tables.io.workbook import read_workbook
from rejoinder.tables.origin import RatingsDraft
from rejoinder.tables.rating_formats.format import RatingFormat
from rejoinder.tables.schemas import AGAINST, RATINGS

# Columns that name things: a whole number in them is its digits.
_NAMES = {*RATINGS, AGAINST} - {"score"}

_ALIASED = ("id", "system", "rater", "score")


def _jsonl(path: Path, columns: ColumnMapping | None = None, read: ReadRows = read_objects) -> Part:
    numbers, rows = [], []
    for number, row in read(path):
        numbers.append(number)
        rows.append(row if columns is None else columns.of_row(row))
    names = list(dict.fromkeys(name for row in rows for name in row))
    series = [_column(name, [row.get(name) for row in rows], path, numbers) for name in names]
    return Part(str(path), pl.DataFrame(series), numbers)


READERS: dict[str, Callable[..., Part]] = {
    "jsonl": _jsonl,
    "json": partial(_jsonl, read=read_json_table),
    "csv": partial(delimited.read_part, read=read_csv),
    "tsv": partial(delimited.read_part, read=read_quoted_tsv),
    "xlsx": partial(delimited.read_part, read=read_workbook),
    "parquet": parquet.read_part,
    "datasets": partial(parquet.read_part, read=datasets_folder.read_frame),
}
"""By format the table of a file, under the names of its columns."""

_OF_ROWS = {"jsonl", "json"}


def judgements(
    path: Path, name: str, columns: ColumnMapping | None, what: str, names: Sequence[str]
) -> Part:
    """The table of a file of ratings or preferences, under our names.

    Args:
        path: The file.
        name: Its format.
        columns: The user's mapping.
        what: ``ratings`` or ``preferences``.
        names: Our names that have aliases there.

    Raises:
        InputError: Two columns could mean the same, or one of ``columns`` is absent.
    """
    columns = columns and columns.of_file(path)
    if columns is not None and name in _OF_ROWS:  # nested values are rows', not a frame's
        part = READERS[name](path, columns)
        columns.check(part.frame.columns, part.frame.columns, what, part.name)
        columns = None
    else:
        part = READERS[name](path)
    return part_of_judgements(part, columns, what, names)


def ratings_in_memory(
    table: Any, columns: ColumnMapping | None, keep: Sequence[str] = ()
) -> RatingsDraft:
    """The ratings in a table of Python."""
    return ratings_of_table(part_in_memory(table, columns, "ratings", _ALIASED), keep)


def part_in_memory(
    table: Any, columns: ColumnMapping | None, what: str, names: Sequence[str]
) -> Part:
    """A table of Python under our names; see ``judgements``."""
    frame = frame_of(table, what)
    part = Part(what, frame, range(1, frame.height + 1))
    return part_of_judgements(part, columns, what, names)


def _read(
    path: Path, columns: ColumnMapping | None, keep: Sequence[str], name: str
) -> RatingsDraft:
    part = judgements(path, name, columns, "ratings", _ALIASED)
    return ratings_of_table(part, keep)


FORMATS = tuple(
    RatingFormat(
        each.name,
        f"{each.name}: id, system, rater, criterion, score; or one column per rater",
        each.recognise,
        partial(_read, name=each.name),
        takes_columns=True,
    )
    for each in TABLE_FORMATS.values()
    if each.name in READERS
)


def _column(name: str, values: list[Any], path: Path, numbers: list[int]) -> pl.Series:
    """The values of a column of JSON: numbers where all are, else text."""
    kinds = {type(value) for value in values} - {type(None)}
    if name in _NAMES:
        for number, value in zip(numbers, values, strict=True):
            if isinstance(value, bool) or not isinstance(value, (str, int, type(None))):
                raise InputError(
                    f"{path}, row {number}: {name}: got {_plain(value)}; expected text or a whole "
                    "number"
                )
    elif kinds <= {int, float}:
        if kinds == {int} and all(v is None or abs(v) < 2**53 for v in values):
            return pl.Series(name, values, dtype=pl.Int64)
        numbers_of = [None if value is None else float(value) for value in values]
        return pl.Series(name, numbers_of, dtype=pl.Float64)
    texts = [None if value is None else str(value) for value in values]
    return pl.Series(name, texts, dtype=pl.String)


def _plain(value: object) -> str:
    kinds = {bool: "true or false", float: "a number", list: "a list", dict: "an object"}
    return kinds[type(value)]
