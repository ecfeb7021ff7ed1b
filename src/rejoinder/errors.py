"""The errors a user can meet. Every message says what, where, got, expected, and the remedy.

The command line turns each of these into one message and exit status 2. Anything else that
is raised is a defect of Rejoinder.
"""

from __future__ import annotations

from collections.abc import Iterable


class RejoinderError(Exception):
    """The base class of all errors that a user can correct, each in one message."""


class InputError(RejoinderError, ValueError):
    """A file or a table is wrong: a bad row, a duplicate id, a weight out of range."""


class ParameterError(RejoinderError, ValueError):
    """A parameter of a metric, a protocol or a command is unknown or out of range."""


class MissingExtraError(RejoinderError, ImportError):
    """An optional dependency (or Java) is not installed."""


def one_of(choices: Iterable[str]) -> str:
    """Lists the choices of a message: ``'a', 'b' or 'c'``.

    >>> one_of(["paper", "authors-code"])
    "'paper' or 'authors-code'"
    """
    quoted = [f"'{choice}'" for choice in choices]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
