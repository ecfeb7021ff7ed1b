"""Rejoinder's own tables of judgements: CSV, TSV, JSON Lines and Parquet, long or wide."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.tables.assembly.long_or_wide import ratings_of_table
from rejoinder.tables.assembly.two_tables import Part
from rejoinder.tables.formats import delimited, jsonl, parquet
from rejoinder.tables.io.delimited import read_csv, read_tsv
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.origin import RatingsDraft
from rejoinder.tables.rating_formats.format import RatingFormat
from rejoinder.tables.schemas import AGAINST, RATINGS

# Columns that name things: a whole number in them is its digits.
_NAMES = {*RATINGS, AGAINST} - {"score"}


def _csv(path: Path) -> Part:
    return _of_cells(path, read_csv)


def _tsv(path: Path) -> Part:
    return _of_cells(path, read_tsv)


def _of_cells(path: Path, read: Callable[[Path], Any]) -> Part:
    table = read(path)
    schema = dict.fromkeys(table.header, pl.String)
    frame = pl.DataFrame(dict(zip(table.header, table.columns, strict=True)), schema=schema)
    return Part(str(path), frame, table.numbers)


def _jsonl(path: Path) -> Part:
    numbers, rows = [], []
    for number, row in read_objects(path):
        numbers.append(number)
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    series = [_column(name, [row.get(name) for row in rows], path, numbers) for name in names]
    return Part(str(path), pl.DataFrame(series), numbers)


def _parquet(path: Path) -> Part:
    frame = parquet.read_frame(path)
    return Part(str(path), frame, range(1, frame.height + 1))


READERS: dict[str, Callable[[Path], Part]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "tsv": _tsv,
    "parquet": _parquet,
}


def _read(path: Path, name: str) -> RatingsDraft:
    return ratings_of_table(READERS[name](path))


FORMATS = tuple(
    RatingFormat(
        each.name,
        f"{each.name}: id, system, rater, criterion, score; or one column per rater",
        each.recognise,
        partial(_read, name=each.name),
    )
    for each in (jsonl.FORMAT, delimited.CSV, delimited.TSV, parquet.FORMAT)
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
        numbers_of = [None if value is None else float(value) for value in values]
        return pl.Series(name, numbers_of, dtype=pl.Float64)
    texts = [None if value is None else str(value) for value in values]
    return pl.Series(name, texts, dtype=pl.String)


def _plain(value: object) -> str:
    kinds = {bool: "true or false", float: "a number", list: "a list", dict: "an object"}
    return kinds[type(value)]
