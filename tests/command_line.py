"""The verbs of the command line, taken from the application itself, so that none is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from rejoinder.cli.app import app
from rejoinder.cli.option_names import named_as_options

READ = {
    "--design",
    "--preferences",
    "--rated-replies",
    "--reference", "--ratings", "--corpus", "--validation", "--exclude", "--vectors", "--sentence-vectors",
    "--scorer", "--generic", "--outputs", "--testset", "--multiref", "--model",
    "--encoder", "--task", "--mined",
    "--db", "--rubric", "--drawn", "--ruq", "--weights", "--utility",
    "--ledger", "--registered", "--data", "--card",
}  # fmt: skip
"""The options of paths that are read. --db is made where there is none (tests/unit/annotation), and
so is --ledger, to which a run is appended (tests/unit/ledger)."""


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


@contextmanager
def running(verb: str) -> Iterator[None]:
    """Messages name the options of a verb, as while it runs."""
    with click.Context(commands()[verb]), named_as_options():
        yield


def groups() -> list[str]:
    """The paths of the groups of commands; "" is the application itself."""
    return ["", *(path for path, each in commands().items() if isinstance(each, click.Group))]


def verbs() -> list[str]:
    """The paths of the commands that do something: all but the groups."""
    return [path for path, each in commands().items() if not isinstance(each, click.Group)]


def notes_of(err: str) -> str:
    """Standard error without the lines that name what was written."""
    return "".join(line for line in err.splitlines(keepends=True) if not line.startswith("Wrote "))


def written() -> list[tuple[str, str]]:
    """Every verb and option that names a file or a folder to write."""
    found = []
    for path in verbs():
        for each in commands()[path].params:
            kinds = each.type.types if isinstance(each.type, click.Tuple) else [each.type]
            paths = any(isinstance(kind, click.Path) for kind in kinds)
            if isinstance(each, click.Option) and paths and each.opts[0] not in READ:
                found.append((path, each.opts[0]))
    return found
