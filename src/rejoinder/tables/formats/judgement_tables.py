"""Tables of judgements (ratings, preferences, scores) in any file of columns: CSV, JSON, Parquet.

A table of ratings is long (a row for each rating) or wide (a column for each rater).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from rejoinder.errors import InputError
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.comparisons import preferences_of_table
from rejoinder.tables.assembly.long_or_wide import ratings_of_table
from rejoinder.tables.assembly.long_or_wide_scores import scores_of_part
from rejoinder.tables.assembly.mapped_parts import part_of_judgements
from rejoinder.tables.assembly.mapped_rows import ReadRows
from rejoinder.tables.assembly.two_tables import Part
from rejoinder.tables.format import Asked, KindName
from rejoinder.tables.origin import Draft
from rejoinder.tables.schemas import AGAINST, RATINGS

# Columns that name things: a whole number in them is its digits.
_NAMES = {*RATINGS, AGAINST} - {"score"}

ALIASED: dict[KindName, tuple[str, ...]] = {
    "ratings": ("id", "system", "rater", "score"),
    "preferences": ("id", "a", "b", "rater"),
    "scores": ("id", "system", "rater", "name"),
}
"""By kind of judgement our names of columns that may stand under an alias."""


def part_of_rows(path: Path, columns: ColumnMapping | None = None, *, read: ReadRows) -> Part:
    """Rows of JSON as a table: a column of numbers where all values are, else of text."""
    numbers, rows = [], []
    for number, row in read(path):
        numbers.append(number)
        rows.append(row if columns is None else columns.of_row(row))
    names = list(dict.fromkeys(name for row in rows for name in row))
    series = [_column(name, [row.get(name) for row in rows], path, numbers) for name in names]
    return Part(str(path), pl.DataFrame(series), numbers)


ReadPart: TypeAlias = Callable[..., Part]
"""Takes a path, and of rows of JSON the user's names of columns; returns the table of the file."""


def readers(
    read: ReadPart, of_rows: bool = False
) -> dict[KindName, Callable[[Path, Asked], Draft]]:
    """By kind of judgement its reader from a container of tables.

    Args:
        read: Reads a table from a path.
        of_rows: Whether ``read`` takes the user's names of columns, because values are nested.
    """

    def part(path: Path, asked: Asked, what: KindName) -> Part:
        columns = asked.columns and asked.columns.of_file(path)
        if columns is None or not of_rows:
            return part_of_judgements(read(path), columns, what, ALIASED[what])
        table = read(path, columns)
        columns.check(table.frame.columns, table.frame.columns, what, table.name)
        return part_of_judgements(table, None, what, ALIASED[what])

    def reader(kind: KindName) -> Callable[[Path, Asked], Draft]:
        return lambda path, asked: OF_PART[kind](part(path, asked, kind), asked)

    return {kind: reader(kind) for kind in OF_PART}


OF_PART: dict[KindName, Callable[[Part, Asked], Draft]] = {
    "ratings": lambda part, asked: ratings_of_table(part, asked.keep),
    "preferences": lambda part, asked: preferences_of_table(part, asked.keep),
    "scores": lambda part, asked: scores_of_part(part),
}
"""By kind of judgement what is read from a table under our names."""


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
