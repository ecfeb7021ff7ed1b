"""Tables of cells: CSV with its quoting, TSV without any."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.messages import counted, listed, quoted


@dataclass(frozen=True)
class Grid:
    """The cells of a file, all of them text.

    Attributes:
        name: the file.
        header: the names of the columns.
        columns: the cells of each column.
        numbers: the number of each row as a spreadsheet counts it: the header is row 1.
    """

    name: str
    header: list[str]
    columns: list[list[str]]
    numbers: list[int]

    def __getitem__(self, column: str) -> list[str]:
        """The cells of a column."""
        return self.columns[self.header.index(column)]


def read_csv(path: Path) -> Grid:
    """Reads comma-separated cells; a cell in double quotes may hold commas, quotes and line ends.

    Raises:
        InputError: a row with another number of cells, a quote that is not closed, no header, a
            column named twice.
    """
    remedy = "a comma in a cell needs double quotes around the cell"
    return grid(str(path), _csv_rows(path), remedy, others=";\t|")


def read_tsv(path: Path) -> Grid:
    """Reads tab-separated cells; quotes are data, and no cell holds a tab or a line end.

    Raises:
        InputError: a row with another number of cells, no header, a column named twice; a cell that
            is quoted as in CSV.
    """
    made = grid(str(path), tsv_rows(path), "a cell cannot hold a tab or a line end", others=",;|")
    for cells in made.columns:
        for number, cell in zip(made.numbers, cells, strict=True):
            if '""' in cell and _QUOTED.fullmatch(cell):
                raise InputError(
                    f"{path}, row {number}: a cell quoted as in CSV, {quoted(cell)}; a quote is data "
                    "here: save the table as .csv, or without quotes (pandas: quoting=csv.QUOTE_NONE)"
                )
    return made


def tsv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a TSV file and their numbers; blank lines are skipped."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        line = line.removesuffix("\r")
        if line:
            yield number, line.split("\t")


def grid(name: str, rows: Iterator[tuple[int, list[str]]], remedy: str, others: str = "") -> Grid:
    """Makes a grid of rows, the first of which is the header.

    Args:
        name: the file, for messages.
        rows: row numbers and cells.
        remedy: what to say where a row has another number of cells.
        others: marks that part the cells of other kinds of table, and of this one not.

    Raises:
        InputError: a row is ragged, or a column has no name or that of another; the header is one
            cell that other marks part.
    """
    _, header = next(rows)
    header = [column.strip() for column in header]
    if len(header) == 1:
        _check_parted(name, header[0], others)
    for index, column in enumerate(header):
        if not column or _INDEX.fullmatch(column):
            what = f"the column {quoted(column)}" if column else "a column without a name"
            raise InputError(
                f"{name}, row 1: the header has {what}; if it is the index of a pandas frame, write "
                "the table without it: to_csv(..., index=False); else name it"
            )
        if column in header[:index]:
            raise InputError(
                f"{name}, row 1: the header has the column {quoted(column)} twice; give each its own "
                "name"
            )
    numbers, cells = [], []
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(
                f"{name}, row {number}: {counted(len(row), 'cell')}, expected {len(header)} "
                f"({listed(header)}); {remedy}"
            )
        numbers.append(number)
        cells.append(row)
    columns = [list(column) for column in zip(*cells, strict=True)] or [[] for _ in header]
    return Grid(name, header, columns, numbers)


_INDEX = re.compile(r"Unnamed: \d+")  # what pandas calls an index that it wrote and reads again

_QUOTED = re.compile(r'"(?:[^"]|"")*"')

_MARKS = {
    ",": ("commas", "; call the file .csv"),
    "\t": ("tabs", "; call the file .tsv"),
    ";": ("';'", ", as some spreadsheets save CSV; save it with commas between the cells"),
    "|": ("'|'", "; save it with commas between the cells"),
}


def _check_parted(name: str, header: str, others: str) -> None:
    for mark in others:
        if mark in header:
            what, remedy = _MARKS[mark]
            raise InputError(
                f"{name}, row 1: one column, {quoted(header)}; its cells look parted by {what}{remedy}"
            )


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    # newline="\n": lines end at "\n" alone, so that csv sees a stray "\r" and refuses it.
    reader = csv.reader(io.StringIO(read_text(path), newline="\n"), strict=True)
    number = 0
    with _long_cells():
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise InputError(f"{path}, row {number + 1}: {_fault(error)}") from None
            number += 1
            if row:
                yield number, row


def _fault(error: csv.Error) -> str:
    message = str(error)
    if "unexpected end of data" in message:
        return 'a double quote that is never closed; write a quote inside a quoted cell twice ("")'
    if "new-line character" in message:
        return "a bare carriage return outside quotes; end rows with LF or CR LF"
    return f'not CSV: {message}; write a quote inside a quoted cell twice ("")'


@contextmanager
def _long_cells() -> Iterator[None]:
    """Lifts csv's limit of 128 KiB to a cell while a file is read; the limit is the process's."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)
