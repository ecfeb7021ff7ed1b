"""Notes of readers: what was left out of a file or taken another way."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from rejoinder.messages import counted, listed, more, quoted
from rejoinder.visible import visible

_LOG = logging.getLogger(__name__)

RENAMED = "renamed"
"""The kind of a note on columns read under other names, which changes nothing of a result."""

TEXTS: dict[str, Callable[..., str]] = {
    RENAMED: lambda columns: (
        "columns read under our names: "
        + ", ".join(f"{quoted(old)} as {quoted(new)}" for old, new in columns.items())
    ),
    "systems": lambda columns: f"each of these columns is a system: {listed(columns)}",
    "no ids": lambda: "no column of ids; the items are numbered from 1",
    "both bad": lambda ties: f"{counted(ties, 'tie')} in which both were bad, read as ties",
    "file of folder": lambda file: f"the file {quoted(file)} of this folder is read",
    "mark": lambda mark: f"cells parted by {mark}, no commas",
    "quoted cells": lambda: "cells in double quotes, read as in CSV",
    "index": lambda: "the first column counts the rows and is left out",
    "line ends": lambda lines: f"{counted(lines, 'line')} end in CR LF; the CR was taken off",
    "sheets": lambda sheet, others: (
        f"the sheet {quoted(sheet)} is read; the other {others} are not"
    ),
    "cells": lambda what, places: f"{what} ({len(places)}): {listed(places)}",
    "silent": lambda rows: f"no reply of the assistant's to anything{more(rows)}; left out",
    "instructions": lambda messages: (
        f"{counted(messages, 'message')} of system or developer left out: instructions, no turns"
    ),
    "columns not read": lambda columns: f"columns not read: {listed(columns)}",
    "further replies": lambda replies: (
        f"{counted(replies, 'further reply to an item', 'further replies to an item')} not read, the "
        "first of each is"
    ),
    "no reply": lambda samples: f"{counted(samples, 'sample')} without a reply left out",
    "no number": lambda names: (
        f"{listed(names)} left out: not a number for any reply (a metric over all replies at once, or a "
        "judgement in words)"
    ),
    "said": lambda text: text,
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

    def __str__(self) -> str:
        """The note as people read it."""
        return f"{visible(self.about)}: {TEXTS[self.kind](**self.values)}"


_TAKERS: ContextVar[tuple[tuple[list[Note], bool], ...]] = ContextVar("takers", default=())


def note(kind: str, about: object, **values: Any) -> None:
    """Makes a note while a file is read: for whoever takes notes, and in the log.

    Args:
        kind: One of ``TEXTS``.
        about: The file or folder, with the place in it where one is known.
        values: What the text is made from.
    """
    pass_on(Note(kind, str(about), values))


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
    token = _TAKERS.set((*others, (notes, quiet)))
    try:
        yield notes
    finally:
        _TAKERS.reset(token)
