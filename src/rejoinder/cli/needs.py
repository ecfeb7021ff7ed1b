"""Options that have a use only beside something else: without it they are refused, not ignored."""

from __future__ import annotations

import click
from click.core import ParameterSource

from rejoinder.errors import ParameterError


def check_needs(met: bool, need: str, *names: str) -> None:
    """Raises where an option of the current command is given and what it needs is not there.

    Only options on the command line count: a default is no wish of the user's.

    Args:
        met: Whether what the options need is there.
        need: What they need, for the message, for example ``--explain ID``.
        *names: The options by the names of their parameters, for example ``unit_size``.

    Raises:
        ParameterError: An option would be ignored.
    """
    if met:
        return
    given = from_command_line()
    for option in (given[name] for name in names if name in given):
        raise ParameterError(
            f"{option} has no effect without {need}; add that, or leave {option} out"
        )


def from_command_line() -> dict[str, str]:
    """The options given to the current command, by the names of their parameters: not its defaults."""
    context = click.get_current_context()
    return {
        each.name: each.opts[0]
        for each in context.command.params
        if each.name and context.get_parameter_source(each.name) is ParameterSource.COMMANDLINE
    }
