"""What a page shows: sections of parts, and in a part pictures, tables and lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rejoinder.reporting.pictures import Picture

PRINTED = 5
"""So many rows are printed of a table that is folded."""


@dataclass(frozen=True)
class PageTable:
    """A table as a page shows it.

    Attributes:
        title: The title above it; may be empty.
        head: The headings of its columns.
        right: Whether each column is aligned right.
        rows: The texts of its cells.
        numbers: Rows of its head below the headings: the numbers of columns, digit below digit.
        folded: Words in the place of a table that a reader has to open; empty for a table that is shown.
    """

    title: str
    head: list[str]
    right: list[bool]
    rows: list[list[str]]
    numbers: list[list[str]] = field(default_factory=list)
    folded: str = ""

    @property
    def first(self) -> list[list[str]]:
        """The rows that are printed of a table that is folded."""
        return self.rows[:PRINTED]


@dataclass(frozen=True)
class PageLine:
    """A line between tables.

    Attributes:
        text: The line.
        heading: Whether it is a heading.
        link: Words behind the text that lead to another place of the page; may be empty.
        place: The id of that place.
    """

    text: str
    heading: bool = False
    link: str = ""
    place: str = ""


@dataclass(frozen=True)
class PagePart:
    """What belongs together in a section: pictures, then tables and lines.

    Attributes:
        heading: Above all; may be empty.
        shown: Tables and lines in their order.
        pictures: Figures.
    """

    heading: str
    shown: list[PageTable | PageLine]
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class PageSection:
    """A section of a page.

    Attributes:
        key: Its id.
        title: Its heading.
        parts: What stands in it.
    """

    key: str
    title: str
    parts: list[PagePart]
