"""What a command says and writes, with fixed words for what varies."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import logging
import os
import re
import shlex
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest import mock

from goldens.kept import compact, content
from rejoinder._version import __version__
from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress
from rejoinder.cli.terminal.speech import log_as_notes
from rejoinder.recipes.khayrallah2021 import study as khayrallah2021
from settings import recipes

OUT = Path("out")
"""Where commands write, within the folder of the world."""


@dataclass(frozen=True)
class Outcome:
    """What one command gave.

    Attributes:
        line: The command line.
        status: The exit status.
        texts: What was printed on each stream, and what was written into each file; nothing empty.
    """

    line: str
    status: int
    texts: dict[str, str]


@contextlib.contextmanager
def workplace(folder: Path) -> Iterator[None]:
    """The folder to run in, 80 columns wide, without colours, signs of life and rendered figures."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("REJOINDER") and name not in ("FORCE_COLOR", "NO_COLOR")
    }
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(folder))
        terminal = {"COLUMNS": "80", "LINES": "24"}
        stack.enter_context(mock.patch.dict(os.environ, environment | terminal, clear=True))
        stack.enter_context(mock.patch.object(progress, "PATIENCE", 1e6))
        stack.enter_context(mock.patch.object(khayrallah2021, "settings", recipes.sizes))
        stack.enter_context(mock.patch("matplotlib.figure.Figure.savefig", _unrendered))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("error")
        yield


def _unrendered(_: object, target: Any, **__: object) -> None:
    """Figures are looked at in tests/contract/test_every_figure.py."""
    if hasattr(target, "write_bytes"):
        target.write_bytes(b"a figure\n")
    else:  # a stream, for a page
        target.write('<svg xmlns="http://www.w3.org/2000/svg"/>')


def outcome(command: str, world: Any) -> Outcome:
    """What a command gives that finds an empty folder ``out``.

    Args:
        command: A command line with placeholders, which attributes of the world fill.
        world: The world, in the working folder.
    """
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        words = [str(word) for part in shlex.split(command) for word in _filled(part, world)]
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    status, out, err = _called(words)
    texts = {"standard output": _as_json(out), "standard error": err}
    texts |= {str(path): content(path) for path in sorted(OUT.rglob("*")) if path.is_file()}
    names = _Names(world)
    shown = {name: _masked(text, names) for name, text in texts.items() if text}
    return Outcome(_masked(shlex.join(["rejoinder", *words]), names), status, shown)


def _filled(part: str, world: Any) -> list[Any]:
    """A word of a command; a placeholder may stand for several."""
    if re.fullmatch(r"\{\w+\}", part):
        found = OUT if part == "{out}" else getattr(world, part[1:-1])
        return list(found) if isinstance(found, list | tuple) else [found]
    return [re.sub(r"\{(\w+)\}", lambda m: str(_filled(m[0], world)[0]), part)]


def _called(words: list[str]) -> tuple[int, str, str]:
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with _noting(), contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        status = run(words)
    out, err = (each.buffer.getvalue().decode() for each in streams)
    return status, out, err


@contextlib.contextmanager
def _noting() -> Iterator[None]:
    """What the library logs are notes, as in a process of its own."""
    logger = logging.getLogger("rejoinder")
    with mock.patch.object(logger, "handlers", []), mock.patch.object(logger, "propagate", False):
        log_as_notes()
        yield


def _as_json(out: str) -> str:
    try:
        return compact(json.loads(out))
    except ValueError:
        return out


class _Names:
    """Files of ours by their SHA-256; they are looked at once a text has one, as few have.

    Args:
        world: The files that were here before the command.
    """

    def __init__(self, world: Any) -> None:
        self._world = world

    @cached_property
    def _files(self) -> dict[str, Path]:
        written = sorted(path for path in OUT.rglob("*") if path.is_file())
        # Of two with one content the later one in this order, whichever were made before.
        files = (*self._world.originals(), *written, *self._world.examples)
        return {_sha256(path): path for path in files}

    def of(self, digest: re.Match[str]) -> str:
        """The words in place of a digest; of no file of ours the digest as it is."""
        path = self._files.get(digest[0])
        return digest[0] if path is None else f"<SHA-256 of {path}>"


_MASKS = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r'(?<="sha256": ")[0-9a-f]{64}', "<checksum>"),
        # A claim: its rows are Parquet, and a digest is over all.
        (r'(?<="parquet": ")[^"]+', "<rows>"),
        (r"\b(\d{6}-)[0-9a-f]{16}\b", r"\1<hash>"),
        (r"((?:claim: |>)recomputed )[0-9a-f]{8}", r"\1<digest>"),
        # Of an anonymous claim, whose keys are sorted: the hash of ratings is of salted names.
        (r'(?m)(^ {3}\],\n {3}"signature": "protocol:[^"\n]*ratings:)[0-9a-f]{8}', r"\1<hash>"),
        (r'(?<="nonce": ")[0-9a-f]{32}', "<nonce>"),
        (r'(?<="numpy": ")[^"]+', "<version of NumPy>"),
        (r'("digest": "|the digest\s{1,2})[0-9a-f]{64}', r"\1<digest>"),
        (r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", "<time>"),
        # The day on which the world's card of a judge was made.
        (r"(?<=: on )20\d\d-\d\d-\d\d(?= ')", "<day>"),
        (r'(?<="record": ")[0-9a-f]{64}', "<checksum of a record>"),
        (r"(?<=sha256:)[0-9a-f]{64}", "<checksum>"),
        # A study: links that nobody can guess, and when it was made.
        (r"(/(?:a|r|join)/)[\w-]{32}", r"\1<token>"),
        (r'("(?:token|rater)": "|"key": "(?:admin|join)", "value": ")[\w-]{32}', r"\1<token>"),
        (r'("code": ")[0-9A-Z]{10}', r"\1<code>"),
        (r'("key": "made", "value": ")[\d.]+', r"\1<seconds>"),
        # A server of models on a free port, which is part of the responder's hash and of kept answers.
        (r"(?<=http://127\.0\.0\.1:)\d{5}", "<port>"),
        (r'(?<="check":")[0-9a-f]{16}', "<checksum>"),
        (r'((?:\(hash |"hash": "))[0-9a-f]{8}', r"\1<hash>"),
        (rf"(?<![\d.]){re.escape(__version__)}(?![\d.])", "<version>"),
    )
]
"""What depends on the machine, the day, the version or the writer of a binary file."""


def _masked(text: str, names: _Names) -> str:
    text = re.sub(r"[0-9a-f]{64}", names.of, text).replace(os.getcwd(), "<folder>")
    for pattern, words in _MASKS:
        text = pattern.sub(words, text)
    return text


def _sha256(path: Path, known: dict[tuple[Path, int, int], str] = {}) -> str:  # noqa: B006
    about = path.stat()
    key = (path.absolute(), about.st_mtime_ns, about.st_size)
    if key not in known:
        known[key] = hashlib.sha256(path.read_bytes()).hexdigest()
    return known[key]
