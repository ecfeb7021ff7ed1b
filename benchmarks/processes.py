"""Whole processes, imports included: from files to scores, beside sacreBLEU's command."""

from __future__ import annotations

import compileall
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import rejoinder
from benchmarks.corpus import Corpus
from benchmarks.timing import show

ROUNDS = 21
OURS = [
    "-m",
    "rejoinder",
    "score",
    "--resamples",
    "0",
    "--json",
    "-m",
    "bleu:order=4,smoothing=exp",
]
LIBRARIES = "all libraries of these commands: click, msgspec, numpy without threads"
IMPORTS = {
    "Python alone": "pass",
    "`import numpy`": "import numpy",
    LIBRARIES: "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'; import numpy, click, msgspec",
    "what makes tables, which they leave out: numpy, polars": "import numpy, polars",
    "what links kernels without a linker, left out too: llvmlite": "import llvmlite.binding",
    "`import rejoinder`": "import rejoinder",
}


class Process(NamedTuple):
    """What a process took: seconds by the clock and of the processor."""

    clock: float
    processor: float


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    # As pip leaves an installed package: with the bytecode of its sources.
    compileall.compile_dir(Path(rejoinder.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory() as name:
        yield from _report(_commands(corpus, Path(name)))


def _report(commands: Mapping[str, Sequence[str]]) -> Iterator[str]:
    timed = _in_turn(commands, ROUNDS)
    yield (
        f"Medians of {ROUNDS} rounds, in turn; load of the machine {os.getloadavg()[0]:.1f}. The times of "
        "the processor are those of all threads."
    )
    yield ""
    yield "| process | by the clock | by the processor |"
    yield "|---|---|---|"
    for name, each in timed.items():
        yield f"| {name} | {_medians(each)} |"
    yield ""
    for what in ("ten systems", "one system"):
        theirs, ours = timed[f"sacrebleu, {what}"], timed[f"rejoinder score, {what}"]
        clock, processor = (
            statistics.median(b[k] / a[k] for a, b in zip(ours, theirs, strict=True))
            for k in (0, 1)
        )
        yield (
            f"- {what}: **{clock:.1f}** times as fast as sacreBLEU by the clock, {processor:.1f} by "
            "the processor"
        )
    libraries, total = (
        statistics.median(each.processor for each in timed[name])
        for name in (LIBRARIES, "rejoinder score, ten systems")
    )
    yield (
        f"- where the time goes: {libraries / total:.0%} of the processor time of ten systems is the "
        "import of the libraries, before a line of Rejoinder's own has run"
    )


def _medians(rounds: Sequence[Process]) -> str:
    return " | ".join(show(statistics.median(values)) for values in zip(*rounds, strict=True))


def _commands(corpus: Corpus, folder: Path) -> dict[str, list[str]]:
    """What is timed: scoring ten systems with all references, one with one, and bare imports."""
    from rejoinder import TestSet
    from rejoinder.tables.write import write_testset

    write_testset(TestSet.from_lists(corpus.references), folder / "testset.jsonl")
    streams = [
        _written(folder / f"ref{j}.txt", [line or "" for line in stream])
        for j, stream in enumerate(corpus.streams)
    ]
    systems = [_written(folder / f"{name}.txt", each) for name, each in corpus.systems.items()]
    # 3,000 lines of 23 words: two replies of different systems to a line, and their first references.
    pairs = [
        (reply, references[0])
        for replies in corpus.systems.values()
        for reply, references in zip(replies, corpus.references, strict=True)
    ]
    further = [pairs[(k + 1201) % len(pairs)] for k in range(3000)]
    lines = [(f"{a} {c}", f"{b} {d}") for (a, b), (c, d) in zip(pairs, further, strict=False)]
    reply = _written(folder / "one.txt", [line for line, _ in lines])
    reference = _written(folder / "reference.txt", [line for _, line in lines])
    theirs = ["-m", "sacrebleu", "-b", "-w", "4"]
    return {
        "rejoinder score, ten systems": [*OURS, str(folder / "testset.jsonl"), *systems],
        "sacrebleu, ten systems": [*theirs, *streams, "-i", *systems],
        "rejoinder score, one system": [*OURS, reference, reply],
        "sacrebleu, one system": [*theirs, reference, "-i", reply],
    } | {name: ["-c", code] for name, code in IMPORTS.items()}


def _written(path: Path, lines: Sequence[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def _in_turn(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[Process]]:
    """Times the processes, round after round, after a round that is not counted."""
    timed: dict[str, list[Process]] = {name: [] for name in commands}
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    for number in range(rounds + 1):
        for name, words in commands.items():
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(
                [sys.executable, *words], check=True, capture_output=True, env=environment
            )
            clock = time.perf_counter() - began
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            if number:
                timed[name].append(Process(clock, used))
    return timed
