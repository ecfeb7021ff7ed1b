"""Rejoinder's own JSON Lines: references nested in their item, or one reply per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import first_line, stem_of, suffix_of
from rejoinder.tables.assembly.additional_columns import Further
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import Roles
from rejoinder.tables.assembly.items import Items, Reference
from rejoinder.tables.assembly.mapped_rows import (
    ReadRows,
    roles_of_rows,
    rows_of_items,
    rows_of_replies,
)
from rejoinder.tables.columns import require
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.formats.judgement_tables import part_of_rows, readers
from rejoinder.tables.io.item_lines import ItemRow, ReferenceRow, ReplyRow, item_of
from rejoinder.tables.io.json_lines import convert, read_objects
from rejoinder.tables.origin import Draft, Origin, TestSetDraft
from rejoinder.tables.schemas import RESPONSES, SAMPLE

_SUFFIXES = {".jsonl", ".ndjson", ".json", ".jsonlines"}
_OF_LINES = {".jsonl", ".ndjson", ".jsonlines"}
_OTHER_SUFFIXES = {".txt", ".csv", ".tsv", ".tab", ".parquet", ".pq"}


def recognise(path: Path, first: bytes) -> bool:
    """By suffix; without a known one, by a first byte that opens an object."""
    if path.is_dir():
        return False
    if suffix_of(path) in _SUFFIXES:
        return True
    opens = first.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b'{"')
    return opens and suffix_of(path) not in _OTHER_SUFFIXES


def holds_our_testset(path: Path) -> bool:
    """Whether the first row is an item of our own, whatever words stand in its texts.

    Logs and published data are recognised by words that may be a text here.
    """
    if path.is_dir() or suffix_of(path) not in _OF_LINES:
        return False
    try:
        row = msgspec.json.decode(first_line(path))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InputError):
        return False  # whoever reads it says what is wrong
    return isinstance(row, dict) and {"id", "references"} <= row.keys()


def read_testset(
    paths: Sequence[Path], asked: Asked, read: ReadRows = read_objects
) -> TestSetDraft:
    """One item per row, its references as texts or as objects with text, weight and source."""
    items = Items()
    further = Further(ItemRow.__struct_fields__)
    for path in paths:
        for number, row in rows_of_items(path, asked.columns, read):
            where = f"{path}, row {number}"
            item = item_of(row, where)
            items.add(str(item.id), item.turns(), map(_parts, item.references), (str(path), number))
            further.add(row, where)
    return items.draft(further.columns())


def read_responses(path: Path, asked: Asked, read: ReadRows = read_objects) -> Draft:
    """One reply per row; where no row names a system, the file's stem is the system.

    A table of prompts and references may have a column for each system instead.
    """
    numbers, replies = [], []
    for number, row in rows_of_replies(path, asked.columns, read):
        where = f"{path}, row {number}"
        name = next((each for each in ("references", "reference") if each in row), None)
        if name and "text" not in row and "id" in row:
            raise InputError(
                f"{where}: has '{name}' and no 'text': this is a test set, expected responses; "
                "were the files given the wrong way round?"
            )
        require(("id", "text"), row, where, ("system",))
        numbers.append(number)
        replies.append(convert(row, ReplyRow, where))
    unnamed = all(reply.system is None for reply in replies)
    frame = pl.DataFrame(
        {
            "system": [stem_of(path) if unnamed else reply.system for reply in replies],
            "id": [str(reply.id) for reply in replies],
            "text": [reply.text for reply in replies],
        },
        schema=RESPONSES,
    )
    samples = [None if reply.sample is None else str(reply.sample) for reply in replies]
    if any(samples):
        frame = frame.with_columns(pl.Series(SAMPLE, samples, dtype=pl.String))
    return Draft(frame, Origin(((str(path), numbers),)))


def roles(path: Path, columns: ColumnMapping | None, read: ReadRows = read_objects) -> Roles:
    """What the columns of the first row are used as."""
    return roles_of_rows(path, columns, read)


def row_format(
    name: str, description: str, recognise: Callable[[Path, bytes], bool], read: ReadRows
) -> Format:
    """A format of rows of JSON."""
    return Format(
        name,
        description,
        recognise,
        {
            "test set": partial(read_testset, read=read),
            "responses": partial(read_responses, read=read),
            **readers(partial(part_of_rows, read=read), of_rows=True),
        },
        partial(roles, read=read),
        partial(part_of_rows, read=read),
    )


FORMAT = row_format(
    "jsonl",
    "JSON Lines: id, context, references (nested); or system, id, text",
    recognise,
    read_objects,
)


def _parts(reference: str | ReferenceRow) -> Reference:
    if isinstance(reference, str):
        return reference, None, None
    return reference.text, reference.source, reference.weight
