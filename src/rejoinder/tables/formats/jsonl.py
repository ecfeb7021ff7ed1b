"""Rejoinder's own JSON Lines: references nested in their item, or one reply per row."""

from __future__ import annotations

from rejoinder.tables.assembly.json_rows import part_of_rows
from rejoinder.tables.format import JSON, Head, Shape
from rejoinder.tables.formats.own_tables import container
from rejoinder.tables.io.json_lines import read_objects


def _is_json(head: Head) -> bool:
    """By suffix; without a known one, by a key that opens the file."""
    return head.suffix in JSON or (head.suffix != ".txt" and head.text.startswith('{"'))


FORMAT = container(
    "jsonl",
    "JSON Lines: id, context, references (nested); or system, id, text",
    (
        Shape("own rows"),
        Shape("json object", also=_is_json),
        Shape("json list", also=lambda head: head.suffix in JSON),
    ),
    lambda path: part_of_rows(str(path), read_objects(path)),
)
