"""The content of files and folders as a hash: equal content has the same one, wherever it lies."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from rejoinder.errors import InputError
from rejoinder.files.sources import digest_of

Stamp: TypeAlias = tuple[tuple[str, int, int], ...]


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_hash(path: str | os.PathLike[str]) -> str:
    """The first 8 hexadecimal digits of the SHA-256 of all files of a folder, names included.

    It works for the folder of any model, one of ``transformers`` too. Hidden files do not count.

    Raises:
        InputError: There is no such folder, or nothing in it.
    """
    return _folder_digest(path)[:8]


def content_digest(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of the content of a file or a folder, 64 hexadecimal digits, names of files included.

    It is kept as long as the ``stamp`` stays.

    Raises:
        InputError: There is no such file or folder.
    """
    file = file_or_folder(path, "a model or vectors in it")
    return _content_hash(os.path.realpath(file), stamp(file))


def file_or_folder(path: str | os.PathLike[str], holds: str) -> Path:
    """The path of a file or a folder, which is read more than once: for its content and for its hash.

    Args:
        path: The path.
        holds: What the file or folder is to hold, for the message.

    Raises:
        InputError: There is none, or it is a pipe or a device.
    """
    place = Path(path)
    if not place.exists():
        raise InputError(f"{path}: no such file or folder; name one with {holds}")
    if not (place.is_file() or place.is_dir()):
        raise InputError(
            f"{path}: a pipe or a device, which cannot be read twice; write it to a file first"
        )
    return place


def content_hash(path: str | os.PathLike[str]) -> str:
    """8 hexadecimal digits that tell the content of a file or a model's folder, for signatures.

    Raises:
        InputError: There is no such file or folder.
    """
    return content_digest(path)[:8]


@lru_cache(maxsize=64)
def _content_hash(path: str, stamp: Stamp) -> str:
    return _folder_digest(path) if os.path.isdir(path) else sha256(Path(path))


def _folder_digest(path: str | os.PathLike[str]) -> str:
    files = visible_files(Path(path))
    if not files:
        raise InputError(f"{path}: no folder with a model in it")
    return digest_of_files(dict(sorted(files.items())))


def visible_files(folder: Path) -> dict[str, Path]:
    """All files of a folder by their names as seen from it; hidden files and folders do not count.

    They are in the order of their paths, part by part: ``a/b`` before ``a.txt``.
    """
    inside = [(file.relative_to(folder), file) for file in sorted(folder.rglob("*"))]
    return {
        within.as_posix(): file
        for within, file in inside
        if file.is_file() and not any(part[0] == "." for part in within.parts)
    }


def digest_of_files(files: Mapping[str, Path]) -> str:
    """The SHA-256 of the names and the contents of files, in their order, 64 hexadecimal digits."""
    total = hashlib.sha256()
    for name, file in files.items():
        total.update(f"{name}\0{digest_of(file)}\0".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def stamp(path: str | os.PathLike[str]) -> Stamp:
    """Names, sizes and times of a file, or of all files of a folder: what changes when one does."""
    place = Path(path)
    files = sorted(place.rglob("*")) if place.is_dir() else [place]
    stats = [(str(each), each.stat()) for each in files if each.is_file()]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)
