"""The defaults of a project: options that a file in the working folder gives where the user gives none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


SETTINGS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "seed": (_whole(0, 2**63), "a whole number, 0 or more"),
    "digits": (_whole(0, 12), "a whole number from 0 to 12"),
    "metrics": (
        lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
        'a list of metrics, as ["deltableu", "bleu:order=4"]',
    ),
    "rater_effects": (lambda value: value in ("random", "fixed"), "'random' or 'fixed'"),
}
"""By name of the parameter that a verb may have: whether a value can be used, and what is expected."""


def project_defaults(folder: Path) -> tuple[str, dict[str, Any]]:
    """The file of a folder that holds defaults, and these by parameter; no name and none without a file.

    Raises:
        InputError: A file is not TOML, has another setting or a value that cannot be used; or two files
            hold defaults.
    """
    found = {
        name: values for name in (OWN, PROJECT) if (values := _table(folder / name)) is not None
    }
    if len(found) > 1:
        raise InputError(f"{OWN}: {PROJECT} holds [tool.rejoinder] too; keep one of the two")
    for name, values in found.items():
        for setting, value in values.items():
            if setting not in SETTINGS:
                near = meant(setting, SETTINGS)
                hint = f" (meant {quoted(near)}?)" if near else ""
                raise InputError(
                    f"{name}: no setting {quoted(setting)}{hint}; expected {one_of(SETTINGS)}"
                )
            usable, expected = SETTINGS[setting]
            if not usable(value):
                raise InputError(f"{name}: {setting}: got {value!r}; expected {expected}")
        return name, values
    return "", {}


def _table(path: Path) -> dict[str, Any] | None:
    """The defaults in a file; None where it has none."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if path.name == PROJECT and b"tool.rejoinder" not in content:
        return None
    import tomllib

    try:
        values = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: not TOML: {error}") from None
    return values if path.name == OWN else values.get("tool", {}).get("rejoinder")


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


def say_project_defaults() -> None:
    """Prints a note on what a file of defaults gives the current command, if it gives anything."""
    from rejoinder.cli.terminal.speech import note

    context = click.get_current_context()
    if words := given_by_project(context):
        shown = " ".join(word for each in words.values() for word in each)
        note(f"{context.find_root().meta[FILE]}: {shown}")


FILE = "rejoinder.project_defaults"
