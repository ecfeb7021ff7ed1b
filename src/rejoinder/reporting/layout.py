"""What a page shows: sections of parts, and in a part pictures, tables and lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejoinder.document.table import Grid

if TYPE_CHECKING:
    from rejoinder.reporting.chart import Chart
    from rejoinder.reporting.pictures import Picture


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
        charts: Figures of systems.
    """

    heading: str
    shown: list[Grid | PageLine]
    pictures: tuple[Picture, ...] = ()
    charts: tuple[Chart, ...] = ()


@dataclass(frozen=True)
class PageSection:
    """A section of a page.

    Attributes:
        key: Its id.
        title: Its heading.
        parts: Its contents.
    """

    key: str
    title: str
    parts: list[PagePart]
