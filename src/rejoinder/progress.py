"""What reports how far a computation is, and whether a run waits for a busy server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias, TypeVar

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of steps done and the number of all steps."""

Report: TypeAlias = Callable[[int, int, str], None]


"""Called with the number of steps done, the number of all steps, and what is being done."""


def advance(progress: Progress | None, done: int, total: int) -> None:
    """Tells how far a computation is, where somebody asks.

    Args:
        progress: Called with the two numbers; None: nobody asks.
        done: What is done.
        total: Number of all steps, as in `Progress`.
    """
    if progress is not None:
        progress(done, total)


WHOLE = 1000
"""The steps of a computation that is watched, of which each of its loops has a part."""

Item = TypeVar("Item")


class _Part(NamedTuple):
    """What of a watched computation the running step is: where it begins, and its share of the whole."""

    progress: Progress
    begin: float = 0.0
    share: float = 1.0


_WATCHED: ContextVar[_Part | None] = ContextVar("watched", default=None)


@contextmanager
def watched(progress: Progress | None) -> Iterator[None]:
    """Within the body every loop over `steps` says how far it is; None leaves it to who watches already."""
    before = _WATCHED.get()
    _WATCHED.set(before if progress is None else _Part(progress))
    try:
        yield
    finally:
        _WATCHED.set(before)


@contextmanager
def share(begin: float, end: float) -> Iterator[None]:
    """Within the body, loops are this share of the step around it: from ``begin`` to ``end`` of 0 to 1."""
    part = _WATCHED.get()
    if part is None:
        yield
        return
    inner = part._replace(begin=part.begin + begin * part.share, share=(end - begin) * part.share)
    _WATCHED.set(inner)
    try:
        yield
    finally:
        _WATCHED.set(part)


def steps(
    items: Iterable[Item], total: int, size: Callable[[Item], int] = lambda _: 1
) -> Iterator[Item]:
    """The items, of which each is a part of the step around it, where somebody watches.

    Args:
        items: What a loop goes through.
        total: How many they are.
        size: As how many of them an item counts.

    >>> shown = []
    >>> with watched(lambda done, total: shown.append(done)):
    ...     for outer in steps("ab", 2):
    ...         _ = list(steps("xy", 2)) if outer == "a" else None
    >>> shown
    [250, 500, 500, 1000]
    """
    part = _WATCHED.get()
    if part is None:
        yield from items
        return
    done = 0
    try:
        for item in items:
            number = size(item)
            with share(done / total, (done + number) / total):
                yield item
            done += number
            part.progress(round(WHOLE * (part.begin + part.share * done / total)), WHOLE)
    finally:
        _WATCHED.set(part)  # where the loop was left before its end


class ServerWaits:
    """The requests of a run to servers, and which of them wait because a server is busy."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests = 0
        self._until: dict[object, float] = {}  # of each that waits, by time.monotonic

    @contextmanager
    def request(self) -> Iterator[None]:
        """Counts a request while the body asks it."""
        with self._lock:
            self._requests += 1
        try:
            yield
        finally:
            with self._lock:
                self._requests -= 1

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """Notes that a request waits so many seconds while the body does."""
        wait = object()
        with self._lock:
            self._until[wait] = time.monotonic() + seconds
        try:
            yield
        finally:
            with self._lock:
                del self._until[wait]

    def seconds(self) -> float:
        """Seconds until a server is asked again, where every request waits; 0.0 where one does not."""
        with self._lock:
            if not self._until or len(self._until) < self._requests:
                return 0.0
            return max(min(self._until.values()) - time.monotonic(), 0.0)


_WAITS_OF_RUN: ContextVar[ServerWaits | None] = ContextVar("server_waits", default=None)


@contextmanager
def run_with_servers() -> Iterator[ServerWaits]:
    """A run whose servers, those that are opened in the body, report their waits together."""
    waits = ServerWaits()
    before = _WAITS_OF_RUN.set(waits)
    try:
        yield waits
    finally:
        _WAITS_OF_RUN.reset(before)


def waits_of_run() -> ServerWaits:
    """The waits of the current run; those of nothing else outside of any run."""
    return _WAITS_OF_RUN.get() or ServerWaits()
