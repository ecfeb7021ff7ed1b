"""Rejoinder's own tables in CSV and TSV: contexts, references, and responses (long or wide)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import stem_of, suffix_of
from rejoinder.messages import more, quoted
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import Roles
from rejoinder.tables.assembly.mapped_parts import part_of_items, part_of_replies, roles_of_part
from rejoinder.tables.assembly.two_tables import Part, long_or_wide, testset_of_parts
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.formats.judgement_tables import readers
from rejoinder.tables.io.delimited import Grid, read_csv, read_quoted_tsv
from rejoinder.tables.io.workbook import read_workbook
from rejoinder.tables.origin import Draft, Origin, TestSetDraft
from rejoinder.tables.turns import turns_column

ReadGrid: TypeAlias = Callable[[Path], Grid]


def _recognise(path: Path, first: bytes, suffix: str) -> bool:
    also = {".tsv": {".tab"}, ".xlsx": {".xlsm"}}.get(suffix, set())
    return not path.is_dir() and suffix_of(path) in {suffix, *also}


def read_part(path: Path, read: ReadGrid) -> Part:
    """The cells of a file, all of them text."""
    table = read(path)
    schema = dict.fromkeys(table.header, pl.String)
    frame = pl.DataFrame(dict(zip(table.header, table.columns, strict=True)), schema=schema)
    return Part(str(path), frame, table.numbers)


def read_testset(paths: Sequence[Path], asked: Asked, *, read: ReadGrid) -> TestSetDraft:
    """References, or contexts and references; or both in one table with a row for each item."""
    parts = [part_of_items(read_part(path, read), asked.columns) for path in paths]
    return testset_of_parts([_typed(part) for part in parts])


def read_responses(path: Path, asked: Asked, *, read: ReadGrid) -> Draft:
    """A long table (system, id, text) or a wide one (id, one column per system)."""
    part = part_of_replies(read_part(path, read), asked.columns)
    frame, wide = long_or_wide(part, stem_of(path))
    if wide:
        _refuse_empty_cells(part)
        _refuse_numbers(part)
    repeats = frame.height // max(len(part.numbers), 1)
    return Draft(frame, Origin(((part.name, part.numbers),) * repeats))


def roles(path: Path, columns: ColumnMapping | None, *, read: ReadGrid) -> Roles:
    """What the columns of a file are used as."""
    return roles_of_part(read_part(path, read), columns)


def _format(name: str, description: str, read: ReadGrid) -> Format:
    """A format whose suffix is its name."""
    return Format(
        name,
        description,
        partial(_recognise, suffix=f".{name}"),
        {
            "test set": partial(read_testset, read=read),
            "responses": partial(read_responses, read=read),
            **readers(partial(read_part, read=read)),
        },
        partial(roles, read=read),
        partial(read_part, read=read),
    )


CSV = _format(
    "csv",
    "CSV: references (id, text, weight, source) and contexts (id, context); or responses",
    read_csv,
)
TSV = _format(
    "tsv",
    "TSV: the columns of csv, tab-separated; a quote is data, where cells are not quoted as in CSV",
    read_quoted_tsv,
)
WORKBOOK = _format(
    "xlsx",
    "Excel workbook (.xlsx): the columns of csv in the first sheet that has cells",
    read_workbook,
)


def _typed(part: Part) -> Part:
    """The cells of a test set as turns, weights and sources; an empty cell of these is null.

    Raises:
        InputError: a reference is empty: as a reference it would switch BLEU's brevity penalty off.
    """
    frame = part.frame
    if "text" in frame.columns and "context" not in frame.columns:
        _refuse_empty_references(part)
    if "context" in frame.columns:
        frame = frame.with_columns(turns_column(_turns(part)))
    if "weight" in frame.columns:
        frame = frame.with_columns(_weights(part).alias("weight"))
    if "source" in frame.columns:
        frame = frame.with_columns(pl.col("source").replace("", None))
    return replace(part, frame=frame)


def _turns(part: Part) -> list[list[str]]:
    """A cell is the message alone, or a JSON list of turns; an empty one is no turn."""
    decode = msgspec.json.Decoder(list[str]).decode
    turns = []
    for number, cell in zip(part.numbers, part.frame["context"], strict=True):
        if cell.startswith(("['", '["')) and cell.endswith("']"):
            raise InputError(
                f"{part.name}, row {number}: the context is a list as Python prints it; write it as "
                "JSON: frame['context'].map(json.dumps)"
            )
        if not cell.startswith('["'):
            turns.append([cell] if cell else [])
            continue
        try:
            turns.append(decode(cell))
        except (msgspec.DecodeError, RecursionError):
            raise InputError(
                f"{part.name}, row {number}: the context opens like a JSON list of turns and is "
                'none; expected ["first turn", "second turn"] or plain text'
            ) from None
    return turns


def _weights(part: Part) -> pl.Series:
    cells = part.frame.get_column("weight").str.strip_chars()
    weights = cells.cast(pl.Float64, strict=False)
    wrong = (weights.is_null() & (cells != "")).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{part.name}, row {part.numbers[row]}: weight {quoted(cells[row])} is no number; expected "
            "one within [-1, 1] with a decimal point, or an empty cell"
        )
    return weights


def _refuse_empty_references(part: Part) -> None:
    cells = part.frame.get_column("text").to_list()
    empty = [i for i, cell in enumerate(cells) if not cell.strip()]
    if empty:
        raise InputError(
            f"{part.name}, row {part.numbers[empty[0]]}: the text of the reference is "
            f"empty{more(len(empty))}; an empty cell is no reference: drop such rows "
            "(pandas: dropna(subset=['text']))"
        )


def _refuse_numbers(part: Part) -> None:
    """A column of numbers in a wide table is an index or a length, and no system."""
    for name, cells in part.frame.to_dict(as_series=False).items():
        if name != "id" and cells and all(_is_number(cell) for cell in cells):
            raise InputError(
                f"{part.name}: column {quoted(name)} holds numbers; expected text: in a wide table "
                "every column beside 'id' holds the replies of one system; drop it, or, if these "
                "are replies, write the long form (system, id, text)"
            )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _refuse_empty_cells(part: Part) -> None:
    for name, cells in part.frame.to_dict(as_series=False).items():
        if name != "id" and "" in cells:
            raise InputError(
                f"{part.name}, row {part.numbers[cells.index('')]}: the cell of system {quoted(name)} "
                "is empty, which may be an empty reply or a missing one; use the long form "
                "(system, id, text): an empty reply has a row there, a missing one has none"
            )
