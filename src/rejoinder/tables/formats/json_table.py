"""Rejoinder's own tables as one JSON file: a list of objects, or an object of columns."""

from __future__ import annotations

from rejoinder.tables.assembly.json_rows import part_of_rows
from rejoinder.tables.format import Head, Shape
from rejoinder.tables.formats.own_tables import container
from rejoinder.tables.io.json_table import is_object_of_columns, read_json_table


def _is_list(head: Head) -> bool:
    """A list of objects; in a ``.json`` of lists too, to say so."""
    start = head.text[1:].lstrip()[:1]
    return start == "{" or (head.suffix == ".json" and start == "[")


def _is_table(head: Head) -> bool:
    """An object that is no row of JSON Lines, and in a ``.json`` any such."""
    if head.row is None:
        # An object over several lines; one that breaks off is a row of JSON Lines that does.
        return head.suffix == ".json" and "\n" in head.text
    return is_object_of_columns(head.row)


FORMAT = container(
    "json",
    "JSON: a list of objects with the columns of jsonl, or an object of columns",
    (Shape("json list", also=_is_list), Shape("json object", also=_is_table)),
    lambda path: part_of_rows(str(path), read_json_table(path)),
)
