"""The defaults of a project: options that a file in the working folder gives where the user gives none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from rejoinder.errors import InputError, one_of
from rejoinder.messages import meant, quoted

OWN, PROJECT = "rejoinder.toml", "pyproject.toml"
"""The file of defaults, and the file of a Python project, whose table ``[tool.rejoinder]`` holds them."""


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


def _is_within(path: str) -> bool:
    """Whether a path names a file below the folder: a stranger's file of defaults writes nowhere else."""
    folder = Path.cwd().resolve()
    return bool(path) and folder in (folder / path).resolve().parents


SETTINGS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "seed": (_whole(0, 2**63), "a whole number, 0 or more"),
    "digits": (_whole(0, 12), "a whole number from 0 to 12"),
    "metrics": (
        lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
        'a list of metrics, as ["deltableu", "bleu:order=4"]',
    ),
    "ledger": (
        lambda value: isinstance(value, str) and _is_within(value),
        "the path of a file in this folder or below it",
    ),
    "rater_effects": (lambda value: value in ("random", "fixed"), "'random' or 'fixed'"),
}
"""By name of the parameter that a verb may have: whether a value can be used, and what is expected."""


class ProjectDefaults(Mapping[str, Any]):
    """What a file of the working folder gives, by parameter: read when a value is first asked for.

    Args:
        meta: The ``meta`` of the context, in which the name of the file is kept.
    """

    def __init__(self, meta: MutableMapping[str, Any]) -> None:
        self._meta = meta

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        self._meta[FILE], values = project_defaults(Path.cwd())
        return values

    def __getitem__(self, name: str) -> Any:
        if name not in SETTINGS:  # a verb without any of these needs no file
            raise KeyError(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def project_defaults(folder: Path) -> tuple[str, dict[str, Any]]:
    """The file of a folder that holds defaults, and these by parameter; no name and none without a file.

    Raises:
        InputError: A file is not TOML, has another setting or a value that cannot be used; or two files
            hold defaults.
    """
    by_file = {
        name: values for name in (OWN, PROJECT) if (values := _table(folder / name)) is not None
    }
    if len(by_file) > 1:
        raise InputError(f"{OWN}: {PROJECT} holds [tool.rejoinder] too; keep one of the two")
    for name, values in by_file.items():
        for setting, value in values.items():
            if setting not in SETTINGS:
                near = meant(setting, SETTINGS)
                hint = f" (meant {quoted(near)}?)" if near else ""
                raise InputError(
                    f"{name}: no setting {quoted(setting)}{hint}; expected {one_of(SETTINGS)}"
                )
            usable, expected = SETTINGS[setting]
            if not usable(value):
                raise InputError(f"{name}: {setting}: got {value!r:.200}; expected {expected}")
        _check_metrics(name, values.get("metrics", ()))
        return name, values
    return "", {}


def _check_metrics(file: str, metrics: Sequence[str]) -> None:
    """Raises where a metric would run code or read files that nobody named: the file may be a stranger's."""
    if not metrics:
        return
    from rejoinder.metrics.registry import METRICS

    plain = {name.lower(): name for name in METRICS}
    for each in metrics:
        name = plain.get(each.partition(":")[0].strip().lower())
        if name is None or METRICS[name]().sources:
            raise InputError(
                f"{file}: metrics: got {quoted(each)}; a file of defaults names metrics of Rejoinder that "
                "need no model and no other file; give a metric of your own, or one that needs such a file, "
                f"on the command line: --metric {each}"
            )


def _table(path: Path) -> dict[str, Any] | None:
    """The defaults in a file; None where it has none."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return None
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read: {error.strerror or error}") from None
    if path.name == PROJECT and b"rejoinder" not in content:
        return None
    import tomllib

    try:
        values: Any = tomllib.loads(content.decode())
    except ValueError as error:
        raise InputError(f"{path.name}: not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{path.name}: not TOML that can be read: nested too deeply") from None
    if path.name == OWN:
        return values
    for key in ("tool", "rejoinder"):
        values = values.get(key)
        if values is None:
            return None
        if not isinstance(values, dict):
            raise InputError(f"{path.name}: {key}: got {values!r:.200}; expected a table")
    return values


def drop_useless(context: click.Context, given: Any) -> None:
    """Takes back what a file of defaults gives a command that has no use for it.

    Where a user typed it, the verb says that it has no effect, and a record that has it could not be
    repeated.

    Args:
        context: The context of the command.
        given: The values of its options.
    """
    by_project = given_by_project(context)
    for each in context.command.params:
        name = each.name or ""
        if name in by_project and not _has_use(context.command.name, name, given):
            default = {"seed": each.default, "metrics": ()}.get(name)
            context.params[name] = given.__dict__[name] = default
            context.set_parameter_source(name, ParameterSource.DEFAULT)


def _has_use(verb: str | None, name: str, given: Any) -> bool:
    """Whether a command can use what is given, as the checks of its verb have it."""

    def any_of(*names: str) -> bool:
        return any(bool(getattr(given, each, None)) for each in names)

    if name == "digits":
        return not any_of("json", "segments", "explain")
    if name == "ledger":  # of numbers of systems
        return not any_of("segments", "explain")
    if name == "metrics":  # they measure replies; explanations are of those that are typed
        explained = verb == "explain-diff" or any_of("explain")
        return not explained and any_of("responses", "replies")
    if name == "rater_effects":
        if verb == "preferences":
            return not (given.bootstrap and given.rater_effects == "random")
        return any_of("ratings") if verb == "compare" else given.protocol == "turn"
    if verb == "mark":
        from rejoinder.models.likelihood.registry import kind_of_backend

        return kind_of_backend(given.model) == "endpoint"
    if verb in ("score", "compare"):  # kept scores have their draws
        return not any_of("explain") and any_of("responses", "scores", "ratings", "replies")
    return verb != "ratings" and not any_of("reported")


def given_by_project(context: click.Context) -> dict[str, list[str]]:
    """The words of the options that a file of defaults gives a command, by parameter."""
    given: dict[str, list[str]] = {}
    for each in context.command.params:
        name = each.name or ""
        if context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
            value = context.params[name]
            values = value if isinstance(value, tuple) else (value,)
            given[name] = [word for value in values for word in (each.opts[0], str(value))]
    return given


def origin_in_project(message: str) -> str:
    """What an error says further of the options in it that a file of defaults gives; "" for none."""
    context = click.get_current_context()
    named = [words for words in given_by_project(context).values() if words[0] in message]
    shown = " ".join(word for words in named for word in words)
    return f"; {shown} stands in {context.meta[FILE]}" if shown else ""


def say_project_defaults() -> None:
    """Prints a note on what a file of defaults gives the current command, if it gives anything."""
    from rejoinder.cli.terminal.speech import note

    context = click.get_current_context()
    if words := given_by_project(context):
        shown = " ".join(word for each in words.values() for word in each)
        note(f"{context.meta[FILE]}: {shown}")


FILE = "rejoinder.project_defaults"
