"""The errors a user can meet. Every message says what, where, got, expected, and the remedy.

The command line turns each of these into one message and exit status 2. Anything else that
escapes is a fault of Rejoinder's, not of its user.
"""

from __future__ import annotations

from collections.abc import Iterable


class RejoinderError(Exception):
    """The root of the family: a mistake the user can mend, told in one message."""


class InputError(RejoinderError, ValueError):
    """A file or a table that cannot be right: a bad row, a duplicate id, a weight out of range."""


class ParameterError(RejoinderError, ValueError):
    """A parameter of a metric, a protocol or a command outside what it can mean."""


class MissingExtraError(RejoinderError, ImportError):
    """A part that needs an optional dependency (or Java) that this machine does not have."""


def one_of(choices: Iterable[str]) -> str:
    """Lists the choices of a message: ``'a', 'b' or 'c'``.

    >>> one_of(["paper", "authors-code"])
    "'paper' or 'authors-code'"
    """
    quoted = [f"'{choice}'" for choice in choices]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
