"""A report, for people: its sentences on a terminal, and all its tables as Markdown or in a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table

from rejoinder.cli.show.audit import audit
from rejoinder.cli.show.compare import comparison, print_ranks
from rejoinder.cli.show.correlate import agreement
from rejoinder.cli.show.judgements import preferences, ratings
from rejoinder.cli.show.people import comparison as people
from rejoinder.cli.show.score import print_systems
from rejoinder.cli.terminal.collecting import (
    Collector,
    Line,
    as_text,
    cells_of,
    collect,
    headings_of,
    right_of,
)
from rejoinder.cli.terminal.console import console, print_notes
from rejoinder.reporting.page import PageLine, PagePart, PageSection, PageTable

if TYPE_CHECKING:
    from rich.text import Text

    from rejoinder.reporting.report import Report
    from rejoinder.scoring.scores import Scores


class Part(NamedTuple):
    """Tables that belong together.

    Args:
        heading: Above them; may be empty.
        show: Prints them.
    """

    heading: str
    show: Callable[[], None]


class Section(NamedTuple):
    """Parts under one heading.

    Args:
        key: A short name.
        title: The heading.
        parts: What stands below it.
    """

    key: str
    title: str
    parts: list[Part]


def sentences(report: Report) -> None:
    """What the data show, and what is not known."""
    out, words = console(), report.summary()
    for sentence in words.known:
        out.print(sentence)
    if words.unknown:
        out.print()
        out.rule("What is not known")
        for sentence in words.unknown:
            out.print(sentence)
    if words.notes:
        out.print()
        print_notes(out, words.notes)


def whole(report: Report) -> None:
    """The sentences, and every table."""
    out = console()
    out.rule("Summary")
    sentences(report)
    for section in sections(report):
        for part in section.parts:
            out.rule(f"{section.title}: {part.heading}" if part.heading else section.title)
            part.show()


def page_sections(report: Report) -> list[PageSection]:
    """The sections as a page shows them."""
    return [
        PageSection(
            each.key,
            each.title,
            [PagePart(part.heading, _of_page(collect(part.show))) for part in each.parts],
        )
        for each in sections(report)
    ]


def sections(report: Report) -> list[Section]:
    """The sections of a report that have a table, in their order."""
    every = [
        Section("systems", "Systems", list(_systems(report))),
        Section("agreement", "Agreement with people", list(_agreement(report))),
        Section("audit", "Audit", list(_audit(report))),
        Section("ruq", "Relative utterance quantity", list(_ruq(report))),
        Section("people", "Ratings and raters", list(_people(report))),
    ]
    return [each for each in every if each.parts]


def _systems(report: Report) -> Iterator[Part]:
    compared = report.comparison
    yield Part("", lambda: _scores(report.scores))
    if compared is not None:
        yield Part("Clusters of ranks", lambda: print_ranks(console(), compared.ranks()))
        yield Part("Pairs of systems", lambda: comparison(compared))


def _scores(scores: Scores) -> None:
    print_systems(console(), scores, signatures=False)


def _agreement(report: Report) -> Iterator[Part]:
    """Single replies first, for each criterion: the pictures stand beside them."""
    for name, each in report.agreement.items():
        yield Part(f"{name}: single replies", lambda each=each: agreement(each))
    for name, each in report.system_agreement.items():
        yield Part(f"{name}: systems", lambda each=each: agreement(each))
    for name, each in report.with_people.items():
        heading = f"{name}: systems by people, by metrics, and by metrics corrected by people"
        yield Part(heading, lambda each=each: people(each, ranks=True))


def _audit(report: Report) -> Iterator[Part]:
    if (audited := report.audit) is not None:
        yield Part("", lambda: audit(audited))


def _ruq(report: Report) -> Iterator[Part]:
    """The plots first, which stand without a table, then the values of each file."""
    if report.tokens:
        yield Part("", lambda: None)
    for name, each in report.ruq.items():
        yield Part(name, lambda each=each: _scores(each))


def _people(report: Report) -> Iterator[Part]:
    if (rated := report.ratings) is not None:
        yield Part("Ratings", lambda: ratings(rated))
    if (preferred := report.preferences) is not None:
        yield Part("Preferences", lambda: preferences(preferred))


def _of_page(collector: Collector) -> list[PageTable | PageLine]:
    return [
        _table(collector, each) if isinstance(each, Table) else _line(collector, each)
        for each in collector.parts
    ]


def _table(collector: Collector, table: Table) -> PageTable:
    title = "" if table.title is None else _text(collector, as_text(table.title))
    return PageTable(
        title,
        [_text(collector, each) for each in headings_of(table)],
        right_of(table),
        [[_text(collector, cell) for cell in cells] for cells in cells_of(table)],
    )


def _line(collector: Collector, line: Line) -> PageLine:
    return PageLine(_text(collector, line.text), line.kind == "heading")


def _text(collector: Collector, text: Text) -> str:
    return "".join(each.text for each in collector.segments(text)).strip()
