"""What a file format is to Rejoinder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import Roles
from rejoinder.tables.origin import ResponsesDraft, TestSetDraft

ReadTestSet = Callable[..., TestSetDraft]
"""Takes the paths; of a table whose columns the user may name also the ``ColumnMapping`` or None."""

ReadResponses = Callable[..., ResponsesDraft]
"""Takes one path in a list and the ids of the test set or None; then as ``ReadTestSet``."""


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised, and how its tables are read.

    Attributes:
        name: What ``--format`` calls it.
        description: One line for listings.
        recognise: Whether a path of this format lies here, from the path and the first bytes of the
            file (empty for a folder).
        read_testset: Reads contexts and references; None where the format holds none.
        read_responses: Reads replies, given the ids of the test set or None; None where the format
            holds none.
        roles: What the columns of a file are used as, where the format is a table with columns that
            the user may name (``columns``); None where the format knows its columns.
        holds_all: Whether a path of a format that knows its columns holds a test set and replies.
    """

    name: str
    description: str
    recognise: Callable[[Path, bytes], bool]
    read_testset: ReadTestSet | None = None
    read_responses: ReadResponses | None = None
    roles: Callable[[Path, ColumnMapping | None], Roles] | None = None
    holds_all: Callable[[Path], bool] = lambda path: False
