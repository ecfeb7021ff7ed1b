"""What reports how far a computation is, and whether a run waits for a busy server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of steps done and the number of all steps."""

Report: TypeAlias = Callable[[int, int, str], None]


"""Called with the number of steps done, the number of all steps, and what is being done."""


def advance(progress: Progress | None, done: int, total: int) -> None:
    """Tells how far a computation is, where somebody asks."""
    if progress is not None:
        progress(done, total)


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


_OF_RUN: ContextVar[ServerWaits | None] = ContextVar("server_waits", default=None)


@contextmanager
def run_with_servers() -> Iterator[ServerWaits]:
    """A run whose servers, those that are opened in the body, report their waits together."""
    waits = ServerWaits()
    before = _OF_RUN.set(waits)
    try:
        yield waits
    finally:
        _OF_RUN.reset(before)


def waits_of_run() -> ServerWaits:
    """The waits of the current run; those of nothing else outside of any run."""
    return _OF_RUN.get() or ServerWaits()
