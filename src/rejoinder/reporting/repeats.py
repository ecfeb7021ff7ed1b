"""Notes of several tables that rest on the same data: each is given once, and then referred to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rejoinder.document.table import Grid
from rejoinder.reporting.layout import PageLine, PagePart, PageSection

NOTE = "note: "
"""How a note begins."""


def without_repeats(sections: Iterable[PageSection], said: Iterable[str]) -> list[PageSection]:
    """The sections, with a reference in the place of each note that the page has given before.

    Args:
        sections: The sections in the order of the page.
        said: Lines that the page has for all sections: the notes of its summary and the signatures. They
            are left out without a reference.
    """
    places: dict[str, tuple[str, str]] = {}
    left_out = set(said)
    return [
        replace(
            each,
            parts=[
                replace(part, shown=_new(part, part_id(each, n), each.title, places, left_out))
                for n, part in enumerate(each.parts)
            ],
        )
        for each in sections
    ]


def part_id(section: PageSection, place: int) -> str:
    """The id of a part of a section: that of its heading, or of the section where it has none."""
    return f"{section.key}-{place}" if section.parts[place].heading else section.key


def _new(
    part: PagePart,
    id: str,
    title: str,
    places: dict[str, tuple[str, str]],
    left_out: set[str],
) -> list[Grid | PageLine]:
    """What a part shows; the notes that it gives first are from now on in ``places``."""
    shown: list[Grid | PageLine] = []
    repeated: dict[tuple[str, str], int] = {}
    for each in part.shown:
        if isinstance(each, Grid) or each.heading or each.text not in {*places, *left_out}:
            shown.append(each)
            if isinstance(each, PageLine) and each.text.startswith(NOTE):
                places[each.text] = (part.heading or title, id)
        elif each.text in places and places[each.text][1] != id:
            repeated[places[each.text]] = repeated.get(places[each.text], 0) + 1
    return [*shown, *_references(repeated)]


def _references(repeated: dict[tuple[str, str], int]) -> Sequence[PageLine]:
    """A line for each place that has notes of this part, with their number."""
    return [
        PageLine(
            f"{number} more {'note holds' if number == 1 else 'notes hold'} here too, see",
            link=words,
            place=place,
        )
        for (words, place), number in repeated.items()
    ]
