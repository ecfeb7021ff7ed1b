"""The file formats, one small file each, and which one a path is of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from rejoinder.errors import InputError, one_of
from rejoinder.tables.assembly.format_choice import formats_of
from rejoinder.tables.formats import (
    chat,
    dailydialog,
    dailydialog_multiref,
    dailydialog_plusplus,
    delimited,
    dstc7,
    grade,
    jsonl,
    parquet,
    text,
)
from rejoinder.tables.formats.format import Format

# Published formats come first: some of them are JSON lines or TSV as well, with other columns.
FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        dailydialog.FORMAT,
        dailydialog_multiref.FORMAT,
        dailydialog_plusplus.FORMAT,
        dstc7.FORMAT,
        grade.FORMAT,
        chat.FORMAT,
        chat.TURNS,
        jsonl.FORMAT,
        delimited.CSV,
        delimited.TSV,
        parquet.FORMAT,
        text.FORMAT,
    )
}


def choose(
    paths: Sequence[Path], name: str | None, what: Literal["test set", "responses"]
) -> Format:
    """The format of these paths: the one named, or the first that recognises all of them.

    Raises:
        InputError: no format recognises a path, two paths are of different formats, or the format
            holds no table of this kind.
        ParameterError: there is no format of that name.
    """
    option = "--format" if what == "test set" else "--responses-format"
    found = formats_of(paths, name, FORMATS, option)
    chosen = found[0]
    for path, other in zip(paths, found, strict=True):
        if other is not chosen:
            raise InputError(
                f"{path}: format '{other.name}', but {paths[0]} is '{chosen.name}'; the files of "
                f"one {what} share one format; choose it with {option}"
            )
    able = [each.name for each in FORMATS.values() if _holds(each, what)]
    if chosen.name not in able:
        raise InputError(
            f"{paths[0]}: the format '{chosen.name}' holds no {what}; expected one of the formats "
            f"that do: {one_of(able)}"
        )
    return chosen


def _holds(each: Format, what: Literal["test set", "responses"]) -> bool:
    return (each.read_testset if what == "test set" else each.read_responses) is not None
