"""A report, for people: its sentences on a terminal, and all its tables as Markdown or in a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table

from rejoinder.cli.show.options_of_verbs import with_their_verb
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
from rejoinder.cli.terminal.showing import show
from rejoinder.document.parts import View
from rejoinder.human_evaluation.shown_judgements import MOST_RATERS
from rejoinder.reporting.layout import PageLine, PagePart, PageSection, PageTable
from rejoinder.scoring.compare_tables import ranks_of

if TYPE_CHECKING:
    from rich.text import Text

    from rejoinder.reporting.report import Report
    from rejoinder.scoring.scores import Scores

SIGNS = "pairs"
"""The heading of a column with a sign for each pair of systems; the columns' numbers stand above it."""


class Part(NamedTuple):
    """Tables that belong together.

    Args:
        heading: Above them; may be empty.
        show: Prints them.
        verb: The verb that computes them, whose options they may name.
    """

    heading: str
    show: Callable[[], None]
    verb: str


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
            collector = collect(part.show)
            for each in collector.parts:
                if isinstance(each, Table):
                    out.print(each)
                elif each.kind == "heading":
                    out.rule(each.text)
                else:
                    out.print(with_their_verb(_text(collector, each.text), part.verb))


def page_sections(report: Report) -> list[PageSection]:
    """The sections as a page shows them."""
    return [
        PageSection(
            each.key,
            each.title,
            [
                PagePart(part.heading, _of_page(collect(part.show), part.verb))
                for part in each.parts
            ],
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
    yield Part("", lambda: _scores(report.scores), "score")
    if compared is not None:
        yield Part("Clusters of ranks", lambda: show(ranks_of(compared.ranks())), "compare")
        yield Part("Pairs of systems", lambda: show(compared.document()), "compare")


def _scores(scores: Scores) -> None:
    show(scores.document(View(signatures=False)))


def _agreement(report: Report) -> Iterator[Part]:
    """Single replies first, for each criterion: the pictures stand beside them."""
    for name, each in report.agreement.items():
        yield Part(f"{name}: single replies", lambda each=each: show(each.document()), "correlate")
    for name, each in report.system_agreement.items():
        yield Part(f"{name}: systems", lambda each=each: show(each.document()), "correlate")
    for name, each in report.with_people.items():
        heading = f"{name}: systems by people, by metrics, and by metrics corrected by people"
        yield Part(heading, lambda each=each: show(each.document(View(ranks=True))), "compare")


def _audit(report: Report) -> Iterator[Part]:
    if (audited := report.audit) is not None:
        yield Part("", lambda: show(audited.document()), "audit")


def _ruq(report: Report) -> Iterator[Part]:
    """The plots first, which stand without a table, then the values of each file."""
    if report.tokens:
        yield Part("", lambda: None, "ruq")
    for name, each in report.ruq.items():
        yield Part(name, lambda each=each: _scores(each), "ruq")


def _people(report: Report) -> Iterator[Part]:
    if (rated := report.ratings) is not None:
        yield Part("Ratings", lambda: show(rated.document()), "ratings")
    if (preferred := report.preferences) is not None:
        yield Part("Preferences", lambda: show(preferred.document()), "preferences")


def _of_page(collector: Collector, verb: str) -> list[PageTable | PageLine]:
    return [
        _table(collector, each) if isinstance(each, Table) else _line(collector, each, verb)
        for each in collector.parts
    ]


def _table(collector: Collector, table: Table) -> PageTable:
    title = "" if table.title is None else _text(collector, as_text(table.title))
    head = [_text(collector, each) for each in headings_of(table)]
    rows = [[_text(collector, cell) for cell in cells] for cells in cells_of(table)]
    numbers = list(takewhile(lambda row: not row[0], rows)) if SIGNS in head else []
    return PageTable(
        title, head, right_of(table), rows[len(numbers) :], numbers, _folded(head, rows)
    )


def _folded(head: list[str], rows: list[list[str]]) -> str:
    """Words in the place of a long table of raters; empty for every other table.

    >>> _folded(["rater (21 of 40)", "kappa"], [["r1", "0.05"]] * 21)
    '21 of 40 raters below the threshold, lowest kappa first'
    """
    some = re.fullmatch(r"rater \((\d+ of \d+)\)", head[0])
    if some is None or len(rows) <= MOST_RATERS:
        return ""
    return f"{some[1]} raters below the threshold, lowest kappa first"


def _line(collector: Collector, line: Line, verb: str) -> PageLine:
    words = _text(collector, line.text)
    if line.kind == "heading":
        return PageLine(words, True)
    return PageLine(with_their_verb(words, verb))


def _text(collector: Collector, text: Text) -> str:
    return "".join(each.text for each in collector.segments(text)).strip()
