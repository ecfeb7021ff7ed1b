"""Pipes in the place of files: ``<(command)``, ``/dev/stdin``, a named pipe.

A pipe can be read once, and a file is looked into several times: to recognise its format, to read it.
So a pipe is read wholly into memory when it is named, and served from there.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

from rejoinder.errors import InputError

PATIENCE = 0.5
"""How long to wait, in seconds, for somebody to begin to write into a named pipe."""

# What was read from pipes, by device and inode: a pipe can be read only once.
_CONTENTS: dict[tuple[int, int], bytes] = {}
_NUMBERS: dict[tuple[int, int], int] = {}

_NUMBERED = ("/dev/fd", "/proc/self/fd")
"""Where pipes have numbers in the place of names."""


def is_pipe(status: os.stat_result) -> bool:
    """Whether a path is a pipe; devices are none, because some of them never end."""
    return stat.S_ISFIFO(status.st_mode)


def take(path: Path, status: os.stat_result) -> None:
    """Reads a pipe to its end; its earlier content stays where there is nothing more to read.

    Raises:
        InputError: It cannot be read, or nothing comes from it.
    """
    key = (status.st_dev, status.st_ino)
    try:
        data = _all(path)
    except OSError as error:
        raise InputError(
            f"{path}: a pipe that cannot be read: {error.strerror}; write it to a file first"
        ) from error
    if not data and key not in _CONTENTS:
        raise InputError(
            f"{path}: a pipe from which nothing comes; start the command that writes into it, or "
            "write its output to a file first"
        )
    if data:
        _CONTENTS[key] = data


def taken(status: os.stat_result) -> bytes:
    """What was taken from a pipe, without reading it.

    Raises:
        FileNotFoundError: The pipe was not read.
    """
    content = _CONTENTS.get((status.st_dev, status.st_ino))
    if content is None:
        raise FileNotFoundError("a pipe that was not read")
    return content


def name_of(path: Path) -> str | None:
    """What a pipe without a name of its own is called, ``pipe``, ``pipe 2``, ...; None for any other.

    The shell calls ``<(command)`` by a number that may be another one in the next run.
    """
    if os.fspath(path.parent) not in _NUMBERED or not path.name.isdecimal():
        return None
    status = path.stat()
    if not is_pipe(status):
        return None
    number = _NUMBERS.setdefault((status.st_dev, status.st_ino), len(_NUMBERS) + 1)
    return "pipe" if number == 1 else f"pipe {number}"


def _all(path: Path) -> bytes:
    place = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        first = _first(place)
        os.set_blocking(place, True)
        rest = [first] if first else []
        while first and (part := os.read(place, 1 << 20)):
            rest.append(part)
        return b"".join(rest)
    finally:
        os.close(place)


def _first(place: int) -> bytes:
    """The first bytes; waits for a writer for a while, and for what he writes as long as it takes."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if part := os.read(place, 1 << 20):
                return part
        except BlockingIOError:  # somebody has opened the pipe to write
            os.set_blocking(place, True)
            return os.read(place, 1 << 20)
        if time.monotonic() > end:
            return b""
        time.sleep(0.02)
