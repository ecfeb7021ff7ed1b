"""Files that are read: each is opened once, however often it is looked into.

To recognise a format, to see which columns there are, to read the rows and to hash the content, one file
is looked into many times. Within ``keeping_sources`` its bytes are read when somebody first asks for
them, and everybody after that is served from memory.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from rejoinder.files import pipes

ROOM = 1 << 30
"""Bytes of files that are kept at once; beyond them files are opened again if need be."""

QUERIES: dict[str, str] = {}
"""By the file of the rows of a query of a database the query, as the user gave it."""

_T = TypeVar("_T")

_Key: TypeAlias = tuple[int, int, int, int]


class Source:
    """A file as it was when it was first looked into.

    Attributes:
        path: Where it lies.
        size: How many of its bytes are in memory.
        cache: What was made of its bytes, by a key of who made it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.cache: dict[Hashable, Any] = {}
        self._data: bytes | None = None
        self._digest: str | None = None

    def data(self) -> bytes:
        """All its bytes.

        Raises:
            OSError: It cannot be read.
        """
        if self._data is None:
            self._data = self.path.read_bytes()
            self.size = len(self._data)
        return self._data

    def digest(self, keep: bool = False) -> str:
        """The SHA-256 of its bytes, 64 hexadecimal digits.

        Args:
            keep: Keep the bytes, where they have to be read for it.

        Raises:
            OSError: It cannot be read.
        """
        import hashlib  # where a digest is wanted

        if self._digest is None and (keep or self._data is not None):
            self._digest = hashlib.sha256(self.data()).hexdigest()
        if self._digest is None:
            with self.path.open("rb") as file:
                self._digest = hashlib.file_digest(file, "sha256").hexdigest()
        return self._digest

    def release(self) -> None:
        """Lets go of the bytes and of what was made of them; their digest stays."""
        self.cache.clear()
        if self._data is not None:
            self.digest()
            self._data, self.size = None, 0


_DIGESTS: dict[_Key, str] = {}
_KEPT: ContextVar[dict[_Key, Source] | None] = ContextVar("sources", default=None)


@contextmanager
def set_within(variable: ContextVar[_T], value: _T) -> Iterator[None]:
    """Within it a variable of the context has this value."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


@contextmanager
def keeping_sources() -> Iterator[None]:
    """Within it every file is read once. A command is one such stretch, or else a call that reads."""
    if _KEPT.get() is not None:
        yield
        return
    with set_within(_KEPT, {}):
        yield


def release_sources() -> None:
    """Lets go of the bytes of all files: what was to be read has been, and long work begins."""
    for each in (_KEPT.get() or {}).values():
        each.release()


def cached(path: Path, key: Hashable, make: Callable[[], _T]) -> _T:
    """What was made of a file, a folder or a pipe: within ``keeping_sources`` it is made once.

    Args:
        path: The file.
        key: What is made of it.
        make: Makes it.

    Raises:
        OSError: There is no such file.
    """
    cache = _with_room(path, path.stat()).cache
    if key not in cache:
        cache[key] = make()
    return cache[key]


def data_of(path: Path) -> bytes:
    """All bytes of a file, or of what was taken from a pipe.

    Raises:
        OSError: It cannot be read.
    """
    status = path.stat()
    if pipes.is_pipe(status):
        return pipes.taken(status)
    return _with_room(path, status).data()


def head_of(path: Path, size: int) -> bytes:
    """The first bytes of a file, or of what was taken from a pipe.

    Raises:
        OSError: It cannot be read.
    """
    status = path.stat()
    if _are_kept(status, ROOM >> 4) or not stat.S_ISREG(status.st_mode):
        return data_of(path)[:size]
    with path.open("rb") as file:
        return file.read(size)


def tail_of(path: Path, size: int) -> bytes:
    """The last bytes of a file, or of what was taken from a pipe.

    Raises:
        OSError: It cannot be read.
    """
    status = path.stat()
    if _are_kept(status, ROOM >> 4) or not stat.S_ISREG(status.st_mode):
        return data_of(path)[-size:]
    with path.open("rb") as file:
        file.seek(max(0, status.st_size - size))
        return file.read(size)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, or of what was taken from a pipe, 64 hexadecimal digits.

    Raises:
        OSError: It cannot be read.
    """
    status = path.stat()
    if pipes.is_pipe(status):
        import hashlib

        return hashlib.sha256(pipes.taken(status)).hexdigest()
    if status.st_size > ROOM >> 4:  # of what is larger than a table a worker asks in each shard
        key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if key not in _DIGESTS:
            _DIGESTS[key] = _with_room(path, status).digest()
        return _DIGESTS[key]
    return _with_room(path, status).digest(keep=_are_kept(status))  # who asks reads it too


def _are_kept(status: os.stat_result, most: int = ROOM) -> bool:
    """Whether the bytes of a file are kept once they are read."""
    return _KEPT.get() is not None and status.st_size <= most


def _with_room(path: Path, status: os.stat_result) -> Source:
    """The source of a file: within ``keeping_sources`` the same one while the file stays as it is."""
    kept = _KEPT.get()
    if kept is None or status.st_size > ROOM:
        return Source(path)
    # The time of a pipe is that of the last who read it.
    time = 0 if pipes.is_pipe(status) else status.st_mtime_ns
    key = (status.st_dev, status.st_ino, status.st_size, time)
    source = kept.setdefault(key, Source(path))
    if not source.size and sum(each.size for each in kept.values()) + status.st_size > ROOM:
        release_sources()
    return source


def with_queries(text: str) -> str:
    """A text in which queries are in the place of their files of rows."""
    for file, query in QUERIES.items():
        text = text.replace(file, query)
    return text
