"""The registry of file formats, one small file each, and which one a path is of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.messages import quoted
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import Roles
from rejoinder.tables.assembly.mapped_parts import roles_of_part
from rejoinder.tables.format import Asked, Format, KindName
from rejoinder.tables.formats import (
    argilla,
    chat,
    dailydialog,
    dailydialog_multiref,
    dailydialog_multiref_ratings,
    dailydialog_plusplus,
    datasets_folder,
    delimited,
    dstc7,
    dstc7_ratings,
    grade,
    grade_ratings,
    json_table,
    jsonl,
    label_studio,
    mturk,
    parquet,
    potato,
    qualtrics,
    text,
    wmt_files,
)
from rejoinder.tables.formats.format_choice import formats_of, in_folder, refuse_published
from rejoinder.tables.logs import batch_output, deepeval, inspect_ai, lm_eval, promptfoo, wmt
from rejoinder.tables.origin import Draft, Origin, TestSetDraft

FORMATS: tuple[Format, ...] = (
    dailydialog.FORMAT,
    dailydialog_multiref.FORMAT,
    dailydialog_multiref_ratings.FORMAT,
    dailydialog_plusplus.FORMAT,
    dstc7.FORMAT,
    dstc7_ratings.FORMAT,
    grade.FORMAT,
    grade_ratings.FORMAT,
    mturk.FORMAT,
    label_studio.FORMAT,
    label_studio.FLAT,
    potato.FORMAT,
    argilla.FORMAT,
    qualtrics.FORMAT,
    lm_eval.FORMAT,
    inspect_ai.FORMAT,
    batch_output.FORMAT,
    promptfoo.FORMAT,
    deepeval.FORMAT,
    wmt.FORMAT,
    wmt_files.RATED,
    wmt_files.SCORED,
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
"""In the order in which they are recognised: published formats come first, because some of them are JSON
or CSV as well, with other columns. Files of one publication may have one name and other kinds of tables."""

OPTIONS: dict[KindName, str] = {
    "test set": "--format",
    "responses": "--responses-format",
    "ratings": "--ratings-format",
    "preferences": "--preferences-format",
    "scores": "--scores-format",
}
"""By kind of table the option that names the format of its files."""


def formats_for(*kinds: KindName) -> dict[str, Format]:
    """By name the formats that hold one of these kinds of tables."""
    return {each.name: each for each in FORMATS if not each.reads.keys().isdisjoint(kinds)}


_OF_TEXTS = formats_for("test set", "responses")


def formats_like(kind: KindName) -> dict[str, Format]:
    """The formats among which one is chosen: a test set and responses have theirs in common."""
    return _OF_TEXTS if kind in ("test set", "responses") else formats_for(kind)


def choose(
    paths: Sequence[Path], name: str | None, kind: KindName, columns: ColumnMapping | None = None
) -> Format:
    """The format of these paths: the one named, or the first that recognises all of them.

    Raises:
        InputError: no format recognises a path, two paths are of different formats, or the format
            holds no table of this kind.
        ParameterError: there is no format of that name, or it knows its columns and the user names
            some.
    """
    every, option = formats_like(kind), OPTIONS[kind]
    tables = {each.name: each for each in every.values() if each.part is not None}
    named = [columns is not None and columns.of_file(path) is not None for path in paths]
    formats: list[Format] = []
    for path, is_named in zip(paths, named, strict=True):
        if name is None and is_named:
            refuse_published(path, every, tables)
        elif name is None and every is _OF_TEXTS and jsonl.holds_our_testset(path):
            formats.append(jsonl.FORMAT)
            continue
        formats += formats_of([path], name, tables if is_named and name is None else every, option)
    chosen = formats[0]
    for path, other in zip(paths, formats, strict=True):
        if other is not chosen:
            raise InputError(
                f"{path}: format '{other.name}', but {paths[0]} is '{chosen.name}'; the files of "
                f"one {kind} share one format; choose it with {option}"
            )
    if any(named) and chosen.part is None:
        raise ParameterError(
            f"columns: the format '{chosen.name}' knows its columns; expected one of "
            f"{one_of(tables)}; leave columns out, or choose one of these with {option}"
        )
    if kind not in chosen.reads:
        raise InputError(
            f"{paths[0]}: the format '{chosen.name}' holds no {kind}; expected one of the formats "
            f"that do: {one_of(formats_for(kind))}"
        )
    return chosen


def read_table(path: Path, kind: KindName, name: str | None, asked: Asked) -> Any:
    """A table of a path, not yet validated; see ``choose`` for what it raises.

    Args:
        path: A file or folder.
        kind: What is read.
        name: The name of its format; None: recognised.
        asked: What the reader is asked for besides.
    """
    if name is None and kind != "preferences":
        path = in_folder(path, kind, formats_like(kind))
    # One mapping may be for all files of a command: in files of scores of other formats it is not used.
    columns = None if kind in ("scores", "preferences") else asked.columns
    return choose([path], name, kind, columns).reads[kind](path, asked)


def read_items(
    paths: Sequence[Path], name: str | None, columns: ColumnMapping | None
) -> TestSetDraft:
    """The test set in these paths, not yet validated; see ``choose`` for what it raises.

    Of a folder of logs it is that of the first one: all of them answered it.
    """
    paths = [logs_in(path, name)[0] for path in paths]
    paths = [in_folder(path, "test set", _OF_TEXTS) if name is None else path for path in paths]
    return choose(paths, name, "test set", columns).reads["test set"](paths, Asked(columns))


def read_replies(
    path: Path, name: str | None, columns: ColumnMapping | None, ids: Sequence[str] | None
) -> Draft:
    """The replies in a path, of a folder of logs those of all; see ``choose`` for what it raises."""
    several = logs_in(path, name)
    if len(several) > 1:
        return _of_all([read_replies(each, name, columns, ids) for each in several], path)
    return read_table(path, "responses", name, Asked(columns, ids))


def holds_all(path: Path, name: str | None, columns: ColumnMapping | None) -> bool:
    """Whether one path holds prompts, references and replies, and so needs no other.

    Raises:
        InputError: no format recognises it.
        ParameterError: there is no format of that name.
    """
    path = logs_in(path, name)[0]
    chosen = choose([path], name, "test set", columns)
    roles = roles_in(path, chosen, columns)
    return chosen.holds_all(path) if roles is None else roles.holds_all


def is_log(path: Path, name: str | None) -> bool:
    """Whether a path is a log of an evaluation tool, with the replies of its own system.

    Raises:
        InputError: no format recognises it.
        ParameterError: there is no format of that name.
    """
    return path.is_file() and choose([path], name, "responses").is_log


def logs_in(path: Path, name: str | None = None) -> list[Path]:
    """The logs of a folder that holds several logs of one tool and nothing else; else the path itself.

    Args:
        path: A file or folder.
        name: The format of the logs; None: they are recognised.
    """
    if not path.is_dir() or any(each.recognise(path, b"") for each in _OF_TEXTS.values()):
        return [path]
    files = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    try:
        formats = {choose([each], name, "responses").name for each in files}
        whole = len(formats) == 1 and all(is_log(each, name) for each in files)
    except (InputError, ParameterError):
        return [path]
    return files if whole else [path]


def _of_all(drafts: Sequence[Draft], folder: Path) -> Draft:
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
    return Draft(pl.concat([each.frame for each in drafts], how="diagonal"), origin)


def columns_of_replies(path: Path, name: str | None, columns: ColumnMapping | None) -> set[str]:
    """The columns of a table of replies, under our names; none for a format that knows its own.

    Raises:
        InputError: no format recognises it.
        ParameterError: there is no format of that name.
    """
    path = in_folder(path, "responses", _OF_TEXTS) if name is None else path
    chosen = choose([path], name, "responses", columns)
    roles = roles_in(path, chosen, columns)
    return {roles.renames.get(each, each) for each in roles.columns} if roles else set()


def roles_in(path: Path, chosen: Format, columns: ColumnMapping | None) -> Roles | None:
    """What the columns of a file are used as; None for a format that knows its own."""
    return None if chosen.part is None else roles_of_part(chosen.part(path), columns)
