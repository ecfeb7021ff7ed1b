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

    def one_run(kind: str, first: int = 0) -> object:
        return PairedTest(systems[first:], {"BLEU": cached}, None, kind, 1000)()

    def all_pairs(kind: str) -> object:
        # A run holds one baseline against the others: nine runs make all pairs.
        return [one_run(kind, first) for first in range(len(systems) - 1)]

    def statistics() -> object:
        return [cached._extract_corpus_statistics(replies, None) for _, replies in systems]

    ours = "rejoinder, intervals + 45 pairs x 2 tests, 1,000 permutations"
    whole = "rejoinder, the same, measuring included"
    timed = interleaved(
        {
            ours: lambda: tests(1000),
            whole: lambda: (lambda s: (s.systems(), s.compare(permutations=1000)))(
                score(testset, responses, [metric], resamples=1000)
            ),
            "rejoinder, with 10,000 permutations": lambda: tests(10_000),
            "sacreBLEU, statistics of ten systems": statistics,
            "sacreBLEU, paired bootstrap, 9 pairs": lambda: one_run("bs"),
            "sacreBLEU, paired bootstrap, 45 pairs": lambda: all_pairs("bs"),
            "sacreBLEU, approximate randomization, 45 pairs": lambda: all_pairs("ar"),
        },
        rounds=2,
    )
    yield "| what | time |"
    yield "|---|---|"
    for name, timing in timed.items():
        yield f"| {name} | {timing} |"
    extract = timed["sacreBLEU, statistics of ten systems"].median / len(systems)
    nine = timed["sacreBLEU, paired bootstrap, 9 pairs"].median
    bootstrap = timed["sacreBLEU, paired bootstrap, 45 pairs"].median
    randomization = timed["sacreBLEU, approximate randomization, 45 pairs"].median
    from_rows = bootstrap - 54 * extract  # the nine runs measure 10 + 9 + ... + 2 systems
    both = from_rows + randomization - 54 * extract
    yield ""
    yield (
        "Ours gives the intervals, and both tests of all 45 pairs. Beside sacreBLEU's paired "
        f"bootstrap of the same 45 pairs: **{bootstrap / timed[whole].median:.0f}** measuring "
        f"included on both sides (its references cached), **{from_rows / timed[ours].median:.0f}** "
        f"from measured rows on both sides; beside both of its tests **{both / timed[ours].median:.0f}** "
        f"from measured rows. Its nine pairs against one baseline alone: {nine / timed[whole].median:.0f}."
    )
