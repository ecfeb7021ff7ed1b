"""One run at a time in a folder or a file: locks that end with their process and leave no file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rejoinder.errors import InputError
from rejoinder.files.replacing import made_folder


def lock(place: int, path: Path, kind: str, remedy: str = "name another folder") -> None:
    """Keeps other runs from an open file or folder until it is closed; a killed run lets go of it.

    Args:
        place: The descriptor.
        path: What is open, for the message.
        kind: "file" or "folder".
        remedy: What else can be done than to wait, for the message.

    Raises:
        InputError: Another run has it.
    """
    try:
        import fcntl
    except ImportError:  # Windows, where an open file cannot be replaced anyway
        return
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"{path}: another run writes to this {kind} now; wait until it has ended, or {remedy}"
        ) from None
    except OSError:  # a file system without locks
        return


@contextmanager
def alone(path: Path) -> Iterator[Path]:
    """A folder in which no other run writes until the body ends.

    It is made where there is none, and then goes again if nothing is left in it.

    Raises:
        InputError: Another run writes there; it cannot be made.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, alone(Path(folder, "a")) as place:
        ...     try:
        ...         with alone(place):
        ...             pass
        ...     except InputError as error:
        ...         print(str(error).replace(str(place), "a"))
        a: another run writes to this folder now; wait until it has ended, or name another folder
    """
    new = not path.exists()
    place = _locked(path)
    try:
        yield path
    finally:
        if new and (place is None or _is_still(place, path)):
            with suppress(OSError):  # something is in it
                path.rmdir()
        if place is not None:
            os.close(place)


def _locked(path: Path) -> int | None:
    """The descriptor of a folder that is locked; None where folders cannot be opened (Windows)."""
    while True:
        made_folder(path)
        if os.name == "nt":
            return None
        try:
            place = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue
        try:
            lock(place, path, "folder")
        except BaseException:
            os.close(place)
            raise
        # A run that ended in between may have removed the folder that was opened.
        if _is_still(place, path):
            return place
        os.close(place)


def _is_still(place: int, path: Path) -> bool:
    """Whether the folder that was opened is the one that stands there."""
    try:
        return os.path.samestat(os.fstat(place), path.stat())
    except OSError:
        return False
