"""Rejoinder's own tables in Parquet: the columns of the other formats, with their types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import read_bytes
from rejoinder.messages import quoted
from rejoinder.tables.format import Shape
from rejoinder.tables.formats.own_tables import container
from rejoinder.tables.io.panics import refusing_panics
from rejoinder.tables.parts import Part

if TYPE_CHECKING:
    import pyarrow as pa

_INDEX = "__index_level_0__"
"""What pandas calls the index of a frame in Parquet."""


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


def part_of_frame(path: Path, read: Callable[[Path], pl.DataFrame] = read_frame) -> Part:
    """The table of a file, its rows counted from 1."""
    frame = read(path)
    return Part(str(path), frame, range(1, frame.height + 1))


FORMAT = container(
    "parquet",
    "Parquet: id, context, references (nested or a second file); or responses",
    [Shape("parquet")],
    part_of_frame,
)


def _decode_names(fields: Iterable[pa.Field]) -> None:
    """Raises UnicodeDecodeError where the name of a column, however deep, is not UTF-8."""
    for field in fields:
        _ = field.name
        _decode_names(field.type.field(i) for i in range(field.type.num_fields))
