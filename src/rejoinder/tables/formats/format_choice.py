"""Which of several formats a path is of: the one named, or the first that recognises it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.packed import refuse_packed
from rejoinder.files.provenance import is_record
from rejoinder.files.reading import head
from rejoinder.messages import nearest, quoted
from rejoinder.tables.format import Format
from rejoinder.tables.notes import note


def formats_of(
    paths: Sequence[Path], name: str | None, formats: Mapping[str, Format], option: str
) -> list[Format]:
    """The format of each path.

    Args:
        paths: Files or folders.
        name: The format of all of them; None: each is recognised by itself.
        formats: The formats by name, those that are recognised first coming first.
        option: The option that names a format, for messages.

    Raises:
        InputError: No format recognises a path.
        ParameterError: There is no format of that name.
    """
    if name is not None:
        return [_named(name, formats, option)] * len(paths)
    return [_recognised(path, formats, option) for path in paths]


def in_folder(path: Path, what: str, formats: Mapping[str, Format]) -> Path:
    """The file to read of a folder that no format knows: the one called like it, or the only one.

    Args:
        path: A file or folder; a file, and a folder that a format knows, stay as they are.
        what: What is read: ``test set``, ``responses``, ``ratings``, ``preferences`` or ``scores``.
        formats: The formats by name.
    """
    if not path.is_dir() or any(each.recognise(path, b"") for each in formats.values()):
        return path
    try:
        files = sorted(each for each in path.iterdir() if each.is_file())
    except OSError:
        return path
    files = [
        each for each in files if not each.name.lower().startswith(_NO_DATA) and not is_record(each)
    ]
    words = _WORDS[what]
    called = [each for each in files if any(word in each.stem.lower() for word in words)]
    chosen = called if len(called) == 1 else files
    if len(chosen) != 1:
        return path
    note("file of folder", path, file=chosen[0].name)
    return chosen[0]


def refuse_published(
    path: Path, formats: Mapping[str, Format], tables: Mapping[str, Format]
) -> None:
    """Raises where columns are named for a path that is no table of columns.

    Args:
        path: A file or folder.
        formats: The formats by name.
        tables: Those of them whose columns the user may name.

    Raises:
        ParameterError: A format that knows its columns recognises the path, and no table does.
    """
    first = b"" if path.is_dir() else head(path)
    if any(each.recognise(path, first) for each in tables.values()):
        return
    published = next((each.name for each in formats.values() if each.recognise(path, first)), None)
    if published is not None:
        raise ParameterError(
            f"columns (--columns): {path} is of the format {quoted(published)}, whose columns are known; "
            "where the names are those of another file, write them behind it: FILE:NAME=COLUMN"
        )


_NO_DATA = (".", "readme", "license", "licence")
_WORDS = {
    "test set": ("test",),
    "responses": ("responses", "replies", "outputs"),
    "ratings": ("ratings",),
    "preferences": ("preferences", "votes"),
    "scores": ("scores",),
}


def _named(name: str, formats: Mapping[str, Format], option: str) -> Format:
    if name in formats:
        return formats[name]
    close = nearest(name, formats)
    hint = f"; did you mean '{close}'?" if close else ""
    raise ParameterError(f"{option}: got {quoted(name)}; expected {one_of(formats)}{hint}")


def _recognised(path: Path, formats: Mapping[str, Format], option: str) -> Format:
    first = b"" if path.is_dir() else head(path)
    for each in formats.values():
        if each.recognise(path, first):
            return each
    if path.is_dir():
        raise InputError(
            f"{path}: a folder of no format known here; name the files in it ({path}{os.sep}*), or its "
            f"format with {option}: {one_of(formats)}"
        )
    if not first:
        raise InputError(f"{path}: the file is empty (0 bytes); expected at least one row")
    refuse_packed(first, str(path))
    raise InputError(
        f"{path}: cannot tell the format by its suffix and first bytes; say which it is with "
        f"{option}: {one_of(formats)}"
    )
