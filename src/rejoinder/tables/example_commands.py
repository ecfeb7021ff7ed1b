"""Commands that use a file, as examples for people."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.table_contents import Contents

TESTSET, RESPONSES = "TESTSET", "RESPONSES"
"""What stands for a file that the example needs besides."""

_FORMATS = {
    "test set": "--format",
    "responses": "--responses-format",
    "candidates": "--responses-format",
    "ratings": "--ratings-format",
    "preferences": "--preferences-format",
    "scores": "--scores-format",
}


def example_commands(
    path: Path,
    contents: Mapping[str, Contents],
    whole: bool,
    format: str | None,
    columns: ColumnMapping | None,
) -> tuple[str, ...]:
    """A command for each use of a file; capitals stand for a file that it needs besides.

    Args:
        path: The file or folder.
        contents: By kind of table what it holds.
        whole: Whether it is a test set and responses, and needs no other file.
        format: The format that had to be named; None: it was recognised.
        columns: The columns that had to be named.
    """
    file = shlex.quote(str(path))
    of_columns = "" if columns is None else f" --columns {shlex.quote(_spelled(columns))}"

    def command(words: str, formats: Sequence[str], needs: Sequence[str] = ()) -> str:
        """The words, then the formats of these kinds, and what these kinds need."""
        named = [f" {_FORMATS[kind]} {format}" for kind in formats] if format is not None else []
        options = dict.fromkeys(each for kind in needs for each in contents[kind].needs)
        end = "".join(f" {option}" for option in options)
        return f"rejoinder {words}{''.join(named)}{of_columns}{end}"

    if "kept scores" in contents:
        return (f"rejoinder score {file}",)
    if "study" in contents:
        return (
            f"rejoinder annotate serve --db {file}",
            f"rejoinder annotate export {file} -o ratings.csv",
        )
    examples = []
    both = ("test set", "responses")
    if whole:
        examples.append(command(f"score {file}", ("test set",), both))
    if whole and "ratings" in contents:
        criteria = contents["ratings"].names["criteria"]
        chosen = f" --criterion {shlex.quote(criteria[0])}" if len(criteria) > 1 else ""
        words = f"correlate {file} --ratings {file}{chosen}"
        examples.append(command(words, ("test set", "ratings"), both))
    if "test set" in contents and not whole:
        examples.append(command(f"score {file} {RESPONSES}", ("test set",), ("test set",)))
    if "responses" in contents and not whole:
        examples.append(command(f"score {TESTSET} {file}", ("responses",), ("responses",)))
    for kind, words in (("ratings", "ratings"), ("preferences", "preferences")):
        if kind in contents:
            examples.append(command(f"{words} {file}", (kind,)))
    if "scores" in contents:
        examples.append(command(f"score --scores {file}", ("scores",), ("scores",)))
    if "candidates" in contents:
        words = f"annotate serve {TESTSET} --mined {file} --db STUDY.sqlite"
        examples.append(command(words, ()))
        words = f"weigh {TESTSET} {file} --ratings RATINGS -o weighed.jsonl"
        examples.append(command(words, ("candidates",)))
    return tuple(examples)


def _spelled(columns: ColumnMapping) -> str:
    """The mapping as --columns takes it; what is of files alone is of this one."""
    pairs = dict(columns.sources)
    for each in columns.files.values():
        pairs |= each
    return ",".join(f"{name}={source}" for name, source in pairs.items())
