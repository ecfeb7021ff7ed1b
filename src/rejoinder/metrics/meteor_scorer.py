"""The Java process that aligns replies with references for METEOR.

One process serves a set of parameters for as long as Python runs. It is spoken to in lines: one
``SCORE ||| reference ||| ... ||| reply`` in, one line of 23 numbers out.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from urllib.parse import quote

import numpy as np

from rejoinder.errors import MissingExtraError, RejoinderError
from rejoinder.kernels.arrays import Floats

JAR = "REJOINDER_METEOR_JAR"
NUMBERS = 23
# So many answers (about 120 bytes each) fit into the smallest pipe: neither side waits for ever.
LINES_AT_ONCE = 64

_scorers: dict[tuple[int, str, bool], Scorer] = {}
_starting = threading.Lock()


def scorer(language: str, normalize: bool) -> Scorer:
    """The running scorer of these parameters; started where there is none, or it has died.

    Raises:
        MissingExtraError: Java or the jar is missing.
    """
    key = (os.getpid(), language, normalize)  # a forked child must not share its parent's pipe
    with _starting:
        scorer = _scorers.get(key)
        if scorer is None or not scorer.alive:
            scorer = _scorers[key] = Scorer(command(language, normalize))
        return scorer


class Scorer:
    """A running scorer, for any number of threads.

    Args:
        command: What to run.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._lock = threading.Lock()
        self._owner = os.getpid()
        # A file, not a pipe: nobody reads it until something goes wrong, and it never fills up.
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
        )
        atexit.register(self.close)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def statistics(self, pairs: Sequence[tuple[str, Sequence[str]]]) -> Floats:
        """The numbers of each pair of a reply and its references: float64 [n, 23].

        Raises:
            RejoinderError: The process died, or said something else.
        """
        rows = np.empty((len(pairs), NUMBERS))
        for begin in range(0, len(pairs), LINES_AT_ONCE):
            lines = [score_line(*pair) for pair in pairs[begin : begin + LINES_AT_ONCE]]
            with self._lock:
                answers = self._exchange(lines)
            rows[begin : begin + len(lines)] = [self._numbers(answer) for answer in answers]
        return rows

    def close(self) -> None:
        """Ends the process."""
        atexit.unregister(self.close)
        if self._owner != os.getpid():
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._complaints):
            if stream is not None:
                with contextlib.suppress(OSError):  # unsent lines of a process that is gone
                    stream.close()

    def _exchange(self, lines: Sequence[str]) -> list[bytes]:
        """Lines in, as many lines out."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        try:
            to.write("".join(lines).encode())
            to.flush()
            answers = [back.readline() for _ in lines]
        except (OSError, ValueError):
            raise self._died() from None
        except BaseException:
            self.close()  # questions without their answers: whoever came next would get those
            raise
        if not answers[-1]:
            raise self._died()
        return answers

    def _numbers(self, answer: bytes) -> list[float]:
        try:
            numbers = [float(number) for number in answer.split()]
        except ValueError:
            numbers = []
        if len(numbers) != NUMBERS:
            self.close()
            text = answer.decode(errors="replace").strip()
            raise RejoinderError(
                f"the METEOR scorer said {text!r:.200}, expected {NUMBERS} numbers; "
                f"check that {self._command[3]} is meteor-1.5.jar"
            )
        return numbers

    def _died(self) -> RejoinderError:
        self._process.kill()
        status = self._process.wait()
        complaint = ""
        if not self._complaints.closed:
            self._complaints.seek(0)
            complaint = self._complaints.read(4096).decode(errors="replace").strip()
        self.close()
        return RejoinderError(
            f"the METEOR scorer stopped (exit status {status}): {complaint or 'without a word'}; "
            f"try its command by hand: {' '.join(self._command)}"
        )


def score_line(reply: str, references: Sequence[str]) -> str:
    r"""The line that asks for the numbers of a reply.

    What would part fields or lines is taken out, as the caption scorers do: ``|||``; and line ends.

    >>> score_line("a  b", ["a ||| b", "b\n"])
    'SCORE ||| a b ||| b  ||| a b\n'
    """
    return " ||| ".join(["SCORE", *map(_harmless, references), _harmless(reply)]) + "\n"


def _harmless(text: str) -> str:
    one_line = text.replace("\n", " ").replace("\r", " ")
    return one_line.replace("|||", "").replace("  ", " ")


def command(language: str, normalize: bool) -> list[str]:
    """How to start the scorer.

    Raises:
        MissingExtraError: Java or the jar is missing.
    """
    options = ["-", "-", "-stdio", "-l", language]
    if normalize:
        options.append("-norm")
    return [_java(), "-Xmx2G", "-jar", str(_plain(_jar())), *options]


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = (shutil.which("java", path=str(Path(home) / "bin")) if home else None) or shutil.which(
        "java"
    )
    if java is None:
        raise MissingExtraError(
            "METEOR runs in Java, and there is no 'java' on the PATH; install a Java runtime "
            '(version 8 or later), and its jar with: pip install "rejoinder[meteor]"'
        )
    return java


def _jar() -> Path:
    given = os.environ.get(JAR)
    if given:
        if not Path(given).is_file():
            raise MissingExtraError(
                f"{JAR}={given} is no file; let it name meteor-1.5.jar, or unset it and run: "
                'pip install "rejoinder[meteor]"'
            )
        return Path(given)
    package = find_spec("pycocoevalcap")
    homes = (package.submodule_search_locations if package is not None else None) or []
    jar = next((Path(home) / "meteor" / "meteor-1.5.jar" for home in homes), None)
    if jar is None or not jar.is_file():
        raise MissingExtraError(
            'METEOR needs meteor-1.5.jar and a Java runtime; run: pip install "rejoinder[meteor]", '
            f"or let {JAR} name the jar"
        )
    return jar


@cache
def _plain(jar: Path) -> Path:
    """The jar by a path that needs no quoting: it looks for its data under the quoted one."""
    if quote(str(jar)) == str(jar):
        return jar
    folder = Path(tempfile.mkdtemp(prefix="rejoinder-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(jar.parent, folder / "meteor")
    return folder / "meteor" / jar.name
