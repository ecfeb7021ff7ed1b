"""Items to draw from: real ones where they are here, otherwise text of natural word frequencies."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from rejoinder import TestSet, read_responses, read_testset, score
from rejoinder.batches.batch import Batch
from rejoinder.kernels.arrays import Floats, Tokens
from rejoinder.metrics import BLEU, DeltaBLEU, DistinctN
from rejoinder.metrics.base import Metric
from rejoinder.metrics.distinct import Entropy
from rejoinder.metrics.engine.rows import BagMatrix, rows_of

SHARED = Path(os.environ.get("REJOINDER_SHARED", Path(__file__).parents[2] / "shared")) / "data"

METRICS = [BLEU(order=2), BLEU(order=4), DeltaBLEU(), "sbleu", "rouge1", "rougeL", "chrf", "length"]
BAGS: list[Metric] = [DistinctN(), DistinctN(order=2), DistinctN(order=3), Entropy()]

GENERATED = "generated text"
NOT_ORDINARY = ("Human", "Constant")
"""Systems of DSTC7 that are people (most of their replies are references) or one sentence."""


@cache
def replies() -> tuple[str, tuple[str, ...], dict[str, tuple[Metric, Floats]]]:
    """What the population is called, its systems, and by label each metric and its rows.

    Rows are float64 [N, S, k]: DSTC7's contexts with a reference, or 600 generated items.
    """
    folder = SHARED / "dstc7-task2"
    if folder.is_dir():
        name, testset = "DSTC7", read_testset(folder)
        answers = read_responses(folder / "dstc7-task2-system_responses.tsv", ids=testset.ids)
        weights = pl.col("id").cum_count().over("id") / pl.len().over("id")
        references = testset.references.with_columns(weight=(1.6 - 1.5 * weights).clip(-1, 1))
        testset = TestSet(testset.contexts, references)
    else:
        name, (testset, answers) = GENERATED, _generated()
    scores = score(testset, answers, METRICS, drop_unusable=True, resamples=0)
    rows = {}
    for label, each in scores.measured.items():
        assert not isinstance(each.rows, BagMatrix)
        rows[label] = each.metric, each.rows.items
    return name, scores.names, rows


@cache
def bags(metric: Metric) -> tuple[str, BagMatrix]:
    """What the population is called, and the bags of n-grams of four (generated: two) systems."""
    folder = SHARED / "dailydialog-multiref"
    if folder.is_dir():
        name, testset = "DailyDialog", read_testset(folder / "multireftest.json")
        lists = testset.references.group_by("id", maintain_order=True).agg(pl.col("text").head(3))
        systems = [lists["text"].list.get(j).to_list() for j in range(3)]
        systems.append((folder / "hredf.txt").read_text("utf-8").splitlines()[: lists.height])
    else:
        name, (_, answers) = GENERATED, _generated()
        parts = answers.partition_by("system", maintain_order=True)[:2]
        systems = [part["text"].to_list() for part in parts]
    texts = [text for item in zip(*systems, strict=True) for text in item]
    statistics = metric.statistics(Batch.from_lists(texts, [[""]] * len(texts)))
    assert isinstance(statistics, Tokens)
    rows = rows_of(statistics, len(systems))
    assert isinstance(rows, BagMatrix)
    return name, rows


def _generated(items: int = 600) -> tuple[TestSet, pl.DataFrame]:
    """Words by Zipf's law; a system copies a word of the reference now and then."""
    rng = np.random.default_rng(11)
    share = 1 / np.arange(1, 4001)
    words = np.array([f"w{k}" for k in range(4000)])

    def said(least: int) -> np.ndarray:
        return rng.choice(words, rng.integers(least, 16), p=share / share.sum())

    references = [[said(3) for _ in range(3)] for _ in range(items)]
    rows = []
    for system, copied in (("a", 0.15), ("b", 0.25), ("c", 0.35), ("d", 0.45)):
        for i, few in enumerate(references):
            text, model = said(1), few[int(rng.integers(3))]
            same = rng.random(text.size) < copied * rng.random()
            text[same] = np.resize(model, text.size)[same]
            rows.append((system, str(i + 1), " ".join(text)))
    texts = [[" ".join(text) for text in few] for few in references]
    weights = [[0.9, 0.5, -0.2]] * items
    schema = ["system", "id", "text"]
    return TestSet.from_lists(texts, weights), pl.DataFrame(rows, schema=schema, orient="row")
