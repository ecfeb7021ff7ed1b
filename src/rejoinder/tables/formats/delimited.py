"""Rejoinder's own tables in CSV and TSV: contexts, references, and responses (long or wide)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec
import polars as pl

from rejoinder.errors import InputError
from rejoinder.messages import more, quoted
from rejoinder.tables.assembly.two_tables import Part, long_or_wide, testset_of_parts
from rejoinder.tables.formats.format import Format
from rejoinder.tables.io.delimited import Grid, read_csv, read_tsv
from rejoinder.tables.origin import Origin, ResponsesDraft, TestSetDraft
from rejoinder.tables.turns import turns_column


def _read(path: Path, suffix: str) -> Grid:
    return read_csv(path) if suffix == ".csv" else read_tsv(path)


def _recognise(path: Path, first: bytes, suffix: str) -> bool:
    also = {".tab"} if suffix == ".tsv" else set()
    return not path.is_dir() and path.suffix.lower() in {suffix, *also}


def _read_testset(paths: Sequence[Path], suffix: str) -> TestSetDraft:
    parts = []
    for path in paths:
        table = _read(path, suffix)
        frame = pl.DataFrame(dict(zip(table.header, table.columns, strict=True)))
        parts.append(Part(str(path), _typed(frame, table), table.numbers))
    return testset_of_parts(parts)


def _read_responses(
    paths: Sequence[Path], ids: Sequence[str] | None, suffix: str
) -> ResponsesDraft:
    (path,) = paths
    table = _read(path, suffix)
    frame = pl.DataFrame(
        dict(zip(table.header, table.columns, strict=True)),
        schema=dict.fromkeys(table.header, pl.String),
    )
    frame, wide = long_or_wide(Part(str(path), frame, table.numbers), path.stem)
    if wide:
        _refuse_empty_cells(table)
        _refuse_numbers(table)
    repeats = frame.height // max(len(table.numbers), 1)
    return ResponsesDraft(frame, Origin(((str(path), table.numbers),) * repeats))


CSV = Format(
    "csv",
    "CSV: references (id, text, weight, source) and contexts (id, context); or responses",
    partial(_recognise, suffix=".csv"),
    partial(_read_testset, suffix=".csv"),
    partial(_read_responses, suffix=".csv"),
)

TSV = Format(
    "tsv",
    "TSV: the columns of csv, tab-separated, without quoting (a quote is data)",
    partial(_recognise, suffix=".tsv"),
    partial(_read_testset, suffix=".tsv"),
    partial(_read_responses, suffix=".tsv"),
)


def _typed(frame: pl.DataFrame, table: Grid) -> pl.DataFrame:
    """The cells of a test set as turns, weights and sources; an empty cell of these is null.

    Raises:
        InputError: a reference is empty: as a reference it would switch BLEU's brevity penalty off.
    """
    if "text" in frame.columns and "context" not in frame.columns:
        _refuse_empty_references(table)
    if "context" in frame.columns:
        frame = frame.with_columns(
            turns_column(_turns(table)),
        )
    if "weight" in frame.columns:
        frame = frame.with_columns(_weights(table).alias("weight"))
    if "source" in frame.columns and frame.schema["source"] == pl.String:
        frame = frame.with_columns(pl.col("source").replace("", None))
    return frame


def _turns(table: Grid) -> list[list[str]]:
    """A cell is the message alone, or a JSON list of turns; an empty one is no turn."""
    decode = msgspec.json.Decoder(list[str]).decode
    turns = []
    for number, cell in zip(table.numbers, table["context"], strict=True):
        if cell.startswith(("['", '["')) and cell.endswith("']"):
            raise InputError(
                f"{table.name}, row {number}: the context is a list as Python prints it; write it as "
                "JSON: frame['context'].map(json.dumps)"
            )
        if not cell.startswith('["'):
            turns.append([cell] if cell else [])
            continue
        try:
            turns.append(decode(cell))
        except (msgspec.DecodeError, RecursionError):
            raise InputError(
                f"{table.name}, row {number}: the context opens like a JSON list of turns and is "
                'none; expected ["first turn", "second turn"] or plain text'
            ) from None
    return turns


def _weights(table: Grid) -> pl.Series:
    cells = pl.Series("weight", table["weight"], dtype=pl.String).str.strip_chars()
    weights = cells.cast(pl.Float64, strict=False)
    wrong = (weights.is_null() & (cells != "")).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{table.name}, row {table.numbers[row]}: weight {quoted(cells[row])} is no number; expected "
            "one within [-1, 1] with a decimal point, or an empty cell"
        )
    return weights


def _refuse_empty_references(table: Grid) -> None:
    cells = table["text"]
    empty = [i for i, cell in enumerate(cells) if not cell.strip()]
    if empty:
        raise InputError(
            f"{table.name}, row {table.numbers[empty[0]]}: the text of the reference is "
            f"empty{more(len(empty))}; an empty cell is no reference: drop such rows "
            "(pandas: dropna(subset=['text']))"
        )


def _refuse_numbers(table: Grid) -> None:
    """A column of numbers in a wide table is an index or a length, and no system."""
    for name, cells in zip(table.header, table.columns, strict=True):
        if name != "id" and cells and all(_is_number(cell) for cell in cells):
            raise InputError(
                f"{table.name}: column {quoted(name)} holds numbers; expected text: in a wide table "
                "every column beside 'id' holds the replies of one system; drop it, or, if these "
                "are replies, write the long form (system, id, text)"
            )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _refuse_empty_cells(table: Grid) -> None:
    for name, cells in zip(table.header, table.columns, strict=True):
        if name != "id" and "" in cells:
            raise InputError(
                f"{table.name}, row {table.numbers[cells.index('')]}: the cell of system {quoted(name)} "
                "is empty, which may be an empty reply or a missing one; use the long form "
                "(system, id, text): an empty reply has a row there, a missing one has none"
            )
