"""Messages of the library on the command line: they name an argument of Python, which is an option here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

from rejoinder.errors import RejoinderError

_ARGUMENT = re.compile(r"([a-z][a-z_]*)=(?!=)")


@contextmanager
def named_as_options() -> Iterator[None]:
    """Lets the errors of the body name the options of the running command."""
    try:
        yield
    except RejoinderError as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (as_option(error.args[0]), *error.args[1:])
        raise


def as_option(message: str) -> str:
    """The message with an option in the place of the argument that it begins with.

    ``seed=-1 must be 0 or more`` becomes ``--seed -1 must be 0 or more`` where the running command has
    that option. A message that names the option already stays as it is.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return message
    options = {each.name: each for each in context.command.params if isinstance(each, click.Option)}
    message = _of_another_tool(message, "scores" in options)
    start = _ARGUMENT.match(message)
    option = options.get(start[1]) if start else None
    if start is None or option is None or any(f"({name})" in message for name in option.opts):
        return message
    return f"{option.opts[0]} {message[start.end() :]}"


def _of_another_tool(message: str, has_option: bool) -> str:
    """How scores of another tool come in: by an option, where the running command has it."""
    if "External(" not in message:
        return message
    from rejoinder.metrics.registry import FROM_ANOTHER_TOOL  # not imported for --help

    how = "; scores that another tool made are metrics too: --scores FILE" if has_option else ""
    return message.replace(FROM_ANOTHER_TOOL, how)
