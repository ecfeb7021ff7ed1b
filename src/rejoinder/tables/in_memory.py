"""Tables in memory read as files are: with aliases, the user's ``columns``, one table of all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.files.reading import existing
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.mapped_parts import part_of_judgements
from rejoinder.tables.assembly.two_tables import Part
from rejoinder.tables.format import Asked, KindName
from rejoinder.tables.formats import jsonl, parquet
from rejoinder.tables.formats.judgement_tables import ALIASED, OF_PART
from rejoinder.tables.formats.registry import read_table
from rejoinder.tables.frames import is_list_of_rows, is_table, polars_of
from rejoinder.tables.origin import Draft, TestSetDraft


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
    if len(tables) == 1 and is_list_of_rows(tables[0]):
        rows = [dict(row) for row in tables[0]]
        return jsonl.read_testset(
            [Path("test set")], Asked(columns), read=lambda _: iter(enumerate(rows, start=1))
        )
    frames = {Path(f"test set {i}"): frame_of(each, "test set") for i, each in enumerate(tables, 1)}
    if len(frames) == 1:
        frames = {Path("test set"): frame for frame in frames.values()}
    return parquet.read_testset(list(frames), Asked(columns), read=frames.__getitem__)


def responses_of(table: Any, name: str, columns: ColumnMapping | None) -> Draft:
    """The replies in a table; one that names no system is called as the table is."""
    if is_list_of_rows(table):
        rows = [dict(row) for row in table]
        return jsonl.read_responses(
            Path(name), Asked(columns), read=lambda _: iter(enumerate(rows, start=1))
        )
    frame = frame_of(table, "responses")
    return parquet.read_responses(Path(name), Asked(columns), read=lambda _: frame)


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
        part = part_of_judgements(part, asked.columns, kind, ALIASED[kind])
        drafts.append((kind, OF_PART[kind](part, asked)))
    return drafts


def frame_of(table: Any, what: str) -> pl.DataFrame:
    """A table in memory as a frame of Polars."""
    return polars_of(table, what, "of docs/formats.md", "or give the path of a file")
