"""Tables in memory read as files are: with aliases, the user's ``columns``, one table of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.files.reading import existing
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.json_rows import part_of_rows
from rejoinder.tables.format import Asked, KindName
from rejoinder.tables.formats import own_tables
from rejoinder.tables.formats.format_choice import read_table
from rejoinder.tables.frames import is_list_of_rows, is_table, polars_of
from rejoinder.tables.origin import Draft, TestSetDraft
from rejoinder.tables.parts import Part


def are_tables(given: Sequence[Any], what: str) -> bool:
    """Whether tables are given in the place of paths.

    Raises:
        ParameterError: Tables and paths are mixed.
    """
    tables = [each for each in given if is_table(each)]
    if tables and len(tables) < len(given):
        raise ParameterError(
            f"{what}: tables and paths together; give either, or read the files first"
        )
    return bool(tables)


def testset_of(tables: Sequence[Any], columns: ColumnMapping | None) -> TestSetDraft:
    """The test set in one table, or in a table of contexts and one of references."""
    names = (f"test set {i}" if len(tables) > 1 else "test set" for i in range(1, len(tables) + 1))
    parts = [_part(each, name, "test set") for each, name in zip(tables, names, strict=False)]
    return own_tables.testset_of(parts, Asked(columns))


def responses_of(table: Any, name: str, columns: ColumnMapping | None) -> Draft:
    """The replies in a table; one that names no system is called as the table is."""
    return own_tables.responses_of(_part(table, name, "responses"), Asked(columns))


def drafts_of(
    paths: Sequence[Any], kind: KindName, format: str | None, asked: Asked
) -> list[tuple[str, Draft]]:
    """Judgements of paths, or of tables in their place, each with its name; not yet checked.

    Args:
        paths: Files and folders, or tables.
        kind: ``ratings`` or ``preferences``.
        format: The name of the format of all of them; None: recognised.
        asked: What their readers are asked for besides.
    """
    if not are_tables(paths, kind):
        files = existing(paths, kind)
        return [(str(path), read_table(path, kind, format, asked)) for path in files]
    drafts = []
    for each in paths:
        frame = frame_of(each, kind)
        part = Part(kind, frame, range(1, frame.height + 1))
        drafts.append((kind, own_tables.judgements_of(part, kind, asked)))
    return drafts


def frame_of(table: Any, what: str) -> pl.DataFrame:
    """A table in memory as a frame of Polars."""
    return polars_of(table, what, "of docs/formats.md", "or give the path of a file")


def _part(table: Any, name: str, what: str) -> Part:
    if is_list_of_rows(table):
        return part_of_rows(name, enumerate(map(dict, table), start=1))
    frame = frame_of(table, what)
    return Part(name, frame, range(1, frame.height + 1))
