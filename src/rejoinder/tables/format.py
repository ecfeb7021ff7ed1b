"""What a file format is to Rejoinder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.parts import Part

KindName: TypeAlias = Literal["test set", "responses", "ratings", "preferences", "scores"]
"""The kinds of tables."""


@dataclass(frozen=True)
class Asked:
    """What a reader is asked for besides the path.

    Attributes:
        columns: The user's names of columns.
        ids: The ids of the test set that replies answer.
        keep: Additional columns to keep.
    """

    columns: ColumnMapping | None = None
    ids: Sequence[str] | None = None
    keep: Sequence[str] = ()


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised, and how the tables in it are read.

    Attributes:
        name: What ``--format`` and the options for other files call it.
        description: One line for listings.
        recognise: Whether a path of this format lies here, from the path and the first bytes of the
            file (empty for a folder).
        reads: By kind of table its reader, which takes the path (of a test set the paths) and what is
            ``Asked``, and returns a ``Draft`` (a ``TestSetDraft``).
        part: The table of a file under the names of its columns, which the user may say (``columns``);
            None where the format knows its columns.
        holds_all: Whether a path of a format that knows its columns holds a test set and replies.
        is_log: Whether it is the log of an evaluation tool, with the replies of its own system.
    """

    name: str
    description: str
    recognise: Callable[[Path, bytes], bool]
    reads: Mapping[KindName, Callable[..., Any]]
    part: Callable[[Path], Part] | None = None
    holds_all: Callable[[Path], bool] = lambda path: False
    is_log: bool = False
