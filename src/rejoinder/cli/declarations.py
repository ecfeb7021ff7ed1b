"""How a verb declares its options: a class with an attribute for each, and one object of their values.

A verb's class inherits the options that it shares with others (``options.py``) and adds its own. An
option is written once, with its help; `command` makes the verb of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from rejoinder.cli.option_names import named_as_options
from rejoinder.cli.project_defaults import drop_useless, origin_in_project, say_project_defaults
from rejoinder.errors import RejoinderError

LAST = (
    "turns", "turn_end", "template", "no_end", "end_text", "work", "cluster", "without", "missing",
    "drop_unusable", "permutations", "resamples", "seed", "tables", "save", "aggregated", "save_replies",
    "save_tokens", "plots", "save_every", "device", "dtype", "batch_tokens", "download", "columns",
    "format", "json",
)  # fmt: skip
"""The options that stand last in the help of every verb, in this order."""


class Options:
    """The values of a command line.

    Each attribute of a subclass is declared by `argument`, `option` or one of their short forms; an
    object of the subclass holds the values instead.

    >>> class Sizes(Options):
    ...     size: int = integer("--size", default=3, help="Size.")
    >>> Sizes({"size": 4}).size
    4
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    def check(self) -> None:
        """Raises a ParameterError or an InputError where a value cannot be used, before the verb runs."""

    def of(self, *declared: type[Options]) -> dict[str, Any]:
        """The values of the options of these classes, by name."""
        return {name: getattr(self, name) for each in declared for name in _declared(each)}

    def own(self) -> dict[str, Any]:
        """The values of the options that the verb's class adds to those it inherits, by name."""
        return {name: getattr(self, name) for name in _own(type(self))}


Given = TypeVar("Given", bound=Options)


def command(
    options: type[Given], name: str | None = None, **more: Any
) -> Callable[[Callable[[Given], None]], click.Command]:
    """Makes a verb of a function that takes the values of its options as one object.

    Args:
        options: The class that declares the options.
        name: The name of the verb; None takes the function's.
        more: What else `click.Command` takes, for example ``epilog``.
    """

    def make(function: Callable[[Given], None]) -> click.Command:
        return Verb(
            name or function.__name__,
            params=parameters(options),
            callback=lambda **values: _called(function, options, values),
            help=function.__doc__,
            **more,
        )

    return make


WORDS = "rejoinder.words"
"""The key of a context at which the words behind the verb stand."""


class Verb(click.Command):
    """A verb that keeps its words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the words behind the verb."""
        ctx.meta[WORDS] = tuple(args)
        return super().parse_args(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """The help, of the verb's own defaults: a project's may be unreadable."""
        ctx.default_map = None
        return super().get_help(ctx)


def _called(
    function: Callable[[Given], None], options: type[Given], values: Mapping[str, Any]
) -> None:
    from rejoinder.progress import run_with_servers  # not imported for --help

    with named_as_options(), run_with_servers():
        try:
            given = options(values)
            drop_useless(click.get_current_context(), given)
            given.check()
            say_project_defaults()
            function(given)
        except RejoinderError as error:
            error.args = (message := str(error), origin_in_project(message))
            raise


def parameters(options: type[Options]) -> list[click.Parameter]:
    """The options of a class: those required, the inherited ones, its own, and those of `LAST`."""
    declared = _declared(options)
    ends = {name: place for place, name in enumerate(LAST)}
    return sorted(
        declared.values(), key=lambda each: -2 if each.required else ends.get(each.name or "", -1)
    )


def _declared(options: type) -> dict[str, click.Parameter]:
    """By name; what a class declares anew takes the place of what it inherits."""
    declared: dict[str, click.Parameter] = {}
    for each in (*map(_declared, options.__bases__), _own(options)):
        for name, parameter in each.items():
            declared.pop(name, None)
            declared[name] = parameter
    return declared


def _own(options: type) -> dict[str, click.Parameter]:
    own = {
        name: value for name, value in vars(options).items() if isinstance(value, click.Parameter)
    }
    for name, parameter in own.items():
        parameter.name = name
    return own


def argument(name: str, **more: Any) -> Any:
    """An argument."""
    return click.Argument([name], **more)


class Option(click.Option):
    """An option that knows what it is for.

    Attributes:
        gives: The arguments of the library that it gives, besides the one of its own name.
        writes: Whether it names what is written.
        holds: What its texts hold: ``metric``, whose parameters may name the folder of a model, or
            ``path``, where they are or begin with one (``FILE:lower:1..5``).
    """

    def __init__(
        self,
        names: Sequence[str],
        gives: Sequence[str] = (),
        writes: bool = False,
        holds: str = "",
        **more: Any,
    ) -> None:
        super().__init__(names, **more)
        self.gives, self.writes, self.holds = gives, writes, holds


def option(*names: str, **more: Any) -> Any:
    """An option that takes a text, or what ``type`` says; a default is shown.

    What the library calls otherwise is named by ``gives=``: its messages then name this option.
    """
    if more.get("default") is not None:
        more.setdefault("show_default", True)
    return Option(names, **more)


def flag(*names: str, **more: Any) -> Any:
    """An option without a value."""
    return Option(names, is_flag=True, **more)


def integer(*names: str, **more: Any) -> Any:
    """An option that takes a whole number."""
    return option(*names, **{"metavar": "N", "type": int, **more})


def number(*names: str, **more: Any) -> Any:
    """An option that takes a number."""
    return option(*names, **{"metavar": "X", "type": float, **more})


def choice(*names: str, of: Sequence[str], **more: Any) -> Any:
    """An option that takes one of several words.

    The words are written out, because ``--help`` must not import the library that knows them;
    ``tests/unit/cli/test_cli_choices.py`` compares them with its registries.
    """
    return option(*names, type=click.Choice(of), **more)


def path(*names: str, **more: Any) -> Any:
    """An option that names a file, or a folder."""
    return option(*names, **{"metavar": "FILE", "type": PATH, **more})


PATH = click.Path(path_type=Path)
