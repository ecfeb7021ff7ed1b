"""What a file format is to Rejoinder."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.reading import first_line, head, read_text, suffix_of
from rejoinder.tables.assembly.column_mapping import ColumnMapping, is_called
from rejoinder.tables.io.json_table import rows_within
from rejoinder.tables.io.parquet_batches import columns_of_parquet
from rejoinder.tables.parts import Part

KindName: TypeAlias = Literal["test set", "responses", "ratings", "preferences", "scores"]
"""The kinds of tables."""

FormatName: TypeAlias = str | Mapping[str, str] | None
"""The name of the format of all files, or by file (``""``: of all others); None: recognised."""

Container: TypeAlias = Literal[
    "folder",
    "csv",
    "tsv",
    "xlsx",
    "zip",
    "parquet",
    "sqlite",
    "json list",
    "json object",
    "own rows",
    "text",
]
"""What a path is before it is of any format. JSON Lines begin with an object too, and are our own rows
where the first one is an item or a reply, whatever words stand in its texts."""

JSON_LINES = (".jsonl", ".ndjson", ".jsonlines")
JSON = (".json", *JSON_LINES)
_CONTAINER_BY_SUFFIX: dict[str, Container] = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".xlsx": "xlsx", ".xlsm": "xlsx",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_CONTAINER_BY_START: dict[str, Container] = {
    "[": "json list", "{": "json object", "PK\x03\x04": "zip", "PAR1": "parquet",
    "SQLite format 3\0": "sqlite",
}  # fmt: skip


def name_for(path: Path, names: FormatName) -> str | None:
    """The name of the format of a file; None: it is recognised.

    >>> name_for(Path("data/r.dat"), {"r.dat": "csv"}), name_for(Path("a.dat"), {"r.dat": "csv"})
    ('csv', None)
    """
    if names is None or isinstance(names, str):
        return names
    of_file = (name for file, name in names.items() if file and is_called(path, file))
    return next(of_file, names.get(""))


@dataclass(frozen=True)
class FileHead:
    """What is seen of a path before it is read.

    Attributes:
        path: The file or folder.
        first: The first bytes of the file; empty for a folder.
    """

    path: Path
    first: bytes

    @classmethod
    def of(cls, path: Path) -> FileHead:
        """The head of a file or a folder.

        Raises:
            InputError: The file cannot be read.
        """
        return cls(path, b"" if path.is_dir() else head(path))

    @cached_property
    def text(self) -> str:
        """The first bytes as text, without what stands before its first character."""
        return self.first.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()

    @cached_property
    def suffix(self) -> str:
        """The suffix of the file when unpacked."""
        return suffix_of(self.path)

    @cached_property
    def container(self) -> Container:
        """The container: by the suffix where it says so, else by the first bytes."""
        if self.path.is_dir():
            return "folder"
        if self.suffix in _CONTAINER_BY_SUFFIX:
            return _CONTAINER_BY_SUFFIX[self.suffix]
        if self.suffix in JSON_LINES and self._is_own:
            return "own rows"
        if self.suffix in JSON and not self.text.startswith("["):
            return "json object"
        start = next((each for each in _CONTAINER_BY_START if self.text.startswith(each)), None)
        return "text" if start is None else _CONTAINER_BY_START[start]

    @cached_property
    def row(self) -> Any:
        """The first row of JSON Lines, or the first object of a JSON list; None where it is not whole.

        It is decoded beyond the first bytes too.
        """
        try:
            if not self.text.startswith("["):
                whole = "\n" in self.text
                return msgspec.json.decode(
                    self.text.split("\n")[0] if whole else first_line(self.path)
                )
            try:
                return json.JSONDecoder().raw_decode(self.text[1:].lstrip())[0]
            except ValueError:  # it is longer than the first bytes
                text = read_text(self.path).lstrip()
                return json.JSONDecoder().raw_decode(text[1:].lstrip())[0]
        except (ValueError, RecursionError):
            return None

    @cached_property
    def columns(self) -> Sequence[str]:
        """The columns of a table, or the keys of the first object of JSON; none where none are seen."""
        if self.container in ("csv", "tsv"):
            header = self.text.partition("\n")[0].partition("\r")[0].replace("\0", "")
            mark = "\t" if self.container == "tsv" else max(",;\t", key=header.count)
            return next(csv.reader([header], delimiter=mark), [])
        if self.container == "parquet":
            return columns_of_parquet(self.path)
        value = self.object
        if isinstance(value, dict):
            named = value.get("columns") if "data" in value else None
            return [str(each) for each in named] if isinstance(named, list) else [*value]
        return []

    @cached_property
    def names(self) -> Sequence[str]:
        """The columns as those of tools are written: in small letters where all begin with a capital."""
        return [*lowered(dict.fromkeys(self.columns))]

    @cached_property
    def object(self) -> Any:
        """The first object of JSON, or the whole file where that is one; None where there is none."""
        return self.row if self.row is not None else self._whole

    @property
    def _whole(self) -> Any:
        """The object of a JSON file that is one, over several lines; None of any other file."""
        if self.container != "json object" or self.suffix != ".json" or "\n" not in self.text:
            return None
        try:
            return msgspec.json.decode(read_text(self.path))
        except (InputError, ValueError, RecursionError):
            return None

    @property
    def inside(self) -> FileHead | None:
        """The head of the list of rows that an object of JSON holds; None where it holds none."""
        if self.container != "json object":
            return None
        rows = rows_within(self.path, read_text(self.path).lstrip())
        return FileHead(self.path, msgspec.json.encode(rows[:1])) if rows else None

    def has(self, names: str) -> bool:
        """Whether all of these columns are there: ``a.`` is any below it, ``a{}`` one of objects."""
        return all(map(self._has, names.split()))

    def _has(self, name: str) -> bool:
        if name.endswith("."):
            return any(each.startswith(name) for each in self.names)
        if name.endswith("{}"):
            given = self._lowered
            return isinstance(given, dict) and isinstance(given.get(name[:-2]), dict)
        return name in self.columns or name in self.names

    @cached_property
    def _lowered(self) -> Any:
        return lowered(self.object)

    @property
    def _is_own(self) -> bool:
        row = self.row
        if not isinstance(row, dict) or "id" not in row:
            return False
        return "references" in row or isinstance(row.get("text"), str)


def has_keys(*keys: str) -> Callable[[FileHead], bool]:
    """Whether the first row of a file is an object with all these keys, for a `Shape`."""
    return lambda head: isinstance(head.row, dict) and set(keys) <= head.row.keys()


def lowered(value: Any) -> Any:
    """A value with the keys of its objects in small letters, where all of an object begin with a capital.

    >>> lowered({"INPUT": [{"Role": "user"}], "TraceId": {"BLEU": 1, "n": 2}}), lowered({"A": 1, "b": 2})
    ({'input': [{'role': 'user'}], 'traceId': {'BLEU': 1, 'n': 2}}, {'A': 1, 'b': 2})
    """
    if isinstance(value, list):
        return [lowered(each) for each in value]
    if not isinstance(value, dict):
        return value
    if not all(name[:1].isupper() for name in value):
        return {name: lowered(each) for name, each in value.items()}
    return {
        name.lower() if name.isupper() or "_" in name else name[0].lower() + name[1:]: lowered(each)
        for name, each in value.items()
    }


@dataclass(frozen=True)
class Shape:
    """One shape of the files of a format.

    Attributes:
        container: What a file of this shape is.
        marks: What all stand there: names of a folder's files and folders (``*`` is any), words in the
            first bytes of a file.
        also: What more is asked where all else fits.
        columns: Sets of columns, or of keys of the first object, any one of which is there: see
            ``FileHead.has``.
        unless: Columns that are not there, parted by blanks.
    """

    container: Container
    marks: Sequence[str] = ()
    also: Callable[[FileHead], bool] | None = None
    columns: Sequence[str] = ()
    unless: str = ""

    def fits(self, head: FileHead) -> bool:
        """Whether a file or a folder of this container has this shape."""
        if self.container == "folder":
            has = all(any(head.path.glob(mark)) for mark in self.marks)
        else:
            has = all(mark in head.text for mark in self.marks)
        if self.columns and not any(map(head.has, self.columns)):
            return False
        if self.unless and set(head.names) & set(self.unless.split()):
            return False
        return has and (self.also is None or self.also(head))


@dataclass(frozen=True)
class Asked:
    """What a reader is asked for besides the path.

    Attributes:
        columns: The user's names of columns.
        ids: The ids of the test set that replies answer.
        keep: Additional columns to keep.
    """

    columns: ColumnMapping | None = None
    ids: Sequence[str] | None = None
    keep: Sequence[str] = ()


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised, and how the tables in it are read.

    Attributes:
        name: What ``--format`` and the options for other files call it.
        description: One line for listings.
        shapes: What its files and folders look like: a path is recognised by any of them.
        reads: By kind of table its reader, which takes the path (of a test set the paths) and what is
            ``Asked``, and returns a ``Draft`` (a ``TestSetDraft``).
        part: The table of a file under the names of its columns, which the user may say (``columns``);
            None where the format knows its columns.
        holds_all: Whether a path of a format that knows its columns holds a test set and replies.
        is_log: Whether it is the log of an evaluation tool, with the replies of its own system.
        has_people: Whether it tells ratings by people from the scores of tools, and may hold both.
    """

    name: str
    description: str
    shapes: Sequence[Shape]
    reads: Mapping[KindName, Callable[..., Any]]
    part: Callable[[Path], Part] | None = None
    holds_all: Callable[[Path], bool] = lambda path: False
    is_log: bool = False
    has_people: bool = False

    def recognises(self, head: FileHead) -> bool:
        """Whether a path is of this format."""
        of = head.container
        return any(shape.container == of and shape.fits(head) for shape in self.shapes)
