"""Signs of life on standard error, for what takes longer than two seconds."""

from __future__ import annotations

import math
import sys
import threading
import time
from types import TracebackType

from rejoinder.cli.terminal.speech import is_quiet, own_stderr
from rejoinder.files.sources import release_sources
from rejoinder.progress import waits_of_run, watched
from rejoinder.visible import visible

PATIENCE = 2.0
"""Seconds before anything is shown."""

PACE = {True: 0.2, False: 15.0}
"""Seconds between two signs: on a terminal, where a line is redrawn, and at first in a log."""

SLOWER, SLOWEST = 0.05, 300.0
"""In a log the pause grows to this share of the time so far, but to so many seconds at most, so that
the log of a long run stays short."""

READING = "reading"
"""What is done while files are read."""

PREPARING = "compiling for this machine; later runs find it ready"
"""Said while the first run compiles what later ones find ready."""

_PREPARES = threading.Event()
"""Whether a log has this line already: it is written once in a run."""


def prepares() -> bool:
    """Whether a kernel is being compiled at this moment."""
    ahead = sys.modules.get("rejoinder.kernels.ahead")
    return ahead is not None and ahead.compiling.is_set()


class Progress:
    """Shows what is being done, for how long, and how much of it: on a terminal, and in a log.

    Args:
        what: What is being done, e.g. ``replying``; it may be changed at any time.
        unit: What is counted, e.g. ``messages``; empty: the share alone is shown, because ``what``
            says how far it is.

    >>> with Progress("replying", "messages") as tick:
    ...     tick(1, 2)
    ...     tick.line(seconds=3)
    'rejoinder: replying: 1 of 2 messages, 50% (3 s so far)'
    """

    def __init__(self, what: str, unit: str = "") -> None:
        self.what = self._begun = what
        self.unit = unit
        self.done = 0
        self.total = 0
        self.shown = False
        self.waits = waits_of_run()
        self._watched = watched(self)
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Progress:
        self.started = time.monotonic()
        if self.what != READING:
            release_sources()  # what the command reads has been read
        self._watched.__enter__()
        if not is_quiet():
            self.watcher.start()
        return self

    def __call__(self, done: int, total: int) -> None:
        """Notes that ``done`` of ``total`` is done; of one total the share never goes back."""
        self.done, self.total = max(done, self.done) if total == self.total else done, total

    def steps(self, done: int, total: int, words: str) -> None:
        """The same for a training, which says in words how far it is."""
        self.what = f"{self._begun}: {words}"
        self(done, total)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.over.set()
        self._watched.__exit__(None, None, None)
        if self.watcher.is_alive():
            self.watcher.join()
        if self.shown and sys.stderr.isatty():
            own_stderr().write("\r\033[K")
            own_stderr().flush()

    def line(self, seconds: float) -> str:
        """What is shown after so many seconds."""
        if prepares():
            return f"rejoinder: {PREPARING} ({seconds:.0f} s so far)"
        share = f"{100 * self.done // self.total}%" if self.total else ""
        if share and self.unit:
            share = f"{self.done:,} of {self.total:,} {self.unit}, {share}"
        separator = ": " if self.unit else ", "
        words = f"{self.what}{separator if share else ''}{share}"
        wait = math.ceil(self.waits.seconds())
        how_long = f"server busy, next try in {wait} s" if wait else f"{seconds:.0f} s so far"
        return f"rejoinder: {words} ({how_long})"

    def _watch(self) -> None:
        wait = PATIENCE
        while not self.over.wait(wait):
            terminal = sys.stderr.isatty()
            wait = PACE[terminal]
            if not terminal and prepares():
                if _PREPARES.is_set():
                    continue
                _PREPARES.set()
            self.shown = True
            seconds = time.monotonic() - self.started
            line = visible(self.line(seconds))
            own_stderr().write(f"\r\033[K{line}" if terminal else f"{line}\n")
            own_stderr().flush()
            if not terminal:
                wait = max(wait, min(SLOWER * seconds, SLOWEST))
