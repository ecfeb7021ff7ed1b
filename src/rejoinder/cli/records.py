"""The record of what a command wrote: its inputs by content, its words, signatures and notes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from rejoinder._version import __version__
from rejoinder.cli.targets import WRITING, named_paths
from rejoinder.cli.terminal.speech import logged_notes
from rejoinder.files.provenance import (
    content_of,
    record_path,
    relative_path,
    without_secrets,
    write_record,
)
from rejoinder.files.recording import identity_of, notes_of, signatures_of

_OF_METRICS = ("metrics", "weights_from")
"""The parameters whose texts may name the folder of a model: ``ruber:model=FOLDER``."""


class Records:
    """Writes the records of the files that the current command wrote.

    Args:
        result: What the command computed: its ``signature`` or ``signatures`` and its ``notes``.
    """

    def __init__(self, result: Any = None) -> None:
        self._result = result

    def write(
        self, path: Path, rows: int | None = None, files: Sequence[Path] | None = None
    ) -> None:
        """Writes the record of a file or folder; nothing where no command is running.

        Args:
            path: What was written.
            rows: How many rows it has.
            files: The files in a folder that are of this command; None: all of it is.

        Raises:
            InputError: The record cannot be written.
        """
        if click.get_current_context(silent=True) is None:
            return
        names = None if files is None else sorted(os.path.relpath(each, path) for each in files)
        part = {} if names is None else {"files": names}
        content = content_of(path, names)
        write_record(path, self._record(path, {"content": content, **part, "rows": rows}))

    def of_database(self, path: Path) -> dict[str, Any] | None:
        """The record that a new database will hold; None where no command is running.

        Args:
            path: Where the database will be.
        """
        if click.get_current_context(silent=True) is None:
            return None
        record = self._record(path, {"content": None, "rows": None})
        words = [_without_folder(each, path) for each in record["command"]]  # it is not there yet
        return {**record, "command": words}

    def _record(self, path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a file or folder of this content."""
        folder = record_path(path).parent
        return {
            "file": path.name,
            **content,
            "version": __version__,
            "command": _command(folder),
            "signatures": signatures_of(self._result),
            "notes": [without_secrets(each) for each in _notes(self._result)],
            "inputs": [
                {"as": role, "name": _name(each), "path": _seen(each, folder), **known}
                for role, each, known in self._inputs
            ],
        }

    @cached_property
    def _inputs(self) -> list[tuple[str, Path, dict[str, str | None]]]:
        """The files and folders that the command read: role, path and content."""
        contents: dict[str, dict[str, str | None]] = {}
        inputs = []
        for role, path in dict.fromkeys(_read()):
            full = os.path.realpath(path)
            if full not in contents:
                contents[full] = identity_of(path)
            inputs.append((role, path, contents[full]))
        return inputs


def _notes(result: Any) -> list[str]:
    """The notes of the result, and what readers left out."""
    return list(dict.fromkeys((*logged_notes(), *notes_of(result))))


def _read() -> Iterable[tuple[str, Path]]:
    """The role and path of everything that the command was told to read."""
    context = click.get_current_context()
    for name, path in named_paths(context):
        if name not in WRITING and (str(path) == "-" or path.exists()):
            yield name if name.startswith("-") else name.upper(), path
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        for text in value if isinstance(value, tuple) else (value,):
            if not isinstance(text, str):
                continue
            if parameter.name in _OF_METRICS:
                for part in _parts(text):
                    yield parameter.opts[0], Path(part)
            elif parameter.name == "columns" and Path(text).is_file():
                yield parameter.opts[0], Path(text)


def _parts(text: str) -> list[str]:
    """The values of a text ``name:key=value,...`` that are paths."""
    return [each for each in re.findall(r"=([^,=]+)", text) if os.path.exists(each)]


def _command(folder: Path) -> list[str]:
    """The words of the command, its paths as seen from a folder."""
    context = click.get_current_context()
    verb = context.command_path.split()
    given = context.find_root().obj
    words = [str(each) for each in given] if isinstance(given, list) else []
    return [*verb, *(_word(each, folder) for each in words[len(verb) - 1 :])]


def _without_folder(word: str, made: Path) -> str:
    """A word of the command; of one that names the file to be made, the name alone.

    >>> _without_folder("--db=out/study.sqlite", Path("out/study.sqlite"))
    '--db=study.sqlite'
    """
    before, equals, path = word.rpartition("=")
    return f"{before}{equals}{made.name}" if Path(path) == made else word


def _word(word: str, folder: Path) -> str:
    """A word of the command, its paths as seen from a folder, without secrets."""
    if word and _is_path(word):
        return _seen(Path(word), folder) or Path(word).name
    for part in re.findall(r"=([^,=]+)", word):
        if _is_path(part):
            word = word.replace(f"={part}", f"={_seen(Path(part), folder) or Path(part).name}")
    parts = word.split(":")
    for count in range(len(parts) - 1, 0, -1):
        before = ":".join(parts[:count])  # FILE:lower:1..5
        if before and _is_path(before):
            seen = _seen(Path(before), folder) or Path(before).name
            word = ":".join([seen, *parts[count:]])
            break
    return without_secrets(word)


def _is_path(word: str) -> bool:
    """Whether a word names something that is there."""
    try:
        return word != "-" and os.path.exists(word)
    except ValueError:  # a zero byte
        return False


def _name(path: Path) -> str:
    return "standard input" if str(path) == "-" else path.name or str(path)


def _seen(path: Path, folder: Path) -> str | None:
    """A path as seen from a folder; None for a pipe, and where it would name the user's home."""
    if str(path) == "-" or not (path.is_file() or path.is_dir()):
        return None
    return relative_path(path, folder)
