"""Commands that use a file, as examples for people."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from rejoinder.files import queries
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.table_contents import Contents

TESTSET, RESPONSES = "TESTSET", "RESPONSES"
"""What stands for a file that the example needs besides."""


def example_commands(
    path: Path,
    contents: Mapping[str, Contents],
    whole: bool,
    is_log: bool,
    format: str | None,
    columns: ColumnMapping | None,
) -> tuple[str, ...]:
    """A command for each use of a file; capitals stand for a file that it needs besides.

    Args:
        path: The file or folder.
        contents: By kind of table what it holds.
        whole: Whether it is a test set and responses, and needs no other file.
        is_log: Whether it is a log, whose own scores come first.
        format: The format that had to be named; None: it was recognised.
        columns: The columns that had to be named.
    """
    file = queries.as_given(path)

    def command(*words: str, needs: Sequence[str] = (), **options: str) -> str:
        """The words and options, then the format, and what these kinds need."""
        given: dict[str, object] = dict(options)
        if format is not None:
            given["format"] = f"{path.name}:{format}" if {TESTSET, RESPONSES} & {*words} else format
        if columns is not None:
            given["columns"] = _spelled(columns)
        given |= {each.name: each.value for kind in needs for each in contents[kind].needs}
        return _joined(*words, **given)

    if "kept scores" in contents:
        return (_joined("score", file),)
    if "study" in contents:
        export = _joined("annotate", "export", file, o="ratings.csv")
        return _joined("annotate", "serve", db=file), export
    examples = []
    scored = [command("score", scores=file, needs=("scores",))] if "scores" in contents else []
    if is_log:
        examples, scored = scored, []
    both = ("test set", "responses")
    if whole:
        examples.append(command("score", file, needs=both))
    if whole and "ratings" in contents:
        criteria = contents["ratings"].names["criteria"]
        chosen = {"criterion": criteria[0]} if len(criteria) > 1 else {}
        examples.append(command("correlate", file, ratings=file, **chosen, needs=both))
    for kind, files in (("test set", (file, RESPONSES)), ("responses", (TESTSET, file))):
        if kind in contents and not whole:
            examples.append(command("score", *files, needs=(kind,)))
    if "responses" in contents and contents["responses"].counts.get("samples", 1) > 1:
        examples.append(command("variety", file))
    if "ratings" in contents and contents["ratings"].counts["systems"] > 1:
        examples.append(command("compare", ratings=file))
    judged = (kind for kind in ("ratings", "preferences") if kind in contents)
    examples += [*(command(kind, file) for kind in judged), *scored]
    if "candidates" in contents:
        examples.append(command("annotate", "serve", TESTSET, mined=file, db="STUDY.sqlite"))
        examples.append(command("weigh", TESTSET, file, ratings="RATINGS", o="weighed.jsonl"))
    return tuple(examples)


def _joined(*words: str, **options: object) -> str:
    """A command line of these words and options."""
    command = ["rejoinder", *words]
    for name, value in options.items():
        command.append(f"--{name.replace('_', '-')}" if len(name) > 1 else f"-{name}")
        command += [] if value is True else [str(value)]
    return shlex.join(command)


def _spelled(columns: ColumnMapping) -> str:
    """The mapping as the command line takes it; what is of files alone is of this one."""
    pairs = dict(columns.sources)
    for each in columns.files.values():
        pairs |= each
    return ",".join(f"{name}={source}" for name, source in pairs.items())
