"""The rows of Rejoinder's own JSON Lines: an item with its references."""

from __future__ import annotations

import msgspec


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
