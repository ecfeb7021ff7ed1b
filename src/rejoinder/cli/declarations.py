"""How a verb declares its options: a class with an attribute for each, and one object of their values.

A verb's class inherits the options that it shares with others (``options.py``) and adds its own. An
option is written once, with its help; `command` makes the verb of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from rejoinder.cli.option_names import named_as_options
from rejoinder.cli.project_defaults import drop_useless, origin_in_project, say_project_defaults
from rejoinder.errors import ParameterError, RejoinderError, one_of
from rejoinder.files import queries
from rejoinder.messages import quoted

LAST = (
    "turns", "turn_end", "template", "no_end", "end_text", "work", "cluster", "without", "missing",
    "drop_unusable", "permutations", "resamples", "seed", "shard", "engine", "tables", "claim", "anonymous",
    "registered", "save", "ledger", "aggregated", "save_replies", "save_tokens", "plots", "save_every",
    "device", "dtype", "batch_tokens", "download", "columns", "format", "json",
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
        args = joined_settings(args, {each.name_of_setting for each in settings_of(self)})
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
    rare = [each.name_of_setting for each in declared.values() if isinstance(each, Option)]
    if "settings" not in declared and any(rare):
        declared["settings"] = SettingsOption(names=", ".join(filter(None, rare)))
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
    declared = {
        name: value for name, value in vars(options).items() if isinstance(value, click.Parameter)
    }
    for name, parameter in declared.items():
        parameter.name = name
    return declared


def argument(name: str, **more: Any) -> Any:
    """An argument."""
    return click.Argument([name], **more)


SET = "--set"


class Option(click.Option):
    """An option that knows what it is for.

    A name such as ``--set k1`` declares a setting: it is given as ``--set k1=2``, and listed by
    ``--set help`` and not by ``--help``.

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
        _, self.name_of_setting = [*names[0].split(" "), ""][:2]
        if self.name_of_setting:
            names = (*names, self.name_of_setting)
            more |= {"hidden": True, "show_default": False}
        super().__init__(names, **more)
        self.gives, self.writes, self.holds = gives, writes, holds

    def words(self, *values: str) -> list[str]:
        """The words of a command line that give the option these values."""
        if self.name_of_setting:
            return [SET, f"{self.name_of_setting}={' '.join(values)}"]
        return [self.opts[0], *values]


def option(*names: str, **more: Any) -> Any:
    """An option that takes a text, or what ``type`` says; a default is shown.

    What the library calls otherwise is named by ``gives=``: its messages then name this option.
    """
    if more.get("default") is not None:
        more.setdefault("show_default", True)
    return Option(names, **more)


def flag(*names: str, **more: Any) -> Any:
    """An option without a value; as a setting it is ``true`` or ``false``."""
    if names[0].startswith(f"{SET} "):
        return Option(names, type=bool, default=False, **more)
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


class _PathOrQuery(click.Path):
    """A path; a query of a database is the file of its rows."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if isinstance(value, str) and value.startswith(queries.SCHEMES):
            value = os.fspath(queries.file_of(value))
        return super().convert(value, param, ctx)


PATH = _PathOrQuery(path_type=Path)


Row = tuple[str, str, str, str]
"""The name of a setting, its type, its default and its meaning."""


class SettingsOption(Option):
    """The option ``--set`` of a verb: it lists the settings, and takes those that no class declares.

    Attributes:
        further: Makes the rows of the settings that the library declares; None where there are none.
    """

    def __init__(self, further: Callable[[], list[Row]] | None = None, names: str = "") -> None:
        super().__init__(
            [SET, "settings"],
            metavar="NAME=VALUE",
            multiple=True,
            is_eager=True,
            callback=_further_settings,
            help="Setting that is seldom changed; may be repeated. '--set help' lists all, with their "
            f"meanings{names and f': {names}'}.",
        )
        self.further = further

    def rows(self, command: click.Command) -> list[Row]:
        """All settings of a verb."""
        rows = [
            (each.name_of_setting, _kind(each), _default(each), each.help or "")
            for each in settings_of(command)
        ]
        return rows + (self.further() if self.further else [])


def settings_of(command: click.Command) -> list[Option]:
    """The declared settings of a verb."""
    return [each for each in command.params if isinstance(each, Option) and each.name_of_setting]


def joined_settings(words: Sequence[str], names: Collection[str]) -> list[str]:
    """The words of a command line, the two of ``--set NAME=VALUE`` as one where the name is declared.

    >>> joined_settings(["a", "--set", "top-k=2", "--set", "b=1", "--", "--set"], {"top_k"})
    ['a', '--set top_k=2', '--set', 'b=1', '--', '--set']
    """
    joined, rest = [], iter(words)
    for word in rest:
        if word == "--":
            return [*joined, word, *rest]
        given = next(rest, None) if word == SET else word.removeprefix(f"{SET}=")
        name, equals, value = (given or "").partition("=")
        name = name.strip().replace("-", "_")
        if equals and (word == SET or given != word) and name in names:
            joined.append(f"{SET} {name}={value}")
        else:
            joined += [word] if given is None or word != SET else [word, given]
    return joined


def _further_settings(
    context: click.Context, option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """The settings that are not declared; ``help`` lists all settings, and ends the command."""
    assert isinstance(option, SettingsOption)
    if "help" in values:
        from rejoinder.cli.show.settings import show_settings

        show_settings(option.rows(context.command))
        context.exit()
    if values and option.further is None:
        names = one_of(each.name_of_setting for each in settings_of(context.command))
        raise ParameterError(
            f"{SET} {quoted(values[0])}: expected NAME=VALUE with NAME {names}; '{SET} help' says what "
            "they mean"
        )
    return values


def _kind(option: Option) -> str:
    if isinstance(option.type, click.Choice):
        return "|".join(option.type.choices)
    return {"integer": "whole number", "float": "number", "boolean": "true|false"}.get(
        option.type.name.removesuffix(" range"), "text"
    )


def _default(option: Option) -> str:
    value = option.default
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (str, int, float)) else ""
