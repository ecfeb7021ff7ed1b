"""Every verb that writes, run twice: onto a disk with room, then onto one that takes nothing more.

``python full_disk.py FOLDER`` prints a line of JSON for each: see ``Trial``. The full disk is a limit
on the size of files, which the system enforces for this process and not for its pipes.
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from ladder_data import Rung
from ladder_verbs import (
    Line,
    answered_study,
    mark_words,
    ruber,
    sweep,
    train_responder,
    train_ruber,
    train_vectors,
)

ROOM = 100  # bytes

Words = Callable[[Rung], list[Any]]


class Trial(NamedTuple):
    """What came of one verb on a full disk.

    Attributes:
        before: What it printed on a disk with room.
        status: Its exit status on a full one.
        out: What it printed there.
        err: What it said on standard error.
        whole: Whether every file that was there is as it was, and no other is there.
    """

    before: str
    status: int
    out: str
    err: str
    whole: bool


def _rated(rung: Rung) -> list[Any]:
    return [rung.testset(), rung.responses(), "--ratings", rung.ratings()]


def _ruq(rung: Rung) -> list[Any]:
    return [*rung.likelihoods(), rung.testset(), "--generic", rung.generic(), "--resamples", 100]


def _of_tokens(rung: Rung) -> list[Any]:
    """Likelihoods of single tokens, which the RUQ plot draws."""
    for path in map(Path, rung.likelihoods()):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for row in rows:
            if "total" in row:
                row["logprobs"] = [row.pop("total") / row["tokens"]] * row.pop("tokens")
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return _ruq(rung)


def _correlate(rung: Rung) -> list[Any]:
    return [*_rated(rung), "-m", "bleu", "-p", "turn", "--permutations", 20, "--resamples", 100]


def _galley2015(rung: Rung) -> list[Any]:
    return [*_rated(rung), "--set", "unit_size=2", "--set", "assignments=5", "--permutations", 20]


def _tao2018(rung: Rung) -> list[Any]:
    few = ["--permutations", 20, "--resamples", 100]
    return [
        *_rated(rung),
        "--model",
        ruber(rung.root),
        "--set",
        "bounds=scored",
        "--drop-unusable",
        *few,
    ]


def _score(rung: Rung) -> list[Any]:
    return [rung.testset(), rung.responses(), "-m", "bleu"]


def _parts(rung: Rung) -> list[Any]:
    from rejoinder.cli.app import run

    path = rung.folder / "1.part"
    words = ["score", *map(str, _score(rung)), "--shard", "1/1", "--save", str(path)]
    assert path.exists() or run(words) == 0
    return [path]


def _audit(rung: Rung) -> list[Any]:
    return [*_score(rung), "--resamples", 100]


def _respond(rung: Rung) -> list[Any]:
    return ["random", rung.testset(), "--corpus", rung.corpus()]


def _respond_by_chat(rung: Rung) -> list[Any]:
    import chat_server

    return [chat_server.process(), rung.testset()]


def _answered(rung: Rung) -> list[Any]:
    path = rung.folder / "answered.sqlite"
    if not path.exists():
        answered_study(path, rung.testset(), rung.responses())
    return [path]


def _mine(rung: Rung) -> list[Any]:
    return [rung.corpus(), rung.testset()]


def _rerank(rung: Rung) -> list[Any]:
    return [rung.responses(), "--mbr", "chrf"]


RESULTS: dict[tuple[str, str], tuple[Words, tuple[str, ...]]] = {
    ("score", "--save"): (_score, ("a.parquet",)),
    ("score", "--claim"): (_score, ("a.json",)),
    ("score", "--tables"): (_score, ("a.md", "a.csv")),
    ("ratings", "--tables"): (lambda rung: [rung.ratings()], ("a.tex", "a.html")),
    ("compare", "--save"): (
        lambda rung: [*_audit(rung), "-b", "s1", "--fail-if-worse", 0.9, "--permutations", 20], ("a.xml",)
    ),
    ("correlate", "--save"): (_correlate, ("a.csv", "a.parquet")),
    ("correlate", "--plots"): (_correlate, ("plots",)),
    ("plan", "--save"): (
        lambda rung: ["--design", "--reliability", 0.6, "--difference", 0.5], ("a.json",)
    ),
    ("plan", "--output"): (
        lambda rung: [*_audit(rung), "--next", 1],
        ("a.csv", "a.jsonl", "a.parquet"),
    ),
    ("ratings", "--save"): (lambda rung: [rung.ratings()], ("a.tsv", "a.parquet")),
    ("weigh", "--output"): (
        lambda rung: [*_rated(rung), "--scale", 1, 5], ("a.jsonl", "a.parquet")
    ),
    ("annotate export", "--output"): (_answered, ("a.csv", "a.parquet")),
    ("ruq", "--save"): (_ruq, ("a.parquet",)),
    ("ruq", "--save-tokens"): (_ruq, ("a.parquet",)),
    ("ruq", "--plots"): (_of_tokens, ("plots",)),
    ("respond", "--output"): (_respond, ("a.jsonl", "a.csv", "a.parquet")),
    ("mark", "--output"): (mark_words, ("a.csv", "a.parquet")),
    ("mine", "--output"): (_mine, ("a.jsonl", "a.csv", "a.parquet")),
    ("rerank", "--output"): (_rerank, ("a.jsonl", "a.parquet")),
    ("filter", "--output"): (lambda rung: [rung.corpus()], ("a.jsonl", "a.parquet")),
    ("report", "--output"): (_audit, ("a.html", "a.md")),
    ("audit", "--save-replies"): (_audit, ("a.jsonl", "a.csv")),
    ("merge", "--save"): (_parts, ("a.parquet",)),
    ("convert", "--output"): (lambda rung: [rung.responses()], ("a.jsonl", "a.parquet")),
    ("recipe galley2015", "--plots"): (_galley2015, ("plots",)),
    ("recipe tao2018", "--plots"): (_tao2018, ("plots",)),
}  # fmt: skip
"""The verbs that print a result beside what they write: their words, and the names to write."""


def _without_output(lines: Iterator[Line]) -> list[Any]:
    """The words of a line of the ladder, without where it writes."""
    (line,) = lines
    at = line.words.index("-o")
    return [*line.words[:at], *line.words[at + 2 :]]


def _ruq_of_a_model(rung: Rung) -> list[Any]:
    import tiny_language_models

    model = rung.root / "language-model"
    if not model.exists():
        tiny_language_models.save(model)
        (model / "model.safetensors").chmod(
            0o644
        )  # it is the owner's alone, and nobody reads it too
    few = ["--set", "batch_tokens=24", "--resamples", 100]
    return [model, rung.testset(), "--generic", rung.generic(), *few]


def _khayrallah2021(rung: Rung) -> list[Any]:
    from rejoinder.recipes.khayrallah2021 import study as khayrallah2021
    from settings import recipes
    from settings.world import World

    khayrallah2021.settings = recipes.sizes  # systems of seconds
    data = rung.root / "dailydialog"
    some = ["--system", "DD-BASE", "--resamples", 100]
    return [data if data.exists() else World(rung.root).dailydialog, *some]


SAME_TABLES = (
    "compare", "correlate", "audit", "preferences", "judge", "plan", "weigh", "mark", "mine", "filter",
    "ruq", "explain-diff", "runs", "sweep", "tune", "rerank", "variety", "recipe galley2015",
    "recipe khayrallah2021", "recipe negative-references",
    "recipe references", "recipe systems2015", "recipe tao2018",
)  # fmt: skip
"""Verbs whose --tables is written by the same lines as that of 'score' and 'ratings'."""

ELSEWHERE = {
    **{(verb, "--tables"): "tried with 'score' and 'ratings'" for verb in SAME_TABLES},
    **{
        (verb, "--plots"): "written by the same lines as that of 'variety'"
        for verb in ("compare", "runs")
    },
    ("variety", "--plots"): "written by the same lines as that of the recipes",
    **{(verb, "--claim"): "tried with 'score'" for verb in ("compare", "correlate", "judge")},
    ("verify", "--rows"): "written by the same lines as --save of 'score'",
    ("verify", "--badge"): "written by the same lines as --tables of 'score'",
    ("plan", "--register"): "holds the time and a number drawn by chance: no two are the same",
    ("recipe systems2015", "--output"): "its model is written as that of 'train responder'",
    ("rerank", "--save-utility"): "written by the same lines as --output, beside it",
    (
        "annotate page",
        "--output",
    ): "writes its study too, an SQLite database, which needs room first: "
    "tests/unit/annotation/test_standalone.py",
}
"""Those that a limit on the size of files cannot try."""

FOLDERS: dict[tuple[str, str], Words] = {
    ("ruq", "--work"): _ruq_of_a_model,
    ("respond", "--work"): lambda rung: [*_respond_by_chat(rung), "-o", rung.new("replies.csv")],
    ("mark", "--work"): lambda rung: [*mark_words(rung), "-o", rung.new("marks.csv")],
    ("mine", "--index"): lambda rung: [*_mine(rung), "--candidates", 1, "-o", rung.new("m.jsonl")],
    ("train vectors", "--output"): lambda rung: _without_output(train_vectors(rung)),
    ("train ruber", "--output"): lambda rung: _without_output(train_ruber(rung)),
    ("train responder", "--output"): lambda rung: _without_output(train_responder(rung)),
    ("sweep", "--output"): lambda rung: _without_output(sweep(rung)),
    ("recipe khayrallah2021", "--output"): _khayrallah2021,
    ("recipe references", "--output"): _mine,
}
"""Those whose result is the folder itself, or what goes on in it: a message says that it is full."""


def called(words: list[Any]) -> tuple[int, str, str]:
    """Runs the command in this process: its status, output and messages."""
    from rejoinder.cli.app import run
    from rejoinder.cli.terminal import progress

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    patience = patch.object(progress, "PATIENCE", 1e6)  # a busy machine must not add words
    with redirect_stdout(out), redirect_stderr(err), patience:
        status = run([str(word) for word in words])
    texts = [each.buffer.getvalue().decode() for each in (out, err)]  # pyright: ignore
    return status, texts[0], texts[1]


def limited(words: list[Any], room: int = ROOM) -> tuple[int, str, str]:
    """Runs the command where no file may be longer than ``room`` bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    compiled = patch.object(sys, "dont_write_bytecode", True)  # Python keeps the half that fits
    try:
        with compiled:
            return called(words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def files(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {str(each): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def same(one: dict[str, bytes], other: dict[str, bytes]) -> bool:
    """Whether two folders hold the same files, to the byte, but for the records of their origin."""
    return _below(one) == _below(other)


_PATHS = re.compile(
    rb'<pre class="code".*?</pre>|<tr><td class="tight">.*?</tr>|"date":"[^"]*"|"sha256":"\w*"',
    re.DOTALL,
)
"""The command and the files on the page of a report: paths as they were given, and as seen from it; the
date of a claim, and the digest of all of it."""


def _below(held: dict[str, bytes]) -> dict[str, bytes]:
    top = os.path.commonpath(map(os.path.dirname, held)) if held else ""
    return {
        os.path.relpath(path, top): _PATHS.sub(b"", content)
        for path, content in held.items()
        if not path.endswith(".provenance.json")  # it names the paths of the command too
    }


def trial(words: list[Any], place: Path) -> Trial:
    """The command twice, the second time without room."""
    status, before, err = called(words)
    assert status == 0, (words, err)
    there = files(place)
    assert there, words
    status, out, err = limited(words)
    return Trial(before, status, out, err, files(place) == there)


def names(long: bool) -> list[tuple[str, str, str]]:
    """Verb, option and what is written: those that draw or load torch, or the others."""
    return [
        (verb, option, name)
        for (verb, option), (_, written) in RESULTS.items()
        for name in written
        if long == (option == "--plots" or verb == "recipe tao2018")
    ]


ROOMS = (100, 1000, 20_000)
"""Sizes of files in bytes at which different files of a folder are the first to find no room."""


def fill(rung: Rung, verb: str, option: str, place: Path, room: int) -> Trial:
    """A folder that is written on a full disk, and then with room."""
    line = [*verb.split(), *FOLDERS[verb, option](rung), option, place / "made"]
    status, out, err = limited(line, room)
    if status == 0:  # all of it found room
        return Trial("", status, out, err, True)
    again, before, told = called(line)
    whole = again == 0 and same(files(place / "made"), files(rung.root / f"{verb} with room"))
    return Trial(before + told, status, out, err, whole)


def main(folder: Path, long: bool) -> None:
    """Runs ``names(long)``, in turn as a table and as JSON."""
    os.environ["COLUMNS"] = "120"
    rung = Rung(folder, 10, 2)
    for number, (verb, option, name) in enumerate(names(long)):
        words, _ = RESULTS[verb, option]
        place = folder / f"out-{number}"
        place.mkdir()
        line = [*verb.split(), *words(rung), option, place / name]
        json_too = ["--json"] if name.endswith(".parquet") else []
        print(json.dumps([f"{verb} {option} {name}", trial([*line, *json_too], place)]), flush=True)


def main_of_folders(folder: Path) -> None:
    """Every folder at each of ``ROOMS``."""
    rung = Rung(folder, 40, 2)
    for (verb, option), words in FOLDERS.items():
        line = [*verb.split(), *words(rung), option, folder / f"{verb} with room"]
        status, _, err = called(line)
        assert status == 0, (line, err)
        for room in ROOMS:
            place = folder / f"{verb}-{room}"
            place.mkdir()
            print(json.dumps([f"{verb} {room}", fill(rung, verb, option, place, room)]), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    if sys.argv[2] == "folders":
        main_of_folders(Path(sys.argv[1]))
    else:
        main(Path(sys.argv[1]), sys.argv[2] == "long")
