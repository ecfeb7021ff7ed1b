"""The words of a command line for its record: paths as seen from a folder, all else as it was given."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from rejoinder.files.provenance import relative_path, without_secrets

OF_METRICS = ("--metric", "--weights-from")
"""The options whose texts may name the folder of a model: ``ruber:model=FOLDER``."""
_WITH_PATHS = ("--scores", "--columns", "--encoder")
"""The options whose texts are or begin with a path: ``FILE:lower:1..5``."""


def command_words(context: click.Context, folder: Path) -> list[str]:
    """The words of the running command, its paths as seen from a folder, without secrets.

    A word that is no path by its option (a name, a number, a choice) stays, whatever files there are.

    Args:
        context: The context of the command.
        folder: The folder from which paths are seen.
    """
    verb = context.command_path.split()
    given = context.find_root().obj
    words = [str(each) for each in given] if isinstance(given, list) else []
    parted = _parted(context.command, words[len(verb) - 1 :])
    return [*verb, *(before + _word(value, of, folder) for before, value, of in parted)]


def seen_from(path: Path, folder: Path) -> str | None:
    """A path as seen from a folder; None for a pipe, and where it would name the user's home."""
    if str(path) == "-" or not (path.is_file() or path.is_dir()):
        return None
    return relative_path(path, folder)


def _parted(
    command: click.Command, words: Sequence[str]
) -> Iterator[tuple[str, str, click.Option | None]]:
    """Each word in two parts, and the option whose value the second is; None for an argument.

    A word without a value (the name of an option) is all in the first part.
    """
    named = {
        name: each
        for each in command.params
        if isinstance(each, click.Option)
        for name in each.opts
    }
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            yield word, "", None
            yield from (("", each, None) for each in rest)
            return
        if not word.startswith("-") or word == "-":
            yield "", word, None
            continue
        before, value, option = _option_of(word, named)
        yield before, value, option
        attached = bool(value) or before.endswith("=")
        count = 0 if option is None else _values(option, rest) - attached
        for _ in range(min(count, len(rest))):
            yield "", rest.pop(0), option


def _option_of(word: str, named: dict[str, click.Option]) -> tuple[str, str, click.Option | None]:
    """The parts of ``--name``, ``--name=VALUE``, ``-n``, ``-nVALUE``, with flags before it ``-qnVALUE``."""
    name, equals, value = word.partition("=")
    if word.startswith("--") or name in named:
        return name + equals, value, named.get(name)
    for place in range(1, len(word)):
        option = named.get(f"-{word[place]}")
        if option is None or not option.is_flag:
            return word[: place + 1], word[place + 1 :], option
    return word, "", None


def _values(option: click.Option, rest: Sequence[str]) -> int:
    """How many values stand behind the name of an option."""
    if option.is_flag or option.count:
        return 0
    # The value of --filter-raters may be left out.
    optional = isinstance(option.flag_value, str) and option.nargs == 1
    if optional and rest and rest[0].startswith("-"):
        return 0
    return option.nargs


def _word(word: str, option: click.Option | None, folder: Path) -> str:
    """The value of an option (of an argument: None), its path as seen from a folder, without secrets."""
    if not word:
        return word
    whole = option is None or _takes_path(option) or option.opts[0] in _WITH_PATHS
    if whole and _is_path(word):
        return _shown(word, folder)
    if option is None:
        paths = _with_values(word)
    else:
        paths = paths_of_metric(word) if option.opts[0] in OF_METRICS else []
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

    there = _with_values(text)
    make = METRICS.get(text.partition(":")[0])
    if make is None:
        return [(key, value) for key, value in there if not value.isdecimal()]
    sources = make().sources if there else {}
    return [(key, value) for key, value in there if key in sources]


def _with_values(text: str) -> list[tuple[str, str]]:
    """The parts ``key=value`` of a text whose values are paths of what is there."""
    return [
        (key, value) for key, value in re.findall(r"([^:,=]+)=([^,=]+)", text) if _is_path(value)
    ]


def _takes_path(option: click.Option) -> bool:
    types = option.type.types if isinstance(option.type, click.Tuple) else (option.type,)
    return any(isinstance(each, click.Path) for each in types)


def _shown(word: str, folder: Path) -> str:
    return seen_from(Path(word), folder) or Path(word).name


def _is_path(word: str) -> bool:
    """Whether a word names something that is there."""
    try:
        return word != "-" and os.path.exists(word)
    except ValueError:  # a zero byte
        return False
