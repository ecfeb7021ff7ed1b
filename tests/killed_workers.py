"""Workers that are killed or slow at their first commands; of a file that is quick to import."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rejoinder.cli.engines import run_command


def run_or_kill(words: Sequence[str], folder: str, variables: Mapping[str, str]) -> tuple[int, str]:
    """Runs a command; the first five times the process is killed instead, and leaves its number."""
    deaths = Path(folder, "deaths")
    deaths.mkdir(exist_ok=True)
    if len(list(deaths.iterdir())) < 5:
        (deaths / str(os.getpid())).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return run_command(words, folder, variables)


def run_slowly(words: Sequence[str], folder: str, variables: Mapping[str, str]) -> tuple[int, str]:
    """Runs a command; the first one waits until the file ``go`` is there, and longer than all others."""
    try:
        Path(folder, "slow").mkdir()
    except FileExistsError:
        return run_command(words, folder, variables)
    until = time.monotonic() + 10
    while time.monotonic() < until or not Path(folder, "go").exists():
        time.sleep(0.1)
    return run_command(words, folder, variables)


if __name__ == "__main__":  # a job whose first command waits
    import killed_workers
    from rejoinder.cli import engines
    from rejoinder.cli.app import run

    engines.run_command = killed_workers.run_slowly
    sys.exit(run(sys.argv[1:]))
