"""The words of a command line for its record: paths as seen from a folder, all else as it was given."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

import click

from rejoinder.cli.declarations import WORDS, Option
from rejoinder.cli.option_values import texts_of
from rejoinder.cli.project_defaults import given_by_project
from rejoinder.files.provenance import relative_path, without_secrets


def command_words(
    context: click.Context, folder: Path | Mapping[str, str] | None, without: Collection[str] = ()
) -> list[str]:
    """The words of the running command: its arguments, and then its options.

    What the defaults of a project give is among the options, so that the words do the same elsewhere.
    Paths are as seen from a folder, and there are no secrets. What is no path by its option (a name, a
    number, a choice) stays, whatever files there are.

    Args:
        context: The context of the command.
        folder: The folder from which paths are seen; by real path the word in its place; None: as given.
        without: The options that are left out, by the names of their parameters.
    """
    verb, given = context.command_path.split(), context.meta.get(WORDS, ())
    values, _, order = context.command.make_parser(context).parse_args(args=list(given))
    arguments: list[str] = []
    options: list[str] = []
    for each in dict.fromkeys(order):
        value = values[each.name or ""]
        if each.name in without:
            continue
        if isinstance(each, Option):
            for one in value if each.multiple else [value]:
                options += each.words(*(_word(word, each, folder) for word in texts_of(one)))
        elif isinstance(each, click.Argument):
            arguments += [_word(word, None, folder) for word in texts_of(value)]
        else:
            options.append(each.opts[0])
    options += [word for words in given_by_project(context).values() for word in words]
    if any(word.startswith("-") and word != "-" for word in arguments):
        return [*verb, *options, "--", *arguments]
    return [*verb, *arguments, *options]


def settings_given(context: click.Context) -> dict[str, str]:
    """The options of the running command that name no file, with their values, defaults too."""
    settings: dict[str, str] = {}
    for each in context.command.params:
        value = context.params.get(each.name or "")
        if not isinstance(each, Option) or each.writes or each.holds == "path" or _takes_path(each):
            continue
        if value not in (None, False, ()) and each.name not in ("json", "seed", "format"):
            values = value if isinstance(value, tuple | list) else (value,)
            settings[each.name or ""] = " ".join(_word(str(one), each, Path()) for one in values)
    return settings


def seen_from(path: Path, folder: Path) -> str | None:
    """A path as seen from a folder; None for a pipe, and where it would name the user's home."""
    if str(path) == "-" or not (path.is_file() or path.is_dir()):
        return None
    return relative_path(path, folder)


def _word(given: str | Path, option: Option | None, folder: Path | Mapping[str, str] | None) -> str:
    """The value of an option (of an argument: None), its path as seen from a folder, without secrets."""
    word = str(given)
    if not word:
        return word
    whole = option is None or option.holds == "path" or _takes_path(option)
    if whole and _is_path(word):
        return _shown(word, folder)
    if option is None:
        paths = _with_values(word)
    else:
        paths = paths_of_metric(word) if option.holds == "metric" else []
    for key, path in paths:
        word = word.replace(f"{key}={path}", f"{key}={_shown(path, folder)}")
    parts = word.split(":") if whole else []
    for count in range(len(parts) - 1, 0, -1):
        before = ":".join(parts[:count])  # FILE:lower:1..5
        if before and _is_path(before):
            word = ":".join([_shown(before, folder), *parts[count:]])
            break
    return without_secrets(word)


def paths_of_metric(text: str) -> list[tuple[str, str]]:
    """The parameters of a metric that name what is there: ``ruber:model=FOLDER``, not ``bleu:order=4``.

    Of a metric of one's own, every parameter but a number may.

    Returns:
        Name and value of each parameter.
    """
    from rejoinder.metrics.registry import METRICS

    values = _with_values(text)
    make = METRICS.get(text.partition(":")[0])
    if make is None:
        return [(key, value) for key, value in values if not value.isdecimal()]
    sources = make().sources if values else {}
    return [(key, value) for key, value in values if key in sources]


def _with_values(text: str) -> list[tuple[str, str]]:
    """The parts ``key=value`` of a text whose values are paths of what is there."""
    return [
        (key, value) for key, value in re.findall(r"([^:,=]+)=([^,=]+)", text) if _is_path(value)
    ]


def _takes_path(option: click.Option) -> bool:
    types = option.type.types if isinstance(option.type, click.Tuple) else (option.type,)
    return any(isinstance(each, click.Path) for each in types)


def _shown(word: str, folder: Path | Mapping[str, str] | None) -> str:
    if folder is None:
        return word
    if not isinstance(folder, Path):
        return folder.get(os.path.realpath(word), Path(word).name)
    return seen_from(Path(word), folder) or Path(word).name


def _is_path(word: str) -> bool:
    """Whether a word names something that is there."""
    try:
        return word != "-" and os.path.exists(word)
    except ValueError:  # a zero byte
        return False
