"""What all verbs share: ``--quiet``, groups by task, other names, and that each is imported when called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from rejoinder.cli.terminal.speech import be_quiet, say
from rejoinder.messages import meant, quoted

quiet = click.Option(
    ("--quiet", "-q"),
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=lambda context, _, value: be_quiet(context) if value else None,
    help="Print no notes and no progress on standard error. Errors are still printed, and so are the "
    "notes about a result, which are part of it.",
)

OTHER_NAMES = {
    "agreement": ("ratings", "correlate"),
    "bootstrap": ("compare",),
    "eval": ("score",),
    "evaluate": ("score",),
    "llm-judge": ("mark", "judge"),
    "power": ("plan",),
    "provenance": ("verify",),
    "rate": ("annotate", "ratings"),
    "significance": ("compare",),
    "view": ("look", "report"),
}
"""By a name that other tools have for it: the verb, or the verbs that may be meant."""


class VerbGroup(click.Group):
    """A group of verbs, each of which gets the options that all verbs have.

    Args:
        lazy: By task, the verbs that are imported when they are called, or listed with their help: each
            is the command of that name in the file of that name in ``verbs/``.
        options: What ``click.Group`` takes.
    """

    def __init__(self, *, lazy: Mapping[str, Sequence[str]] | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.tasks = lazy or {}
        self.lazy = [name for names in self.tasks.values() for name in names]

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that a command line names: by its name, another name, or ``help VERB``."""
        name, *rest = args
        if ctx.resilient_parsing or name.startswith("-") or name in self.list_commands(ctx):
            return super().resolve_command(ctx, args)
        if name == "help":
            if not rest:
                say(ctx.get_help(), err=False, lines=True)
                ctx.exit()
            return self.resolve_command(ctx, [*rest, "--help"])
        verbs = OTHER_NAMES.get(name.casefold(), ()) if self.tasks else ()
        if len(verbs) != 1:
            ctx.fail(f"No such command {quoted(name)}.{self._instead(ctx, name, verbs)}")
        if not {"-q", "--quiet"} & set(rest):
            say(f"note: '{name}' is 'rejoinder {verbs[0]}'")
        return super().resolve_command(ctx, [*verbs, *rest])

    def _instead(self, ctx: click.Context, name: str, verbs: Sequence[str]) -> str:
        """What an error says of the verbs that may be meant by a name; empty where none may."""
        if verbs:
            helps = ((each, self.get_command(ctx, each)) for each in verbs)
            return " It may be " + " Or ".join(
                f"'{verb}': {command.get_short_help_str(200)}"
                for verb, command in helps
                if command is not None
            )
        if near := meant(name, self.list_commands(ctx)):
            return f" Did you mean '{near}'?"
        if self.tasks and os.path.exists(name):
            return f" Name a verb before the file: 'rejoinder look {name}' says which can use it."
        return ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the verbs with their help: by task, in the order of a study."""
        if not self.tasks:
            super().format_commands(ctx, formatter)
            return
        width = max(map(len, self.lazy))
        limit = formatter.width - 6 - width
        for task, names in self.tasks.items():
            commands = ((name, self.get_command(ctx, name)) for name in names)
            with formatter.section(task):
                formatter.write_dl(
                    [
                        (name.ljust(width), each.get_short_help_str(limit))
                        for name, each in commands
                        if each is not None
                    ]
                )

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Adds a verb, or a group of verbs."""
        if not isinstance(cmd, click.Group):
            cmd.params.append(quiet)
        super().add_command(cmd, name)
