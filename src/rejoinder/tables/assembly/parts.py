"""The table of one file on its way in, whatever it lies in: columns, and where each row stood."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import msgspec
import polars as pl
from msgspec import UNSET, UnsetType

from rejoinder.errors import InputError
from rejoinder.tables.columns import require
from rejoinder.tables.io.json_lines import reworded
from rejoinder.tables.notes import Note
from rejoinder.tables.schemas import AGAINST, RATINGS

_NAMES = {*RATINGS, AGAINST} - {"score"}
"""Columns of judgements that name things: a whole number in them is its digits."""

_PLACE = re.compile(r"`\$\[(\d+)\]")  # where msgspec says that the value of a row is


@dataclass(frozen=True)
class Part:
    """A table of one file, with the number of each of its rows.

    Attributes:
        name: The file.
        frame: Its table.
        numbers: The numbers of its rows.
        holds: ``cells`` that are text alone, an empty one where there is no value; ``columns`` that have
            types; or ``rows`` of JSON, each with its own columns: where not all values of a column are
            text, its values stand as they are, and ``msgspec.UNSET`` where a row does not have it.
        notes: What was taken another way when the file was parsed.
    """

    name: str
    frame: pl.DataFrame
    numbers: Sequence[int]
    holds: Literal["cells", "columns", "rows"] = "columns"
    notes: tuple[Note, ...] = ()

    def where(self, row: int) -> str:
        """Where a row stood, for messages on its columns: they are the row's own in JSON alone."""
        return f"{self.name}, row {self.numbers[row]}" if self.holds == "rows" else self.name

    def shapes(self) -> Iterator[tuple[int, list[str]]]:
        """The first row of those that have the same columns, and which they have."""
        ragged = {
            each.name: [value is not UNSET for value in each.to_list()]
            for each in self.frame.iter_columns()
            if each.dtype == pl.Object
        }
        first: dict[tuple[bool, ...], int] = {}
        for row, there in enumerate(zip(*ragged.values(), strict=True)):
            first.setdefault(there, row)
        if not ragged:
            first[()] = 0
        for there, row in first.items():
            absent = {name for name, is_there in zip(ragged, there, strict=True) if not is_there}
            yield row, [name for name in self.frame.columns if name not in absent]

    def require(self, needed: Collection[str], optional: Collection[str] = ()) -> None:
        """As ``columns.require``, of every row where each has its own columns."""
        for row, names in self.shapes():
            require(needed, names, self.where(row), optional)

    def texts(self) -> list[str]:
        """The columns that hold text, and nothing else where they hold anything."""
        return [each.name for each in self.frame.iter_columns() if _is_text(each)]

    def values(self, name: str) -> list[Any]:
        """The values of a column, None where there is none."""
        values = self.frame.get_column(name).to_list()
        return [None if value is UNSET else value for value in values]

    def converted(self, name: str, into: Any, fields: Sequence[str] = ()) -> list[Any]:
        """The values of a column of JSON as a type.

        Args:
            name: The column.
            into: The type, as msgspec takes it.
            fields: The columns of nested objects, where those may have no others.

        Raises:
            InputError: Names the row of a value that has another type, and the place in it.
        """
        try:
            return msgspec.convert(self.values(name), list[into])
        except msgspec.ValidationError as error:
            message, place = str(error), _PLACE.search(str(error))
            assert place is not None
            text = reworded(message.replace(place[0], f"`$.{name}"), fields)
            raise InputError(f"{self.where(int(place[1]))}: {text}") from None

    def typed(self) -> Part:
        """The columns of judgements in JSON: numbers where all values are, else text.

        Raises:
            InputError: A column that names things holds something else than text and whole numbers.
        """
        columns = [
            each if each.dtype != pl.Object else self._typed(each.name)
            for each in self.frame.iter_columns()
        ]
        return self.with_frame(pl.DataFrame(columns))

    def _typed(self, name: str) -> pl.Series:
        values = self.values(name)
        kinds = set(map(type, values)) - {type(None)}
        if name in _NAMES:
            values = self.converted(name, str | int | None)
        elif kinds <= {int, float}:
            if kinds == {int} and all(v is None or abs(v) < 2**53 for v in values):
                return pl.Series(name, values, dtype=pl.Int64)
            numbers = [None if value is None else float(value) for value in values]
            return pl.Series(name, numbers, dtype=pl.Float64)
        texts = [None if value is None else str(value) for value in values]
        return pl.Series(name, texts, dtype=pl.String)

    def with_frame(self, frame: pl.DataFrame) -> Part:
        """Another table of the same rows."""
        return replace(self, frame=frame)


def part_of_rows(name: str, rows: Iterable[tuple[int, dict[str, Any]]]) -> Part:
    """Rows of JSON as a table.

    Args:
        name: The file, for messages.
        rows: The number of each row, and the row.
    """
    numbers, objects = [], []
    for number, row in rows:
        numbers.append(number)
        objects.append(row)
    names = dict.fromkeys(chain.from_iterable(objects))
    columns = [column_of_rows(name, [row.get(name, UNSET) for row in objects]) for name in names]
    return Part(name, pl.DataFrame(columns), numbers, "rows")


def column_of_rows(name: str, values: list[Any]) -> pl.Series:
    """A column of a table of rows: text where all values are, else the values as they are."""
    if set(map(type, values)) == {str}:
        return pl.Series(name, values, dtype=pl.String)
    return pl.Series(name, values, dtype=pl.Object)


def _is_text(column: pl.Series) -> bool:
    if column.dtype != pl.Object:
        return column.dtype == pl.String
    return set(map(type, column.to_list())) - {type(None), UnsetType} == {str}
