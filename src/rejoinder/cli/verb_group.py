"""What all verbs share: ``--quiet``, and old spellings of options that still work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import click

from rejoinder.cli.terminal.speech import be_quiet, say

OLD_SPELLINGS: dict[str, dict[str, str]] = {
    "filter": {
        "--vectors": "--sentence-vectors",
    },
    "plan": {
        "--raters": "--raters-per-reply",
        "--width": "--interval-width",
    },
    "preferences": {
        "--format": "--preferences-format",
        "-f": "--preferences-format",
    },
    "ratings": {
        "-f": "--ratings-format",
    },
    "recipe galley2015": {
        "--left-out": "--leave-own-out",
        "--threshold": "--good-weight",
    },
    "recipe khayrallah2021": {
        "--scale": "--preset",
    },
    "recipe tao2018": {
        "--scale": "--bounds",
        "--transfer-scale": "--transfer-bounds",
    },
    "sweep": {
        "--generic": "--generic-reply",
        "--keep": "--keep-models",
        "--metric": "--reply-metric",
        "--plots": "--draw",
        "--scale": "--preset",
    },
    "train responder": {
        "--scale": "--preset",
    },
    "train vectors": {
        "--least": "--min-count",
    },
    "weigh": {
        "--leave-out": "--without",
    },
}
"""By verb: what an option was called before, and what it is called now; for one release."""

_QUIET = ("--quiet", "-q")

quiet = click.Option(
    _QUIET,
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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is named first, and its arguments in today's spelling."""
        name, command, rest = super().resolve_command(ctx, args)
        verb = f"{ctx.command_path} {name}".partition(" ")[2]
        return name, command, list(current_spelling(verb, rest))


def current_spelling(verb: str, arguments: Sequence[str]) -> Iterator[str]:
    """The arguments of a verb; a note names each option that has a new name."""
    renamed = OLD_SPELLINGS.get(verb, {})
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    silent = any(word in _QUIET for word in options)
    for place, word in enumerate(arguments):
        name, equals, value = _parted(word)
        if place >= len(options) or name not in renamed:
            yield word
            continue
        if not silent:
            say(
                f"note: {name} is now called {renamed[name]}; the old name goes with the next release"
            )
        yield f"{renamed[name]}{equals}{value}"


def _parted(word: str) -> tuple[str, str, str]:
    """An option and its value, where one word holds both: ``--format=csv``, ``-fcsv``.

    >>> _parted("-fcsv")
    ('-f', '=', 'csv')
    """
    if word.startswith("-") and not word.startswith("--") and len(word) > 2:
        return word[:2], "=", word[2:].removeprefix("=")
    return word.partition("=")
