"""The user's ``columns``: which column, or which place in a nested value, is read as which of ours."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import polars as pl
from msgspec import UNSET

from rejoinder.errors import InputError, ParameterError
from rejoinder.files.reading import existing, read_text
from rejoinder.messages import Argument, listed, quoted
from rejoinder.tables.assembly.column_roles import may_be_nested
from rejoinder.tables.assembly.json_rows import column_of_rows
from rejoinder.tables.parts import Part
from rejoinder.tables.schemas import COLUMNS, NOT_OF_ITEMS

_FORM = (
    "expected NAME=COLUMN, several parted by commas, behind FILE: where they are of one file alone, or "
    "a TOML file of them"
)


@dataclass(frozen=True)
class ColumnMapping:
    """By our name of a column the user's: a column, or a dotted path into its nested values.

    Attributes:
        sources: The mapping of every file.
        files: By file what is mapped in it besides, or in another way.
        values: By word the number that it is where people rated in words.

    Example:
        >>> from rejoinder.tables.assembly.json_rows import part_of_rows
        >>> rows = part_of_rows("a.jsonl", [(1, {"doc_id": "3", "resps": [["Yes."]], "doc": {}})])
        >>> column_mapping("id=doc_id,text=resps.0.0").of_part(rows).frame.row(0, named=True)
        {'id': '3', 'text': 'Yes.'}
    """

    sources: dict[str, str]
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)

    def of_file(self, path: str | os.PathLike[str]) -> ColumnMapping | None:
        """What is mapped in a file; None where nothing is.

        >>> column_mapping("r.csv:id=item").of_file("data/r.csv").sources
        {'id': 'item'}
        """
        sources = dict(self.sources)
        for name, pairs in self.files.items():
            if is_called(Path(path), name):
                sources |= pairs
        return ColumnMapping(sources) if sources else None

    def joined(self, other: ColumnMapping) -> ColumnMapping:
        """Both mappings; where they name the same column, the other one holds."""
        files = {name: dict(pairs) for name, pairs in self.files.items()}
        for name, pairs in other.files.items():
            files[name] = files.get(name, {}) | pairs
        return ColumnMapping(self.sources | other.sources, files, {**self.values, **other.values})

    def of_part(self, part: Part) -> Part:
        """A table under our names; a dotted path looks into structs, lists, objects and cells of JSON.

        Of the other columns those that hold text, numbers, true and false are kept.
        """
        frame, rows = part.frame, part.holds == "rows"
        mapped: list[pl.Series] = []
        for name, source in self.sources.items():
            column = _top(source)
            if source in frame.columns:
                mapped.append(frame.get_column(source).alias(name))
            elif column in frame.columns:
                path = source.removeprefix(f"{column}.")
                values = frame.get_column(column).to_list()
                if frame.schema[column] == pl.String and not rows:
                    mapped.append(pl.Series(name, [_in_cell(each, path) for each in values]))
                    continue
                looked_up = [value_at(each, path) for each in values]
                if not rows:
                    mapped.append(pl.Series(name, [value for value, _ in looked_up], strict=False))
                elif any(is_there for _, is_there in looked_up):
                    values = [value if is_there else UNSET for value, is_there in looked_up]
                    mapped.append(column_of_rows(name, values))
        used = {name for source in self.sources.values() for name in (source, _top(source))}
        used |= {series.name for series in mapped}
        rest = [
            series
            for series in map(_without_lists, frame.iter_columns())
            if series is not None and series.name not in used
        ]
        return part.with_frame(pl.DataFrame([*mapped, *rest]))

    def check(self, names: Sequence[str], columns: Sequence[str], what: str, where: str) -> None:
        """Sees that the columns of the mapping that a kind of table needs are there.

        Args:
            names: The columns after the mapping.
            columns: Those before it, for the message.
            what: What is read: ``test set``, ``responses``, ``ratings`` or ``preferences``.
            where: The file, or the file and a row.

        Raises:
            InputError: One is absent, and no column has our name of it either.
        """
        valid = {each.name for each in COLUMNS.get(what, ())} or self.sources.keys() - NOT_OF_ITEMS
        for name, source in self.sources.items():
            if name in valid and name not in names:
                raise InputError(
                    f"{where}: no column {quoted(source)}, though {Argument('columns')} says that "
                    f"{quoted(name)} is called {quoted(source)}; got {listed(columns)}; name a column "
                    "of the file, or a path like resps.0.0; what holds for another file alone stands "
                    f"behind its name: {Argument('columns', f'FILE:{name}={source}')}"
                )


Columns: TypeAlias = (
    Mapping[str, str | Mapping[str, str]] | str | os.PathLike[str] | ColumnMapping | None
)
"""What ``columns=`` takes: a mapping, ``"id=doc_id,text=resps.0.0"``, or the path of a TOML file."""


def column_mapping(columns: Columns) -> ColumnMapping | None:
    """The mapping that a user gave, or None.

    Args:
        columns: By our name the user's column, as a mapping or as ``"id=doc_id,text=resps.0.0"``;
            or a TOML file with such pairs, at its top or in a table ``[columns]``. What holds for one
            file alone is a mapping under the file's name, ``{"r.csv": {"id": "item"}}``, a table of
            the TOML file, ``["r.csv"]``, or stands behind it, ``"r.csv:id=item,score=grade"``.

    Raises:
        InputError: The TOML file cannot be read.
        ParameterError: It is none of these.
    """
    if columns is None or isinstance(columns, ColumnMapping):
        return columns
    if isinstance(columns, Mapping):
        pairs = dict(columns)
    elif isinstance(columns, str) and "=" in columns:
        pairs = _pairs_in_text(columns)
    elif isinstance(columns, (str, os.PathLike)):
        pairs = _pairs_in_toml(Path(columns))
    else:
        raise ParameterError(f"columns: got {type(columns).__name__}; {_FORM}")
    common = {name: source for name, source in pairs.items() if not isinstance(source, Mapping)}
    files = {name: dict(each) for name, each in pairs.items() if isinstance(each, Mapping)}
    for each in (common, *files.values()):
        for name, source in each.items():
            if not isinstance(name, str) or not isinstance(source, str) or not name or not source:
                raise ParameterError(f"columns: got {quoted(name)} = {quoted(source)}; {_FORM}")
    if not any((common, *files.values())):
        raise ParameterError(f"columns: no pair; {_FORM}")
    return ColumnMapping(common, files)


def is_called(path: Path, name: str) -> bool:
    """Whether a file of ``columns`` is this one: by its name, or by its path.

    >>> [is_called(Path("data/r.csv"), each) for each in ("r.csv", "data/r.csv", "other/r.csv")]
    [True, True, False]
    """
    return name == path.name or os.path.abspath(name) == os.path.abspath(path)


def value_at(row: Any, path: str) -> tuple[Any, bool]:
    """The value at a dotted path, and whether there is one.

    A key that holds the dots itself comes first; a whole number is a place in a list, from 0, or
    from the end where it is negative.

    >>> value_at({"resps": [["a", "b"]]}, "resps.0.-1"), value_at({"x.y": 1}, "x.y")
    (('b', True), (1, True))
    """
    if isinstance(row, dict) and path in row:
        return row[path], True
    key, _, rest = path.partition(".")
    if isinstance(row, dict) and key in row:
        value = row[key]
    elif isinstance(row, list) and re.fullmatch(r"-?\d+", key) and -len(row) <= int(key) < len(row):
        value = row[int(key)]
    else:
        return None, False
    return value_at(value, rest) if rest else (value, True)


def _without_lists(column: pl.Series) -> pl.Series | None:
    """A column without what is nested in it, where its name is not that of turns or references."""
    if may_be_nested(column.name) or (not column.dtype.is_nested() and column.dtype != pl.Object):
        return column
    if column.dtype != pl.Object:
        return None
    values = [UNSET if isinstance(each, list | dict) else each for each in column.to_list()]
    return None if all(each is UNSET for each in values) else column_of_rows(column.name, values)


def _top(source: str) -> str:
    """The column that a dotted path begins with."""
    return source.partition(".")[0]


def _pairs_in_text(text: str) -> dict[str, Any]:
    """The pairs of ``id=doc_id,text=resps.0.0``, or of ``FILE:id=doc_id,...``.

    A file holds for the pairs behind it too, until another one is named.

    >>> _pairs_in_text("a.csv:id=item,score=grade,b.csv:id=doc")
    {'a.csv': {'id': 'item', 'score': 'grade'}, 'b.csv': {'id': 'doc'}}
    """
    key, _, _ = text.partition("=")
    file, mark, _ = key.rpartition(":")  # the name of the first file may hold commas
    pairs: dict[str, Any] = {}
    of_file = pairs.setdefault(file.strip(), {}) if mark else pairs
    for part in text[len(file + mark) :].split(","):
        if not part.strip():
            continue
        name, source = _pair(part)
        other, mark, name = name.rpartition(":")
        if mark:
            of_file = pairs.setdefault(other.strip(), {})
        if of_file.get(name.strip(), source) != source:
            raise ParameterError(
                f"columns: {quoted(name.strip())} is named twice, as {quoted(of_file[name.strip()])} and "
                f"{quoted(source)}; several references are ref1=, ref2=, ..."
            )
        of_file[name.strip()] = source
    return pairs


def _pair(part: str) -> tuple[str, str]:
    name, sign, source = part.partition("=")
    if not sign or not name.strip() or not source.strip():
        raise ParameterError(f"columns: got {quoted(part)}; {_FORM}")
    return name.strip(), source.strip()


def _pairs_in_toml(path: Path) -> dict[str, Any]:
    (path,) = existing([path], "columns")
    try:
        content = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f'{path}: not TOML: {error}; expected lines like id = "doc_id"') from None
    common = content.pop("columns", {})
    tables = [common, content, *(each for each in content.values() if isinstance(each, dict))]
    values = [v for each in tables if isinstance(each, dict) for v in each.values()]
    if not isinstance(common, dict) or not all(
        isinstance(v, str) or any(v is each for each in tables) for v in values
    ):
        raise InputError(
            f'{path}: expected lines like id = "doc_id", at the top or below [columns], or below '
            '["FILE"] for one file alone; each value is the name of a column in double quotes'
        )
    return content | common


def _in_cell(cell: str | None, path: str) -> str:
    """The value at a path in a cell of JSON; empty where there is none."""
    try:
        value, is_there = value_at(msgspec.json.decode(cell or ""), path)
    except (msgspec.DecodeError, RecursionError):
        return ""
    if not is_there or value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
