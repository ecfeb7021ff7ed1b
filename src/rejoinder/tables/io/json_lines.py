"""JSON Lines: one JSON object per line, each decoded by itself so that an error names its row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rejoinder.errors import InputError, one_of
from rejoinder.files.reading import read_text
from rejoinder.files.strict_json import DuplicateKeyError, check_keys
from rejoinder.messages import Place, quoted

Row = TypeVar("Row")

_NOT_A_LIST = "a JSON list; expected one object per line (jq -c '.[]' turns a list into lines)"
_NOT_A_NUMBER = re.compile(r"[\[:,]\s*-?(NaN|Infinity|nan|inf)\b")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LONE_SURROGATE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, each with the number of its row. Blank lines are skipped.

    Raises:
        InputError: The file is no UTF-8 text, a row is no JSON object, or an object has a key twice.
    """
    decode = msgspec.json.Decoder().decode
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line or line.isspace():
            continue
        try:
            row = decode(line)
            check_keys(line, row)
        except (msgspec.DecodeError, RecursionError, DuplicateKeyError) as error:
            raise InputError(f"{path}, row {number}: {_fault(line, error)}") from None
        if not isinstance(row, dict):
            raise InputError(f"{path}, row {number}: {_not_an_object(row, line)}")
        yield number, row


def records(
    path: Path, rows: Iterable[tuple[int, dict[str, Any]]], into: type[Row]
) -> Iterator[tuple[Place, Row]]:
    """The numbered objects of a file as typed rows, each with its place.

    Args:
        path: The file.
        rows: The number of each row and its object.
        into: The type of the rows.

    Raises:
        InputError: A value has another type.
    """
    for number, row in rows:
        place = Place(str(path), number)
        yield place, convert(row, into, place)


def convert(row: dict[str, Any], into: type[Row], where: object, fields: Sequence[str] = ()) -> Row:
    """An object as a typed row.

    Args:
        row: The decoded object.
        into: The msgspec Struct that declares the columns.
        where: File and row, for the message.
        fields: The columns of nested objects, where those may have no others.

    Raises:
        InputError: Names the path of the value that has another type.
    """
    try:
        return msgspec.convert(row, into)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {reworded(str(error), fields)}") from None


def reworded(message: str, fields: Sequence[str]) -> str:
    """What msgspec says of a value in our words: ``Expected `str`, got `int` - at `$.text` ``.

    Args:
        message: The text of the error.
        fields: The columns of nested objects, where those may have no others.
    """
    what, _, place = message.replace("`", "").partition(" - at $")
    place = place.removeprefix(".")
    where = f"{place}: " if place else ""
    if match := re.fullmatch(r"Expected (.*), got (.*)", what, re.DOTALL):
        return f"{where}got {_plain(match[2])}; expected {_plain(match[1])}"
    if match := re.fullmatch(r"Object contains unknown field (.*)", what, re.DOTALL):
        return f"{where}unknown column {quoted(match[1])}; expected {one_of(fields)}"
    if match := re.fullmatch(r"Object missing required field (.*)", what, re.DOTALL):
        return f"{where}no column {quoted(match[1])}; every one needs it"
    return f"{where}{what[:1].lower()}{what[1:]}; expected what docs/formats.md says"


def _plain(types: str) -> str:
    return " or ".join(_WORDS.get(each, each) for each in types.split(" | "))


def duplicate_key(error: DuplicateKeyError) -> str:
    """What to say of an object that has a key twice."""
    return f"{error}; keep the value that was meant and delete the other, or rename its key"


def no_number(text: str) -> str:
    """What to say of NaN or Infinity in a text that is no JSON; empty where there is neither."""
    outside = _STRING.sub('""', text)  # what stands between the quotes is no fault of the syntax
    match = _NOT_A_NUMBER.search(outside)
    return f"{match[1]} is not JSON; leave the number out where there is none" if match else ""


def _fault(line: str, error: Exception) -> str:
    if isinstance(error, DuplicateKeyError):
        return duplicate_key(error)
    if isinstance(error, RecursionError):
        return "JSON nested too deeply; expected one flat object"
    message = str(error)
    if line.strip() == "{":
        return "a JSON object that spans lines; expected one object per line (jq -c . writes it so)"
    if line.lstrip().startswith("["):
        return _NOT_A_LIST
    if _LONE_SURROGATE.search(line):
        return (
            "a lone surrogate (half a character, \\ud800 to \\udfff); write the text again from a "
            "clean source"
        )
    if fault := no_number(line):
        return fault
    if "truncated" in message:
        return (
            "JSON breaks off before the end of the object; expected one whole object per line; "
            "is the file complete?"
        )
    what = message.removeprefix("JSON is malformed: ").split(" - at ")[0]
    return f"not JSON: {what[:1].lower()}{what[1:]}; expected one object per line"


def _not_an_object(row: object, line: str) -> str:
    if isinstance(row, list):
        return _NOT_A_LIST
    return f"got {quoted(line.strip())[1:-1]}; expected a JSON object per line"


class ReferenceRow(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A reference of an item."""

    text: str
    weight: float | None = None
    source: str | None = None


class ItemRow(msgspec.Struct, forbid_unknown_fields=True):
    """An item without additional columns: its context, oldest turn first, and its references."""

    id: str | int
    references: list[str | ReferenceRow]
    context: str | list[str] | None = None
