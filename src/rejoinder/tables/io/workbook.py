"""Excel workbooks (.xlsx): the cells of a sheet, as text. Formulas are not evaluated.

Openpyxl reads the cells. What it passes over in silence is looked up in the XML of the sheet: the order
of rows and cells, formulas without a value, errors, hidden rows and columns, merged cells.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.errors import InputError, MissingExtraError
from rejoinder.files.packed import refuse_packed, unpacking
from rejoinder.files.reading import read_bytes
from rejoinder.messages import quoted
from rejoinder.tables.columns import synonym
from rejoinder.tables.io.delimited import grid
from rejoinder.tables.notes import note
from rejoinder.tables.parts import Part

MOST = 1 << 30
"""Bytes that the files in a workbook may unpack to."""

LAST_ROW = 1 << 20
"""The rows that a sheet can have."""

_SAVE = "open the workbook in a spreadsheet program and save it there"
_NOTES = {
    "row": "hidden rows, read like the others",
    "column": "hidden columns, read like the others",
    "merged": "merged cells, whose value stands in the first of them while the others are empty",
    "error": "errors of formulas, read as text such as #NAME?",
    "formula": (
        "formulas whose value may never have been computed, since the program that wrote the "
        f"workbook asks for it on opening; {_SAVE}"
    ),
}
"""What the log says of a sheet, by kind, before the number and the places."""


def read_workbook(path: Path) -> Part:
    """The first sheet that has cells; a number that is whole is its digits, an empty cell is ``""``.

    Where all sheets have the header of ratings that do not say who rated, each is that of a rater, whose
    name is the sheet's, and all are read.

    A cell with a formula has the value that was saved with it. The size that a sheet claims to have is
    ignored. The log says which cells are hidden, merged, or errors of formulas.

    Raises:
        InputError: It is no sound workbook, its rows or cells are out of order, no sheet has a header
            and a row, or a formula has no value.
        MissingExtraError: Openpyxl is not installed.
    """
    data = read_bytes(path)
    _check_size(data, path)
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError(
            f'{path}: a workbook (.xlsx) needs openpyxl: pip install "rejoinder[xlsx]"; or save the '
            "sheet as CSV"
        ) from None
    with (
        unpacking(str(path), "workbook", "save it again, or save the sheet as CSV (UTF-8)"),
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        findings = {each.title: _findings(each, str(path)) for each in book.worksheets}
        sheets = {sheet.title: list(_rows(sheet)) for sheet in book.worksheets}
        asks = b'fullCalcOnLoad="1"' in book._archive.read("xl/workbook.xml")  # pyright: ignore
    filled = {title: rows for title, rows in sheets.items() if rows}
    if not filled:
        raise InputError(f"{path}: no sheet has cells; expected a header and rows")
    for each in warned:
        if "Cell " in str(each.message):  # and not of what is no cell: charts, validation
            note("workbook", path, warning=str(each.message))
    (_, header), *_ = next(iter(filled.values()))
    of_raters = len(filled) > 1 and _is_of_one_rater(header)
    if of_raters and all(rows[0][1] == header for rows in filled.values()):
        note("raters' sheets", path, sheets=list(filled))
        parts = [
            (title, _table(rows, f"{path}, sheet {quoted(title)}", findings[title], asks))
            for title, rows in filled.items()
        ]
        named = [part.frame.with_columns(pl.lit(title).alias("rater")) for title, part in parts]
        numbers = [number for _, part in parts for number in part.numbers]
        return Part(str(path), pl.concat(named), numbers, "cells")
    title, rows = next(iter(filled.items()))
    if len(filled) > 1:
        note("sheets", path, sheet=title, others=len(filled) - 1)
    return _table(rows, f"{path}, sheet {quoted(title)}", findings[title], asks, str(path))


def _is_of_one_rater(header: list[str]) -> bool:
    """Whether a table has ratings of replies, and nothing that says who rated."""
    roles = ("id", "system", "rater", "text", "context", "reference")
    return [role for role in roles if synonym(role, header)] == ["id", "system"]


def _table(
    rows: list[tuple[int, list[str]]],
    where: str,
    findings: dict[str, list[str]],
    asks: bool,
    name: str = "",
) -> Part:
    """The table of a sheet, of which its findings are said."""
    if not asks:
        findings.pop("formula", None)
    _say(findings, where)
    return replace(grid(where, iter(_even(rows)), "give each its own column"), name=name or where)


def _check_size(data: bytes, path: Path) -> None:
    """Raises where a workbook is none, or unpacks to more than memory should hold."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            size = sum(each.file_size for each in archive.infolist())
    except Exception:  # of any kind; unpacking() says which
        refuse_packed(data, str(path))
        raise InputError(
            f"{path}: not a sound workbook; save it again, or save the sheet as CSV (UTF-8)"
        ) from None
    if not any(name.startswith("xl/workbook") for name in names):
        refuse_packed(data, str(path))
    if size > MOST:
        raise InputError(
            f"{path}: unpacks to {size >> 20} MiB, more than {MOST >> 20}; save the sheet as CSV"
        )


def _findings(sheet: Any, path: str) -> dict[str, list[str]]:
    """By kind the cells, rows and columns of a sheet of which something is to be said.

    Raises:
        InputError: A row or a cell stands behind a later one: openpyxl would leave it out.
    """
    from openpyxl.utils import coordinate_to_tuple, get_column_letter
    from openpyxl.xml.constants import SHEET_MAIN_NS
    from openpyxl.xml.functions import iterparse

    findings: dict[str, list[str]] = defaultdict(list)
    space, name, row = f"{{{SHEET_MAIN_NS}}}", f"{path}, sheet {quoted(sheet.title)}", 0
    with sheet._get_source() as source:
        for _, element in iterparse(source):
            if element.tag == f"{space}row":
                before, row = row, int(float(element.get("r", row + 1)))
                if not before < row <= LAST_ROW:
                    raise InputError(
                        f"{name}: the row {row} stands after the row {before}; expected ascending "
                        f"numbers up to {LAST_ROW}; {_SAVE}"
                    )
                column = 0
                for cell in element:
                    last, place = column, cell.get("r", f"{get_column_letter(column + 1)}{row}")
                    number, column = coordinate_to_tuple(place)
                    if number != row or column <= last:
                        raise InputError(
                            f"{name}, row {row}: the cell {quoted(place)} is in another row, or "
                            f"before its neighbour; expected ascending columns; {_SAVE}"
                        )
                    for kind in _kinds(cell, space):
                        findings[kind].append(place)
                if len(element) and element.get("hidden") in ("1", "true"):
                    findings["row"].append(str(row))
                element.clear()
            elif element.tag == f"{space}col" and element.get("hidden") in ("1", "true"):
                first, last = (get_column_letter(int(element.get(end))) for end in ("min", "max"))
                findings["column"].append(first if first == last else f"{first}:{last}")
            elif element.tag == f"{space}mergeCell":
                findings["merged"].append(element.get("ref", ""))
    return findings


def _kinds(cell: Any, space: str) -> Iterator[str]:
    """What is to be said of a cell; a text without characters is a value of a formula."""
    value = cell.find(f"{space}v")
    if cell.find(f"{space}f") is not None:
        without = value is None or (not value.text and cell.get("t") != "str")
        yield "without value" if without else "formula"
    if cell.get("t") == "e":
        yield "error"


def _say(findings: Mapping[str, Sequence[str]], name: str) -> None:
    """Logs what was found in a sheet.

    Raises:
        InputError: A formula has no value.
    """
    if valueless := findings.get("without value"):
        raise InputError(
            f"{name}, cell {valueless[0]}: a formula without a saved value ({len(valueless)} in this "
            f"sheet); expected the value that was computed; {_SAVE}, or replace formulas by values"
        )
    for kind, what in _NOTES.items():
        if kind in findings:
            places = findings[kind]
            note("cells", name, what=what, places=places)


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows that have cells, each with its number."""
    sheet.reset_dimensions()  # those that it claims
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        cells = [_text(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield number, cells


def _even(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """Rows of one length: a sheet leaves out the empty cells at the end of a row."""
    width = len(rows[0][1])
    return [(number, cells + [""] * (width - len(cells))) for number, cells in rows]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value)
