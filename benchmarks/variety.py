"""Variety within prompts at its full size: 50 samples of 1,000 prompts by ten systems."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from benchmarks.corpus import Corpus
from rejoinder import TestSet, variety

PROMPTS, SAMPLES = 1_000, 50


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report: with a test set, and without one."""
    corpus = corpus.items(PROMPTS)
    ids = [f"p{prompt}" for prompt in range(PROMPTS)]
    responses, testset = _samples(corpus, ids), TestSet.from_lists(corpus.references, ids=ids)
    yield (
        f"{responses.height:,} replies of {responses['text'].str.len_chars().mean():.0f} characters: "
        f"{SAMPLES} samples of {PROMPTS:,} prompts by {len(corpus.systems)} systems, in memory; every "
        "measure but an encoder's, 1,000 permutations of every pair of systems."
    )
    yield ""
    yield "| data | measures | wall | processor |"
    yield "|---|---|---|---|"
    for name, items in (("samples and test set", testset), ("samples alone", None)):
        wall, processor = time.perf_counter(), time.process_time()
        result = variety(responses, items)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        measures = result.systems["measure"].n_unique()
        yield f"| {name} | {measures} | {wall:.1f} s | {processor:.1f} s |"
    yield ""
    yield f"Load of the machine when done: {os.getloadavg()[0]:.1f}."


def _samples(corpus: Corpus, ids: list[str]) -> pl.DataFrame:
    """Replies of a system, of which every second is half of one reply and half of another."""
    rng = np.random.default_rng(1)
    rows = []
    for system, replies in corpus.systems.items():
        for id, reply in zip(ids, replies, strict=True):
            first = reply.split()
            for sample in range(SAMPLES):
                other = replies[rng.integers(len(replies))].split()
                mixed = first[: len(first) // 2] + other[len(other) // 2 :]
                text = " ".join(mixed if sample % 2 else other)
                rows.append((system, id, str(sample), text))
    return pl.DataFrame(rows, ["system", "id", "sample", "text"], orient="row")
