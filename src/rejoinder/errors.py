"""The errors a user can meet. Every message says what, where, got, expected, and the remedy.

The command line turns each of these into one message and exit status 2. Anything else that
is raised is a defect of Rejoinder.
"""

from __future__ import annotations

from collections.abc import Iterable

from rejoinder.messages import Argument


class RejoinderError(Exception):
    """The base class of all errors that a user can correct, each in one message.

    It is made of parts, texts and arguments, which become a message when it is shown.

    >>> error = RejoinderError(Argument("seed", -1), " must be 0 or more")
    >>> str(error), error.parameter, error.value
    ('seed=-1 must be 0 or more', 'seed', -1)
    """

    def __str__(self) -> str:
        """The message."""
        return "".join(map(str, self.args))

    @property
    def parameter(self) -> str | None:
        """The parameter that the message names first; None where it carries none."""
        return next((each.name for each in self._arguments()), None)

    @property
    def value(self) -> object:
        """The value of that parameter; None where it carries none."""
        return next((None if each.is_bare else each.value for each in self._arguments()), None)

    def _arguments(self) -> list[Argument]:
        return [each for each in self.args if isinstance(each, Argument)]


class InputError(RejoinderError, ValueError):
    """A file or a table is wrong: a bad row, a duplicate id, a weight out of range."""


class ParameterError(RejoinderError, ValueError):
    """A parameter of a metric, a protocol or a command is unknown or out of range."""


class MissingExtraError(RejoinderError, ImportError):
    """An optional dependency (or Java) is not installed."""


def check_least(least: int, **values: float | None) -> None:
    """Raises a ParameterError for an argument below its least value; None is no value.

    >>> check_least(1, beam=10, epochs=None)
    """
    for name, value in values.items():
        if value is not None and value < least:
            raise ParameterError(Argument(name, value), f" must be {least} or more")


def one_of(choices: Iterable[str]) -> str:
    """Lists the choices of a message: ``'a', 'b' or 'c'``.

    >>> one_of(["paper", "authors-code"])
    "'paper' or 'authors-code'"
    """
    quoted = [f"'{choice}'" for choice in choices]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
