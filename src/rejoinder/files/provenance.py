"""What a written file was made of, kept beside it: ``FILE.provenance.json``; of a folder, in it.

The record stands in a file of its own, in every format alike, so that what other programs read stays
as it is to the last byte. It holds the SHA-256 of the file and of every input, the command, signatures,
the number of rows, and the notes about what was left out; and a checksum of itself. Paths are relative to
the folder of the record, so that a folder with files and records can be moved. There is no time in it:
the same command on the same files writes the same record.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError
from rejoinder.files import pipes
from rejoinder.files.checksums import with_checksum, without_checksum
from rejoinder.files.content import digest_of_files, visible_files
from rejoinder.files.queries import query_of
from rejoinder.files.reading import STANDARD_INPUT
from rejoinder.files.replacing import write_file
from rejoinder.files.sources import digest_of

SUFFIX = ".provenance.json"
FORMAT = "rejoinder_provenance"
"""The key that every record begins with; its value is the version of the format."""
VERSION = 1
_SECRETS = (
    re.compile(
        r"(?i)(?<!\w)((?:api[_-]?key|(?:access|auth)[_-]?token|token|(?:client[_-]?)?secret|password)=)"
        r"[^\s;&#,|'\"]+"
    ),
    re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]{6,}"),
    re.compile(r"\b(sk-)[\w-]{16,}"),
)
"""Where a key of a server may stand in a text: its name, or what is before it, is the first group."""
_TYPES: dict[str, Any] = {
    "content": str | None, "files": list | None, "ratings": str | None, "command": list, "notes": list,
    "signatures": dict, "inputs": list,
}  # fmt: skip
_INPUT: dict[str, Any] = {"as": str, "name": str, "path": str | None, "content": str | None}
"""What is read of a record, and of each input in it, and the types of its values."""
_LONGEST = 255 - len(SUFFIX)  # bytes of a name beside which a record fits


def record_path(path: str | os.PathLike[str]) -> Path:
    """Where the record of a file stands: beside it, its name and ``.provenance.json``.

    That of a folder stands in it, hidden, so that it moves with the folder and does not count among its
    files.

    >>> record_path("out/weighed.jsonl").as_posix()
    'out/weighed.jsonl.provenance.json'
    """
    path = Path(path)
    if path.is_dir():
        return path / SUFFIX
    name = path.name
    if len(os.fsencode(name)) > _LONGEST:
        name = f"{name[:40]}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"
    return path.parent / f"{name}{SUFFIX}"


def is_record(path: str | os.PathLike[str]) -> bool:
    """Whether a path has the name of a record."""
    return Path(path).name.endswith(SUFFIX)


def content_of(path: str | os.PathLike[str], names: Collection[str] | None = None) -> str | None:
    """The SHA-256 of a file, 64 hexadecimal digits; of a folder that of the names and hashes of its files.

    Hidden files of a folder and records do not count. None where nothing can be read.

    Args:
        path: The file or folder; ``-`` is standard input, as far as it was read.
        names: The files of the folder that count; None: all.
    """
    place = STANDARD_INPUT if str(path) == "-" else Path(path)
    try:
        if place.is_dir():
            return _folder_content(place, names)
        if place.is_file() or pipes.is_pipe(place.stat()):
            return digest_of(place)
    except OSError:
        return None
    return None


def _folder_content(folder: Path, names: Collection[str] | None) -> str:
    if names is not None:
        return digest_of_files({name: folder / name for name in sorted(names)})
    files = visible_files(folder).items()
    return digest_of_files({name: file for name, file in files if not is_record(file)})


def relative_path(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> str | None:
    """A path as seen from a folder, a query as it is; None where it would name the user's home.

    >>> relative_path("/data/corpus.txt", "/data/out")
    '../corpus.txt'
    """
    if query := query_of(path):
        return without_secrets(query)
    full, start = os.path.abspath(path), os.path.abspath(folder)
    try:
        seen = os.path.relpath(full, start)
        above = os.path.commonpath([full, start])
    except ValueError:  # two drives
        return None
    home = str(Path.home())
    if _within(full, home) and not _within(above, home):
        return None
    return seen


def _within(path: str, folder: str) -> bool:
    return folder != os.sep and os.path.commonpath([path, folder]) == folder


def without_secrets(text: str) -> str:
    """A text without the user and password of a web address, without its query, and without the home.

    In the place of a key, a token or a password (``api_key=``, ``Bearer``) it has ``***``.

    >>> without_secrets("https://ann:pw@example.org/v1?key=7#gpt")
    'https://example.org/v1#gpt'
    """
    text = re.sub(r"(\w+://)[^/?#\s]*@", r"\1", text)  # a password may hold an @
    text = re.sub(r"(\w+://[^\s?#]*)\?[^\s#]*", r"\1", text)
    for secret in _SECRETS:
        text = secret.sub(r"\1***", text)
    home = str(Path.home())
    return re.sub(rf"{re.escape(home)}(?=/|$|\b)", "~", text) if home != os.sep else text


def write_record(path: str | os.PathLike[str], record: Mapping[str, Any]) -> None:
    """Writes the record of a file, whole or not at all.

    Args:
        path: The file or folder that the record is of.
        record: What is to be kept, in JSON's types.

    Raises:
        InputError: It cannot be written, or another file stands in its place.
    """
    check_record_target(path)
    whole = with_checksum({FORMAT: VERSION, **record})
    text = json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    write_file(record_path(path), text.encode("utf-8", "replace"))


def check_record_target(path: str | os.PathLike[str]) -> None:
    """Raises an InputError where something that is no record stands in the place of one."""
    place = record_path(path)
    if place.is_dir():
        raise InputError(
            f"{place}: is a folder; the record of {Path(path).name} goes there; move it"
        )
    try:
        first = place.read_bytes()[: len(FORMAT) + 16] if place.is_file() else b""
    except OSError:
        return
    if first.strip() and f'"{FORMAT}"'.encode() not in first:
        raise InputError(
            f"{place}: a file of other content stands where the record of {Path(path).name} goes; move "
            "it, or name another output"
        )


def read_record(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """The record of a file; None where it has none.

    Raises:
        InputError: The record is damaged, or of a later version.
    """
    place = record_path(path)
    if not place.exists():
        return None
    try:
        text = place.read_bytes()
    except OSError as error:
        raise _damaged(place, error) from None
    return parsed_record(text, place)


def parsed_record(text: bytes, place: Path) -> dict[str, Any]:
    """The record of a JSON text, without its checksum.

    Args:
        text: The text.
        place: The file that holds it, for messages.

    Raises:
        InputError: The record is damaged, or of a later version.
    """
    try:
        record = without_checksum(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(place, error) from None
    version = record.get(FORMAT)
    if isinstance(version, int) and version > VERSION:
        raise InputError(
            f"{place}: a record of version {version}; expected {VERSION}; it was written by a later "
            "version of Rejoinder: install that"
        )
    if version != VERSION or not _is_sound(record):
        raise _damaged(place, "it is no record of Rejoinder")
    return record


def _damaged(place: Path, why: object) -> InputError:
    return InputError(
        f"{place}: the record is damaged: {why}; write the file again by its command, or remove the record"
    )


def _is_sound(record: Mapping[str, Any]) -> bool:
    """Whether a record has what is read of it, in its types."""
    if not _has({"files": None, "ratings": None, **record}, _TYPES):
        return False
    words = (*record["command"], *(record.get("files") or ()))
    return all(isinstance(each, str) for each in words) and all(
        isinstance(each, dict) and _has(each, _INPUT) for each in record["inputs"]
    )


def _has(value: Mapping[str, Any], types: Mapping[str, Any]) -> bool:
    return types.keys() <= value.keys() and all(
        isinstance(value[name], kind) for name, kind in types.items()
    )
