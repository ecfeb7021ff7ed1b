"""Rejoinder's own tables as one JSON file: a list of objects, or an object of columns."""

from __future__ import annotations

from pathlib import Path

import msgspec

from rejoinder.files.reading import first_line, suffix_of
from rejoinder.tables.assembly.parts import part_of_rows
from rejoinder.tables.formats.own_tables import container
from rejoinder.tables.io.json_table import is_object_of_columns, read_json_table

_BOM = b"\xef\xbb\xbf"
_SUFFIXES = {".json", ".jsonl", ".ndjson", ".jsonlines", ".txt", ""}


def recognise(path: Path, first: bytes) -> bool:
    """A list of objects (or of lists, to say so); or an object that is no row of JSON Lines, and in a
    ``.json`` any such.
    """
    if path.is_dir() or suffix_of(path) not in _SUFFIXES:
        return False
    start = first.removeprefix(_BOM).lstrip()
    if start[:1] == b"[":
        return start[1:].lstrip()[:1] in ((b"{", b"[") if suffix_of(path) == ".json" else (b"{",))
    if start[:1] != b"{":
        return False
    line = start.split(b"\n")[0] if b"\n" in start else first_line(path)
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # An object over several lines; one that breaks off is a row of JSON Lines that does.
        return suffix_of(path) == ".json" and b"\n" in start
    return is_object_of_columns(value)


FORMAT = container(
    "json",
    "JSON: a list of objects with the columns of jsonl, or an object of columns",
    recognise,
    lambda path: part_of_rows(str(path), read_json_table(path)),
)
