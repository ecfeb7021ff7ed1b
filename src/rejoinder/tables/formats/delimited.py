"""Rejoinder's own tables in CSV and TSV: contexts, references, and responses (long or wide)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import polars as pl

from rejoinder.tables.format import Container, Format, Shape
from rejoinder.tables.formats.own_tables import container
from rejoinder.tables.io.delimited import Grid, read_csv, read_quoted_tsv
from rejoinder.tables.io.workbook import read_workbook
from rejoinder.tables.parts import Part

ReadGrid: TypeAlias = Callable[[Path], Grid]


def read_part(path: Path, read: ReadGrid) -> Part:
    """The cells of a file, all of them text."""
    table = read(path)
    schema = dict.fromkeys(table.header, pl.String)
    frame = pl.DataFrame(dict(zip(table.header, table.columns, strict=True)), schema=schema)
    return Part(str(path), frame, table.numbers, "cells")


def _format(name: Container, description: str, read: ReadGrid) -> Format:
    """A format that is the only one of a container, called like it."""
    return container(name, description, [Shape(name)], partial(read_part, read=read))


FORMATS = CSV, TSV, _ = (
    _format(
        "csv",
        "CSV: references (id, text, weight, source) and contexts (id, context); or responses",
        read_csv,
    ),
    _format(
        "tsv",
        "TSV: the columns of csv, tab-separated; a quote is data, where cells are not quoted as in CSV",
        read_quoted_tsv,
    ),
    _format(
        "xlsx",
        "Excel workbook (.xlsx): the columns of csv in the first sheet that has cells",
        read_workbook,
    ),
)
