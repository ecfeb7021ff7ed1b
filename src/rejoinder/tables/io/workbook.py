"""Excel workbooks (.xlsx): the cells of a sheet, as text. Formulas are not evaluated."""

from __future__ import annotations

import io
import logging
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError, MissingExtraError
from rejoinder.files.packed import refuse_packed
from rejoinder.files.reading import read_bytes
from rejoinder.messages import quoted
from rejoinder.tables.io.delimited import Grid, grid
from rejoinder.text.visible import visible

_LOG = logging.getLogger(__name__)

MOST = 1 << 30
"""Bytes that the files in a workbook may unpack to."""


def read_workbook(path: Path) -> Grid:
    """The first sheet that has cells; a number that is whole is its digits, an empty cell is ``""``.

    A cell with a formula has the value that was saved with it.

    Raises:
        InputError: It is no sound workbook, or no sheet has a header and a row.
        MissingExtraError: Openpyxl is not installed.
    """
    data = read_bytes(path)
    _check_size(data, path)
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError(
            f"{path}: a workbook (.xlsx) needs openpyxl: pip install 'rejoinder[xlsx]'; or save the "
            "sheet as CSV"
        ) from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = {sheet.title: list(_rows(sheet)) for sheet in book.worksheets}
    except (
        Exception
    ) as error:  # of the zip, of the XML and of openpyxl, which has no error of its own
        what = quoted(str(error) or type(error).__name__)[1:-1]
        raise InputError(
            f"{path}: not a sound workbook: {what}; save it again, or save the sheet as CSV (UTF-8)"
        ) from None
    filled = {title: rows for title, rows in sheets.items() if rows}
    if not filled:
        raise InputError(f"{path}: no sheet has cells; expected a header and rows")
    title, rows = next(iter(filled.items()))
    if len(filled) > 1:
        _LOG.warning(
            "%s: the sheet %s is read; the other %d are not",
            visible(str(path)), quoted(title), len(filled) - 1,
        )  # fmt: skip
    return grid(f"{path}, sheet {quoted(title)}", iter(_even(rows)), "give each its own column")


def _check_size(data: bytes, path: Path) -> None:
    """Raises where a workbook is none, or unpacks to more than memory should hold."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            size = sum(each.file_size for each in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
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


def _rows(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows that have cells, each with its number."""
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
