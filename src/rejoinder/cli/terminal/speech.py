"""Single lines for people, where there is no table: on standard error beside results, mostly."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from rejoinder.files.sources import with_queries
from rejoinder.visible import visible


def say(line: str, err: bool = True, lines: bool = False) -> None:
    r"""Prints a line; what of it would steer the terminal is written out.

    Args:
        line: What to say; it may name ids, systems and files of others.
        err: On standard error, the rule; else on standard output.
        lines: It has several lines.

    >>> say("a\x1b[31mb", err=False)
    a\x1b[31mb
    """
    click.echo(visible(with_queries(line), lines), err=err)


def note(line: str) -> None:
    """Prints a note on standard error, unless the command is quiet."""
    if not is_quiet():
        say(f"note: {line}")


_QUIET = "rejoinder.quiet"


def be_quiet(context: click.Context) -> None:
    """Makes the command print no notes and no progress on standard error (``--quiet``)."""
    context.meta[_QUIET] = True


def is_quiet() -> bool:
    """Whether the current command was asked to be quiet."""
    context = click.get_current_context(silent=True)
    return context is not None and _QUIET in context.meta


def log_as_notes() -> None:
    """Writes what the library logs as notes on standard error: ``rejoinder: note: ...``.

    Without a handler Python prints a warning of a reader bare, and it looks like part of an error.
    """

    class Notes(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage()
            if is_quiet() or message in said_notes():
                return  # a file that is read twice, as test set and as responses, has the note once
            say(f"rejoinder: note: {message}")
            context = click.get_current_context(silent=True)
            if context is not None:
                context.meta.setdefault(_SAID, []).append(message)

    logging.getLogger("rejoinder").addHandler(Notes(logging.WARNING))


_LOGGED = "rejoinder.logged"
_SAID = "rejoinder.said"


@contextmanager
def collecting_notes() -> Iterator[None]:
    """Keeps what the library logs during a command, for the notes of its result."""

    class Collected(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            context = click.get_current_context(silent=True)
            if context is not None:
                given = record.args if record.msg == "%s" else None
                message = given[0] if isinstance(given, tuple) and given else record.getMessage()
                context.meta.setdefault(_LOGGED, []).append(message)

    handler, logger = Collected(logging.WARNING), logging.getLogger("rejoinder")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def logged_notes() -> tuple[str, ...]:
    """What the library has logged during the current command: what readers left out."""
    return tuple(map(str, logged()))


def logged() -> tuple[object, ...]:
    """The same as it was logged: a ``Note`` of a reader, or a text."""
    return tuple(click.get_current_context().meta.get(_LOGGED, ()))


def said_notes() -> tuple[str, ...]:
    """What of that has been printed on standard error."""
    context = click.get_current_context(silent=True)
    return () if context is None else tuple(context.meta.get(_SAID, ()))


class Guarded(io.TextIOWrapper):
    """Standard error for all that the process prints there: what libraries log and warn of, too.

    They name files, weights and settings of others. Carriage returns stay, because progress bars
    need them.
    """

    def __init__(self, behind: io.TextIOWrapper) -> None:
        self.behind = behind
        super().__init__(
            behind.buffer, behind.encoding, behind.errors, line_buffering=True, write_through=True
        )

    @classmethod
    def over(cls, stream: TextIO) -> TextIO:
        """The stream behind a guard; one that is no stream of bytes stays as it is."""
        return cls(stream) if isinstance(stream, io.TextIOWrapper) else stream

    def write(self, text: str) -> int:
        """Writes a text, its control characters written out."""
        super().write("\r".join(visible(part, lines=True) for part in text.split("\r")))
        return len(text)


def own_stderr() -> TextIO:
    """Standard error without a guard, for control sequences of our own."""
    return sys.stderr.behind if isinstance(sys.stderr, Guarded) else sys.stderr
