"""A JSON file that is one table: a list of objects, or an object of columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.provenance import FORMAT as RECORD
from rejoinder.files.provenance import SUFFIX
from rejoinder.files.reading import read_text
from rejoinder.files.strict_json import DuplicateKeyError, check_keys, strict_json
from rejoinder.messages import counted, listed, quoted
from rejoinder.tables.io.json_lines import duplicate_key, no_number, read_objects
from rejoinder.tables.notes import note

_EXPECTED = (
    'expected a list of objects, or an object of columns ({"id": ["c1", "c2"], "text": [...]})'
)

_WRAPPERS = (
    "data", "rows", "records", "items", "examples", "samples", "results", "runs", "traces", "calls",
    "content", "predictions", "events",
)  # fmt: skip
"""Keys under which an object holds its rows, beside what it says of all of them."""


def read_json_table(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a JSON file, counted from 1.

    A list of objects has a row for each. An object has its rows as such a list in ``data``, ``rows``,
    ``results`` or the like (a note names what stands beside it); or in lists of the same length, one for
    each column. pandas' default (``to_json``) has objects in place of these lists, its orient ``split``
    has the names of the columns apart, and its orient ``index`` has an object for each number of a row.

    Raises:
        InputError: The file is no JSON, none of these, or an object has a key twice.
    """
    text = read_text(path)
    if text.lstrip()[:1] == "[":
        return enumerate(read_list(path), start=1)
    value = json_value(text, str(path), _EXPECTED)
    if not isinstance(value, dict) or not value:
        raise InputError(f"{path}: got {quoted(value)}; {_EXPECTED}")
    if beside := [name for name in value if name not in _WRAPPERS] if _lists(value) else []:
        note("columns not read", path, columns=beside)
    return enumerate(_rows(value, path), start=1)


def json_value(text: str, where: str, expected: str) -> Any:
    """The value of a JSON text.

    Args:
        text: The text of a whole file.
        where: The file, for messages.
        expected: What to say was expected.

    Raises:
        InputError: It is no JSON, or an object in it has a key twice.
    """
    value = _decoded(text, where, expected)
    try:
        check_keys(text, value)
    except DuplicateKeyError as error:
        raise InputError(f"{where}: {duplicate_key(error)}") from None
    except RecursionError as error:
        raise InputError(_not_json(error, where, expected)) from None
    return value


def _decoded(text: str, where: str, expected: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        if fault := no_number(text):
            raise InputError(f"{where}: {fault}") from None
        raise InputError(_not_json(error, where, expected)) from None


def _not_json(error: Exception, where: str, expected: str) -> str:
    return f"{where}: not JSON: {quoted(str(error))[1:-1]}; {expected}"


def read_list(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON list, also of one inside an object. In messages the first is row 1.

    Raises:
        InputError: The file is no JSON, no list, holds something else than objects, or an object has
            a key twice.
    """
    text = read_text(path)
    if rows_within(path, text.lstrip()):
        return [row for _, row in read_json_table(path)]
    rows = _decoded(text, str(path), "expected one list of objects")
    if not isinstance(rows, list) or not rows:
        got = "an empty list" if rows == [] else "no list"
        raise InputError(f"{path}: {got}; expected one JSON list of objects")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            hints = {
                list: ": a list has no names of columns (pandas: orient='records')",
                str: "; replies alone are plain text, line i for item i: jq -r '.[]' FILE > FILE.txt",
            }
            hint = hints.get(type(row), "")
            raise InputError(f"{path}, row {number}: got {quoted(row)}; expected an object{hint}")
    try:
        check_keys(text, rows)
    except (DuplicateKeyError, RecursionError):
        raise InputError(f"{path}, {_faulty_row(text)}") from None
    return rows


def read_json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON list, also of one inside an object, or of JSON Lines."""
    text = read_text(path).lstrip()
    whole = text[:1] == "[" or rows_within(path, text)
    return read_json_table(path) if whole else read_objects(path)


def rows_within(path: Path, text: str) -> list[dict[str, Any]]:
    """The rows that a JSON file holds inside of an object; none where it is no such file."""
    if path.suffix != ".json" or text[:1] != "{":
        return []
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return []
    lists = _lists(value)
    return value[lists[0]] if len(lists) == 1 else []


def is_object_of_columns(value: object) -> bool:
    """Whether an object of JSON is a table, and no row of one: it holds lists or objects alone."""
    return isinstance(value, dict) and (_rows_inside(value) is not None or _is_nested(value))


def _rows(value: dict[str, Any], path: Path) -> list[dict[str, Any]]:
    rows = _rows_inside(value)
    if rows is None and _is_nested(value):
        raise InputError(
            f"{path}: an object of objects, which may be rows or columns; a frame of pandas with an index "
            "of its own is written by frame.reset_index().to_json(path, orient='records')"
        )
    if RECORD in value:
        raise InputError(
            f"{path}: is no table, but Rejoinder's own record of how {quoted(value.get('file'))} was made; "
            f"leave it out (files named *{SUFFIX})"
        )
    if rows is None:
        raise InputError(f"{path}: an object with {listed(value)}; {_EXPECTED}")
    if isinstance(rows, str):
        raise InputError(f"{path}: {rows}")
    return rows


def _rows_inside(value: dict[str, Any]) -> list[dict[str, Any]] | str | None:
    """The rows of an object; what is wrong with it as a table; None where it is none."""
    if lists := _lists(value):
        several = (
            f"several lists of rows ({listed(lists)}); expected one; write the one to read alone"
        )
        return value[lists[0]] if len(lists) == 1 else several
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        names, data = value["columns"], value["data"]
        if all(isinstance(row, list) and len(row) == len(names) for row in data):
            return [dict(zip(map(str, names), row, strict=True)) for row in data]
    if _is_object_of_rows(value):
        return list(value.values())
    columns = {name: _cells(each) for name, each in value.items()}
    lists = {name: cells for name, cells in columns.items() if cells is not None}
    if len(lists) < len(columns):
        return None
    lengths = {name: len(cells) for name, cells in lists.items()}
    if len(set(lengths.values())) > 1:
        first, *rest = lengths
        other = next(name for name in rest if lengths[name] != lengths[first])
        return (
            f"column {quoted(first)} has {counted(lengths[first], 'value')}, {quoted(other)} has "
            f"{lengths[other]}; {_EXPECTED}, all of one length"
        )
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def _is_object_of_rows(value: dict[str, Any]) -> bool:
    """Whether an object has a row for each number: pandas' orient ``index``."""
    return (
        bool(value)
        and all(name.isdecimal() for name in value)
        and all(
            isinstance(row, dict) and not all(map(str.isdecimal, row)) for row in value.values()
        )
    )


def _is_nested(value: dict[str, Any]) -> bool:
    """Whether an object holds objects of the same keys alone: rows or columns of pandas."""
    inner = [set(each) if isinstance(each, dict) else set() for each in value.values()]
    return len(inner) > 1 and bool(inner[0]) and all(keys == inner[0] for keys in inner)


def _cells(column: object) -> list[Any] | None:
    if isinstance(column, list):
        return column
    if isinstance(column, dict) and column and all(key.isdecimal() for key in column):
        return list(column.values())
    return None


def _lists(value: dict[str, Any]) -> list[str]:
    """The keys of an object that hold rows."""
    return [name for name in _WRAPPERS if _is_list_of_objects(value.get(name))]


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def _faulty_row(text: str) -> str:
    """The number of the row that the strict parser refuses, and why."""
    for number, row in enumerate(msgspec.json.decode(text, type=list[msgspec.Raw]), start=1):
        try:
            strict_json(bytes(row))
        except DuplicateKeyError as error:
            return f"row {number}: {duplicate_key(error)}"
        except ValueError as error:
            return f"row {number}: {error}; expected a flat object"
    raise AssertionError("every row is sound")
