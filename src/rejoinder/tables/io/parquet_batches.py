"""The rows of a Parquet file, some thousand at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rejoinder.errors import InputError
from rejoinder.files.reading import read_bytes

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


def open_parquet(path: str | os.PathLike[str]) -> pq.ParquetFile:
    """Opens a Parquet file for ``batches``.

    Raises:
        OSError, pyarrow.ArrowException: It is no readable one.
    """
    import pyarrow.parquet as pq

    # Buffered ahead, what was read would stay until the end of the file.
    return pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)


def batches(
    file: pq.ParquetFile, path: str, rows: int, columns: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """The rows of an open file, at most ``rows`` at a time.

    Args:
        file: What ``open_parquet`` returned.
        path: Its name, for messages.
        rows: How many rows are read at once.
        columns: Those to read; None: all.

    Raises:
        InputError: The file is damaged.
    """
    import pyarrow as pa

    try:
        for batch in file.iter_batches(rows, columns=None if columns is None else list(columns)):
            batch.validate(full=True)  # an unsound buffer would crash whoever reads it next
            yield batch
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path}: damaged, its rows cannot be read; write it again") from error


def columns_of_parquet(path: Path) -> list[str]:
    """The columns of a Parquet file; none of one that is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(pa.BufferReader(read_bytes(path))).names
    except (OSError, pa.ArrowException, UnicodeDecodeError, InputError):
        return []
