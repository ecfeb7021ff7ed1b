"""Data sets of Hugging Face as ``save_to_disk`` writes them: a folder of Arrow files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rejoinder.errors import InputError
from rejoinder.files.reading import read_bytes, read_text
from rejoinder.messages import listed
from rejoinder.tables.format import Shape
from rejoinder.tables.formats import parquet
from rejoinder.tables.formats.own_tables import container
from rejoinder.tables.io.json_table import json_value

if TYPE_CHECKING:
    import pyarrow as pa

_STATE, _SPLITS = "state.json", "dataset_dict.json"
_EXPECTED = "expected a folder that Dataset.save_to_disk wrote, whole"
_TEST = "test"


def read_frame(path: Path) -> pl.DataFrame:
    """The table of a data set; of several splits the one called ``test``, or the only one.

    Raises:
        InputError: A file is absent or no sound Arrow file, or there are several splits.
    """
    folder = path
    if (path / _SPLITS).is_file():
        splits = _names(path / _SPLITS, "splits")
        if _TEST not in splits and len(splits) != 1:
            raise InputError(
                f"{path}: splits {listed(splits)}, and none is called 'test'; name the folder of one of "
                "them"
            )
        folder = path / (_TEST if _TEST in splits else splits[0])
    contents = [read_bytes(folder / name) for name in _names(folder / _STATE, "_data_files")]
    return parquet.sound_frame(folder, "data set of Arrow files", partial(_table, contents))


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


FORMAT = container(
    "datasets",
    "a folder that Dataset.save_to_disk of Hugging Face's datasets wrote: the columns of parquet",
    [Shape("folder", (each,)) for each in (_STATE, _SPLITS)],
    partial(parquet.part_of_frame, read=read_frame),
)
