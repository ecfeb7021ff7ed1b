"""How a file was made, step by step back to files that have no record."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rejoinder.document.parts import AS_USUAL, Document, Line, View
from rejoinder.errors import InputError
from rejoinder.files.checksums import object_checksum
from rejoinder.files.provenance import SUFFIX, content_of, is_record, read_record, record_path
from rejoinder.files.provenance_within import record_within
from rejoinder.files.queries import SCHEMES
from rejoinder.messages import counted
from rejoinder.result import TableResult

State = Literal["unchanged", "changed", "missing", "unknown"]
DEEPEST = 100
"""The most steps back that are followed."""


@dataclass(frozen=True, repr=False)
class Step(TableResult):
    """A file, and how it was made.

    Attributes:
        name: The file's name, or its path as seen from the file that was made of it.
        role: What it was for the command that read it: ``TESTSET``, ``--ratings``; empty for the file
            asked for.
        state: Whether the file is as the record says: ``unchanged``, ``changed``, ``missing``, or
            ``unknown`` where its place or its content then is not known (standard input, or a database
            that holds its own record and grows).
        content: Its SHA-256 when the record was written; of the file asked for without a record, now.
        now: Its SHA-256 now; None where it is missing.
        record: How it was made; None where there is no record, where the file has changed, or where an
            earlier step of the chain has the record.
        fault: Why its record cannot be read; empty where it can.
        repeated: Whether an earlier step has its record.
        inputs: What it was made of.
    """

    name: str
    role: str
    state: State
    content: str | None
    now: str | None
    record: dict[str, Any] | None = None
    fault: str = ""
    repeated: bool = False
    inputs: tuple[Step, ...] = field(default=())

    def document(self, view: View = AS_USUAL) -> Document:
        """The file, and below it what it was made of, each step further to the right."""
        return [Line("  " * indent + line, "command") for indent, line in _lines(self, 0)]

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder verify --json`` prints."""
        record = self.record or {}
        return {
            "name": self.name,
            "role": self.role or None,
            "state": self.state,
            "content": self.content,
            "now": self.now,
            "command": record.get("command"),
            "version": record.get("version"),
            "rows": record.get("rows"),
            "signatures": record.get("signatures", {}),
            "notes": record.get("notes", []),
            "fault": self.fault or None,
            "repeated": self.repeated,
            "inputs": [each.as_json() for each in self.inputs],
        }

    def steps(self) -> list[Step]:
        """This step and all before it, in the order in which they are printed."""
        return [self, *(step for each in self.inputs for step in each.steps())]


def provenance(path: str | os.PathLike[str]) -> Step:
    """How a file or folder was made, step by step back to files that have no record.

    Args:
        path: A file that a command of Rejoinder wrote (or its record).

    Raises:
        InputError: There is no such file, it has no record, or its record is damaged.
    """
    place = Path(path)
    if is_record(place):
        name = place.name.removesuffix(SUFFIX)
        place = place.with_name(name) if name else place.parent
    record = read_record(place)
    now = content_of(place, record and record.get("files"))
    record = record_within(place) if record is None else record
    if record is None:
        if now is None:
            raise InputError(f"{path}: no such file; check the path")
        raise InputError(
            f"{path}: no record of how it was made: there is no {record_path(place).name} "
            f"{'in' if place.is_dir() else 'beside'} it; commands of Rejoinder write such a record with "
            "every file"
        )
    state = _state(record["content"], now)
    seen: set[tuple[str, str | None]] = {(os.path.realpath(place), record["content"])}
    inputs = _inputs(record, place, seen, 1)
    return Step(place.name, "", state, record["content"], now, record, inputs=inputs)


def _state(then: str | None, now: str | None) -> State:
    if now is None:
        return "missing"
    if then is None:
        return "unknown"
    return "unchanged" if then == now else "changed"


def record_of_content(given: Mapping[str, Any], place: Path) -> dict[str, Any] | None:
    """The record of an input by its identity; None where there is none, or one of another content.

    A database has changed since, as a rule, and holds its record: that one must be the same as then.
    Of a folder to which other programs add files, those that were written must be the same.
    """
    if given.get("record") is not None:
        within = record_within(place)
        return within if within and object_checksum(within) == given["record"] else None
    record = read_record(place)
    if record is None:
        return None
    names = record.get("files")
    content = given["content"] if names is None else content_of(place, names)
    return record if record["content"] == content else None


def _inputs(
    record: dict[str, Any], place: Path, seen: set[tuple[str, str | None]], depth: int
) -> tuple[Step, ...]:
    folder = record_path(place).parent
    return tuple(_step(each, folder, seen, depth) for each in record["inputs"])


def _step(
    given: dict[str, Any], folder: Path, seen: set[tuple[str, str | None]], depth: int
) -> Step:
    """The step of an input: its state now, and how it was made where its record is of that content."""
    name, then = given["path"] or given["name"], given["content"]
    if given["path"] is None or name.startswith(SCHEMES):
        return Step(name, given["as"], "unknown", then, None)
    place = folder / given["path"]
    now = content_of(place)
    step = Step(name, given["as"], _state(then, now), then, now)
    key = os.path.realpath(place), then
    if key in seen or depth >= DEEPEST:
        repeated = key in seen and record_path(place).exists()
        return Step(name, given["as"], step.state, then, now, repeated=repeated)
    seen.add(key)
    try:
        record = record_of_content(given, place)
    except InputError as error:
        return Step(name, given["as"], step.state, then, now, fault=str(error))
    if record is None:
        return step
    inputs = _inputs(record, place, seen, depth + 1)
    return Step(name, given["as"], step.state, then, now, record, inputs=inputs)


DIGITS = 12
"""How many digits of a hash are shown; JSON has all."""


def _lines(step: Step, depth: int) -> list[tuple[int, str]]:
    lines = [(depth, _file(step))]
    if step.record is not None:
        version = step.record.get("version")
        command = shlex.join(step.record["command"])
        lines.append((depth + 1, f"made by: {command} (version {version})"))
        for metric, signature in step.record["signatures"].items():
            lines.append((depth + 1, f"signature{f' of {metric}' if metric else ''}: {signature}"))
        lines += [(depth + 1, f"note: {note}") for note in step.record["notes"]]
        if not step.inputs:
            lines.append((depth + 1, "made of no file"))
    return [*lines, *(line for each in step.inputs for line in _lines(each, depth + 1))]


def _file(step: Step) -> str:
    """The line of a file: what it is called, its hash, and what has become of it."""
    words = [step.name if not step.role else f"from {step.name} ({step.role})"]
    words.append(f"content {(step.content or 'unknown')[:DIGITS]}")
    if step.record is not None and isinstance(step.record.get("rows"), int):
        words.append(counted(step.record["rows"], "row"))
    words.append(_words_of_state(step))
    if step.repeated:
        words.append("how it was made is shown above")
    elif step.fault:
        words.append(step.fault)
    elif step.record is None:
        words.append("no record of how it was made")
    return ", ".join(words)


def _words_of_state(step: Step) -> str:
    if step.state == "changed":
        return f"CHANGED: its content is now {(step.now or '')[:DIGITS]}"
    if step.state == "missing":
        return "MISSING"
    if step.state == "unknown" and step.now is not None:
        return f"its content is now {step.now[:DIGITS]}; it contains its record and grows with every answer"
    if step.name.startswith(SCHEMES):
        return "not checked: the query is not run again"
    if step.state == "unknown":
        return "not checked: its place is not known"
    return "unchanged"
