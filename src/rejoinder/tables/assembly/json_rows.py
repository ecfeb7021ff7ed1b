"""Rows of JSON as a table, and the types of their columns."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import polars as pl
from msgspec import UNSET

from rejoinder.errors import InputError
from rejoinder.tables.io.json_lines import reworded
from rejoinder.tables.parts import Part
from rejoinder.tables.schemas import COLUMNS, SAMPLE

_NAMES = {each.name for each in COLUMNS["ratings"] if each.dtype == pl.String}
"""Columns of judgements that name things: a whole number in them is its digits."""
_NO_OBJECTS = {"a", "b", "name", SAMPLE}
"""Columns that would name things by the text of an object; without a value they hold no numbers either."""

_PLACE = re.compile(r"`\$\[(\d+)\]")  # where msgspec says that the value of a row is


@contextmanager
def without_collection() -> Iterator[None]:
    """Within it no garbage is collected: values of JSON have no cycles, and a search visits each."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@without_collection()
def part_of_rows(name: str, rows: Iterable[tuple[int, dict[str, Any]]]) -> Part:
    """Rows of JSON as a table.

    Args:
        name: The file, for messages.
        rows: The number of each row, and the row.

    Raises:
        InputError: There are no rows.
    """
    numbers: list[int] = []
    columns: dict[str, list[Any]] = {}
    for number, row in rows:
        for column in row:
            if column not in columns:
                columns[column] = [UNSET] * len(numbers)
        for column, values in columns.items():
            values.append(row.get(column, UNSET))
        numbers.append(number)
    if not numbers:
        raise InputError(f"{name}: no rows; expected at least one")
    frame = pl.DataFrame([column_of_rows(column, values) for column, values in columns.items()])
    return Part(name, frame, numbers, "rows")


def column_of_rows(name: str, values: list[Any]) -> pl.Series:
    """A column of a table of rows: text where all values are, else the values as they are."""
    if set(map(type, values)) == {str}:
        return pl.Series(name, values, dtype=pl.String)
    return pl.Series(name, values, dtype=pl.Object)


def converted(part: Part, name: str, into: Any, fields: Sequence[str] = ()) -> list[Any]:
    """The values of a column of JSON as a type.

    Args:
        part: The table.
        name: The column.
        into: The type, as msgspec takes it.
        fields: The columns of nested objects, where those may have no others.

    Raises:
        InputError: Names the row of a value that has another type, and the place in it.
    """
    try:
        return msgspec.convert(part.values(name), list[into])
    except msgspec.ValidationError as error:
        message, place = str(error), _PLACE.search(str(error))
        assert place is not None
        text = reworded(message.replace(place[0], f"`$.{name}"), fields)
        raise InputError(f"{part.where(int(place[1]))}: {text}") from None


def typed(part: Part) -> Part:
    """The columns of judgements in JSON: numbers where all values are, else text.

    Raises:
        InputError: A column that names things holds something else than text and whole numbers.
    """
    columns = [
        each if each.dtype != pl.Object else _typed(part, each.name)
        for each in part.frame.iter_columns()
    ]
    return part.with_frame(pl.DataFrame(columns))


def _typed(part: Part, name: str) -> pl.Series:
    values = part.values(name)
    kinds = set(map(type, values)) - {type(None)}
    if name in _NAMES or (name in _NO_OBJECTS and (not kinds or kinds & {dict, list})):
        values = converted(part, name, str | int | None)
    elif kinds <= {int, float}:
        if kinds == {int} and all(v is None or abs(v) < 2**53 for v in values):
            return pl.Series(name, values, dtype=pl.Int64)
        numbers = [None if value is None else float(value) for value in values]
        return pl.Series(name, numbers, dtype=pl.Float64)
    texts = [None if value is None else str(value) for value in values]
    return pl.Series(name, texts, dtype=pl.String)
