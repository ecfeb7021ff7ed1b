"""Every verb that writes, killed at twenty moments of its work and repeated; and twice at once.

``python killed_commands.py FOLDER VERB OPTION`` prints a line of JSON for each kill: see ``Kill``;
with ``twice`` behind it, for each pair of commands: see ``Pair``. Commands are processes forked from
this one, which has read all libraries and has done no work: so they begin at once.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from full_disk import FOLDERS, RESULTS, files
from ladder_data import Rung

RECORD = ".provenance.json"
"""The record of a folder."""

KILLS = 20
PAIRS = 3
LEFT = re.compile(r"(.+/)?\..+\.\d+-[0-9a-f]{8}\.part(/.*)?")
"""What a killed command may leave half-written beside its output: ``tables.write.beside``."""


STUDY = ("annotate page", "--output")
"""Its .csv holds all questions of the study; a page holds a secret of its own each time."""


class Kill(NamedTuple):
    """What came of one kill and the repetition.

    Attributes:
        status: The exit status of the repetition.
        err: What it said.
        same: Whether all that stands there is what a command without a kill leaves, to the byte.
        left: Names of what is there besides.
    """

    status: int
    err: str
    same: bool
    left: list[str]


class Pair(NamedTuple):
    """What came of one command twice at once.

    Attributes:
        statuses: The exit statuses.
        errs: What both said.
        same: Whether all that stands there is what one command leaves, to the byte.
        left: Names of what is there besides.
    """

    statuses: list[int]
    errs: list[str]
    same: bool
    left: list[str]


def started(words: list[Any], err: Path) -> int:
    """A command in a process of its own, its messages in a file: the process."""
    process = os.fork()
    if process:
        return process
    status = 70
    try:
        for stream, path in ((1, os.devnull), (2, str(err))):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), stream)
        from rejoinder.cli.app import run
        from rejoinder.cli.terminal import progress

        progress.PATIENCE = 1e6  # a busy machine must not add words
        status = run([str(word) for word in words])
        sys.stderr.flush()
    finally:
        os._exit(status)


def ended(process: int) -> int:
    """The exit status; -9 where it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


class Command:
    """One verb on small files, into a new place each time."""

    def __init__(self, folder: Path, verb: str, option: str) -> None:
        rung = Rung(folder, 40, 2)
        if (verb, option) in FOLDERS:
            words, self.name = FOLDERS[verb, option](rung), "made"
        elif (verb, option) == STUDY:
            study = folder / "study.sqlite"
            words, self.name = [rung.testset(), rung.responses(), "--db", study], "a.csv"
        else:
            made, names = RESULTS[verb, option]
            words, self.name = made(rung), names[0]
        often = (
            ["--set", "save_every=0"] if verb in ("train ruber", "train responder", "sweep") else []
        )
        self.words = [*verb.split(), *words, *often, option]
        self.of_study = (verb, option) == STUDY
        self.folder = folder
        self.whole: dict[str, bytes] = {}

    def place(self, name: str) -> Path:
        """A new folder, with a file of somebody else's in it."""
        place = self.folder / name
        place.mkdir()
        (place / "other.txt").write_text("mine")
        return place

    def run(self, place: Path) -> tuple[int, str]:
        """The command, to its end: its status and its messages."""
        err = place.with_suffix(".err")
        return ended(started([*self.words, place / self.name], err)), err.read_text("utf-8")

    def start(self, place: Path, number: int = 0) -> int:
        """The command, begun."""
        err = place.with_suffix(f".{number}.err")
        return started([*self.words, place / self.name], err)

    def may_differ(self, path: str) -> bool:
        """Whether two whole runs may write this file differently."""
        name = Path(path).name
        return name == RECORD or (self.of_study and name.endswith(RECORD))

    def compare(self, place: Path) -> tuple[bool, list[str]]:
        """Whether the files of the whole run are there and the same; and what else is there.

        But for the records of folders: they hold the notes, which say that a run was resumed. And
        but for the record beside the questions of a study, whose database changes as it is opened.
        """
        held = {os.path.relpath(path, place): content for path, content in files(place).items()}
        empty = [path for path in place.rglob("*") if path.is_dir() and not any(path.iterdir())]
        same = all(
            held.get(path) == content
            for path, content in self.whole.items()
            if not self.may_differ(path)
        )
        left = [
            *(path for path in held.keys() - self.whole.keys() if not self.may_differ(path)),
            *(str(path.relative_to(place)) for path in empty),
        ]
        return same, sorted(left)


def kills(command: Command) -> None:
    """A whole run, then twenty that are killed and repeated."""
    place = command.place("whole")
    status, err = command.run(place)
    assert status == 0, err
    again = command.place("again")
    begun = time.monotonic()
    status, err = command.run(again)
    seconds = time.monotonic() - begun
    assert status == 0, err
    command.whole = {
        os.path.relpath(path, place): content for path, content in files(place).items()
    }
    assert command.compare(again) == (True, []), "two runs differ"
    for number in range(KILLS):
        wait, cut, attempt = seconds * (number + 0.5) / KILLS, False, 0
        while not cut:  # a machine that is less busy than before had ended it
            place = command.place(f"cut-{number}-{attempt}")
            process = command.start(place)
            time.sleep(wait)
            os.kill(process, signal.SIGKILL)
            cut = ended(process) == -signal.SIGKILL
            wait, attempt = 0.8 * wait, attempt + 1
        status, err = command.run(place)
        print(json.dumps(Kill(status, err, *command.compare(place))), flush=True)


def twice(command: Command) -> None:
    """Two at once that write to the same place."""
    place = command.place("whole")
    status, err = command.run(place)
    assert status == 0, err
    command.whole = {
        os.path.relpath(path, place): content for path, content in files(place).items()
    }
    for number in range(PAIRS):
        place = command.place(f"both-{number}")
        both = [command.start(place, each) for each in range(2)]
        statuses = [ended(each) for each in both]
        errs = [place.with_suffix(f".{each}.err").read_text("utf-8") for each in range(2)]
        print(json.dumps(Pair(statuses, errs, *command.compare(place))), flush=True)


LIBRARIES = ("matplotlib.backends.backend_svg", "numba", "polars", "rejoinder.cli.app")
MODELS = ("gensim", "safetensors.torch", "torch", "transformers.models.bart.modeling_bart",
          "transformers.models.gpt2.modeling_gpt2")  # fmt: skip


def read_libraries(verb: str) -> None:
    """Imports what the verb will import: no work is done, so that forks are safe."""
    models = verb.startswith(("train", "sweep", "recipe tao", "recipe khay", "ruq"))
    for name in (*LIBRARIES, *(MODELS if models else ())):
        import_module(name)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["COLUMNS"] = "120"
    os.environ["PATH"] = ""  # no Java: METEOR takes longer to start than most verbs take
    place, verb, option, *how = sys.argv[1:]
    read_libraries(verb)
    # What the command reads is made by a process of its own: this one does no work.
    if not (maker := os.fork()):
        try:
            Command(Path(place), verb, option)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert ended(maker) == 0
    (twice if how else kills)(Command(Path(place), verb, option))
