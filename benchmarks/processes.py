"""Whole processes, imports included: ten systems from files to scores."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus import Corpus
from benchmarks.timing import interleaved


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    from rejoinder import TestSet
    from rejoinder.tables.write import write_testset

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_testset(TestSet.from_lists(corpus.references), folder / "testset.jsonl")
        streams = []
        for j, stream in enumerate(corpus.streams):
            streams.append(folder / f"ref{j}.txt")
            streams[-1].write_text("".join(f"{line or ''}\n" for line in stream), encoding="utf-8")
        systems = []
        for system, replies in corpus.systems.items():
            systems.append(folder / f"{system}.txt")
            systems[-1].write_text("".join(f"{line}\n" for line in replies), encoding="utf-8")
        ours = [sys.executable, "-m", "rejoinder", "score", "--resamples", "0", "--json"]
        metric = ["-m", "bleu:order=4,smoothing=exp"]
        theirs = [sys.executable, "-m", "sacrebleu", "-b", "-w", "4"]

        def call(*command: object) -> None:
            subprocess.run([str(each) for each in command], check=True, capture_output=True)

        timed = interleaved(
            {
                "ours": lambda: call(*ours, *metric, folder / "testset.jsonl", *systems),
                "theirs": lambda: call(*theirs, *streams, "-i", *systems),
                "empty": lambda: call(sys.executable, "-c", "pass"),
                "numba": lambda: call(sys.executable, "-c", "import numba"),
                "polars": lambda: call(sys.executable, "-c", "import polars"),
            },
            rounds=7,
        )
    ratio = timed["theirs"].median / timed["ours"].median
    yield f"- rejoinder score, JSONL test set and ten text files: {timed['ours']}"
    yield f"- sacrebleu, {len(streams)} reference streams and ten text files: {timed['theirs']}"
    yield f"- ratio: **{ratio:.1f}**"
    for what in ("empty", "numba", "polars"):
        told = "python -c pass" if what == "empty" else f"python -c 'import {what}'"
        yield f"- for scale, {told}: {timed[what]}"
