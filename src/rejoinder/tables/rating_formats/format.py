"""What a format of ratings is to Rejoinder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rejoinder.tables.origin import RatingsDraft


@dataclass(frozen=True)
class RatingFormat:
    """A format of ratings: how it is recognised, and how it is read.

    Attributes:
        name: what ``--ratings-format`` calls it.
        description: one line for listings.
        recognise: whether a path of this format lies here, told from the path and the first bytes
            of the file (empty for a folder).
        read: reads the ratings of one path; of a table whose columns the user may name, given the
            ``ColumnMapping`` or None too, and the names of additional columns to keep.
        takes_columns: whether it is such a table.
    """

    name: str
    description: str
    recognise: Callable[[Path, bytes], bool]
    read: Callable[..., RatingsDraft]
    takes_columns: bool = False
