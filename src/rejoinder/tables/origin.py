"""Where the rows of a table came from, so that an error can name file and row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl


class Place(NamedTuple):
    """Where a row stands: its file and its number in it. Messages name it so."""

    file: str
    row: int

    def __str__(self) -> str:
        """The place as errors name it."""
        return f"{self.file}, row {self.row}"


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
