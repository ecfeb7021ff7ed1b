"""Tables of Arrow: Parquet files, and data sets of Hugging Face as ``save_to_disk`` writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import read_bytes, read_text
from rejoinder.messages import listed, quoted
from rejoinder.tables.io.json_table import json_value
from rejoinder.tables.io.panics import refusing_panics
from rejoinder.tables.parts import Part

if TYPE_CHECKING:
    import pyarrow as pa

STATE, SPLITS = "state.json", "dataset_dict.json"
_EXPECTED = "expected a folder that Dataset.save_to_disk wrote, whole"
_TEST = "test"
_INDEX = "__index_level_0__"
"""What pandas calls the index of a frame in Parquet."""


def read_parquet(path: Path) -> Part:
    """The table of a Parquet file.

    Raises:
        InputError: The file is no whole Parquet file, or holds text that is not UTF-8.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = read_bytes(path)
    if not data.startswith(b"PAR1") or not data.endswith(b"PAR1"):
        what = "breaks off before its end" if data.startswith(b"PAR1") else "is no Parquet file"
        raise InputError(f"{path}: {what}; expected PAR1 at both ends; write it again")
    return _sound_part(path, path, "Parquet file", lambda: pq.read_table(pa.BufferReader(data)))


def read_datasets(path: Path) -> Part:
    """The table of a data set; of several splits the one called ``test``, or the only one.

    Raises:
        InputError: A file is absent or no sound Arrow file, or there are several splits.
    """
    folder = path
    if (path / SPLITS).is_file():
        splits = _names(path / SPLITS, "splits")
        if _TEST not in splits and len(splits) != 1:
            raise InputError(
                f"{path}: splits {listed(splits)}, and none is called 'test'; name the folder of one of "
                "them"
            )
        folder = path / (_TEST if _TEST in splits else splits[0])
    contents = [read_bytes(folder / name) for name in _names(folder / STATE, "_data_files")]
    return _sound_part(path, folder, "data set of Arrow files", partial(_table, contents))


def _names(file: Path, key: str) -> list[str]:
    """The names in a list of a JSON file: names of splits, or of files."""
    content = json_value(read_text(file), str(file), _EXPECTED)
    values: Any = content.get(key) if isinstance(content, dict) else None
    values = [
        each.get("filename") if isinstance(each, dict) else each
        for each in (values if isinstance(values, list) else [])
    ]
    names = [name for name in values if isinstance(name, str) and Path(name).name == name]
    if not names or len(names) < len(values):
        raise InputError(f"{file}: no list of names in '{key}'; {_EXPECTED}")
    if isinstance(content, dict) and content.get("_indices_data_files"):
        raise InputError(
            f"{file}: the data set is a selection of its rows; write it again after flatten_indices()"
        )
    return names


def _table(contents: Sequence[bytes]) -> pa.Table:
    import pyarrow as pa

    streams = [pa.ipc.open_stream(pa.BufferReader(content)) for content in contents]
    return pa.concat_tables([stream.read_all() for stream in streams])


def _sound_part(path: Path, folder: Path, what: str, read: Callable[[], pa.Table]) -> Part:
    """An Arrow table, checked whole, without the index of pandas; its rows are counted from 1.

    Args:
        path: The file or folder that was named.
        folder: The one that is read, for messages.
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
        raise InputError(f"{folder}: not a sound {what}: {fault}; write it again") from None
    assert isinstance(frame, pl.DataFrame)
    frame = frame.drop(_INDEX, strict=False)
    return Part(str(path), frame, range(1, frame.height + 1))


def _decode_names(fields: Iterable[pa.Field]) -> None:
    """Raises UnicodeDecodeError where the name of a column, however deep, is not UTF-8."""
    for field in fields:
        _ = field.name
        _decode_names(field.type.field(i) for i in range(field.type.num_fields))
