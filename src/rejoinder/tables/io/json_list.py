"""A JSON file that is one list of objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.reading import read_text
from rejoinder.files.strict_json import DuplicateKeyError, check_keys, strict_json
from rejoinder.messages import quoted
from rejoinder.tables.io.json_lines import duplicate_key


def read_list(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON list. In messages the first is row 1.

    Raises:
        InputError: The file is no JSON, no list, holds something else than objects, or an object has
            a key twice.
    """
    text = read_text(path)
    try:
        rows = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        what = quoted(str(error))[1:-1]
        raise InputError(f"{path}: not JSON: {what}; expected one list of objects") from None
    if not isinstance(rows, list) or not rows:
        got = "an empty list" if rows == [] else "no list"
        raise InputError(f"{path}: {got}; expected one JSON list of objects")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            hint = (
                ": a list has no names of columns (pandas: orient='records')"
                if isinstance(row, list)
                else ""
            )
            raise InputError(f"{path}, row {number}: got {quoted(row)}; expected an object{hint}")
    try:
        check_keys(text, rows)
    except (DuplicateKeyError, RecursionError):
        raise InputError(f"{path}, {_faulty_row(text)}") from None
    return rows


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
