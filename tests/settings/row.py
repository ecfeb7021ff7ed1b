"""A row of the table of settings, the commands that it stands for, and what they give."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

from rejoinder.cli.app import run
from rejoinder.files.provenance import is_record

Told = Callable[["Result", "Result"], object]
"""Takes the result of the base command and that of the changed one; False is a failure."""


@dataclass(frozen=True)
class Row:
    """What one option of one verb changes.

    The base command is the verb's usual one (`USUAL` of the family's file) with ``also`` behind it;
    the changed command has ``more`` behind that.

    Attributes:
        verb: For example ``score`` or ``train ruber``.
        option: The first name of the option, for example ``--seed``.
        more: The words that give the option.
        differs: A path (see `Result.at`) to what must differ between the two results.
        keeps: A path to what must be the same in both.
        as_usual: A path to what the changed command has in common with the usual one.
        effect: The exact effect, where it is known.
        also: Words that both commands have.
        where: Placeholders of the usual command that are filled with others.
        usual: Another usual command than the verb's.
        people: Both commands print tables for people: the usual command loses ``--json``.
        status: The exit statuses of the base command and of the changed one.
        watch: A method, ``module:Class.method``: how often it was called is at the path ``calls``.
        slow: The row takes seconds.
        few: Twelve items are enough, where each takes time.
    """

    verb: str
    option: str
    more: str
    differs: str = ""
    keeps: str = ""
    as_usual: str = ""
    effect: Told | None = None
    also: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    usual: str = ""
    people: bool = False
    status: tuple[int, int] = (0, 0)
    watch: str = ""
    slow: bool = False
    few: bool = False

    def on(self, verb: str, **given: Any) -> Row:
        """The same row for another verb."""
        return replace(self, verb=verb, **given)

    def __str__(self) -> str:
        return f"{self.verb} {self.option} {self.more}".replace(
            f"{self.option} {self.option}", self.option
        )


@dataclass(frozen=True)
class Result:
    """What a command gave.

    Attributes:
        status: The exit status.
        out: Standard output; its own folder is written OUT.
        err: Standard error, likewise.
        folder: Where the command wrote.
        calls: The calls of the method that was watched.
    """

    status: int
    out: str
    err: str
    folder: Path
    calls: tuple[Any, ...] = ()

    @cached_property
    def json(self) -> Any:
        """Standard output as JSON; it is the base of many rows."""
        return json.loads(self.out)

    def at(self, path: str) -> Any:
        """What stands at a path.

        ``systems.*.low`` are the values of ``low`` of all rows of ``systems`` in the JSON output;
        ``systems[metric=BLEU-2].*.low`` only of rows whose metric is BLEU-2. ``out`` and ``err`` are
        the two streams, ``calls`` how often the watched method was called. ``@name`` is the content
        of the file of that name that the command wrote (None if there is none) and ``@`` the names
        of all files but records of how they were made.
        """
        if path in ("out", "err"):
            return getattr(self, path)
        if path == "calls":
            return len(self.calls)
        if path == "@":
            files = (each for each in self.folder.rglob("*") if each.is_file())
            names = (str(each.relative_to(self.folder)) for each in files if not is_record(each))
            return sorted(names)
        if path.startswith("@"):
            file = self.folder / path[1:]
            return file.read_bytes() if file.exists() else None
        return _look(self.json, path.split(".") if path else [])


def _look(value: Any, path: list[str]) -> Any:
    if not path:
        return value
    first, rest = path[0], path[1:]
    if first == "*":
        every = value.values() if isinstance(value, dict) else value
        return [_look(each, rest) for each in every]
    name, filters = re.fullmatch(r"([^\[]*)((?:\[[^\]]*\])*)", first).groups()
    found = value[int(name)] if isinstance(value, list) else value[name]
    for key, wanted in re.findall(r"\[([^=\]]+)=([^\]]*)\]", filters):
        found = [each for each in found if str(each[key]) == wanted]
        assert found, f"no row of {name} has {key}={wanted}"
    return _look(found, rest)


class Commands:
    """Runs the commands of rows, each once.

    Args:
        usual: The usual command of each verb, with placeholders.
        world: Fills the placeholders: an object with an attribute for each.
        folder: Where the commands write.
    """

    def __init__(self, usual: Mapping[str, str], world: Any, folder: Path) -> None:
        self.usual, self.world, self.folder = usual, world, folder
        self.known: dict[tuple[str, ...], Result] = {}
        self.number = count()

    def both(self, row: Row) -> tuple[Result, Result]:
        """The results of a row's base command and of its changed one."""
        usual = row.usual or self.usual[row.verb]
        for name, other in row.where.items():
            assert f"{{{name}}}" in usual, f"{row}: the usual command has no {{{name}}}"
            usual = usual.replace(f"{{{name}}}", f"{{{other}}}")
        if row.people:
            usual = usual.replace(" --json", "")
        base = f"{usual} {row.also}"
        return self.of(base, row.watch), self.of(f"{base} {row.more}", row.watch)

    def of(self, command: str, watch: str = "") -> Result:
        """The result of a command with placeholders; ``{out}`` is a new folder."""
        words = [word for part in shlex.split(command) for word in self._words(part)]
        key = (watch, *words)
        if key not in self.known:
            self.known[key] = self._run(words, watch)
        return self.known[key]

    def _words(self, part: str) -> list[str]:
        """A placeholder may stand for several words."""
        name = part[1:-1]
        several = part == f"{{{name}}}" and name != "out" and hasattr(self.world, name)
        found = getattr(self.world, name) if several else part
        return [str(each) for each in found] if isinstance(found, list | tuple) else [str(found)]

    def _run(self, words: list[str], watch: str) -> Result:
        out = self.folder / str(next(self.number))
        out.mkdir()
        names = {name for word in words for name in re.findall(r"\{(\w+)\}", word)}
        filled = {name: out if name == "out" else getattr(self.world, name) for name in names}
        words = [re.sub(r"\{(\w+)\}", lambda m: str(filled[m[1]]), word) for word in words]
        streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
        with contextlib.ExitStack() as stack:
            spy = stack.enter_context(watching(watch)) if watch else mock.Mock()
            stack.enter_context(contextlib.redirect_stdout(streams[0]))
            stack.enter_context(contextlib.redirect_stderr(streams[1]))
            status = run(words)
        told = [each.buffer.getvalue().decode().replace(str(out), "OUT") for each in streams]
        return Result(status, *told, out, tuple(spy.call_args_list))


def watching(name: str) -> contextlib.AbstractContextManager[mock.Mock]:
    """Counts the calls of a method, which works as before."""
    module, path = name.split(":")
    owner = import_module(module)
    *classes, method = path.split(".")
    for each in classes:
        owner = getattr(owner, each)
    return mock.patch.object(owner, method, autospec=True, side_effect=getattr(owner, method))
