"""Notes of readers: what was left out of a file or taken another way."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from rejoinder.files.sources import set_within, with_queries
from rejoinder.messages import (
    Argument,
    Call,
    Placeholder,
    counted,
    enumerated,
    listed,
    more,
    quoted,
)
from rejoinder.visible import visible

_LOG = logging.getLogger(__name__)

RENAMED = "renamed"
"""The kind of a note on columns read under other names, which changes nothing of a result."""

LEFT_OUT = "left out"
"""The kind of a note on rows, records or columns that are not in the table."""

NO_RATER = "no rater"
"""The kind of a note on ratings that nobody is named for."""

TEXTS: dict[str, Callable[..., str]] = {
    RENAMED: lambda columns: (
        "columns read under our names: "
        + ", ".join(f"{quoted(old)} as {quoted(new)}" for old, new in columns.items())
    ),
    "systems": lambda columns: f"each of these columns is a system: {listed(columns)}",
    "no references": lambda: (
        "no references; metrics that compare replies with references cannot score it"
    ),
    "no aggregate": lambda: (
        "no aggregate file; the validator of Every Eval Ever takes lines with one beside them, which is "
        "written with data/COLLECTION/DEVELOPER/MODEL/UUID_samples.jsonl, a random uuid (version 4)"
    ),
    "lists in cells": lambda columns: (
        f"each cell of {listed(columns)} is a list, and is read as the text that it is; lists of references "
        "are read from JSON Lines and Parquet (references)"
    ),
    "known columns": lambda format: (
        f"{Argument('columns')} is not used here: the columns of the format {quoted(format)} are known"
    ),
    "no ids": lambda: "no column of ids; the items are numbered from 1",
    "both bad": lambda ties: f"{counted(ties, 'tie')} in which both were bad, read as ties",
    "empty cells": lambda systems: (
        "empty cells, which are missing or empty replies, read as missing: "
        + ", ".join(
            f"{counted(n, 'reply', 'replies')} of {quoted(name)}" for name, n in systems.items()
        )
        + "; an empty reply stands in the long form (system, id, text), or is scored by "
        + str(Argument("missing", "empty"))
    ),
    "attention": lambda answers: (
        f"{counted(answers, 'answer')} to attention questions left out; 'rejoinder annotate export' can "
        "exclude the raters who failed them"
    ),
    "raters taken out": lambda answers, raters: (
        f"{counted(answers, 'answer')} of {counted(raters, 'rater')} taken out of the study left out"
    ),
    "log of study": lambda text: text,
    "file of folder": lambda file: f"the file {quoted(file)} of this folder is read",
    "mark": lambda mark: f"cells parted by {mark}, no commas",
    "quoted cells": lambda: "cells in double quotes, read as in CSV",
    "index": lambda: "the first column counts the rows and is left out",
    "line ends": lambda lines: f"{counted(lines, 'line')} end in CR LF; the CR was taken off",
    "raters' sheets": lambda sheets: f"each sheet is a rater: {listed(sheets)}",
    "sheets": lambda sheet, others: (
        f"the sheet {quoted(sheet)} is read; the other {others} are not"
    ),
    "cells": lambda what, places: f"{what} ({len(places)}): {listed(places)}",
    "silent": lambda rows: f"no reply of the assistant's to anything{more(rows)}; left out",
    "instructions": lambda messages: (
        f"{counted(messages, 'message')} of system or developer left out: instructions, no turns"
    ),
    LEFT_OUT: lambda count, noun, which="", why="": " ".join(
        filter(None, (counted(count, noun), which, "left out" + why))
    ),
    "no numbers": lambda columns, spelled=(): (
        f"{counted(len(columns), 'column')} without a number left out: {listed(columns)}"
        + "".join(
            f"; {quoted(cell)} is a number if it is written with a decimal point and no percent sign"
            for cell in spelled
        )
    ),
    "systems and raters": lambda column, system, rater: (
        f"each column of numbers is a system and a rater: {quoted(column)} is that of system "
        f"{quoted(system)} and rater {quoted(rater)}"
    ),
    "raters": lambda columns: f"every column of numbers is a rater: {listed(columns)}",
    "machines": lambda columns: (
        f"named for a judge or a metric beside columns of people, and left out: {listed(columns)}; "
        f"{Argument('scores', Placeholder('FILE'))} reads such marks, and "
        f"{Argument('columns', {'rater_1': columns[0]})} takes {quoted(columns[0])} as a rater all the same"
    ),
    "metrics": lambda columns, system=None: (
        f"each column of numbers is a metric: {listed(columns)}"
        + (
            f"; the system is {quoted(system)}; where the columns are systems, write a row for each "
            "system and id (system, id, value); where they are people's ratings of systems, "
            f"{Argument('columns', {'system': f'{columns[0]}+{columns[1]}+...'})} reads them"
            if system and len(columns) > 1
            else ""
        )
    ),
    "of runs": lambda columns, column: (
        f"{counted(len(columns), 'column')} of ids, positions, times or costs left out: {listed(columns)}; "
        f"{Argument('columns', {column: columns[0]})} reads that one as the {column}"
    ),
    "words": lambda words: (
        "words read as numbers: "
        + ", ".join(f"{quoted(word)} as {number}" for word, number in sorted(words.items()))
    ),
    NO_RATER: lambda column: (
        "no column says who rated, so these are taken as ratings of one person; "
        + (
            f"if {quoted(column)} says it, add {Argument('columns', {'rater': column})}; "
            * bool(column)
        )
        + f"scores of a judge or a metric are given with {Call('External(name, read_scores(FILE))')}"
    ),
    "one system": lambda system: f"no column of systems; all ratings are of {quoted(system)}",
    "case of names": lambda nouns, names, groups: (
        f"the {nouns} {enumerated([*map(quoted, names)])} differ in case alone and count as "
        f"different {nouns}; write them alike if they are one{more(groups, 'case')}"
    ),
    "in lists": lambda columns: f"the raters of {listed(columns)} are places in a list: 1, 2, ...",
    "labels": lambda count, first: (
        f"{counted(count, 'label')} like {quoted(first)} read as the number in front"
    ),
    "judged again": lambda rows, alike: (
        f"{counted(rows, 'row')} in which a judge judges a reply again left out "
        f"({alike} with the same scores)"
    ),
    "means": lambda: (
        "each score is the mean of several people, whose single ratings are not known (rater 'mean'): "
        "there is no agreement between raters, and their part of the variance is unknown"
    ),
    "kinds": lambda words: (
        f"words of the column 'kind' that are not read: {listed(words)}; expected 'rate' (the mean is a "
        "share of replies), or an empty cell"
    ),
    "columns not read": lambda columns: f"columns not read: {listed(columns)}",
    "same tests": lambda tests: (
        f"{counted(tests, 'test')} with the variables and assertions of an earlier one: read as more "
        "replies to the same item (column 'sample')"
    ),
    "no number": lambda names: (
        f"{listed(names)} left out: not a number for any reply (a metric over all replies at once, or a "
        "judgement in words)"
    ),
    "workbook": lambda warning: visible(warning),
}
"""By kind of note its text, from the note's values."""


@dataclass(frozen=True)
class Note:
    """A note of a reader.

    Attributes:
        kind: One of ``TEXTS``.
        about: The file or folder, with the place in it where one is known.
        values: What the text is made from.
    """

    kind: str
    about: str
    values: Mapping[str, Any]

    @property
    def text(self) -> str:
        """What it says, without what it is about."""
        return TEXTS[self.kind](**self.values)

    def __str__(self) -> str:
        """The note as people read it."""
        return f"{visible(with_queries(self.about))}: {self.text}"


_TAKERS: ContextVar[tuple[tuple[list[Note], bool], ...]] = ContextVar("takers", default=())


def note(kind: str, about: object, **values: Any) -> None:
    """Makes a note while a file is read: for whoever takes notes, and in the log.

    Args:
        kind: One of ``TEXTS``.
        about: The file or folder, with the place in it where one is known.
        values: What the text is made from.
    """
    pass_on(Note(kind, str(about), values))


def left_out(about: object, count: int, noun: str, which: str = "") -> None:
    """Makes a note where something is not in the table.

    Args:
        about: The file or folder.
        count: How many there are; no note of 0.
        noun: What they are, one of them.
        which: Which of them, as words behind the noun.
    """
    if count:
        note(LEFT_OUT, about, count=count, noun=noun, which=which)


def pass_on(made: Note) -> None:
    """Gives a note to whoever takes notes, and to the log."""
    for notes, _ in _TAKERS.get():
        notes.append(made)
    if not any(quiet for _, quiet in _TAKERS.get()):
        _LOG.warning("%s", made)


def taking_notes(quiet: bool = False) -> AbstractContextManager[list[Note]]:
    """Gathers the notes that readers make within it.

    Args:
        quiet: Keep them out of the log: files are tried, and some of the tries fail.
    """
    return _taking(quiet, _TAKERS.get())


def set_aside() -> AbstractContextManager[list[Note]]:
    """Gathers the notes that a reader makes within it, which nobody else is given."""
    return _taking(True, ())


@contextmanager
def _taking(quiet: bool, others: tuple[tuple[list[Note], bool], ...]) -> Iterator[list[Note]]:
    notes: list[Note] = []
    with set_within(_TAKERS, (*others, (notes, quiet))):
        yield notes
