"""The sections of a report: headings, and below them the documents of its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import polars as pl

from rejoinder.document.parts import GAP, Document, Line, View, lines
from rejoinder.document.rank_table import ranks_of
from rejoinder.document.table import Grid, Table
from rejoinder.document.text import plain, styled
from rejoinder.meta_evaluation.with_people.estimates import CORRECTED
from rejoinder.reporting.evidence import verdict_of
from rejoinder.reporting.first_screen import FirstScreen, first_screen, shortened, values_of
from rejoinder.reporting.layout import PageLine, PagePart, PageSection
from rejoinder.reporting.parts import ReportParts
from rejoinder.reporting.pictures import metric_of
from rejoinder.reporting.summary import summary
from rejoinder.scoring.example_items import table_of_worst, worst_replies
from rejoinder.scoring.shown_values import number_of
from rejoinder.tables.types import Responses

WORST = 3
"""So many replies of each system are shown that are its worst."""

Words: TypeAlias = Callable[[str, str], str]
"""A line, and the verb that says it, as a report says it: options of that verb may need its name."""


def as_it_is(line: str, verb: str) -> str:
    """A line as its verb says it."""
    return line


class SectionPart(NamedTuple):
    """What one result shows.

    Args:
        heading: Above it; may be empty.
        document: What is shown.
        verb: The verb that computes it, whose options it may name.
    """

    heading: str
    document: Document
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
    parts: list[SectionPart]


def sentences(report: ReportParts) -> Document:
    """Which system is best, what the data show, what is not known, and notes on the data."""
    return [*_answer(report), *([GAP] * bool(report.notes)), *lines(report.notes, "note")]


def _answer(report: ReportParts) -> Document:
    """Which system is best, what the data show, and what is not known."""
    words, first = summary(report), first_screen(report)
    shown: Document = [] if first is None else [*_verdict(first), GAP]
    shown += [Line(each) for each in words.known]
    if words.unknown:
        shown += [GAP, Line("What is not known", "heading"), *map(Line, words.unknown)]
    return shown


def _verdict(first: FirstScreen) -> Iterator[Line]:
    """The verdict, what it rests on, and how sure it is; where nothing decides, what would."""
    yield Line(styled(first.verdict.sentence, "bold"))
    yield from map(Line, (first.verdict.grounds, *first.biases, *first.sureness))
    for words, command in first.remedies:
        yield from (Line(words), Line(command, "command"))


def whole(report: ReportParts, words: Words = as_it_is) -> Document:
    """The sentences, every table, and the notes on the data."""
    shown: Document = [Line("Summary", "heading"), *_answer(report)]
    for section in sections(report):
        for part in section.parts:
            heading = f"{section.title}: {part.heading}" if part.heading else section.title
            shown.append(Line(heading, "heading"))
            shown += [_said(each, part.verb, words) for each in part.document]
    if report.notes:
        shown += [Line("Notes on the data and the scores", "heading"), *lines(report.notes, "note")]
    return shown


def page_sections(report: ReportParts, words: Words = as_it_is) -> list[PageSection]:
    """The sections as a page shows them."""
    return [
        PageSection(
            each.key,
            each.title,
            [PagePart(part.heading, list(_page_parts(part, words))) for part in each.parts],
        )
        for each in sections(report)
    ]


def _page_parts(part: SectionPart, words: Words) -> Iterator[Grid | PageLine]:
    for each in part.document:
        if isinstance(each, Table):
            for grid in each.grids():
                yield replace(grid, rows=[[plain(cell) for cell in row] for row in grid.rows])
        elif each.text:
            line = _said(each, part.verb, words)
            assert isinstance(line, Line)
            yield PageLine(plain(line.text), line.kind == "heading")


def _said(each: Table | Line, verb: str, words: Words) -> Table | Line:
    if isinstance(each, Table) or each.kind == "heading" or not each.text:
        return each
    return Line(words(plain(each.shown), verb))


def sections(report: ReportParts) -> list[Section]:
    """The sections of a report that have a table, in their order."""
    every = [
        Section("systems", "Systems", list(_systems(report))),
        Section("agreement", "Agreement with people", list(_agreement(report))),
        Section("audit", "Audit", list(_audit(report))),
        Section("ruq", "Relative utterance quantity", list(_ruq(report))),
        Section("people", "Ratings and raters", list(_people(report))),
        Section("runs", "Earlier runs", list(_runs(report))),
    ]
    return [each for each in every if each.parts]


def _systems(report: ReportParts) -> Iterator[SectionPart]:
    compared = report.comparison
    if report.scores.measured:
        yield SectionPart("", report.scores.document(View(signatures=False)), "score")
    if (people := report.by_people) is not None:
        shown = _named(people.document(View(ranks=True)), "by-people")
        yield SectionPart("By people", shown, "compare")
    if compared is not None:
        yield SectionPart("Clusters of ranks", ranks_of(compared.ranks()), "compare")
        yield SectionPart("Pairs of systems", _named(compared.document(), "pairs"), "compare")
    yield from _worst(report)


def _worst(report: ReportParts) -> Iterator[SectionPart]:
    """The replies of each system with the lowest values of what the verdict rests on."""
    verdict = verdict_of(report)
    if verdict is None or not verdict.standings or report.responses.is_empty():
        return
    values = values_of(report, verdict)
    if values is None or report.testset is None:
        return
    metric = None if verdict.criterion else metric_of(report, verdict.by)
    highest = metric is not None and not metric.higher_is_better
    texts = report.testset, Responses.of(report.responses)
    systems = [each.system for each in verdict.standings]
    rows = worst_replies(values.rename({"score": "value"}), texts, systems, WORST, highest)
    rows = rows.with_columns(
        pl.col("message", "reference", "reply").map_elements(shortened, pl.String)
    )
    who = (
        f"people rate worst ({verdict.criterion})"
        if verdict.criterion
        else f"{verdict.by} scores worst"
    )
    fold = f"The {WORST} replies of each system that {who}"
    heading = "mean" if verdict.criterion else verdict.by
    table = table_of_worst(rows, f"{fold[0].lower()}{fold[1:]}", heading, number_of(metric), fold)
    yield SectionPart("Worst replies", [replace(table, name="worst")], "score")


def _agreement(report: ReportParts) -> Iterator[SectionPart]:
    """Single replies first, for each criterion: the pictures stand beside them."""
    for name, each in report.agreement.items():
        shown = _named(each.document(), "agreement", criterion=name)
        yield SectionPart(f"{name}: single replies", shown, "correlate")
    for name, each in report.system_agreement.items():
        shown = _named(each.document(), "system-agreement", criterion=name)
        yield SectionPart(f"{name}: systems", shown, "correlate")
    for name, each in report.with_people.items():
        heading = f"{name}: systems by people, by metrics, and by metrics corrected by people"
        shown = _named(each.document(View(ranks=True)), "people", criterion=name)
        yield SectionPart(heading, shown, "compare")


def _audit(report: ReportParts) -> Iterator[SectionPart]:
    if (audited := report.audit) is not None:
        yield SectionPart("", _named(audited.document(), "audit"), "audit")


def _ruq(report: ReportParts) -> Iterator[SectionPart]:
    """The plots first, which stand without a table, then the values of each file."""
    if report.tokens:
        yield SectionPart("", [], "ruq")
    for name, each in report.ruq.items():
        shown = each.document(View(signatures=False))
        yield SectionPart(name, _named(shown, "ruq", file=name), "ruq")


def _runs(report: ReportParts) -> Iterator[SectionPart]:
    if report.runs is not None:
        yield SectionPart("", report.runs.document(), "runs")


def _people(report: ReportParts) -> Iterator[SectionPart]:
    if (rated := report.ratings) is not None:
        verdict = verdict_of(report)
        if verdict is not None and verdict.evidence == CORRECTED:
            why = f" This is by the rated items alone; the verdict at the top is by {verdict.by}."
            reason = pl.when(criterion=verdict.criterion).then(pl.lit(why)).otherwise(pl.lit(""))
            verdicts = rated.verdicts.with_columns(pl.col("sentence") + reason)
            rated = replace(rated, verdicts=verdicts)
        yield SectionPart("Ratings", _named(rated.document(), "ratings"), "ratings")
    if (preferred := report.preferences) is not None:
        yield SectionPart("Preferences", _named(preferred.document(), "preferences"), "preferences")


def _named(document: Document, name: str, **of: str) -> Document:
    """A document whose tables have a name of the report's, and what they are of as a first column."""

    def named(table: Table) -> Table:
        new = {key: pl.lit(value) for key, value in of.items() if key not in table.frame.columns}
        return replace(
            table,
            name=f"{name}-{table.name}" if table.name else name,
            frame=table.frame.with_columns(**new),
            paper=None if table.paper is None else table.paper.with_columns(**new),
            above=(*new, *table.above),
        )

    return [named(each) if isinstance(each, Table) else each for each in document]
