"""The automatic metrics of Khayrallah & Sedoc (2021), appendix A.7, by the tables they stand in."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from rejoinder.errors import MissingExtraError
from rejoinder.files.replacing import made_folder
from rejoinder.metrics.average_max_bleu import AverageMaxBLEU
from rejoinder.metrics.base import Metric
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.distinct import DistinctN
from rejoinder.metrics.meteor import METEOR
from rejoinder.metrics.rouge import ROUGE
from rejoinder.metrics.word_vectors import EmbeddingAverage, GreedyMatching, VectorExtrema
from rejoinder.recipes.khayrallah2021.corpora import Tell
from rejoinder.recipes.khayrallah2021.published import COLUMNS
from rejoinder.scoring.score import score
from rejoinder.scoring.scores import Scores, load_scores
from rejoinder.tables.testset import TestSet

ORDERS = (1, 2, 3, 4)
WORDS: dict[str, Any] = {"tokenizer": "13a", "lowercase": True}
"""How replies and references are cut, both detokenised. The paper's scripts cut with spaCy."""

Listed = dict[tuple[str, str], Metric]
"""Metrics by table and column."""


@dataclass(frozen=True)
class Automatic:
    """What was measured of the replies to the test prompts.

    Attributes:
        listed: The metrics by table and column.
        scores: The scores of all systems.
        notes: Which metrics are missing, and why.
    """

    listed: Listed
    scores: Scores
    notes: tuple[str, ...]

    def label(self, table: str, column: str) -> str | None:
        """Under which label a column stands in the scores; None: it was not measured."""
        listed = self.listed.get((table, column))
        measured = self.scores.measured.items()
        return next((label for label, each in measured if each.metric == listed), None)


def automatic(
    items: TestSet,
    responses: pl.DataFrame,
    several: bool,
    vectors: Path | None,
    folder: Path,
    resamples: int,
    seed: int,
    tell: Tell,
) -> Automatic:
    """Measures the replies of all systems; METEOR only where Java and its jar are here.

    Args:
        items: The test prompts and their references.
        responses: The table of the systems' replies.
        several: Whether there are several references to an item.
        vectors: Word vectors, for Tables 8 and 10; None: without these tables.
        folder: Where the scores are kept.
        resamples: Number of resamples of the intervals.
        seed: Random seed.
        tell: Called with what is being done, and how far it is.
    """
    listed = _listed(several, vectors)
    try:
        return Automatic(
            listed, _scored(items, responses, listed, folder, resamples, seed, tell), ()
        )
    except MissingExtraError as error:
        if not re.search("meteor|java", str(error), re.IGNORECASE):
            raise
        less = {key: each for key, each in listed.items() if not isinstance(each, METEOR)}
        scores = _scored(items, responses, less, folder, resamples, seed, tell)
        return Automatic(less, scores, (f"METEOR is missing: {error}",))


def _listed(several: bool, vectors: Path | None) -> Listed:
    single = _metrics_by_references("single", vectors)
    listed: Listed = {("9", column): each for column, each in single["overlap"].items()}
    listed |= {("10", column): each for column, each in single["similarity"].items()}
    if several:
        every = _metrics_by_references("all", vectors)
        listed |= {("7", column): each for column, each in every["overlap"].items()}
        listed |= {("8", column): each for column, each in every["similarity"].items()}
    bags = zip(COLUMNS["11"], ORDERS, strict=False)
    return listed | {("11", column): DistinctN(order=n, **WORDS) for column, n in bags}


def _metrics_by_references(rule: str, vectors: Path | None) -> dict[str, dict[str, Metric]]:
    metrics: list[Metric] = [
        *(AverageMaxBLEU(order=n, references=rule, **WORDS) for n in ORDERS),
        *(BLEU(order=n, references=rule, smoothing="caption", **WORDS) for n in ORDERS),
        METEOR(references=rule),
        ROUGE("L", form="caption", references=rule, **WORDS),
    ]
    overlap = dict(zip(COLUMNS["7"], metrics, strict=True))
    if vectors is None:
        return {"overlap": overlap, "similarity": {}}
    kinds = (EmbeddingAverage, VectorExtrema, GreedyMatching)
    similarity: list[Metric] = [kind(vectors=str(vectors), references=rule) for kind in kinds]
    return {"overlap": overlap, "similarity": dict(zip(COLUMNS["8"][1:], similarity, strict=True))}


def _scored(
    items: TestSet,
    responses: pl.DataFrame,
    listed: Listed,
    folder: Path,
    resamples: int,
    seed: int,
    tell: Tell,
) -> Scores:
    """The scores, from the file where they are kept if they are of these replies."""
    facts = {
        "responses": responses.select("system", "id", "text").rows(),
        "references": items.references.select("id", "text").rows(),
        "metrics": [each.signature(bs=resamples, seed=seed) for each in listed.values()],
    }
    digest = hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:12]
    path = folder / f"scores-{digest}.parquet"
    if path.exists():
        return load_scores(path)
    scores = score(
        items,
        responses,
        list(listed.values()),
        drop_unusable=True,
        resamples=resamples,
        seed=seed,
        progress=lambda done, total: tell("measuring", done, total),
    )
    made_folder(folder)
    scores.save(path)
    return scores


def values(automatic: Automatic) -> Mapping[tuple[str, str, str], dict[str, Any]]:
    """The rows of ``Scores.systems`` by table, column and system."""
    rows = {(row["metric"], row["system"]): row for row in automatic.scores.systems().to_dicts()}
    by_cell = {}
    for table, column in automatic.listed:
        label = automatic.label(table, column)
        for system in automatic.scores.names:
            if (label, system) in rows:
                by_cell[table, column, system] = rows[label, system]
    return by_cell
