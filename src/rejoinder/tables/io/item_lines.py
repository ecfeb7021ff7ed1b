"""The rows of Rejoinder's own JSON Lines: an item with its references, or one reply."""

from __future__ import annotations

from typing import Any

import msgspec

from rejoinder.errors import InputError
from rejoinder.tables.columns import require
from rejoinder.tables.io.json_lines import convert


class ReferenceRow(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A reference of an item."""

    text: str
    weight: float | None = None
    source: str | None = None


class ItemRow(msgspec.Struct):
    """An item: its context, oldest turn first, and its references."""

    id: str | int
    references: list[str | ReferenceRow]
    context: str | list[str] | None = None

    def turns(self) -> list[str]:
        """The turns of the context; none where it is unknown."""
        if self.context is None:
            return []
        return [self.context] if isinstance(self.context, str) else self.context


class ReplyRow(msgspec.Struct, gc=False):
    """A reply of a system to an item."""

    id: str | int
    text: str
    system: str | None = None
    sample: str | int | None = None


def item_of(row: dict[str, Any], where: str) -> ItemRow:
    """The item of a row.

    Args:
        row: The decoded object.
        where: File and row, for messages.

    Raises:
        InputError: It has no id or no references, is a reply, or holds another type of value.
    """
    if "references" not in row and "text" in row and "id" in row:
        raise InputError(
            f"{where}: has 'text' and no 'references': this is a file of responses, expected a "
            "test set; were the files given the wrong way round?"
        )
    require(("id", "references"), row, where, ("context",))
    return convert(row, ItemRow, where, ReferenceRow.__struct_fields__)
