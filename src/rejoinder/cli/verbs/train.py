"""``rejoinder train``: the group; each kind of model has a file of its own."""

from __future__ import annotations

from importlib import import_module

import click

KINDS = {
    "responder": "rejoinder.cli.verbs.train_responder:responder",
    "ruber": "rejoinder.cli.verbs.train_ruber:ruber",
    "vectors": "rejoinder.cli.verbs.train_vectors:vectors",
}


class Lazy(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the kinds of model."""
        return list(KINDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one kind."""
        if cmd_name not in KINDS:
            return None
        module, name = KINDS[cmd_name].split(":")
        return getattr(import_module(module), name)


@click.group(cls=Lazy)
def train() -> None:
    """Train a replying system, a scorer, or word vectors."""
