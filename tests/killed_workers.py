"""A worker that is killed at its first commands; of a file that is quick to import in a new process."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from rejoinder.cli.engines import run_command


def run_or_kill(words: Sequence[str], folder: str) -> tuple[int, str]:
    """Runs a command; the first five times the process is killed instead, and leaves its number."""
    deaths = Path(folder, "deaths")
    deaths.mkdir(exist_ok=True)
    if len(list(deaths.iterdir())) < 5:
        (deaths / str(os.getpid())).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return run_command(words, folder)
