"""Files and folders, written whole or not at all: under a temporary name first, then renamed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rejoinder.errors import InputError, one_of


def check_target(
    path: str | os.PathLike[str], suffixes: Collection[str] = (), otherwise: str = ""
) -> None:
    """Raises an InputError where a file cannot be written: before the work, not after it.

    Args:
        path: The file to write.
        suffixes: The suffixes that it may have; none for any.
        otherwise: How to get another format, for the message about a wrong suffix.
    """
    suffix = Path(path).suffix.lower()
    if suffixes and suffix not in suffixes:
        remedy = f"; {otherwise}" if otherwise else ""
        raise InputError(f"{path}: got the suffix '{suffix}', expected {one_of(suffixes)}{remedy}")
    final = Path(os.path.realpath(path))  # a link keeps pointing to where it did
    if final.is_dir():
        raise InputError(f"{path}: is a folder; expected the name of a file to write")
    if final.exists() and not final.is_file():
        raise InputError(f"{path}: is neither a file nor free; name a file to write")
    if not final.parent.is_dir():
        raise InputError(f"{path}: there is no folder {final.parent.name!r}; make it first")
    if not os.access(final.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path}: its folder cannot be written to; choose another place")


def check_folder_target(path: str | os.PathLike[str]) -> None:
    """Raises an InputError where a folder cannot be made or written to: before the work.

    Args:
        path: The folder, which may be new, and so may those above it.
    """
    place = Path(os.path.realpath(path))
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise InputError(f"{path}: {place.name} is a file; expected a folder; name another place")
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{path}: {place} cannot be written to; choose another place")


def made_folder(path: str | os.PathLike[str], remedy: str = "choose another place") -> Path:
    """Makes a folder, and those above it, where there is none; a link to none yet stays a link.

    Raises:
        InputError: It cannot be made.
    """
    try:
        Path(os.path.realpath(path)).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(f"{path}: the folder cannot be made: {why}; {remedy}") from error
    return Path(path)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path in the same folder, which takes the place of ``path`` when all went well.

    What was there stays as it was if the body raises, or is interrupted. A symbolic link stays, and
    the file that it points to is replaced. Of two processes that write the same file at once, the
    last one to finish wins; the file is whole in between, too.

    Raises:
        InputError: The path cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replacing(Path(folder, "a.txt")) as temporary:
        ...         _ = temporary.write_text("whole")
        ...     [p.name for p in Path(folder).iterdir()]
        ['a.txt']
    """
    check_target(path)
    final = Path(os.path.realpath(path))
    temporary = beside(final, "part")
    try:
        yield temporary
        to_disk(temporary)
        os.replace(temporary, final)
    except OSError as error:
        why = failure(error)
        raise InputError(f"{path}: cannot be written: {why}; choose another place") from error
    finally:
        _remove(temporary)


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Writes a file, whole or not at all; a text in UTF-8, its line ends as they are.

    Raises:
        InputError: The path cannot be written.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


def write_json(path: Path, value: Any, sort_keys: bool = False) -> None:
    """Writes a value as JSON, whole or not at all; without numbers that JSON does not have.

    Args:
        path: The file.
        value: What is written.
        sort_keys: Whether keys are written in alphabetical order.
    """
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys)
    write_file(path, f"{text}\n")


def beside(final: Path, suffix: str) -> Path:
    """A new hidden name in the same folder: ``.<name>.<process>-<random>.<suffix>``.

    Nobody can foresee it: in a shared folder a link of another user could stand there, and where
    every command is process 7 of its container, so could what a killed one left.
    """
    return final.with_name(f".{_short(final.name)}.{os.getpid()}-{secrets.token_hex(4)}.{suffix}")


def _short(name: str) -> str:
    """A name of at most 50 characters; of a longer one the beginning, and a hash of the whole."""
    if len(name) <= 50:
        return name
    return f"{name[:37]}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:12]}"


def remove_parts(folder: Path, name: str | None = None) -> None:
    """Removes what killed runs left half-written in a folder (names of ``beside``).

    Only for who keeps other runs from writing there.

    Args:
        folder: Where.
        name: Of the file or folder that was written; None: of any.
    """
    known = r".+" if name is None else re.escape(_short(name))
    ours = re.compile(rf"\.{known}\.\d+(-[0-9a-f]{{8}})?\.part")
    for path in folder.iterdir() if folder.is_dir() else ():
        if not ours.fullmatch(path.name):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            _remove(path)


def failure(error: Exception) -> str | None:
    """Why a file could not be written, in the words of the operating system; None: for no such reason.

    safetensors raises an error of its own, with the number of the system's error in the text.

    >>> failure(OSError(28, "No space left on device"))
    'No space left on device'
    >>> failure(ValueError("Error while serializing: I/O error: No space left (os error 28)"))
    'No space left on device'
    >>> failure(ValueError("no column 'a'"))
    """
    number = re.search(r"\(os error (\d+)\)", str(error))
    if number is not None:
        return os.strerror(int(number[1]))
    return (error.strerror or str(error)) if isinstance(error, OSError) else None


def to_disk(path: Path) -> None:
    """Waits until a file lies on the disk: some file systems say only then that they are full."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _remove(path: Path) -> None:
    # On a disk that has become read-only nothing can be removed; the first error is the one to tell.
    with suppress(OSError):
        path.unlink(missing_ok=True)


@contextmanager
def whole_folder(
    path: str | os.PathLike[str], is_there: Callable[[Path], bool] = lambda _: False
) -> Iterator[Path]:
    """A temporary folder, which becomes ``path`` when the body has ended well, and otherwise vanishes.

    Args:
        path: The folder, which is not there yet, or is empty; the folders above it are made.
        is_there: Whether a folder that another process has made meanwhile serves as well.

    Raises:
        InputError: The folder cannot be made or written.
    """
    check_folder_target(path)
    final = Path(os.path.realpath(path))
    temporary = beside(final, "part")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        try:
            os.rename(temporary, final)
        except OSError:
            if not is_there(final):
                raise
    except OSError as error:
        raise InputError(
            f"{path}: the folder cannot be written: {failure(error)}; choose another place"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_texts(path: str | os.PathLike[str], texts: Mapping[str, str]) -> None:
    """Writes a new folder of text files, by their path within it.

    Raises:
        InputError: The folder cannot be made or written, or is not empty.
    """
    with whole_folder(path) as folder:
        for name, text in texts.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            write_file(place, text)
