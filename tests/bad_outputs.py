"""Output that cannot be written: a full disk, a closed stream, a pipe that nobody reads."""

import contextlib
import errno
import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from rejoinder.cli.app import run

EXAMPLES = Path(__file__).parents[1] / "examples"
WORDS = ["score", EXAMPLES / "testset.jsonl", EXAMPLES / "responses" / "tuned.jsonl", "-m", "bleu"]
FULL = Path("/dev/full")

INTRODUCTION = """Files that were asked for (`--save`, `--output`, `--plots`) are written before the result is
printed, each under a temporary name that then takes the place of the old file. So on a full disk an old file
stays as it was, no half-written one is left, and the result is printed all the same; trainings,
sweeps and likelihoods go on from what they kept once there is room. The exit status is 2. A pipe
whose reader has had enough (`rejoinder score ... | head -1`) is no mistake: the command ends without
a word, with the exit status 141 of a program that the signal SIGPIPE ends, or with its own status if
that is not 0. Files that were asked for are there then, and if one could not be written, that is
said, with status 2.
"""


def process(words, **options):
    """The command in a process of its own, and what it said on standard error."""
    command = [sys.executable, "-m", "rejoinder", *map(str, words)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)


def _full_output(folder):
    with FULL.open("wb") as full:
        return process(WORDS, stdout=full).stderr


def _closed_output(folder):
    return process(WORDS, stdin=subprocess.DEVNULL, preexec_fn=lambda: os.close(1)).stderr


def _full_file(folder):
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    said = io.StringIO()
    with (
        patch("os.fsync", side_effect=full),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(said),
    ):
        run([*map(str, WORDS), "--save", str(folder / "kept.parquet")])
    return said.getvalue()


@dataclass(frozen=True)
class OutputCase:
    """An output that takes nothing, and what must be said about it."""

    id: str
    wrong: str
    expected: str
    said: Callable[[Path], str]
    needs: Path | None = None

    def message(self, folder):
        """What the command says, without its name and the folder."""
        text = self.said(folder).removeprefix("rejoinder: ").removesuffix("\n")
        return text.replace(f"{folder}{os.sep}", "")

    @property
    def skipped(self):
        return self.needs is not None and not self.needs.exists()


OUTPUT_CASES = [
    OutputCase(
        "full-disk",
        "a full disk where standard output goes",
        r"^the output cannot be written: No space left on device$",
        _full_output,
        FULL,
    ),
    OutputCase(
        "full-disk-file",
        "a full disk where a file is to be saved",
        r"^kept\.parquet: cannot be written: No space left on device; choose another place$",
        _full_file,
    ),
    OutputCase(
        "closed-output",
        "standard output that was closed at the start (`>&-`)",
        r"^the output cannot be written: it is closed$",
        _closed_output,
    ),
]
