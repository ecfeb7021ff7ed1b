"""What all verbs share: ``--quiet``, and that each is imported when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from rejoinder.cli.terminal.speech import be_quiet

quiet = click.Option(
    ("--quiet", "-q"),
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda context, _, value: be_quiet(context) if value else None,
    help="Print no notes and no progress on standard error. Errors are still printed, and so are the "
    "notes about a result, which are part of it.",
)


class VerbGroup(click.Group):
    """A group of verbs, each of which gets the options that all verbs have.

    Args:
        lazy: Verbs that are imported when they are called, or listed with their help: each is the
            command of that name in the file of that name in ``verbs/``.
        options: What ``click.Group`` takes.
    """

    def __init__(self, *, lazy: Sequence[str] = (), **options: Any) -> None:
        super().__init__(**options)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all verbs, in the order of the alphabet."""
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of this name; None where there is none."""
        if cmd_name in self.lazy and cmd_name not in self.commands:
            name = cmd_name.replace("-", "_")
            verbs = vars(import_module(f"rejoinder.cli.verbs.{name}")).values()
            self.add_command(
                next(
                    each
                    for each in verbs
                    if isinstance(each, click.Command) and each.name == cmd_name
                )
            )
        return super().get_command(ctx, cmd_name)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Adds a verb, or a group of verbs."""
        if not isinstance(cmd, click.Group):
            cmd.params.append(quiet)
        super().add_command(cmd, name)
