"""Mining at the paper's size, and each query beside rank_bm25 and bm25s."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from benchmarks.corpus import Corpus
from benchmarks.timing import Timing, interleaved, show
from rejoinder import TestSet
from rejoinder.corpora.mining.files import read_index, write_index
from rejoinder.corpora.mining.index import TripleIndex
from rejoinder.corpora.mining.mine import mine
from rejoinder.corpora.mining.search import Product, Wanted, search
from rejoinder.files.arrays import MemoryArrays, new_folder
from rejoinder.retrieval.bm25 import BM25
from rejoinder.text.strings import Strings
from rejoinder.text.tokenizers import tokenize

TRIPLES = int(os.environ.get("REJOINDER_TRIPLES", "29000000"))
ITEMS = 2118
PART = 100_000
VOCABULARY = 1_000_000
MEAN_WORDS = 9
BESIDE = 200_000
QUERIES = 40


def run(_: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    yield (
        f"Generated texts: words with Zipf frequencies, {VOCABULARY:,} of them, {MEAN_WORDS + 1} to an "
        "utterance on average; a context of two turns."
    )
    yield ""
    yield from beside()
    yield ""
    program = "from benchmarks.mining import at_size; at_size()"
    root = str(Path(__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])},
    )
    facts = json.loads(done.stdout)
    loads = f"load {facts['load']:.1f} at the start, {facts['last load']:.1f} at the end"
    yield (
        f"{TRIPLES:,} triples, {ITEMS:,} items, 15 candidates each; {loads}, so that the processor "
        "time tells:"
    )
    yield ""
    yield "| step | time | processor time | peak memory, mapped files included |"
    yield "|---|---|---|---|"
    for step in ("generating and indexing", "of this, generating", "opening (checksums)", "mining"):
        seconds, busy, peak = facts[step]
        memory = f"{peak / 1e9:.1f} GB" if peak else ""
        yield f"| {step} | {show(seconds)} | {show(busy)} | {memory} |"
    yield ""
    yield f"The index has {facts['bytes'] / 1e9:.1f} GB on disk."


def generated(random: np.random.Generator, count: int) -> pl.Series:
    """Texts of words with natural frequencies: the chance of the k-th word falls as 1 / k."""
    sizes = random.poisson(MEAN_WORDS, count) + 1
    ranks = np.exp(random.random(int(sizes.sum())) * np.log(VOCABULARY)).astype(np.int64)
    # Each word as the letters of its rank to base 26, with a blank behind.
    digits = 1 + (np.log(np.maximum(ranks, 1)) / np.log(26)).astype(np.int64) + 1
    ends = np.cumsum(digits)
    data = np.full(int(ends[-1]), ord(" "), dtype=np.uint8)
    rest = ranks.copy()
    for place in range(2, int(digits.max()) + 1):
        inside = digits >= place
        data[ends[inside] - place] = 97 + rest[inside] % 26
        rest //= 26
    bounds = np.concatenate([[0], ends[np.cumsum(sizes) - 1]])
    array = pa.LargeStringArray.from_buffers(
        count, pa.py_buffer(bounds.astype(np.int64)), pa.py_buffer(data)
    )
    return pl.Series(array).str.strip_chars_end()


def part(begin: int, count: int) -> TestSet:
    """Items of their own conversations: two turns, and a response."""
    random = np.random.default_rng((29, begin))
    texts = [generated(random, count) for _ in range(3)]
    ids = pl.Series("id", np.arange(begin, begin + count)).cast(pl.String)
    frame = pl.DataFrame(
        [ids, *(text.alias(name) for text, name in zip(texts, "cmr", strict=True))]
    )
    contexts = frame.select("id", context=pl.concat_list("c", "m"))
    return TestSet(contexts, frame.select("id", text="r"))


def at_size() -> None:
    """Indexes and mines at the paper's size, and prints its times and peaks as JSON."""
    facts: dict[str, object] = {"load": os.getloadavg()[0]}
    generating = [0.0, 0.0]

    def parts() -> Iterator[TestSet]:
        for begin in range(0, TRIPLES, PART):
            clock = _clock()
            testset = part(begin, min(PART, TRIPLES - begin))
            for k, (now, before) in enumerate(zip(_clock(), clock, strict=True)):
                generating[k] += now - before
            yield testset

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "index"
        clock = _clock()
        with new_folder(folder) as arrays:
            index = TripleIndex.of(parts(), arrays, progress=_say)
            write_index(index, arrays, "")
            del index
        facts["generating and indexing"] = (*_since(clock), _peak())
        facts["of this, generating"] = (*generating, 0)
        facts["bytes"] = sum(each.stat().st_size for each in folder.iterdir())
        clock = _clock()
        index = read_index(folder)
        facts["opening (checksums)"] = (*_since(clock), _peak())
        testset = part(-ITEMS - 1 + 10**12, ITEMS)
        clock = _clock()
        mined = mine(index, testset, progress=_say)
        facts["mining"] = (*_since(clock), _peak())
        assert mined.counts == (15,) * ITEMS, mined.notes
    facts["last load"] = os.getloadavg()[0]
    print(json.dumps(facts))


def beside() -> Iterator[str]:
    """One query with both scores and their product, beside two packages, on what all of them hold."""
    import bm25s  # pyright: ignore[reportMissingImports]
    from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingImports]

    corpus, testset = part(0, BESIDE), part(10**12, QUERIES)
    index = TripleIndex.of([corpus], MemoryArrays())
    sides = [
        corpus.contexts["context"].list.last().to_list(),
        corpus.references["text"].to_list(),
    ]
    asked = [
        testset.contexts["context"].list.last().to_list(),
        testset.references["text"].to_list(),
    ]
    left_out = np.zeros(index.name_bounds.size - 1, dtype=np.uint8)
    product = Product(0.5, 1.0, BM25())

    def ours() -> list[np.ndarray]:
        tokens = [tokenize(Strings.of(each), "13a", True, index.keys) for each in asked]
        words = [index.vocabulary.find(each.fingerprints) for each in tokens]
        none = np.zeros(0, dtype=np.uint64)
        items = [
            Wanted(
                words[0][tokens[0].first[i] : tokens[0].last[i]],
                words[1][tokens[1].first[i] : tokens[1].last[i]],
                none,
            )
            for i in range(QUERIES)
        ]
        return [best.places for best in search(index, items, 15, product, left_out)]

    def best(first: np.ndarray, second: np.ndarray, scale: float = 1.0) -> np.ndarray:
        products = first * (0.5 * scale * second + 0.5)
        best_places = np.argpartition(-products, 15)[:15]
        return best_places[np.argsort(-products[best_places], kind="stable")]

    cut = [[text.split() for text in each] for each in sides]
    cut_asked = [[text.split() for text in each] for each in asked]
    fast = [bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend="numba") for _ in range(2)]
    for each, texts in zip(fast, cut, strict=True):
        each.index(texts, show_progress=False)

    def by_bm25s() -> list[np.ndarray]:
        # Its scores lack the factor k1 + 1.
        return [
            best(fast[0].get_scores(cut_asked[0][i]), fast[1].get_scores(cut_asked[1][i]), 2.5)
            for i in range(QUERIES)
        ]

    # Equal products may be in another order there, in single precision.
    for own, theirs in zip(ours(), by_bm25s(), strict=True):
        assert len(set(own.tolist()) & set(theirs.tolist())) >= 14
    slow = [BM25Okapi(texts) for texts in cut]
    slow_queries = 2

    def by_rank_bm25() -> object:
        return [
            best(slow[0].get_scores(cut_asked[0][i]), slow[1].get_scores(cut_asked[1][i]))
            for i in range(slow_queries)
        ]

    timed = interleaved({"ours": ours, "bm25s": by_bm25s, "rank_bm25": by_rank_bm25}, rounds=3)
    each = {"ours": QUERIES, "bm25s": QUERIES, "rank_bm25": slow_queries}
    per = {
        name: Timing(*(tuple(s / each[name] for s in t) for t in (timing.rounds, timing.processor)))
        for name, timing in timed.items()
    }
    yield f"Both scores of one query over {BESIDE:,} triples, their product, the best 15:"
    yield ""
    yield "| per query | time | processor time | times ours: by the clock, by the processor |"
    yield "|---|---|---|---|"
    for name, words in (
        ("ours", "rejoinder"),
        ("bm25s", "bm25s (numba, Lucene), scores of all documents"),
        ("rank_bm25", "rank_bm25"),
    ):
        clock, busy = per[name].median, statistics.median(per[name].processor)
        times = clock / per["ours"].median, busy / statistics.median(per["ours"].processor)
        yield f"| {words} | {per[name]} | {show(busy)} | {times[0]:.1f}, **{times[1]:.1f}** |"


def _clock() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(clock: tuple[float, float]) -> tuple[float, float]:
    now = _clock()
    return now[0] - clock[0], now[1] - clock[1]


def _peak() -> int:
    """The most memory that this process had, in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def _say(done: int, total: int) -> None:
    if done % (10 * PART) == 0 or (total == ITEMS and done % 100 == 0):
        print(f"{done:,} of {total:,}, peak {_peak() / 1e9:.1f} GB", file=sys.stderr, flush=True)
