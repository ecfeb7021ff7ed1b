"""Intervals and all paired tests of ten systems on 1,000 items, beside sacreBLEU's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl
import sacrebleu
from sacrebleu.significance import PairedTest

from benchmarks.corpus import Corpus
from benchmarks.timing import interleaved
from rejoinder import Scores, TestSet, score
from rejoinder.metrics import BLEU


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    corpus = corpus.items(1000)
    metric = BLEU(order=4, smoothing="exp")
    testset = TestSet.from_lists(corpus.references)
    rows = [
        (name, item, text)
        for name, replies in corpus.systems.items()
        for item, text in zip(testset.ids, replies, strict=True)
    ]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    measured = score(testset, responses, [metric], resamples=1000)

    def fresh() -> Scores:
        # The rows are there; draws and resampled scores are not.
        return Scores(measured.names, measured.items, measured.measured)

    def tests(permutations: int) -> object:
        scores = fresh()
        return scores.systems(), scores.compare(permutations=permutations)

    cached = sacrebleu.BLEU(references=corpus.streams)
    systems: list[tuple[str, Sequence[str]]] = list(corpus.systems.items())

    def theirs(kind: str) -> object:
        return PairedTest(systems, {"BLEU": cached}, None, kind, 1000)()

    # What sacreBLEU spends on the statistics is taken off: both start from measured rows.
    timed = interleaved(
        {
            "rejoinder, intervals + 45 pairs x 2 tests, 1,000 permutations": lambda: tests(1000),
            "rejoinder, the same with 10,000 permutations": lambda: tests(10_000),
            "rejoinder, measuring included": lambda: (
                lambda s: (s.systems(), s.compare(permutations=1000))
            )(score(testset, responses, [metric], resamples=1000)),
            "sacreBLEU, statistics of ten systems": lambda: [
                cached._extract_corpus_statistics(replies, None) for _, replies in systems
            ],
            "sacreBLEU, paired bootstrap of 9 pairs": lambda: theirs("bs"),
            "sacreBLEU, approximate randomization of 9 pairs": lambda: theirs("ar"),
        },
        rounds=5,
    )
    yield "| what | time |"
    yield "|---|---|"
    for name, timing in timed.items():
        yield f"| {name} | {timing} |"
    names = list(timed)
    ours, whole, extract, bootstrap = (timed[names[k]].median for k in (0, 2, 3, 4))
    yield ""
    yield (
        f"Against sacreBLEU's paired bootstrap: **{bootstrap / whole:.0f}** measuring included on "
        f"both sides, **{(bootstrap - extract) / ours:.0f}** from measured rows on both sides."
    )
