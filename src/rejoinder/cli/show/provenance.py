"""How a file was made, for people."""

from __future__ import annotations

import shlex

from rejoinder.cli.terminal.console import console
from rejoinder.files.provenance_chain import Step
from rejoinder.messages import counted

DIGITS = 12
"""How many digits of a hash are shown; ``--json`` has all."""


def provenance(step: Step) -> None:
    """The file, and below it what it was made of, each step further to the right."""
    out = console()
    for indent, line in _lines(step, 0):
        out.print("  " * indent + line, soft_wrap=True)


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
    words.append(_state(step))
    if step.repeated:
        words.append("how it was made is shown above")
    elif step.fault:
        words.append(step.fault)
    elif step.record is None:
        words.append("no record of how it was made")
    return ", ".join(words)


def _state(step: Step) -> str:
    if step.state == "changed":
        return f"CHANGED: its content is now {(step.now or '')[:DIGITS]}"
    if step.state == "missing":
        return "MISSING"
    if step.state == "unknown" and step.now is not None:
        return f"its content is now {step.now[:DIGITS]}; it contains its record and grows with every answer"
    if step.state == "unknown":
        return "not checked: its place is not known"
    return "unchanged"
