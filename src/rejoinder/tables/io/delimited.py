"""Tables of cells: CSV with its quoting, TSV without any."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.messages import counted, listed, quoted
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Part


def read_csv(path: Path) -> Part:
    """Reads comma-separated cells; a cell in double quotes may hold commas, quotes and line ends.

    A header without a comma and with ``;`` or a tab is that of a table parted by these, which the log
    says.

    Raises:
        InputError: A row with another number of cells, a quote that is not closed, no header, a
            column named twice.
    """
    text = read_text(path)
    mark = _mark(text)
    if mark != ",":
        note("mark", path, mark=_MARKS[mark])
    remedy = f"{_CALLED[mark]} in a cell needs double quotes around the cell"
    return grid(str(path), _csv_rows(text, str(path), mark), remedy, others="|")


def read_tsv(path: Path) -> Part:
    """Reads tab-separated cells; quotes are data, and no cell holds a tab or a line end.

    Raises:
        InputError: A row with another number of cells, no header, a column named twice; a cell that
            is quoted as in CSV.
    """
    table = grid(str(path), tsv_rows(path), "a cell cannot hold a tab or a line end", others=",;|")
    for cells in table.frame.iter_columns():
        for number, cell in zip(table.numbers, cells.to_list(), strict=True):
            if '""' in cell and _QUOTED.fullmatch(cell):
                raise InputError(
                    f"{path}, row {number}: a cell quoted as in CSV, {quoted(cell)}; a quote is data "
                    "here: save the table as .csv, or without quotes (pandas: quoting=csv.QUOTE_NONE)"
                )
    return table


def read_quoted_tsv(path: Path) -> Part:
    """Reads tab-separated cells; those of a file that is quoted as in CSV are read as there.

    Such a file has a quoted header, or is no table otherwise: its cells hold tabs, line ends or
    doubled quotes. The log says so.

    Raises:
        InputError: As ``read_tsv``.
    """
    text = read_text(path)
    header = text.partition("\n")[0].rstrip("\r").split("\t")
    if any(_QUOTED.fullmatch(cell) for cell in header):
        return _quoted_tsv(text, path)
    try:
        return read_tsv(path)
    except InputError:
        if '"' not in text:
            raise
        with suppress(InputError):
            return _quoted_tsv(text, path)
        raise


def _quoted_tsv(text: str, path: Path) -> Part:
    remedy = "a tab in a cell needs double quotes around the cell"
    rows = grid(str(path), _csv_rows(text, str(path), "\t"), remedy, others=",;|")
    note("quoted cells", path)
    return rows


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a comma-separated file and their numbers, the header among them.

    Raises:
        InputError: A quote that is not closed, or other faults of CSV.
    """
    return _csv_rows(read_text(path), str(path), ",")


def tsv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a TSV file and their numbers; blank lines are skipped."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        line = line.removesuffix("\r")
        if line:
            yield number, line.split("\t")


def grid(name: str, rows: Iterator[tuple[int, list[str]]], remedy: str, others: str = "") -> Part:
    """A table of cells, all of them text, of rows of which the first is the header.

    Columns without a name and a filled cell, and last rows of empty cells alone, as spreadsheets write
    them, are none.

    Args:
        name: The file, for messages.
        rows: Row numbers and cells.
        remedy: What to say where a row has another number of cells.
        others: Marks that part the cells of other kinds of table, and of this one not.

    Raises:
        InputError: A row is ragged, or a column has no name or that of another; the header is one
            cell that other marks part.
    """
    _, header = next(rows)
    header = [column.strip() for column in header]
    if len(header) == 1:
        _check_parted(name, header[0], others)
    numbers, cells = [], []
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(
                f"{name}, row {number}: {counted(len(row), 'cell')}, expected {len(header)} "
                f"({listed(header)}); {remedy}"
            )
        numbers.append(number)
        cells.append(row)
    while cells and len(header) > 1 and not any(map(str.strip, cells[-1])):
        del cells[-1], numbers[-1]
    columns = [list(column) for column in zip(*cells, strict=True)] or [[] for _ in header]
    filled = [n for n, name in enumerate(header) if name or any(map(str.strip, columns[n]))]
    header, columns = [header[n] for n in filled], [columns[n] for n in filled]
    if len(header) > 1 and _is_index(header[0], columns[0]):
        note("index", name)
        header, columns = header[1:], columns[1:]
    _check_names(name, header)
    frame = pl.DataFrame(dict(zip(header, columns, strict=True)), dict.fromkeys(header, pl.String))
    return Part(name, frame, numbers, "cells")


_INDEX = re.compile(r"Unnamed: \d+")  # what pandas calls an index that it wrote and reads again


def _is_index(column: str, cells: list[str]) -> bool:
    """Whether a column is the index of a pandas frame: it has no name and counts the rows."""
    return (not column or _INDEX.fullmatch(column) is not None) and (
        cells == [str(number) for number in range(len(cells))]
    )


def _check_names(name: str, header: list[str]) -> None:
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


_QUOTED = re.compile(r'"(?:[^"]|"")*"')

_MARKS = {",": "commas", "\t": "tabs", ";": "';'", "|": "'|'"}
_CALLED = {",": "a comma", "\t": "a tab", ";": "a semicolon"}


def _mark(text: str) -> str:
    """What parts the cells of a CSV, from its header."""
    header = text.lstrip("\n").partition("\n")[0]
    return next((mark for mark in ",;\t" if mark in header), ",")


def _check_parted(name: str, header: str, others: str) -> None:
    for mark in others:
        if mark in header:
            suffix = (
                "; call the file .csv"
                if mark in ",;"
                else "; save it with commas between the cells"
            )
            raise InputError(
                f"{name}, row 1: one column, {quoted(header)}; its cells look parted by "
                f"{_MARKS[mark]}{suffix}"
            )


def _csv_rows(text: str, path: str, mark: str) -> Iterator[tuple[int, list[str]]]:
    # newline="\n": lines end at "\n" alone, so that csv sees a stray "\r" and refuses it.
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=mark, strict=True)
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
