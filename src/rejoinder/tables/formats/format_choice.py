"""Which format a path is of, and the tables that its reader reads in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError, ParameterError, RejoinderError, one_of
from rejoinder.files.packed import refuse_packed
from rejoinder.files.provenance import is_record
from rejoinder.messages import Argument, nearest, quoted
from rejoinder.tables.assembly.column_mapping import ColumnMapping
from rejoinder.tables.assembly.column_roles import Roles
from rejoinder.tables.assembly.mapped_parts import roles_of_part
from rejoinder.tables.format import Asked, FileHead, Format, FormatName, KindName, name_for
from rejoinder.tables.formats.registry import FORMATS, formats_for
from rejoinder.tables.io.text_lines import marked
from rejoinder.tables.notes import note, set_aside
from rejoinder.tables.parts import TestSetDraft

_WITH_OWN_COLUMNS = {
    each.name: each for each in FORMATS if each.part is None and each.name != "text"
}
_TEXT_FORMATS = formats_for("test set", "responses")
FORMAT = Argument("format")
_NO_DATA = (".", "readme", "license", "licence")
_WORDS = {
    "test set": ("test",),
    "responses": ("responses", "replies", "outputs"),
    "ratings": ("ratings",),
    "preferences": ("preferences", "votes"),
    "scores": ("scores",),
}


_YAML = "YAML; expected a table; write it as JSON (yq -o=json . FILE)"
_NO_REPLIES = (
    "which do not say what replies to what; expected a row for each reply; write JSON Lines with id, context "
    "(a list of turns), system and response"
)
_SUBTITLES = f"subtitles, {_NO_REPLIES}"
_NO_TABLES = {".yaml": _YAML, ".yml": _YAML, ".vtt": _SUBTITLES, ".srt": _SUBTITLES}
"""By suffix why a file is no table, and what to do."""
_OWN_TEXTS = {"test set": ("context", "reference", "references"), "responses": ("text",)}
"""By kind the names that a table of no other kind has, but for one of both."""
_CHANNELS = ("type user text ts", "guild channel messages")
"""The keys of messages that people exchange: in Slack's and Discord's exports."""


class UnknownFormatError(InputError):
    """No format recognises a path."""


class OtherKindError(InputError):
    """A path is of a format that holds no table of a kind."""


def formats_like(kind: KindName) -> dict[str, Format]:
    """The formats among which one is chosen: a test set and responses have theirs in common."""
    return _TEXT_FORMATS if kind in ("test set", "responses") else formats_for(kind)


def choose(
    paths: Sequence[Path], name: FormatName, kind: KindName, columns: ColumnMapping | None = None
) -> Format:
    """The format of these paths: the one named, or the first that recognises all of them.

    Raises:
        InputError: No format recognises a path, two paths are of different formats, or the format
            holds no table of this kind.
        ParameterError: There is no format of that name, or it knows its columns and the user names
            some.
    """
    named = [columns is not None and columns.of_file(path) is not None for path in paths]
    formats = [
        format_of(path, name, kind, has_columns)
        for path, has_columns in zip(paths, named, strict=True)
    ]
    for i, path in enumerate(paths):
        if named[i] and (log := _log_without(path, name, kind, formats[i], columns)):
            note("known columns", str(path), format=log.name)
            formats[i], named[i] = log, False
    chosen = formats[0]
    for path, other in zip(paths, formats, strict=True):
        if other is not chosen:
            raise InputError(
                f"{path}: format '{other.name}', but {paths[0]} is '{chosen.name}'; the files of "
                f"one {kind} share one format; choose it with {FORMAT}"
            )
    if any(named) and chosen.part is None:
        raise ParameterError(
            f"columns: the format '{chosen.name}' knows its columns; expected one of "
            f"{one_of(_tables(kind))}; leave columns out, or choose one of these with {FORMAT}"
        )
    if kind not in chosen.reads:
        raise OtherKindError(
            f"{paths[0]}: the format '{chosen.name}' holds no {kind} ({chosen.description}); it can be read "
            f"as {' or '.join(chosen.reads)}; another format is named with {FORMAT}"
        )
    return chosen


def format_of(path: Path, name: FormatName, kind: KindName, has_columns: bool = False) -> Format:
    """The format of a path, whichever kinds of tables it holds.

    Args:
        path: A file or folder.
        name: The name of its format; None: it is recognised.
        kind: What is to be read.
        has_columns: Whether the user names columns of it, so that it must be a table.

    Raises:
        InputError: No format recognises it.
        ParameterError: There is no format of that name; or columns are named, and only a format that
            knows its columns recognises it.
    """
    every, name = formats_like(kind), name_for(path, name)
    if name in every:
        return every[name]
    if name is not None:
        close = nearest(name, every)
        hint = f"; did you mean '{close}'?" if close else ""
        raise ParameterError(
            FORMAT, f": got {quoted(name)} for {path.name}; expected {_listed(every)}{hint}"
        )
    formats = _tables(kind) if has_columns else every
    head = FileHead.of(path)
    chosen = _first(formats, head)
    if not has_columns and _is_of_channel(head):
        raise InputError(f"{path}: messages of a channel (Slack, Discord), {_NO_REPLIES}")
    if not has_columns and (chosen is None or chosen.part is not None):
        chosen = _format_of_tool(head) or chosen
    if chosen:
        return chosen
    if has_columns and (published := _first(every, head)):
        raise ParameterError(
            f"{Argument('columns')}: {path} is of the format {quoted(published.name)}, whose columns are "
            "known; where the names are those of another file, write them behind it: FILE:NAME=COLUMN"
        )
    if path.is_dir():
        raise UnknownFormatError(
            f"{path}: a folder of no format known here; name the files in it ({path}{os.sep}*), or its "
            f"format with {FORMAT}: {_listed(formats)}"
        )
    if not head.first:
        raise InputError(f"{path}: the file is empty (0 bytes); expected at least one row")
    refuse_packed(head.first, str(path))
    if kind in ("test set", "responses") and (place := marked(path)):
        line, mark = place
        raise UnknownFormatError(
            f"{path}, row {line}: {mark} in a line of plain text, which may be a table or a chat; "
            f"call a table .tsv, or read each line as it stands with {Argument('format', 'text')}"
        )
    if head.suffix in _NO_TABLES:
        raise InputError(f"{path}: {_NO_TABLES[head.suffix]}")
    raise UnknownFormatError(
        f"{path}: cannot tell the format by its suffix and first bytes; say which it is with "
        f"{FORMAT}: {_listed(formats)}"
    )


def _log_without(
    path: Path, name: FormatName, kind: KindName, table: Format, columns: ColumnMapping | None
) -> Format | None:
    """The format of a tool's log in which, read as a table, no column is one of those that the user names.

    They are those of another file, of ratings for instance, where none is misspelt and none says where the
    texts are that are read here.
    """
    log, mapping = format_of(path, name, kind), columns and columns.of_file(path)
    if mapping is None or log.part is not None or table.part is None:
        return None
    if not mapping.sources.keys().isdisjoint(_OWN_TEXTS.get(kind, ())):
        return None
    tops = {source.partition(".")[0] for source in mapping.sources.values()}
    present = table.part(path).frame.columns
    return None if any(nearest(top, present, cutoff=0.75) for top in tops) else log


def nearest_format(path: Path) -> str:
    """Which format a file is of, or what it lacks of the nearest one that knows its columns, for a message.

    The nearest one lacks one column or key of a set by which it is recognised, and has two others;
    empty where there is none.
    """
    head = FileHead.of(path)
    if _is_of_channel(head):
        return ""
    if format := _format_of_tool(head):
        return f"it is of the format {quoted(format.name)} ({format.description})"
    head = head.inside or head
    sets = [
        (format, columns.split())
        for format in _WITH_OWN_COLUMNS.values()
        for shape in format.shapes
        if shape.container == head.container and not set(head.names) & set(shape.unless.split())
        for columns in shape.columns
    ]
    best, sentence = 2, ""
    for format, names in sets:
        absent = [name for name in names if not head.has(name)]
        if len(absent) == 1 and len(names) > best:
            best = len(names)
            sentence = (
                f"it is nearest to the format {quoted(format.name)} ({format.description}), which has "
                f"{quoted(absent[0])} too"
            )
    return sentence


def _format_of_tool(head: FileHead) -> Format | None:
    """The format that knows its columns of a file, or of the list of rows in an object of JSON."""
    format = _first(_WITH_OWN_COLUMNS, head)
    if format is None and (inside := head.inside):
        format = _first(_WITH_OWN_COLUMNS, inside)
    return format


def _is_of_channel(head: FileHead) -> bool:
    return (
        head.container in ("json list", "json object")
        and not {"id", "system"} & set(head.names)  # rows of a table of ours
        and any(map(head.has, _CHANNELS))
    )


def _listed(formats: dict[str, Format]) -> str:
    """The names of formats; those of logs, which are many, stand on a page."""
    named = one_of(name for name, each in formats.items() if not each.is_log)
    logs = any(each.is_log for each in formats.values())
    return named + ", or the log of a tool that docs/formats.md names" * logs


def _tables(kind: KindName) -> dict[str, Format]:
    """The formats whose columns the user may name."""
    return {name: each for name, each in formats_like(kind).items() if each.part is not None}


def _first(formats: dict[str, Format], head: FileHead) -> Format | None:
    return next((each for each in formats.values() if each.recognises(head)), None)


def in_folder(path: Path, kind: KindName) -> Path:
    """The file to read of a folder that no format knows: the one called like it, or the only one.

    Args:
        path: A file or folder; a file, and a folder that a format knows, stay as they are.
        kind: What is read.
    """
    if not path.is_dir() or _first(formats_like(kind), FileHead.of(path)):
        return path
    try:
        files = sorted(each for each in path.iterdir() if each.is_file())
    except OSError:
        return path
    files = [
        each for each in files if not each.name.lower().startswith(_NO_DATA) and not is_record(each)
    ]
    called = [each for each in files if any(word in each.stem.lower() for word in _WORDS[kind])]
    chosen = called if len(called) == 1 else files
    if len(chosen) != 1:
        return path
    note("file of folder", path, file=chosen[0].name)
    return chosen[0]


def read_table(path: Path, kind: KindName, name: FormatName, asked: Asked) -> Any:
    """A table of a path, not yet validated; see ``choose`` for what it raises.

    Args:
        path: A file or folder.
        kind: What is read.
        name: The name of its format; None: recognised.
        asked: What the reader is asked for besides.
    """
    if name_for(path, name) is None and kind != "preferences":
        path = in_folder(path, kind)
    # One mapping may be for all files of a command: in files of scores of other formats it is not used.
    columns = None if kind in ("scores", "preferences") else asked.columns
    return choose([path], name, kind, columns).reads[kind](path, asked)


def read_items(
    paths: Sequence[Path], name: FormatName, columns: ColumnMapping | None
) -> TestSetDraft:
    """The test set in these paths, not yet validated; see ``choose`` for what it raises.

    Of a folder of logs it is that of the first one: all of them answered it.
    """
    paths = [logs_in(path, name)[0] for path in paths]
    paths = [
        in_folder(path, "test set") if name_for(path, name) is None else path for path in paths
    ]
    return choose(paths, name, "test set", columns).reads["test set"](paths, Asked(columns))


def holds_all(path: Path, name: FormatName, columns: ColumnMapping | None) -> bool:
    """Whether one path holds prompts, references and replies, and so needs no other.

    Args:
        path: The file.
        name: The name of the format; None: it is recognised.
        columns: The user's names of columns; None: there are none.

    Raises:
        InputError: No format recognises it.
        ParameterError: There is no format of that name.
    """
    path = logs_in(path, name)[0]
    try:
        chosen = choose([path], name, "test set", columns)
    except OtherKindError:
        return False
    roles = roles_in(path, chosen, columns)
    return chosen.holds_all(path) if roles is None else roles.holds_all


def is_log(path: Path, name: FormatName) -> bool:
    """Whether a path is a log of an evaluation tool, with the replies of its own system.

    Raises:
        InputError: No format recognises it.
        ParameterError: There is no format of that name.
    """
    return path.is_file() and choose([path], name, "responses").is_log


def logs_in(path: Path, name: FormatName = None) -> list[Path]:
    """The logs of a folder that holds several logs of one tool and nothing else; else the path itself.

    Args:
        path: A file or folder.
        name: The format of the logs; None: they are recognised.
    """
    if not path.is_dir() or _first(_TEXT_FORMATS, FileHead.of(path)):
        return [path]
    name = name_for(path, name)
    files = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    try:
        formats = {choose([each], name, "responses").name for each in files}
        whole = len(formats) == 1 and all(is_log(each, name) for each in files)
    except (InputError, ParameterError):
        return [path]
    return files if whole else [path]


def columns_in(path: Path) -> list[str]:
    """The columns of a table as they stand in the file; none where it cannot be told or read."""
    try:
        chosen = format_of(path, None, "responses", has_columns=True)
        with set_aside():
            return chosen.part(path).frame.columns if chosen.part else []
    except RejoinderError:
        return []


def columns_of_replies(path: Path, name: FormatName, columns: ColumnMapping | None) -> set[str]:
    """The columns of a table of replies, under our names; none for a format that knows its own.

    Args:
        path: The file.
        name: The name of the format; None: it is recognised.
        columns: The user's names of columns; None: there are none.

    Raises:
        InputError: No format recognises it.
        ParameterError: There is no format of that name.
    """
    path = in_folder(path, "responses") if name_for(path, name) is None else path
    chosen = choose([path], name, "responses", columns)
    roles = roles_in(path, chosen, columns)
    return {roles.renames.get(each, each) for each in roles.columns} if roles else set()


def roles_in(path: Path, chosen: Format, columns: ColumnMapping | None) -> Roles | None:
    """What the columns of a file are used as; None for a format that knows its own.

    Args:
        path: The file.
        chosen: The format of the file.
        columns: The user's names of columns; None: there are none.
    """
    return None if chosen.part is None else roles_of_part(chosen.part(path), columns)
