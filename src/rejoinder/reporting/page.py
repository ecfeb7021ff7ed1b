"""A report as one HTML file: its tables, its pictures, and a browser of its items."""

from __future__ import annotations

import base64
import gzip
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from rejoinder._version import __version__
from rejoinder.document.table import Grid
from rejoinder.files.page_policy import hash_of
from rejoinder.progress import Progress
from rejoinder.reporting import pictures
from rejoinder.reporting.first_screen import first_screen
from rejoinder.reporting.items import data_of
from rejoinder.reporting.layout import PageLine, PagePart, PageSection
from rejoinder.reporting.sections import Words, as_it_is, page_sections
from rejoinder.reporting.summary import summary
from rejoinder.visible import visible

if TYPE_CHECKING:
    from markupsafe import Markup

    from rejoinder.reporting.parts import ReportParts

SCRIPTS = ("opening.js", "search.js", "report.js")
"""The parts of the page's script, in their order."""

NOTE = "note: "
"""How a note begins."""

LARGE = 4_000_000
"""Letters of JSON above which a page holds its items packed; packed ones need a browser of 2023."""

_OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)(?!\w)")
_HERE = files("rejoinder.reporting")


class PageData(NamedTuple):
    """The items as a page holds them.

    Args:
        text: JSON without a ``<``, or the same packed by gzip and written in base64.
        packed: Whether it is packed.
    """

    text: str
    packed: bool


def page(
    report: ReportParts,
    record: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    words: Words = as_it_is,
) -> str:
    """The page of a report; see ``Report.to_html``."""
    import jinja2

    style, script = _static("report.css"), "".join(map(_static, SCRIPTS))
    policy = (
        f"default-src 'none'; style-src '{hash_of(style)}'; script-src '{hash_of(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    environment = jinja2.Environment(
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = unbroken
    template = (_HERE / "templates" / "page.html").read_text("utf-8")
    return environment.from_string(template).render(
        title=_title(report),
        style=style,
        script=script,
        policy=policy,
        first=first_screen(report),
        summary=summary(report),
        sections=_sections(report, words),
        data=page_data(data_of(report, progress)) if report.has_items else None,
        record=_record_fields(record),
        signatures=report.signatures(),
        version=__version__,
    )


def page_data(data: str) -> PageData:
    """The items as a page holds them: packed where they are large.

    Args:
        data: JSON, as ``data_of`` returns it.

    >>> page_data("{}")
    PageData(text='{}', packed=False)
    """
    if len(data) <= LARGE:
        return PageData(data, False)
    # Without the time, so that the same report is the same file.
    packed = gzip.compress(data.encode(), mtime=0, compresslevel=6)
    return PageData(base64.b64encode(packed).decode(), True)


def _shown(value: object) -> object:
    """A text as it may be shown; what is markup of our own stays."""
    return visible(value, lines=True) if type(value) is str else value


def unbroken(text: str) -> Markup:
    """A text as markup in which no line ends within the name of an option.

    >>> unbroken("a < b; --without 'x'")
    Markup('a &lt; b; <span class="option">--without</span> &#39;x&#39;')
    """
    from markupsafe import Markup

    parts = _OPTION.split(visible(text, lines=True))
    option = Markup('<span class="option">{}</span>')
    return Markup().join(
        option.format(part) if place % 2 else part for place, part in enumerate(parts)
    )


def _title(report: ReportParts) -> str:
    names = report.scores.names
    systems = ", ".join(names) if len(names) <= 4 else f"{len(names)} systems"
    return f"Report: {systems}"


def _static(name: str) -> str:
    return (_HERE / "static" / name).read_text("utf-8")


def _sections(report: ReportParts, words: Words) -> list[PageSection]:
    """The sections with their tables and pictures."""
    sections = page_sections(report, words)
    charts = {("systems", 0): pictures.of_systems(report)}
    drawn = {
        **{
            ("agreement", place): pictures.of_agreement(report, name)
            for place, name in enumerate(report.agreement)
        },
        ("ruq", 0): pictures.of_ruq(report),
        ("runs", 0): pictures.of_runs(report),
    }
    said = [f"{NOTE}{visible(note, lines=True)}" for note in report.notes]
    said += [visible(f"{label}: {text}", lines=True) for label, text in report.signatures().items()]
    return [
        replace(
            each,
            parts=[
                replace(
                    part,
                    pictures=tuple(drawn.get((each.key, place), ())),
                    charts=tuple(charts.get((each.key, place), ())),
                )
                for place, part in enumerate(each.parts)
            ],
        )
        for each in without_repeats(sections, said)
    ]


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
                replace(part, shown=_once(part, part_id(each, n), each.title, places, left_out))
                for n, part in enumerate(each.parts)
            ],
        )
        for each in sections
    ]


def part_id(section: PageSection, place: int) -> str:
    """The id of a part of a section: that of its heading, or of the section where it has none."""
    return f"{section.key}-{place}" if section.parts[place].heading else section.key


def _once(
    part: PagePart, id: str, title: str, places: dict[str, tuple[str, str]], left_out: set[str]
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


def _record_fields(record: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The command, the files with their hashes, and the notes of a record."""
    if record is None:
        return None
    return {
        "command": shlex.join(record["command"]),
        "inputs": [
            {
                "as": each["as"],
                "name": str(each.get("path") or each["name"]),
                "content": str(each.get("content") or "unknown"),
            }
            for each in record["inputs"]
        ],
    }
