"""Rejoinder's own tables in Parquet: the columns of the other formats, with their types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import read_bytes, stem_of
from rejoinder.messages import quoted
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import Roles, is_reference_column
from rejoinder.tables.assembly.mapped_parts import part_of_items, part_of_replies, roles_of_part
from rejoinder.tables.assembly.two_tables import Part, long_or_wide, testset_of_parts
from rejoinder.tables.columns import forbid, require
from rejoinder.tables.format import Asked, Format
from rejoinder.tables.formats.judgement_tables import readers
from rejoinder.tables.io.panics import refusing_panics
from rejoinder.tables.origin import Draft, Origin, TestSetDraft
from rejoinder.tables.schemas import REFERENCES

if TYPE_CHECKING:
    import pyarrow as pa

_INDEX = "__index_level_0__"
"""What pandas calls the index of a frame in Parquet."""


def recognise(path: Path, first: bytes) -> bool:
    """By its magic bytes, or by suffix."""
    return first.startswith(b"PAR1") or (
        not path.is_dir() and path.suffix.lower() in {".parquet", ".pq"}
    )


def read_frame(path: Path) -> pl.DataFrame:
    """The table of a Parquet file.

    Raises:
        InputError: the file is no whole Parquet file, or holds text that is not UTF-8.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = read_bytes(path)
    if not data.startswith(b"PAR1") or not data.endswith(b"PAR1"):
        what = "breaks off before its end" if data.startswith(b"PAR1") else "is no Parquet file"
        raise InputError(f"{path}: {what}; expected PAR1 at both ends; write it again")
    return sound_frame(path, "Parquet file", lambda: pq.read_table(pa.BufferReader(data)))


def sound_frame(path: Path, what: str, read: Callable[[], pa.Table]) -> pl.DataFrame:
    """The frame of an Arrow table, checked whole, without the index of pandas.

    Args:
        path: The file or folder, for messages.
        what: What it should be, for messages.
        read: Reads the table.

    Raises:
        InputError: The table is not sound, or holds text that is not UTF-8.
    """
    import pyarrow as pa

    try:
        table = read()
        table.validate(full=True)  # an unsound buffer would crash whoever reads it next
        fields = [field.remove_metadata() for field in table.schema]
        _decode_names(fields)
        with refusing_panics():  # on a table that Arrow let pass
            frame = pl.from_arrow(table.cast(pa.schema(fields)))
    except (pa.ArrowException, OSError, ValueError, pl.exceptions.PolarsError) as error:
        fault = quoted(str(error).split("\n")[0])[1:-1]
        raise InputError(f"{path}: not a sound {what}: {fault}; write it again") from None
    assert isinstance(frame, pl.DataFrame)
    return frame.drop(_INDEX, strict=False)


ReadFrame: TypeAlias = Callable[[Path], pl.DataFrame]


def read_part(path: Path, read: ReadFrame = read_frame) -> Part:
    """The table of a file, its rows counted from 1."""
    frame = read(path)
    return Part(str(path), frame, range(1, frame.height + 1))


def read_testset(paths: Sequence[Path], asked: Asked, read: ReadFrame = read_frame) -> TestSetDraft:
    """One file with nested references, or one of references and one of contexts."""
    parts = [part_of_items(read_part(path, read), asked.columns) for path in paths]
    if len(parts) == 1:
        part = _with_lists(parts[0])
        if "references" in part.frame.columns:
            return _nested(part)
    return testset_of_parts(parts)


def read_responses(path: Path, asked: Asked, read: ReadFrame = read_frame) -> Draft:
    """A long table (system, id, text) or a wide one (id, one column per system)."""
    part = part_of_replies(read_part(path, read), asked.columns)
    frame, numbers = part.frame, part.numbers
    long, wide = long_or_wide(part, stem_of(path))
    origin = Origin(((str(path), numbers),) * (len(frame.columns) - 1 if wide else 1))
    if wide:  # a null is told from an empty text here: the reply is missing
        kept = long.get_column("text").is_not_null().arg_true().to_list()
        origin = Origin(((str(path), [i % frame.height + 1 for i in kept]),))
        systems = [column for column in frame.columns if column != "id"]
        long = long[kept]
        silent = sorted(set(systems) - set(long.get_column("system")))
        if silent:
            raise InputError(
                f"{path}: no reply of the system {quoted(silent[0])}, its column is all null; take "
                "the column out"
            )
    return Draft(long, origin)


def roles(path: Path, columns: ColumnMapping | None, read: ReadFrame = read_frame) -> Roles:
    """What the columns of a file are used as."""
    return roles_of_part(read_part(path, read), columns)


def table_format(
    name: str, description: str, recognise: Callable[[Path, bytes], bool], read: ReadFrame
) -> Format:
    """A format of tables whose columns have types."""
    return Format(
        name,
        description,
        recognise,
        {
            "test set": partial(read_testset, read=read),
            "responses": partial(read_responses, read=read),
            **readers(partial(read_part, read=read)),
        },
        partial(roles, read=read),
        partial(read_part, read=read),
    )


FORMAT = table_format(
    "parquet",
    "Parquet: id, context, references (nested or a second file); or responses",
    recognise,
    read_frame,
)


def _decode_names(fields: Iterable[pa.Field]) -> None:
    """Raises UnicodeDecodeError where the name of a column, however deep, is not UTF-8."""
    for field in fields:
        _ = field.name
        _decode_names(field.type.field(i) for i in range(field.type.num_fields))


def _with_lists(part: Part) -> Part:
    """A single column that holds a list of references for each item, called ``references``."""
    lists = [
        name
        for name, dtype in part.frame.schema.items()
        if isinstance(dtype, pl.List) and is_reference_column(name)
    ]
    if len(lists) != 1 or "references" in part.frame.columns:
        return part
    return replace(part, frame=part.frame.rename({lists[0]: "references"}))


def _nested(part: Part) -> TestSetDraft:
    frame, name = part.frame, part.name
    require(("id", "references"), frame.columns, name, ("context",))
    dtype = frame.schema["references"]
    if not isinstance(dtype, pl.List):
        hint = "; rename it to 'ref1' where it is the text of one reference"
        raise InputError(
            f"{name}: column 'references' holds {dtype}; expected a list per item"
            f"{hint if dtype == pl.String else ''}"
        )
    if "context" not in frame.columns:
        empty = pl.Series("context", [[]] * frame.height, dtype=pl.List(pl.String))
        frame = frame.with_columns(empty)
    if frame.schema["context"] == pl.String:
        frame = frame.with_columns(pl.concat_list("context"))
    long = frame.select(
        "id",
        pl.col("references"),
        pl.Series("row number", part.numbers),
    ).filter(pl.col("references").list.len() > 0)
    long = long.explode("references")
    numbers = long.get_column("row number").to_list()
    references = _unnested(name, long)
    return TestSetDraft(
        frame.drop("references"),
        references,
        Origin(((name, part.numbers),)),
        Origin(((name, numbers),)),
    )


def _unnested(name: str, long: pl.DataFrame) -> pl.DataFrame:
    dtype = long.schema["references"]
    if not isinstance(dtype, pl.Struct):
        return long.select("id", pl.col("references").alias("text"))
    fields = [field.name for field in dtype.fields]
    forbid(fields, [column for column in REFERENCES if column != "id"], f"{name}, references")
    return long.select("id", "references").unnest("references")
