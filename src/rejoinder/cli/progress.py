"""Signs of life on standard error, for what takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

PATIENCE = 2.0
"""Seconds before anything is shown."""

PACE = {True: 0.2, False: 15.0}
"""Seconds between two signs: on a terminal, where a line is redrawn, and in a log."""


PREPARING = "preparing kernels, once on this machine"
"""Said of the first run, which compiles what later ones find ready."""


def prepares(since: float) -> bool:
    """Whether machine code is being made: there is none yet, or some was made since then."""
    ahead = sys.modules.get("rejoinder.kernels.ahead")
    if ahead is None:
        return False
    place = ahead.folder()
    if place is None:  # nothing is kept: every process compiles
        return True
    try:
        made = [path.stat().st_mtime for path in place.glob("rejoinder.kernels.*.o")]
    except OSError:  # another process may take an old one away
        return False
    return not made or max(made) >= since


class Progress:
    """Shows what is being done, for how long, and how much of it.

    >>> with Progress("measuring") as tick:
    ...     tick(1, 2)
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.done = 0
        self.total = 0
        self.shown = False
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Progress:
        self.started = time.monotonic()
        self.began = time.time()
        self.watcher.start()
        return self

    def __call__(self, done: int, total: int) -> None:
        """Notes that ``done`` of ``total`` is done."""
        self.done, self.total = done, total

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over.set()
        self.watcher.join()
        if self.shown and sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def _watch(self) -> None:
        wait = PATIENCE
        while not self.over.wait(wait):
            self.shown = True
            terminal = sys.stderr.isatty()
            share = f" {100 * self.done // self.total}%" if self.total else ""
            seconds = time.monotonic() - self.started
            what = self.what if self.done or not prepares(self.began) else PREPARING
            line = f"rejoinder: {what}{share} ({seconds:.0f} s)"
            sys.stderr.write(f"\r\033[K{line}" if terminal else f"{line}\n")
            sys.stderr.flush()
            wait = PACE[terminal]
