"""Rejoinder's own tables in any file of columns: CSV, a workbook, JSON, Parquet.

A container makes a table of a file; which kind of table it is, it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, get_args

from rejoinder.files.reading import stem_of
from rejoinder.files.sources import cached
from rejoinder.tables.assembly.comparisons import preferences_of_table
from rejoinder.tables.assembly.json_rows import part_of_rows
from rejoinder.tables.assembly.long_or_wide import ratings_of_table
from rejoinder.tables.assembly.long_or_wide_scores import scores_of_part
from rejoinder.tables.assembly.mapped_parts import (
    part_of_items,
    part_of_judgements,
    part_of_replies,
    roles_of_part,
)
from rejoinder.tables.assembly.two_tables import replies_of_part, testset_of_parts
from rejoinder.tables.format import JSON, Asked, FileHead, Format, KindName, Shape
from rejoinder.tables.io.arrow import SPLITS, STATE, read_datasets, read_parquet
from rejoinder.tables.io.delimited import read_csv, read_quoted_tsv
from rejoinder.tables.io.json_lines import read_objects
from rejoinder.tables.io.json_table import is_object_of_columns, read_json_table
from rejoinder.tables.io.workbook import read_workbook
from rejoinder.tables.notes import pass_on, set_aside
from rejoinder.tables.parts import Draft, Part, TestSetDraft

ReadPart: TypeAlias = Callable[[Path], Part]
"""Makes a table of a file."""


def container(name: str, description: str, shapes: Sequence[Shape], read: ReadPart) -> Format:
    """The format of a container of tables, each of whose files is parsed once.

    Args:
        name: What the format is called.
        description: One line for listings.
        shapes: What its files and folders look like.
        read: Makes a table of a file.
    """
    part = partial(_kept_part, read=read)
    return Format(
        name,
        description,
        shapes,
        {
            "test set": lambda paths, asked: testset_of(map(part, paths), asked),
            **{
                kind: lambda path, asked, kind=kind: draft_of(part(path), kind, asked)
                for kind in get_args(KindName)[1:]
            },
        },
        part,
    )


def recast(
    name: str,
    description: str,
    shapes: Sequence[Shape],
    rows: Callable[[Path], Iterable[tuple[int, dict[str, Any]]]],
    kinds: Sequence[KindName],
) -> Format:
    """The format of a tool whose records are rows of ours under other names, or in other places.

    Args:
        name: What the format is called.
        description: One line for listings.
        shapes: What its files look like.
        rows: The records of a file as rows with the columns of ``jsonl``, each with its number.
        kinds: The kinds of tables in it.
    """
    whole = container(name, description, shapes, lambda path: part_of_rows(str(path), rows(path)))
    part = whole.part
    assert part is not None
    return replace(
        whole,
        reads={kind: partial(_without_columns, whole.reads[kind]) for kind in kinds},
        part=None,
        holds_all=lambda path: "responses" in kinds and roles_of_part(part(path), None).holds_all,
    )


def _without_columns(read: Callable[..., Any], path: Any, asked: Asked) -> Any:
    """Reads a table; that it needs not every column of the rows is no news to people."""
    with set_aside() as notes:
        table = read(path, asked)
    for each in notes:
        if each.kind not in ("columns not read", "no numbers"):
            pass_on(each)
    return table


def testset_of(parts: Iterable[Part], asked: Asked) -> TestSetDraft:
    """The test set in the table of a file, or in those of several."""
    return testset_of_parts([part_of_items(part, asked.columns) for part in parts])


def draft_of(part: Part, kind: KindName, asked: Asked) -> Draft:
    """The responses, ratings, preferences or scores in a table.

    A system of responses that no column names is called as the file is.

    Args:
        part: The table.
        kind: What it is read as.
        asked: What the user asks of the reader.
    """
    if kind == "responses":
        mapped, systems = part_of_replies(part, asked.columns)
        return replies_of_part(mapped, systems, stem_of(Path(part.name)))
    part = part_of_judgements(part, asked.columns, kind)
    read = {
        "ratings": ratings_of_table,
        "preferences": preferences_of_table,
        "scores": scores_of_part,
    }
    return read[kind](part, asked.keep)


def _kept_part(path: Path, read: ReadPart) -> Part:
    """The table of a file, which is parsed once; what it says of the file, it says each time."""

    def parsed() -> Part:
        with set_aside() as notes:
            return replace(read(path), notes=tuple(notes))

    part = cached(path, (read, str(path)), parsed)
    for each in part.notes:
        pass_on(each)
    return part


def _is_json(head: FileHead) -> bool:
    """By suffix; without a known one, by a key that opens the file."""
    return head.suffix in JSON or (head.suffix != ".txt" and head.text.startswith('{"'))


def _is_list(head: FileHead) -> bool:
    """A list of objects; in a ``.json`` any list, to say what it is."""
    return head.suffix == ".json" or head.text[1:].lstrip()[:1] == "{"


def _is_table(head: FileHead) -> bool:
    """An object that is no row of JSON Lines, and in a ``.json`` any such."""
    if head.row is None:
        # An object over several lines; one that breaks off is a row of JSON Lines that does.
        return head.suffix == ".json" and "\n" in head.text
    return is_object_of_columns(head.row)


FORMATS = JSON_TABLE, _, CSV, TSV, *_ = (
    container(
        "json",
        "JSON: a list of objects with the columns of jsonl, or an object of columns",
        (Shape("json list", also=_is_list), Shape("json object", also=_is_table)),
        lambda path: part_of_rows(str(path), read_json_table(path)),
    ),
    container(
        "jsonl",
        "JSON Lines: id, context, references (nested); or system, id, text",
        (
            Shape("own rows"),
            Shape("json object", also=_is_json),
            Shape("json list", also=lambda head: head.suffix in JSON),
        ),
        lambda path: part_of_rows(str(path), read_objects(path)),
    ),
    container(
        "csv",
        "CSV: references (id, text, weight, source) and contexts (id, context); or responses",
        [Shape("csv")],
        read_csv,
    ),
    container(
        "tsv",
        "TSV: the columns of csv, tab-separated; a quote is data, where cells are not quoted as in CSV",
        [Shape("tsv")],
        read_quoted_tsv,
    ),
    container(
        "xlsx",
        "Excel workbook (.xlsx): the columns of csv in the first sheet that has cells",
        [Shape("xlsx")],
        read_workbook,
    ),
    container(
        "parquet",
        "Parquet: id, context, references (nested or a second file); or responses",
        [Shape("parquet")],
        read_parquet,
    ),
    container(
        "datasets",
        "a folder that Dataset.save_to_disk of Hugging Face's datasets wrote: the columns of parquet",
        [Shape("folder", (each,)) for each in (STATE, SPLITS)],
        read_datasets,
    ),
)
"""In the order in which they are recognised."""
