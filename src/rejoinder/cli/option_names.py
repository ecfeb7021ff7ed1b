"""Messages of the library on the command line: they name an argument of Python, which is an option here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click

from rejoinder.errors import RejoinderError

_ARGUMENT = re.compile(r"([a-z][a-z_]*)=(?!=)")

_INSIDE = re.compile(r"(?<= )([a-z][a-z_]*)=(True|[A-Z]+|\d+|\['[^\]]*'\]|)(?=[\s,;:)]|\.?$)")
"""An argument within a message, with a value that no text of others looks like, or without one."""


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
    """The message with options in the place of arguments that the running command has options for.

    ``seed=-1 must be 0 or more`` becomes ``--seed -1 must be 0 or more``, and ``max_calls= needs
    work=FOLDER`` becomes ``--max-calls needs --work FOLDER``. What a message names as an option already
    stays as it is.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return message
    params = [each for each in context.command.params if isinstance(each, click.Option)]
    options = {name[2:].replace("-", "_"): each for each in params for name in each.opts}
    options |= {each.name or "": each for each in params}
    message = _INSIDE.sub(lambda found: _inside(found, options), message)
    message = _of_another_tool(message, "scores" in options)
    start = _ARGUMENT.match(message)
    option = options.get(start[1]) if start else None
    if start is None or option is None or any(f"({name})" in message for name in option.opts):
        return message
    value = message[start.end() :]
    return f"{option.opts[0]}{'' if value[:1] in (' ', ':') else ' '}{value}"


def _inside(found: re.Match[str], options: Mapping[str, click.Option]) -> str:
    """An argument within a message as its option; unchanged where the message names that already."""
    option, value, message = options.get(found[1]), found[2], found.string
    before = message[: found.start()]
    in_parentheses = before.count("(") > before.count(")")  # of a call in Python, mostly
    if option is None or in_parentheses or before.split()[-1:][0].startswith("-"):
        return found[0]
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message) for name in option.opts):
        return found[0]
    if value.startswith("["):
        short = min(option.opts, key=len)
        return " ".join(f"{short} {each}" for each in re.findall(r"'([^']*)'", value))
    name = option.opts[0]
    return name if not value or option.is_flag else f"{name} {value}"


def _of_another_tool(message: str, has_option: bool) -> str:
    """How scores of another tool come in: by an option, where the running command has it."""
    if "External(" not in message:
        return message
    from rejoinder.metrics.registry import FROM_ANOTHER_TOOL  # not imported for --help

    how = "; scores that another tool made are metrics too: --scores FILE" if has_option else ""
    return message.replace(FROM_ANOTHER_TOOL, how)
