"""Rejoinder's own JSON Lines: references nested in their item, or one reply per row."""

from __future__ import annotations

from pathlib import Path

import msgspec

from rejoinder.errors import InputError
from rejoinder.files.reading import first_line, suffix_of
from rejoinder.tables.assembly.parts import part_of_rows
from rejoinder.tables.formats.own_tables import container
from rejoinder.tables.io.json_lines import read_objects

_SUFFIXES = {".jsonl", ".ndjson", ".json", ".jsonlines"}
_OF_LINES = {".jsonl", ".ndjson", ".jsonlines"}
_OTHER_SUFFIXES = {".txt", ".csv", ".tsv", ".tab", ".parquet", ".pq"}


def recognise(path: Path, first: bytes) -> bool:
    """By suffix; without a known one, by a first byte that opens an object."""
    if path.is_dir():
        return False
    if suffix_of(path) in _SUFFIXES:
        return True
    opens = first.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b'{"')
    return opens and suffix_of(path) not in _OTHER_SUFFIXES


def holds_our_testset(path: Path) -> bool:
    """Whether the first row is an item of our own, whatever words stand in its texts.

    Logs and published data are recognised by words that may be a text here.
    """
    if path.is_dir() or suffix_of(path) not in _OF_LINES:
        return False
    try:
        row = msgspec.json.decode(first_line(path))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InputError):
        return False  # whoever reads it says what is wrong
    return isinstance(row, dict) and {"id", "references"} <= row.keys()


FORMAT = container(
    "jsonl",
    "JSON Lines: id, context, references (nested); or system, id, text",
    recognise,
    lambda path: part_of_rows(str(path), read_objects(path)),
)
