"""The file formats, one small file each, and which one a path is of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.messages import quoted
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.format_choice import formats_of, in_folder, refuse_published
from rejoinder.tables.formats import (
    chat,
    dailydialog,
    dailydialog_multiref,
    dailydialog_plusplus,
    datasets_folder,
    delimited,
    dstc7,
    grade,
    json_table,
    jsonl,
    logs,
    parquet,
    text,
)
from rejoinder.tables.formats.format import Format
from rejoinder.tables.origin import Origin, ResponsesDraft, TestSetDraft

# Published formats come first: some of them are JSON lines or TSV as well, with other columns.
FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        dailydialog.FORMAT,
        dailydialog_multiref.FORMAT,
        dailydialog_plusplus.FORMAT,
        dstc7.FORMAT,
        grade.FORMAT,
        *logs.FORMATS,
        chat.FORMAT,
        chat.TURNS,
        json_table.FORMAT,
        jsonl.FORMAT,
        delimited.CSV,
        delimited.TSV,
        delimited.WORKBOOK,
        parquet.FORMAT,
        datasets_folder.FORMAT,
        text.FORMAT,
    )
}


def choose(
    paths: Sequence[Path],
    name: str | None,
    what: Literal["test set", "responses"],
    columns: ColumnMapping | None = None,
) -> Format:
    """The format of these paths: the one named, or the first that recognises all of them.

    Raises:
        InputError: no format recognises a path, two paths are of different formats, or the format
            holds no table of this kind.
        ParameterError: there is no format of that name, or it knows its columns and the user names
            some.
    """
    option = "--format" if what == "test set" else "--responses-format"
    named = [columns is not None and columns.of_file(path) is not None for path in paths]
    formats = []
    for path, is_named in zip(paths, named, strict=True):
        if name is None and not is_named and jsonl.holds_our_testset(path):
            formats.append(jsonl.FORMAT)
            continue
        if is_named and name is None:
            refuse_published(path, FORMATS, _TABLES)
        known = _TABLES if is_named and name is None else FORMATS
        formats += formats_of([path], name, known, option)
    chosen = formats[0]
    for path, other in zip(paths, formats, strict=True):
        if other is not chosen:
            raise InputError(
                f"{path}: format '{other.name}', but {paths[0]} is '{chosen.name}'; the files of "
                f"one {what} share one format; choose it with {option}"
            )
    if any(named) and chosen.roles is None:
        raise ParameterError(
            f"columns: the format '{chosen.name}' knows its columns; expected one of "
            f"{one_of(_TABLES)}; leave columns out, or choose one of these with {option}"
        )
    able = [each.name for each in FORMATS.values() if _holds(each, what)]
    if chosen.name not in able:
        raise InputError(
            f"{paths[0]}: the format '{chosen.name}' holds no {what}; expected one of the formats "
            f"that do: {one_of(able)}"
        )
    return chosen


def read_items(
    paths: Sequence[Path], name: str | None, columns: ColumnMapping | None
) -> TestSetDraft:
    """The test set in these paths, not yet validated; see ``choose`` for what it raises.

    Of a folder of logs it is that of the first one: all of them answered it.
    """
    paths = [logs_in(path, name)[0] for path in paths]
    paths = [in_folder(path, "test set", FORMATS) if name is None else path for path in paths]
    chosen = choose(paths, name, "test set", columns)
    assert chosen.read_testset is not None
    return (
        chosen.read_testset(paths) if chosen.roles is None else chosen.read_testset(paths, columns)
    )


def read_replies(
    path: Path, name: str | None, columns: ColumnMapping | None, ids: Sequence[str] | None
) -> ResponsesDraft:
    """The replies in a path, of a folder of logs those of all; see ``choose`` for what it raises."""
    several = logs_in(path, name)
    if len(several) > 1:
        return _of_all([read_replies(each, name, columns, ids) for each in several], path)
    path = in_folder(path, "responses", FORMATS) if name is None else path
    chosen = choose([path], name, "responses", columns)
    assert chosen.read_responses is not None
    if chosen.roles is None:
        return chosen.read_responses([path], ids)
    return chosen.read_responses([path], ids, columns)


def holds_all(path: Path, name: str | None, columns: ColumnMapping | None) -> bool:
    """Whether one path holds prompts, references and replies, and so needs no other.

    Raises:
        InputError: no format recognises it.
        ParameterError: there is no format of that name.
    """
    path = logs_in(path, name)[0]
    chosen = choose([path], name, "test set", columns)
    return chosen.holds_all(path) if chosen.roles is None else chosen.roles(path, columns).holds_all


def is_log(path: Path, name: str | None) -> bool:
    """Whether a path is a log of an evaluation tool, with the replies of its own system.

    Raises:
        InputError: no format recognises it.
        ParameterError: there is no format of that name.
    """
    return path.is_file() and choose([path], name, "responses", None) in logs.FORMATS


def logs_in(path: Path, name: str | None = None) -> list[Path]:
    """The logs of a folder that holds several logs of one tool and nothing else; else the path itself.

    Args:
        path: A file or folder.
        name: The format of the logs; None: they are recognised.
    """
    if not path.is_dir() or any(each.recognise(path, b"") for each in FORMATS.values()):
        return [path]
    files = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    try:
        formats = {choose([each], name, "responses", None).name for each in files}
        whole = len(formats) == 1 and all(is_log(each, name) for each in files)
    except (InputError, ParameterError):
        return [path]
    return files if whole else [path]


def _of_all(drafts: Sequence[ResponsesDraft], folder: Path) -> ResponsesDraft:
    """The replies of all logs of a folder.

    Raises:
        InputError: Two logs are of one system.
    """
    logs_of: dict[str, str] = {}
    for draft in drafts:
        name = draft.origin.file(0)
        for system in draft.frame.get_column("system").unique(maintain_order=True).to_list():
            if system in logs_of:
                raise InputError(
                    f"{folder}: {quoted(system)} has a log {name} and a log {logs_of[system]}; "
                    "leave one of them out, by naming the files one by one"
                )
            logs_of[system] = name
    origin = Origin(tuple(part for draft in drafts for part in draft.origin.parts))
    return ResponsesDraft(pl.concat([each.frame for each in drafts], how="diagonal"), origin)


def columns_of_replies(path: Path, name: str | None, columns: ColumnMapping | None) -> set[str]:
    """The columns of a table of replies, under our names; none for a format that knows its own.

    Raises:
        InputError: no format recognises it.
        ParameterError: there is no format of that name.
    """
    path = in_folder(path, "responses", FORMATS) if name is None else path
    chosen = choose([path], name, "responses", columns)
    if chosen.roles is None:
        return set()
    roles = chosen.roles(path, columns)
    return {roles.renames.get(each, each) for each in roles.columns}


_TABLES = {name: each for name, each in FORMATS.items() if each.roles is not None}


def _holds(each: Format, what: Literal["test set", "responses"]) -> bool:
    return (each.read_testset if what == "test set" else each.read_responses) is not None
