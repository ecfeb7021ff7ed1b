"""JSON Lines: one JSON object per line, each decoded by itself so that an error names its row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rejoinder.errors import InputError
from rejoinder.tables.files import read_text

Row = TypeVar("Row")

_NOT_A_NUMBER = re.compile(r"[\[:,]\s*-?(NaN|Infinity|nan|inf)\b")


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, each with the number of its row. Blank lines are skipped.

    Raises:
        InputError: the file is no UTF-8 text, or a row is no JSON object.
    """
    decode = msgspec.json.Decoder().decode
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line or line.isspace():
            continue
        try:
            row = decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(f"{path}, row {number}: {_fault(line, error)}") from None
        if not isinstance(row, dict):
            raise InputError(f"{path}, row {number}: {_not_an_object(row, line)}")
        yield number, row


def convert(row: dict[str, Any], into: type[Row], where: str) -> Row:
    """An object as a typed row.

    Args:
        row: the decoded object.
        into: the msgspec Struct that declares the columns.
        where: file and row, for the message.

    Raises:
        InputError: names the path of the value that has another type.
    """
    try:
        return msgspec.convert(row, into)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {_reworded(str(error))}") from None


def _reworded(message: str) -> str:
    """``Expected `str`, got `int` - at `$.references[0].text` `` with the path first."""
    what, _, place = message.replace("`", "").partition(" - at ")
    what = what[:1].lower() + what[1:]
    for plain, ours in (("object", "an object"), ("array", "a list"), ("str", "text")):
        what = re.sub(rf"\b{plain}\b", ours, what)
    return f"{place.removeprefix('$.')}: {what}" if place else what


def _fault(line: str, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "JSON nested too deeply; expected one flat object"
    message = str(error)
    if "surrogate" in message or "hex escape" in message:
        return (
            "a lone surrogate (half a character, \\ud800 to \\udfff); write the text again from a "
            "clean source"
        )
    if match := _NOT_A_NUMBER.search(line):
        return f"{match[1]} is not JSON; leave the weight out where there is none"
    if "truncated" in message:
        return (
            "JSON breaks off before the end of the object; expected one whole object per line; "
            "is the file complete?"
        )
    if line.lstrip().startswith("["):
        return (
            "a JSON list that spans lines; expected one object per line (jq -c '.[]' turns a list "
            "into lines)"
        )
    if line.strip() == "{":
        return "a JSON object that spans lines; expected one object per line (jq -c . writes it so)"
    return f"not JSON: {message.removeprefix('JSON is malformed: ')}; expected one object per line"


def _not_an_object(row: object, line: str) -> str:
    if isinstance(row, list):
        return "a JSON list; expected one object per line (jq -c '.[]' turns a list into lines)"
    return f"got {line.strip()[:40]!r}, expected a JSON object"
