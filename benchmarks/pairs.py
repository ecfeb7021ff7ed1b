"""A million pairs of texts by chrF and sentence BLEU, beside sacreBLEU and beside items of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import sacrebleu

from benchmarks.corpus import Corpus
from benchmarks.timing import interleaved
from rejoinder.batches.batch import Batch
from rejoinder.metrics import ChrF, SentenceBLEU
from rejoinder.metrics.contract import Contract
from rejoinder.metrics.pairs import PairScorer

MILLION = 1_000_000
RIVAL_PAIRS = 1_000


def ours(metric: Contract, groups: list[list[str]]) -> None:
    """The score of every pair within each group."""
    ends = np.cumsum([0, *map(len, groups)])
    texts = [text for group in groups for text in group]
    PairScorer(metric, texts).within(np.arange(ends[-1]), ends)


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report: texts of three lengths, in one group and in groups of 50."""
    yield "Samples of one prompt, each with each as its only reference; sentence BLEU of order 2, add-k."
    yield "Least processor time, counted for a million pairs."
    yield ""
    yield "| characters | texts in a group | metric | pairs | as plain items | sacreBLEU | it takes |"
    yield "|---|---|---|---|---|---|---|"
    for length in (47, 141, 520):
        for size, groups in ((1_000, 1), (50, 200)):
            texts = texts_of(corpus, length, size * groups)
            cut = [texts[k : k + size] for k in range(0, len(texts), size)]
            for metric, rival in rivals():
                yield row(metric, rival, cut, length)
    yield ""
    yield f"Load of the machine when done: {os.getloadavg()[0]:.1f}."


def rivals() -> Iterator[tuple[Contract, Callable[[str, list[str]], object]]]:
    """Our metrics, and the same of sacreBLEU."""
    yield ChrF(), sacrebleu.CHRF().sentence_score
    bleu = sacrebleu.BLEU(max_ngram_order=2, effective_order=True, smooth_method="add-k")
    yield SentenceBLEU(), bleu.sentence_score


def texts_of(corpus: Corpus, length: int, number: int) -> list[str]:
    """Texts of one length, cut from replies that follow one another at random."""
    rng = np.random.default_rng(length)
    pool = [text for replies in corpus.systems.values() for text in replies]
    texts = []
    for _ in range(number):
        text = ""
        while len(text) < length:
            text += " " + pool[rng.integers(len(pool))]
        texts.append(text[1 : length + 1])
    return texts


def row(
    metric: Contract, rival: Callable[[str, list[str]], object], cut: list[list[str]], length: int
) -> str:
    """One line of the table."""
    pairs = sum(len(group) ** 2 for group in cut)
    few = [(a, b) for group in cut for a in group[:20] for b in group[:50]][:RIVAL_PAIRS]
    some = [group[:50] for group in cut[:20]]
    timed = interleaved(
        {
            "ours": partial(ours, metric, cut),
            "items": partial(plain, metric, some),
            "sacrebleu": lambda: [rival(a, [b]) for a, b in few],
        },
        rounds=3,
    )
    counted = {"ours": pairs, "items": sum(len(group) ** 2 for group in some)}
    each = {
        name: min(timing.processor) / counted.get(name, len(few)) * MILLION
        for name, timing in timed.items()
    }
    return (
        f"| {length} | {len(cut[0]):,} | {metric.label} | {each['ours']:.2f} s | {each['items']:.2f} s | "
        f"{each['sacrebleu']:.0f} s | {each['sacrebleu'] / each['ours']:,.0f}x |"
    )


def plain(metric: Contract, groups: list[list[str]]) -> object:
    """Every pair as an item of its own, as any metric of pairs is scored."""
    hypotheses = [a for group in groups for a in group for _ in group]
    references = [[b] for group in groups for _ in group for b in group]
    return metric.statistics(Batch.from_lists(hypotheses, references))
