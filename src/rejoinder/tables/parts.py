"""Tables on their way in: that of one file, what a reader hands over, and where each row stood."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal, NamedTuple

import polars as pl
from msgspec import UNSET, UnsetType

from rejoinder.messages import Place
from rejoinder.tables.columns import require
from rejoinder.tables.notes import Note


@dataclass(frozen=True)
class Origin:
    """The file and the row number of every row of a table.

    Attributes:
        parts: Consecutive parts of the table: the name of the file (or of the table, where
            it came from no file) and the row number of each of its rows.
    """

    parts: tuple[tuple[str, Sequence[int]], ...]

    @classmethod
    def of_table(cls, name: str, frame: pl.DataFrame) -> Origin:
        """The origin of a table made in memory: its own name, rows counted from 1."""
        return cls(((name, range(1, frame.height + 1)),))

    def at(self, index: int) -> str:
        """The place of a row, as errors name it.

        >>> Origin((("a.jsonl", range(1, 4)), ("b.jsonl", [1, 3]))).at(4)
        'b.jsonl, row 3'
        """
        return str(self._find(index))

    def file(self, index: int) -> str:
        """The file of a row."""
        return self._find(index).file

    def files(self) -> str:
        """The names of all files, each once."""
        return ", ".join(dict.fromkeys(name for name, _ in self.parts))

    def _find(self, index: int) -> Place:
        for name, rows in self.parts:
            if index < len(rows):
                return Place(name, rows[index])
            index -= len(rows)
        raise IndexError("the row lies beyond the table")


@dataclass(frozen=True)
class Draft:
    """A table as a format hands it over: not yet validated.

    Attributes:
        frame: The table; optional columns may be absent.
        origin: Where its rows stood.
    """

    frame: pl.DataFrame
    origin: Origin

    @classmethod
    def of(cls, name: object, numbers: Sequence[int], frame: pl.DataFrame) -> Draft:
        """The table of one file, with the numbers of its rows."""
        return cls(frame, Origin(((str(name), numbers),)))


class TestSetDraft(NamedTuple):
    """The two tables of a test set as a format hands them over."""

    __test__ = False

    contexts: Draft
    references: Draft


def joined(drafts: Iterable[Draft]) -> Draft:
    """Parts of one table, one after the other: what a part has no column of is null."""
    parts = list(drafts)
    return Draft(
        pl.concat([part.frame for part in parts] or [pl.DataFrame()], how="diagonal_relaxed"),
        Origin(tuple(of_file for part in parts for of_file in part.origin.parts)),
    )


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
        for row, sizes in enumerate(zip(*ragged.values(), strict=True)):
            first.setdefault(sizes, row)
        if not ragged:
            first[()] = 0
        for sizes, row in first.items():
            absent = {name for name, is_there in zip(ragged, sizes, strict=True) if not is_there}
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

    def with_frame(self, frame: pl.DataFrame) -> Part:
        """Another table of the same rows."""
        return replace(self, frame=frame)

    def draft(self) -> Draft:
        """The table as readers hand it over, not yet validated."""
        return Draft.of(self.name, self.numbers, self.frame)

    def filter(self, selected: list[bool] | pl.Series) -> Part:
        """Some of the rows."""
        numbers = list(compress(self.numbers, selected))
        return replace(self, frame=self.frame.filter(selected), numbers=numbers)


def _is_text(column: pl.Series) -> bool:
    if column.dtype != pl.Object:
        return column.dtype == pl.String
    return set(map(type, column.to_list())) - {type(None), UnsetType} == {str}
