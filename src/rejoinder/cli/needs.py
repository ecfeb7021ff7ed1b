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
        *names: The options by the names of their parameters, for example ``transfer_scale``.

    Raises:
        ParameterError: An option would be ignored.
    """
    if met:
        return
    context = click.get_current_context()
    options = {each.name: each.opts[0] for each in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise ParameterError(
                f"{options[name]} has no effect without {need}; add that, or leave {options[name]} out"
            )
