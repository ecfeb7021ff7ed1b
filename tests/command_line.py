"""The verbs of the command line, taken from the application itself, so that none is forgotten."""

from __future__ import annotations

import click

from rejoinder.cli.app import app


def commands(group: click.Group = app, path: str = "") -> dict[str, click.Command]:
    """Every command by its path (``recipe tao2018``), the groups among them."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found[f"{path}{name}"] = command
        if isinstance(command, click.Group):
            found |= commands(command, f"{path}{name} ")
    return found


def groups() -> list[str]:
    """The paths of the groups of commands; "" is the application itself."""
    return ["", *(path for path, each in commands().items() if isinstance(each, click.Group))]


def verbs() -> list[str]:
    """The paths of the commands that do something: all but the groups."""
    return [path for path, each in commands().items() if not isinstance(each, click.Group)]
