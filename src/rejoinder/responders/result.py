"""The replies of a system, whatever it is."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from rejoinder.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class Replies(Result):
    """The replies of one system.

    Attributes:
        system: Its name in ``table``.
        table: Responses (``system``, ``id``, ``text``), one for each item: what ``score`` takes.
        hash: 8 hexadecimal digits: of the corpus that the replies come from, without the pairs that
            were excluded, or of the trained system's folder, or of a server's model and settings.
        notes: What was excluded, and what the replies lack.
        signature: Of a server's replies: model and settings; else empty.
    """

    system: str
    table: pl.DataFrame
    hash: str
    notes: tuple[str, ...]
    signature: str = ""
