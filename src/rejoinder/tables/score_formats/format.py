"""What a format of scores is to Rejoinder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.origin import ScoresDraft


@dataclass(frozen=True)
class ScoreFormat:
    """A format of scores: how it is recognised, and how it is read.

    Attributes:
        name: Its name.
        description: One line for listings.
        recognise: Whether a path of this format lies here, told from the path and the first bytes
            of the file (empty for a folder).
        read: Reads the scores of one path; the user's ``columns`` matter to tables alone.
    """

    name: str
    description: str
    recognise: Callable[[Path, bytes], bool]
    read: Callable[[Path, ColumnMapping | None], ScoresDraft]
