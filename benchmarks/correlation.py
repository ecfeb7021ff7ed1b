"""The paper's Table 2 (nine metrics, 45 pairs of systems, 1,000 assignments) beside a plain loop."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import sacrebleu

from benchmarks.corpus import SHARED, Corpus
from benchmarks.timing import interleaved, show
from rejoinder import TestSet, correlate, read_ratings, read_testset, score
from rejoinder.meta_evaluation.correlate import Agreement
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.meta_evaluation.unit_level import UnitObservations
from rejoinder.metrics import BLEU, DeltaBLEU, Metric, SentenceBLEU

RULES = ("single", "w>=0.6", "all")
SIZE, ASSIGNMENTS, SLICE = 100, 1000, 8


def run(corpus: Corpus) -> Iterator[str]:
    """Yields the lines of the report."""
    testset = TestSet.from_lists(corpus.references, corpus.weights)
    rows = [
        (name, item, text)
        for name, replies in corpus.systems.items()
        for item, text in zip(testset.ids, replies, strict=True)
    ]
    responses = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    ratings = _ratings(testset.ids)
    metrics: list[Metric] = [
        kind(order=2, references=rule) for kind in (BLEU, SentenceBLEU, DeltaBLEU) for rule in RULES
    ]

    def ours(permutations: int) -> Agreement:
        scores = score(testset, responses, metrics, resamples=0)
        return correlate(
            scores,
            ratings,
            Unit(SIZE, ASSIGNMENTS),
            correlations=["spearman", "kendall-b"],
            permutations=permutations,
        )

    names = (
        "rejoinder: measuring, 1,000 assignments, both coefficients, intervals",
        "rejoinder: the same and 1,000 permutations for each of the 20 rows",
    )
    timed = interleaved({names[0]: lambda: ours(0), names[1]: lambda: ours(1000)}, rounds=3)
    agreement = ours(0)
    units = agreement.observations().height
    seconds, differ = _theirs(corpus, agreement)
    calls = 2 * units * ASSIGNMENTS * len(metrics)
    yield (
        f"{len(metrics)} metrics, {units} units of {SIZE} items from 45 pairs of systems on "
        f"{corpus.size} items, {ASSIGNMENTS:,} assignments, Spearman and Kendall."
    )
    yield ""
    yield "| what | time |"
    yield "|---|---|"
    for name, timing in timed.items():
        yield f"| {name} | {timing} |"
    for rule in RULES:
        yield f"| sacreBLEU, one corpus call of {SIZE} replies, references {rule} | {show(seconds[rule])} |"
    mean = sum(seconds.values()) / len(seconds)
    yield f"| sacreBLEU, {calls:,} calls, extrapolated | {calls * mean / 3600:.1f} h |"
    yield ""
    yield (
        f"The plain loop would take **{calls * mean / timed[names[0]].median:,.0f}** times as long, "
        f"**{calls * mean / timed[names[1]].median:,.0f}** with the permutations on our side alone. "
        f"Every one of the nine rows is counted as one corpus call for each system and unit. BLEU of "
        f"the units that were timed differs from sacreBLEU's by {differ:.0e} at most."
    )


def _ratings(ids: list[str]) -> pl.DataFrame:
    """The judges' relevance, for the items in the order of the corpus."""
    folder = SHARED / "data" / "dstc7-task2"
    logging.disable(logging.WARNING)  # the reader says what it leaves out; here it is known
    table = read_ratings(folder).filter(pl.col("criterion") == "Relevance")
    logging.disable(logging.NOTSET)
    testset = read_testset(folder)
    some = set(testset.references["id"])
    kept = [item for item in testset.ids if item in some]
    table = table.filter(pl.col("id").is_in(kept))
    return table.with_columns(pl.col("id").replace_strict(dict(zip(kept, ids, strict=True))))


def _theirs(corpus: Corpus, agreement: Agreement) -> tuple[dict[str, float], float]:
    """Seconds of one sacreBLEU call for each rule, and how far its BLEU is from ours."""
    evidence = agreement._evidence
    assert isinstance(evidence, UnitObservations)
    design = evidence.design
    members, turned = design.assigned(0, 1)
    bleu = sacrebleu.BLEU(max_ngram_order=2, smooth_method="none")
    seconds, differ = {}, 0.0
    some = range(0, design.pair.size, design.pair.size // SLICE)
    for rule in RULES:
        began = time.perf_counter()
        differences = []
        for unit in some:
            references = [_picked(corpus, int(i), rule) for i in members[0, unit]]
            most = max(map(len, references))
            streams: Any = [
                [few[j] if j < len(few) else None for few in references] for j in range(most)
            ]
            values = [
                bleu.corpus_score(
                    [corpus.systems[evidence.rated.systems[s]][i] for i in members[0, unit]],
                    streams,
                ).score
                for s in design.pairs[design.pair[unit]]
            ]
            differences.append((values[0] - values[1]) / 100)
        seconds[rule] = (time.perf_counter() - began) / (2 * len(some))
        told = evidence.first.scores[BLEU(order=2, references=rule).label][0]
        found = np.where(turned[0], -told, told)[list(some)]
        differ = max(differ, float(np.abs(found - differences).max()))
    return seconds, differ


def _picked(corpus: Corpus, item: int, rule: str) -> list[str]:
    references = corpus.references[item]
    if rule == "single":
        return references[:1]
    if rule == "all":
        return references
    least = float(rule.removeprefix("w>="))
    weights = corpus.weights[item]
    return [text for text, weight in zip(references, weights, strict=True) if weight >= least]
