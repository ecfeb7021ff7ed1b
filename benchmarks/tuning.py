"""Tuning weights by exact line search, and minimum Bayes risk beside mbrs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.corpus import Corpus
from benchmarks.pairs import texts_of
from benchmarks.timing import show
from rejoinder import TestSet, rerank
from rejoinder.metrics import registry
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tuning.objectives import candidate_rows
from rejoinder.tuning.tune import cross_validated
from rejoinder.tuning.weight_search import CandidateRows, WeightSearch

ITEMS, CANDIDATES, FEATURES, STARTS, FOLDS = 2_000, 100, 10, 20, 5
SIZE = 1_000
RIVAL_SIZE = 100
"""So many candidates are compared by the chrF of sacreBLEU; its time is counted up to all pairs."""
MOSES_METRIC, MOSES_SEEDS = "bleu:order=4,tokenizer=none", 10


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    yield "| what | clock | processor |"
    yield "|---|---|---|"
    yield from searches(corpus)
    yield from moses()
    yield ""
    yield from risks(corpus)
    yield ""
    yield f"Load of the machine when done: {os.getloadavg()[0]:.1f}."


def searches(corpus: Corpus) -> Iterator[str]:
    """One search and five folds under deltaBLEU; the first feature knows a little of the quality."""
    rng = np.random.default_rng(0)
    times = -(-ITEMS // corpus.size)
    testset = TestSet.from_lists(
        (corpus.references * times)[:ITEMS], (corpus.weights * times)[:ITEMS]
    )
    pool = np.array([text for replies in corpus.systems.values() for text in replies])
    frame = pl.DataFrame(
        {
            "id": np.repeat(np.array(testset.ids), CANDIDATES),
            "sample": np.tile(np.arange(CANDIDATES).astype(str), ITEMS),
            "text": pool[rng.integers(len(pool), size=ITEMS * CANDIDATES)],
        }
    )
    metric = registry.metric("deltableu")
    lists = NBestLists.of(frame)
    statistics, *measured = timed(lambda: candidate_rows(metric, lists, testset))
    features = rng.standard_normal((lists.frame.height, FEATURES))
    features[:, 0] += 5 * np.nan_to_num(metric.score(statistics))
    rows = CandidateRows(features, lists.bounds, statistics, metric.score)
    search, *drawn = timed(lambda: WeightSearch.of(rows, STARTS, np.random.default_rng(1)))
    weights, *climbed = timed(search.best)
    _, *folds = timed(
        lambda: cross_validated(search, np.arange(ITEMS), FOLDS, np.random.default_rng(2))
    )
    both = [a + b for a, b in zip(drawn, climbed, strict=True)]
    shape = f"{ITEMS:,} items x {CANDIDATES} candidates x {FEATURES} features, deltaBLEU"
    value = rows.value_of(rows.chosen(weights)) / rows.value_of(lists.bounds[:-1])
    yield line(f"{shape}: rows measured", measured)
    yield line(f"one search of {STARTS} starts (value {value:.2f} times that of the first)", both)
    yield line(f"{FOLDS} folds", folds)


def moses() -> Iterator[str]:
    """The lists of Moses' own tests, as ``tests/peers/test_moses_lists.py`` names them."""
    folder = Path(os.environ.get("REJOINDER_MOSES_MERT", "absent"))
    if not folder.is_dir():
        yield "| lists of Moses: not run, REJOINDER_MOSES_MERT names no folder | | |"
        return
    texts = (folder / "reference.txt").read_text("utf-8").split("\n")[:100]
    testset = TestSet.from_lists([[each] for each in texts])
    lists = NBestLists.of(folder / "nbest.out", ids=testset.ids)
    metric = registry.metric(MOSES_METRIC)
    rows = CandidateRows(
        lists.matrix(lists.features()), lists.bounds, candidate_rows(metric, lists, testset), metric.score
    )  # fmt: skip
    values, seconds = [], []
    for seed in range(MOSES_SEEDS):
        weights, *each = timed(
            lambda seed=seed: WeightSearch.of(rows, STARTS, np.random.default_rng(seed)).best()
        )
        values.append(rows.value_of(rows.chosen(weights)))
        seconds.append(each)
    what = f"lists of Moses, {STARTS} starts, {MOSES_SEEDS} seeds: {min(values):.4f} to {max(values):.4f}"
    yield line(f"{what}; the longest", np.max(seconds, axis=0).tolist())


def risks(corpus: Corpus) -> Iterator[str]:
    """Minimum Bayes risk of one item by chrF, beside both ways of mbrs."""
    rivals, why = chrf_of_mbrs()
    yield f"Minimum Bayes risk of one item of {SIZE:,} candidates by chrF."
    yield ""
    yield "| characters | rejoinder | mbrs with fastchrf | mbrs with sacreBLEU, counted up | same choice |"
    yield "|---|---|---|---|---|"
    for length in (47, 141):
        texts = texts_of(corpus, length, SIZE)
        frame = pl.DataFrame({"id": "1", "sample": np.arange(SIZE).astype(str), "text": texts})
        few = frame.head(RIVAL_SIZE)
        ours, clock, processor = timed(lambda frame=frame: rerank(frame, mbr="chrf").table)
        few_ours = rerank(few, mbr="chrf").table
        cells = [f"{length}", f"{show(clock)}, processor {show(processor)}"]
        if rivals:
            fast, slow = rivals
            found, fast_clock, fast_processor = timed(partial(fast, texts))
            few_found, slow_clock, _ = timed(partial(slow, texts[:RIVAL_SIZE]))
            same = [
                table["candidate"][0] - 1 == place
                for table, place in ((ours, found), (few_ours, few_found))
            ]
            cells += [
                f"{show(fast_clock)}, processor {show(fast_processor)}",
                show(slow_clock * (SIZE / RIVAL_SIZE) ** 2),
                " and ".join("yes" if each else "no" for each in same),
            ]
        else:
            cells += [f"not run: {why}", "", ""]
        yield "| " + " | ".join(cells) + " |"


def chrf_of_mbrs() -> tuple[tuple[Callable[[list[str]], int], ...], str]:
    """The choice of mbrs by chrF of fastchrf and of sacreBLEU; none, and why, where it is not installed."""
    try:
        from mbrs.decoders import DecoderMBR  # pyright: ignore[reportMissingImports]
        from mbrs.metrics import MetricChrF  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        return (), f"mbrs cannot be imported ({error})"

    def choice(**settings: Any) -> Callable[[list[str]], int]:
        decoder = DecoderMBR(DecoderMBR.Config(), MetricChrF(MetricChrF.Config(**settings)))
        return lambda texts: int(decoder.decode(texts, texts, nbest=1).idx[0])

    return (choice(fastchrf=True), choice(num_workers=os.cpu_count() or 1)), ""


def timed(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """What a call returns, its seconds by the clock and of the processor."""
    began, used = time.perf_counter(), time.process_time()
    result = run()
    return result, time.perf_counter() - began, time.process_time() - used


def line(what: str, seconds: list[float]) -> str:
    """A row of the table."""
    return f"| {what} | {show(seconds[0])} | {show(seconds[1])} |"
