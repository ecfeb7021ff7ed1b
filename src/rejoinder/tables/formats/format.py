"""What a file format is to Rejoinder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rejoinder.tables.origin import ResponsesDraft, TestSetDraft

ReadTestSet = Callable[[Sequence[Path]], TestSetDraft]
ReadResponses = Callable[[Sequence[Path], Sequence[str] | None], ResponsesDraft]


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised, and how its tables are read.

    Attributes:
        name: what ``--format`` calls it.
        description: one line for listings.
        recognise: whether a path of this format lies here, told from the path and the first bytes
            of the file (empty for a folder).
        read_testset: reads contexts and references; None where the format holds none.
        read_responses: reads replies, given the ids of the test set or None; None where the format
            holds none.
    """

    name: str
    description: str
    recognise: Callable[[Path, bytes], bool]
    read_testset: ReadTestSet | None = None
    read_responses: ReadResponses | None = None
