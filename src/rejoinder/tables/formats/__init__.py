"""The file formats, one small file each, and which one a path is of."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.tables.files import head, refuse_packed
from rejoinder.tables.formats import (
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
from rejoinder.tables.wording import quoted

# Published formats come first: some of them are JSON lines or TSV as well, with other columns.
FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        dailydialog.FORMAT,
        dailydialog_multiref.FORMAT,
        dailydialog_plusplus.FORMAT,
        dstc7.FORMAT,
        grade.FORMAT,
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
    if name is not None:
        found = [_named(name, option)] * len(paths)
    else:
        found = [_recognised(path, option) for path in paths]
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


def _named(name: str, option: str) -> Format:
    if name in FORMATS:
        return FORMATS[name]
    close = difflib.get_close_matches(name, FORMATS, n=1)
    hint = f"; did you mean '{close[0]}'?" if close else ""
    raise ParameterError(f"{option}: got {quoted(name)}; expected {one_of(FORMATS)}{hint}")


def _recognised(path: Path, option: str) -> Format:
    first = b"" if path.is_dir() else head(path)
    for each in FORMATS.values():
        if each.recognise(path, first):
            return each
    if path.is_dir():
        raise InputError(
            f"{path}: a folder of no format known here; name the files in it, or its format with "
            f"{option}: {one_of(FORMATS)}"
        )
    if not first:
        raise InputError(f"{path}: the file is empty (0 bytes); expected at least one row")
    refuse_packed(first, str(path))
    raise InputError(
        f"{path}: cannot tell the format by its suffix and first bytes; say which it is with "
        f"{option}: {one_of(FORMATS)}"
    )
