"""A JSON file that is one list of objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.tables.files import read_text
from rejoinder.tables.wording import quoted


def read_list(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON list. In messages the first is row 1.

    Raises:
        InputError: the file is no JSON, no list, or holds something else than objects.
    """
    try:
        rows = msgspec.json.decode(read_text(path))
    except (msgspec.DecodeError, RecursionError) as error:
        what = quoted(str(error))[1:-1]
        raise InputError(f"{path}: not JSON: {what}; expected one list of objects") from None
    if not isinstance(rows, list) or not rows:
        got = "an empty list" if rows == [] else "no list"
        raise InputError(f"{path}: {got}; expected one JSON list of objects")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(f"{path}, row {number}: got {quoted(row)}; expected an object")
    return rows
