"""Peak memory beside the raw text, and streams of growing length from Parquet."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks.corpus import Corpus
from benchmarks.timing import show

PEAK = """
import json, sys, time
sys.path.insert(0, {root!r})
def told(word):  # not getrusage: its peak begins with that of the process that started this one
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(word))
"""

IN_MEMORY = (
    PEAK
    + """
from benchmarks.corpus import dstc7
from rejoinder.metrics import BLEU
corpus = dstc7()
metric = BLEU(order=4, smoothing="exp")
metric.corpora(corpus.systems, corpus.references)
# Strings of their own for every item, as a user's are: repeated lists would share theirs.
long = corpus.items({items})
own = lambda text: text.encode().decode()
references = [[own(text) for text in few] for few in long.references]
systems = {{name: [own(text) for text in replies] for name, replies in long.systems.items()}}
raw = sum(len(t.encode()) for few in references for t in few)
raw += sum(len(t.encode()) for replies in systems.values() for t in replies)
before = told("VmRSS")
metric.corpora(systems, references)
print(json.dumps([raw, before, told("VmHWM")]))
"""
)

STREAM = (
    PEAK
    + """
from rejoinder.scoring.blocks import score_parquet
before = told("VmRSS")
began = time.perf_counter()
scores = score_parquet({testset!r}, {systems!r}, ["bleu:order=4,smoothing=exp"], block=100)
seconds = time.perf_counter() - began
print(json.dumps([seconds, before, told("VmHWM"), scores.systems()["n"][0]]))
"""
)


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    root = str(Path(__file__).parents[1])
    raw, before, peak = _call(IN_MEMORY.format(root=root, items=20_000))
    yield (
        f"In memory, ten systems x 20,000 items, {raw / 1e6:.0f} MB of raw text: peak "
        f"{(peak - before) / 1e6:.0f} MB above what the strings take, **{(peak - before) / raw:.2f}** "
        f"times the raw text ({peak / raw:.2f} with the strings and the interpreter)."
    )
    yield ""
    yield "| segments from Parquet | time | per million | peak memory |"
    yield "|---|---|---|---|"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for items in (10_000, 100_000, 1_000_000):
            testset, systems = _parquet(corpus, items, folder)
            call = STREAM.format(root=root, testset=str(testset), systems=[str(s) for s in systems])
            seconds, before, peak, n = _call(call)
            assert n == items
            segments = items * len(systems)
            yield (
                f"| {segments:,} | {show(seconds)} | {show(seconds / segments * 1e6)} | "
                f"{peak / 1e6:.0f} MB |"
            )


def _call(program: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    return json.loads(done.stdout)


def _parquet(corpus: Corpus, items: int, folder: Path) -> tuple[Path, list[Path]]:
    """Writes the corpus repeated to ``items`` items, piece by piece."""
    import pyarrow.parquet as pq

    piece = 5_000
    part = corpus.items(piece)
    testset = folder / f"testset-{items}.parquet"
    systems = [folder / str(items) / f"{name}.parquet" for name in corpus.systems]
    (folder / str(items)).mkdir()

    def write(path: Path, frame: pl.DataFrame) -> None:
        arrow = frame.to_arrow()
        with pq.ParquetWriter(path, arrow.schema, compression="zstd") as writer:
            for begin in range(0, items, piece):
                ids = pl.Series("id", range(begin, begin + piece)).cast(pl.String)
                writer.write_table(frame.with_columns(ids).to_arrow().cast(arrow.schema))

    ids = pl.Series("id", ["0"] * piece)
    write(testset, pl.DataFrame([ids, pl.Series("references", part.references)]))
    for path, replies in zip(systems, part.systems.values(), strict=True):
        write(path, pl.DataFrame([ids, pl.Series("text", replies)]))
    return testset, systems
