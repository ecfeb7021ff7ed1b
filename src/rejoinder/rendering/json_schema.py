"""The JSON schema of a table: from its columns, without a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rejoinder.document.table import Table

if TYPE_CHECKING:
    import polars as pl


def schema_of(table: Table) -> dict[str, Any]:
    """The schema of the rows of a table as JSON has them; a number that is undefined is null."""
    frame = table.data()
    properties = {
        name: {"type": _type(dtype), "description": table.meaning(name)}
        for name, dtype in frame.schema.items()
    }
    return {
        "type": "array",
        "items": {"type": "object", "properties": properties, "required": frame.columns},
    }


def _type(dtype: pl.DataType) -> list[str]:
    if dtype.is_integer():
        return ["integer", "null"]
    if dtype.is_numeric():
        return ["null", "number"]
    return ["boolean", "null"] if str(dtype) == "Boolean" else ["null", "string"]
