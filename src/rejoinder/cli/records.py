"""The record of what a command wrote: its inputs by content, its words, signatures and notes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from rejoinder._version import __version__
from rejoinder.cli.command_words import (
    command_words,
    paths_of_metric,
    seen_from,
    settings_given,
    texts_of,
)
from rejoinder.cli.declarations import Option
from rejoinder.cli.made_of_ratings import ratings_in
from rejoinder.cli.targets import kind_of, named_paths
from rejoinder.cli.terminal.speech import logged_notes
from rejoinder.errors import RejoinderError
from rejoinder.files.pipes import name_of
from rejoinder.files.provenance import content_of, record_path, without_secrets, write_record
from rejoinder.files.provenance_chain import record_of_content
from rejoinder.files.recording import identity_of, lower_is_better, notes_of, signatures_of
from rejoinder.files.replacing import beside
from rejoinder.ledger.registrations import in_words
from rejoinder.tables.io.parquet_batches import files_of_pattern


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
            for each, (_, of, _) in zip(record["inputs"], self.inputs, strict=True)
        ]
        return {**record, "inputs": given}

    def of_run(self, ledger: Path) -> dict[str, Any]:
        """The facts of the running command for a ledger: a record, its settings, seed and directions."""
        context, record = click.get_current_context(), self._not_yet(ledger)
        made = (signature_beside(path, known) for _, path, known in self.inputs)
        inputs = [
            {**each, "made_by": by} if by else each
            for each, by in zip(record["inputs"], made, strict=True)
        ]
        return {
            **{name: record[name] for name in ("version", "command", "signatures", "notes")},
            "inputs": inputs,
            "verb": " ".join(context.command_path.split()[1:]),
            "seed": context.params.get("seed"),
            "settings": settings_given(context),
            "lower": lower_is_better(self._result),
        }

    def of_claim(self) -> dict[str, Any]:
        """What a claim says of the running command: the files that it read, and its words.

        A file is ``<input 0>`` in the words, by its place among the files; what is written is left out.
        """
        context = click.get_current_context(silent=True)
        if context is None:
            return {}
        inputs, places = [], {}
        left_out = {
            each.name or ""
            for each in context.command.params
            if isinstance(each, Option) and (each.writes or each.name == "registered")
        }
        for role, path, known in self.inputs:
            if role == "--registered":
                continue
            places.setdefault(os.path.realpath(path), f"<input {len(inputs)}>")
            time = path.stat().st_mtime if path.is_file() else None
            modified = None if time is None else in_words(datetime.fromtimestamp(time, UTC))
            facts = {"as": role, "name": _name(path), "modified": modified}
            inputs.append(
                facts | {"sha256": known["content"], "made_by": signature_beside(path, known)}
            )
        return {"inputs": inputs, "command": command_words(context, places, left_out)}

    def _not_yet(self, path: Path) -> dict[str, Any]:
        """The record of a file that is not there yet; its name alone stands in the command."""
        record = self._record(path, {"content": None, "rows": None})
        words = [path.name if Path(each) == path else each for each in record["command"]]
        return {**record, "command": words}

    def _record(self, path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a file or folder of this content."""
        folder = record_path(path).parent
        notes = dict.fromkeys((*logged_notes(), *notes_of(self._result)))
        return {
            "file": path.name,
            **content,
            "kind": kind_of(path),
            "version": __version__,
            "command": command_words(click.get_current_context(), folder),
            "signatures": signatures_of(self._result),
            "notes": [without_secrets(each) for each in notes],
            "inputs": [
                {"as": role, "name": _name(each), "path": seen_from(each, folder), **known}
                for role, each, known in self.inputs
            ],
            **ratings_in((path, known) for _, path, known in self.inputs),
        }

    @cached_property
    def inputs(self) -> list[tuple[str, Path, dict[str, str | None]]]:
        """The files and folders that the command read: role, path and content."""
        contents: dict[str, dict[str, str | None]] = {}
        inputs = []
        for role, path in dict.fromkeys(_read()):
            full = os.path.realpath(path)
            if full not in contents:
                contents[full] = identity_of(path)
            inputs.append((role, path, contents[full]))
        return inputs


def _read() -> Iterable[tuple[str, Path]]:
    """The role and path of everything that the command was told to read."""
    context = click.get_current_context()
    for name, path, writes in named_paths(context):
        role = name if name.startswith("-") else name.upper()
        if not writes and (str(path) == "-" or path.exists()):
            yield role, path
        elif not writes:  # a pattern
            yield from ((role, each) for each in files_of_pattern(str(path)))
    for option in context.command.params:
        holds = option.holds if isinstance(option, Option) else ""
        for text in texts_of(context.params.get(option.name or "")) if holds else ():
            if holds == "metric":
                yield from ((option.opts[0], Path(part)) for _, part in paths_of_metric(str(text)))
            elif option.name == "columns" and Path(text).is_file():
                yield option.opts[0], Path(text)


def signature_beside(path: Path, known: Mapping[str, str | None]) -> str | None:
    """The signature of what made a file, as its record has it; None where that is not known."""
    with suppress(RejoinderError):
        record = record_of_content(known, path)
        return (record or {}).get("signatures", {}).get("")
    return None


def _name(path: Path) -> str:
    if str(path) == "-":
        return "standard input"
    return name_of(path) or path.name or str(path)
