"""The rows of Parquet files of any length, some thousand at a time: a file, a folder, or a pattern, here or
on a server.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rejoinder.errors import InputError
from rejoinder.files.reading import read_bytes
from rejoinder.files.sources import digest_of, head_of
from rejoinder.kernels.arrays import Indices

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

ROWS = 1 << 13
"""So many rows are decoded at a time."""
SUFFIX = ".parquet"


class ParquetRows:
    """The rows of the Parquet files of one table, in the order of their paths.

    The footers are read at once, rows when they are asked for: those of the row groups concerned alone, so
    that memory does not depend on the size of the files.

    Args:
        path: A file; a folder, whose files ``*.parquet`` are read, those of its folders too, but none
            whose name or folder begins with ``_`` or ``.``; a pattern (``replies/*.parquet``); or the
            address of one of these (``s3://bucket/replies``), of what pyarrow or an installed package of
            fsspec opens.
        columns: Those that are read, or a field of a list of structs (``references.weight``); None: all.

    Raises:
        OSError, pyarrow.ArrowException, ImportError: Nothing is there that can be read.
        InputError: A file has no such column, or columns of other types than the first file.
    """

    def __init__(self, path: str | os.PathLike[str], columns: Sequence[str] | None = None) -> None:
        import pyarrow.parquet as pq

        self.path = os.fspath(path)
        self.columns = None if columns is None else list(columns)
        self._system, names = _files(self.path)
        with_footers = ((name, pq.read_metadata(name, filesystem=self._system)) for name in names)
        self._files: list[tuple[str, pq.FileMetaData]] = list(with_footers)
        self._check_columns()

    def _check_columns(self) -> None:
        """Raises an InputError unless all files have the columns, each of one type."""
        first = self._files[0][1].schema.to_arrow_schema()
        columns = [each.partition(".")[0] for each in self.columns or first.names]
        for name, footer in self._files if self.columns else self._files[1:]:
            schema = footer.schema.to_arrow_schema()
            for column in columns:
                there = schema.names.count(column)
                if there != 1:
                    raise InputError(
                        f"{name if len(self._files) > 1 else self.path}: {there or 'no'} "
                        f"column{'s' * (there > 1)} '{column}'; expected the columns {', '.join(columns)}"
                    )
            for column in columns:
                kind, expected = schema.field(column).type, first.field(column).type
                if _plain_type(kind) != _plain_type(expected):
                    raise InputError(
                        f"{name}: column '{column}' holds {kind}, and in {self._files[0][0]} "
                        f"{expected}; write all files of a table with the same types"
                    )

    @cached_property
    def starts(self) -> Indices:
        """Where each row group begins, and behind the last one the number of rows: int64 [groups + 1]."""
        sizes = [
            file.row_group(k).num_rows
            for _, file in self._files
            for k in range(file.num_row_groups)
        ]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.starts[-1])

    def digests(self) -> list[str]:
        """What tells the content of each file: its SHA-256; of one on a server its size, time and footer."""
        import pyarrow as pa
        from pyarrow import fs

        if isinstance(self._system, fs.LocalFileSystem):
            return [digest_of(Path(name)) for name, _ in self._files]
        digests = []
        for name, file in self._files:
            footer = pa.BufferOutputStream()
            file.write_metadata_file(footer)
            if isinstance(self._system, fs.PyFileSystem):
                facts = self._system.handler.fs.ukey(name)  # of fsspec, which tells what it knows
            else:
                file_info = self._system.get_file_info(name)
                facts = f"{file_info.size} {file_info.mtime_ns}"
            known = f"{facts} ".encode() + footer.getvalue().to_pybytes()
            digests.append(hashlib.sha256(known).hexdigest())
        return digests

    def has(self, field: str) -> bool:
        """Whether the first file has a column, or a field of a list of structs (``references.weight``)."""
        return _leaf(self._files[0][1], field) is not None

    def tables_of(self, size: int) -> Iterator[pa.Table]:
        """All rows, so many at a time."""
        sizes = [min(size, self.rows - begin) for begin in range(0, self.rows, size)]
        return self.tables(0, sizes)

    def tables(self, begin: int, sizes: Sequence[int]) -> Iterator[pa.Table]:
        """The rows from a place on, in tables of these sizes.

        Raises:
            InputError: A file is damaged.
        """
        import pyarrow as pa

        batches = self._batches(begin, begin + sum(sizes))
        pending: list[pa.RecordBatch] = []
        for size in sizes:
            while sum(each.num_rows for each in pending) < size:
                pending.append(next(batches))
            joined = pa.Table.from_batches(pending)
            # An empty rest would keep the memory of what it was cut from.
            pending = [each for each in joined.slice(size).to_batches() if each.num_rows]
            yield joined.slice(0, size)

    def _batches(self, begin: int, end: int) -> Iterator[pa.RecordBatch]:
        """The rows from ``begin`` to ``end``, some thousand at a time."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        first = 0  # group of the file
        for name, footer in self._files:
            starts = self.starts[first : first + footer.num_row_groups + 1]
            first += footer.num_row_groups
            groups = np.flatnonzero((starts[:-1] < end) & (starts[1:] > begin)).tolist()
            if not groups:
                continue
            at = int(starts[groups[0]])
            try:
                # Buffered ahead, what was read would stay until the end of the file.
                with pq.ParquetFile(
                    name,
                    metadata=footer,
                    filesystem=self._system,
                    pre_buffer=False,
                    buffer_size=1 << 20,
                ) as file:
                    for batch in file.iter_batches(ROWS, groups, self._leaves(footer)):
                        batch.validate(full=True)  # an unsound buffer would crash who reads it next
                        if len(self._files) > 1:
                            batch = batch.cast(pa.schema(map(_with_plain_type, batch.schema)))
                        part = batch.slice(max(0, begin - at), end - max(begin, at))
                        at += batch.num_rows
                        if part.num_rows:
                            yield part
                        if at >= end:
                            return
            except (OSError, pa.ArrowException) as error:
                raise InputError(
                    f"{name}: damaged, its rows cannot be read; write it again"
                ) from error

    def _leaves(self, footer: pq.FileMetaData) -> list[str] | None:
        """The columns of a file that are read, as it names them."""
        if self.columns is None:
            return None
        return [leaf for each in self.columns if (leaf := _leaf(footer, each)) is not None]


def _leaf(footer: pq.FileMetaData, field: str) -> str | None:
    """The path of a field in a file: ``references.weight`` is ``references.list.element.weight``."""
    column, _, name = field.partition(".")
    if not name:
        return column if column in footer.schema.to_arrow_schema().names else None
    paths = (footer.schema.column(k).path.split(".") for k in range(len(footer.schema)))
    within = (
        each for each in paths if each[0] == column and each[-1] == name and len(each) in (3, 4)
    )
    return next((".".join(each) for each in within), None)


def _with_plain_type(field: pa.Field) -> pa.Field:
    return field.with_type(_plain_type(field.type))


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """A type whose texts and lists are the wide ones: writers differ in which they take."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return pa.large_string()
    if types.is_list(kind) or types.is_large_list(kind):
        return pa.large_list(_plain_type(kind.value_type))
    if types.is_struct(kind):
        return pa.struct([(each.name, _plain_type(each.type)) for each in kind])
    return kind


def name_of_table(path: str | os.PathLike[str]) -> str:
    """The name of what a table holds: of its file or folder, without a pattern.

    A pattern's name is its last part that begins without a wildcard, as far as the first one.

    >>> name_of_table("out/gru.parquet"), name_of_table("out/gru/*.parquet"), name_of_table("s3://b/gru-*")
    ('gru', 'gru', 'gru')
    >>> name_of_table("llama-3.1-8b/"), name_of_table("runs/*/gru.parquet")
    ('llama-3.1-8b', 'gru')
    """
    text = os.fspath(path)
    parts = text.rstrip("/").split("/")
    if os.path.exists(path) or not _WILDCARD.search(text):
        return parts[-1].removesuffix(SUFFIX)
    fixed = ((each, _WILDCARD.split(each)[0]) for each in reversed(parts))
    names = (
        each.removesuffix(SUFFIX) if each == begin else begin.rstrip("-_.") for each, begin in fixed
    )
    return next(filter(None, names), text)


def files_of_pattern(pattern: str) -> list[Path]:
    """The files here of a pattern, in their order; none where it is no pattern, or an address."""
    if os.path.exists(pattern) or "://" in _address(pattern) or not _WILDCARD.search(pattern):
        return []
    try:
        return [Path(name) for name in _files(pattern)[1]]
    except OSError:
        return []


_WILDCARD = re.compile(r"[*?\[]")


def _address(path: str) -> str:
    return re.sub(r"^(\w[\w+.-]+):/+", r"\1://", path)  # a Path has one slash


def _files(path: str) -> tuple[Any, list[str]]:
    """The file system and, in their order, the files of a path, a pattern or an address."""
    from pyarrow import fs

    exists = os.path.exists(path)
    address = path if exists else _address(path)
    fixed = path if exists else _WILDCARD.split(address)[0]
    above, slash, _ = fixed.rpartition("/")
    folder, pattern = fixed, ""
    if fixed != address:
        folder, pattern = above or slash or ".", address[len(above + slash) :]
    system, place = (fs.LocalFileSystem(), folder) if "://" not in address else _system(folder)
    if system.get_file_info(place).type == fs.FileType.File:
        return system, [place]
    deep = not pattern or "/" in pattern or "**" in pattern
    listed = system.get_file_info(fs.FileSelector(place, recursive=deep))
    names = sorted(each.path for each in listed if each.type == fs.FileType.File)
    fits = _matcher(pattern)
    names = [each for each in names if fits(each[len(place) :].lstrip("/"))]
    if not names:
        raise FileNotFoundError(path)
    return system, names


def _matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path within a folder fits: what begins with _ or . only where the pattern says so."""
    hidden = {"_", "."} - {each[:1] for each in pattern.split("/")}
    mask = pattern or f"*{SUFFIX}"
    depth = None if "**" in mask or not pattern else mask.count("/")

    def fits(path: str) -> bool:
        shown = not any(part[:1] in hidden for part in path.split("/"))
        return shown and fnmatchcase(path, mask) and depth in (None, path.count("/"))

    return fits


def _system(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        return fs.FileSystem.from_uri(address)
    except pa.ArrowInvalid:  # none of pyarrow's own
        from fsspec.core import url_to_fs

        system, place = url_to_fs(address)
        return fs.PyFileSystem(fs.FSSpecHandler(system)), place


def columns_of_parquet(path: Path) -> list[str]:
    """The columns of a Parquet file; none of one that is damaged."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        whole = path.is_file() and head_of(path, 4) == b"PAR1"  # else a pipe, or packed by gzip
        return pq.read_schema(path if whole else pa.BufferReader(read_bytes(path))).names
    except (OSError, pa.ArrowException, UnicodeDecodeError, InputError):
        return []
