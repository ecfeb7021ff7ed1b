"""The record of what a command wrote: its inputs by content, its words, signatures and notes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from rejoinder._version import __version__
from rejoinder.cli.command_words import command_words, paths_of_metric, seen_from, texts_of
from rejoinder.cli.declarations import Option
from rejoinder.cli.made_of_ratings import ratings_in
from rejoinder.cli.targets import kind_of, named_paths
from rejoinder.cli.terminal.speech import logged_notes
from rejoinder.errors import RejoinderError
from rejoinder.files.pipes import name_of
from rejoinder.files.provenance import (
    content_of,
    record_path,
    without_secrets,
    write_record,
)
from rejoinder.files.recording import identity_of, notes_of, signatures_of
from rejoinder.files.replacing import beside


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

    @contextmanager
    def being_written(self, path: Path) -> Iterator[None]:
        """Within it the record of a file has no content: one whose command is killed can be replaced."""
        context = click.get_current_context(silent=True)
        if context is None or kind_of(path) is None:
            yield
            return
        record = self._record(path, {"content": None, "rows": None})
        place = record_path(path)
        before = beside(place, "part")
        with suppress(OSError):
            os.replace(place, before)
        try:
            with suppress(RejoinderError):
                write_record(path, record)
            yield
        except BaseException:
            with suppress(OSError):  # the folder may take nothing; the error of the file says so
                place.unlink(missing_ok=True)
                os.replace(before, place)
            raise
        finally:
            with suppress(OSError):
                before.unlink(missing_ok=True)

    def of_database(self, path: Path) -> dict[str, Any] | None:
        """The record that a new database will hold; None where no command is running.

        Args:
            path: Where the database will be.
        """
        if click.get_current_context(silent=True) is None:
            return None
        return self._not_yet(path)

    def of_page(self, path: Path) -> dict[str, Any] | None:
        """The record that a page shows of itself; None where no command is running.

        Every input has its path as it was given too (``given``): notes of readers begin with it.

        Args:
            path: Where the page will be.
        """
        if click.get_current_context(silent=True) is None:
            return None
        record = self._not_yet(path)
        given = [
            {**each, "given": str(of)}
            for each, (_, of, _) in zip(record["inputs"], self._inputs, strict=True)
        ]
        return {**record, "inputs": given}

    def _not_yet(self, path: Path) -> dict[str, Any]:
        """The record of a file that is not there yet; its name alone stands in the command."""
        record = self._record(path, {"content": None, "rows": None})
        words = [path.name if Path(each) == path else each for each in record["command"]]
        return {**record, "command": words}

    def _record(self, path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a file or folder of this content."""
        folder = record_path(path).parent
        return {
            "file": path.name,
            **content,
            "kind": kind_of(path),
            "version": __version__,
            "command": command_words(click.get_current_context(), folder),
            "signatures": signatures_of(self._result),
            "notes": [without_secrets(each) for each in _notes(self._result)],
            "inputs": [
                {"as": role, "name": _name(each), "path": seen_from(each, folder), **known}
                for role, each, known in self._inputs
            ],
            **ratings_in((path, known) for _, path, known in self._inputs),
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
    for name, path, writes in named_paths(context):
        if not writes and (str(path) == "-" or path.exists()):
            yield name if name.startswith("-") else name.upper(), path
    for option in context.command.params:
        holds = option.holds if isinstance(option, Option) else ""
        for text in texts_of(context.params.get(option.name or "")) if holds else ():
            if holds == "metric":
                yield from ((option.opts[0], Path(part)) for _, part in paths_of_metric(str(text)))
            elif option.name == "columns" and Path(text).is_file():
                yield option.opts[0], Path(text)


def _name(path: Path) -> str:
    if str(path) == "-":
        return "standard input"
    return name_of(path) or path.name or str(path)
