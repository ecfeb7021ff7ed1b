"""Why a reply scored what it scored."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.contributions import Contribution
from rejoinder.metrics.engine.measurement import provided
from rejoinder.metrics.similarity import Likeness
from rejoinder.scoring.explanation import Explanation
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.testset import TestSet
from rejoinder.tables.types import Responses


@runtime_checkable
class Explained(Protocol):
    """A metric that can say which n-gram added what."""

    def contributions(
        self, reply: str, references: list[str], weights: list[float]
    ) -> list[Contribution]:
        """What each n-gram of a reply added."""
        ...


@runtime_checkable
class Compared(Protocol):
    """A metric that can say which reference a reply is most like, and by which words."""

    def likeness(self, batch: Batch) -> Likeness:
        """What the only reply of a batch, with its features, is like."""
        ...


def can_explain(metric: Metric) -> bool:
    """Whether a metric can say what made its score."""
    return isinstance(metric, (Explained, Compared))


def explain(
    testset: TestSet, responses: Frame | Responses, id: str, system: str, metric: str | Metric
) -> Explanation:
    """Says what made a score: which n-grams, matched in which reference, with which weight; or, of a
    metric of similarity, which reference was the nearest, and which words made it so.

    Args:
        testset: Contexts and references.
        responses: The table of ``read_responses``.
        id: The item.
        system: The system.
        metric: One of the BLEU family, or a metric of similarity.

    Raises:
        ParameterError: Item or system are unknown, or the metric cannot be taken apart so.
        InputError: The item cannot be scored.

    >>> testset = TestSet.from_lists([["at nine", "not yet"]], [[1.0, -0.5]])
    >>> answers = pl.DataFrame({"system": ["a"], "id": ["1"], "text": ["yet at nine"]})
    >>> explanation = explain(testset, answers, "1", "a", "deltableu:order=1")
    >>> [(each.ngram, each.adds) for each in explanation.contributions]
    [('yet', -0.5), ('at', 1.0), ('nine', 1.0)]
    """
    resolved = registry.metric(metric)
    if not can_explain(resolved):
        able = [name for name, make in registry.METRICS.items() if can_explain(make())]
        raise ParameterError(f"metric '{resolved.name}' cannot be explained; choose {one_of(able)}")
    context = _only(testset.contexts, "id", id, "item")
    reply = _only(
        _only_rows(taken(Responses, responses, testset.ids).frame, system),
        "id",
        id,
        f"reply of '{system}'",
    )
    if reply.height > 1:
        raise ParameterError(
            f"'{system}' has {reply.height} replies to item '{id}'; give the one to explain alone"
        )
    table = _references(testset, id, resolved)
    texts = table.get_column("text").to_list()
    weights = table.get_column("weight").to_list()
    text = reply.get_column("text")[0]
    turns = context.get_column("context")[0].to_list()
    batch = Batch.from_lists([text], [texts], [weights], [turns])
    unusable, why = resolved.unusable(batch)
    if unusable[0]:
        raise InputError(f"{resolved.label}: item '{id}' {why}; there is no score to explain")
    score = resolved.corpus([text], [texts], [weights], contexts=[turns])
    contributions = (
        resolved.contributions(text, texts, weights) if isinstance(resolved, Explained) else []
    )
    like = (
        resolved.likeness(provided([resolved], batch)) if isinstance(resolved, Compared) else None
    )
    return Explanation(
        id,
        system,
        resolved.label,
        turns,
        text,
        texts,
        weights,
        table.get_column("source").to_list(),
        contributions,
        score.value,
        score.parts,
        like,
        "weights" in resolved.needs,
    )


def _references(testset: TestSet, id: str, metric: Metric) -> pl.DataFrame:
    """Those that count, in their order: the first one is the original."""
    table = testset.references.filter(pl.col("id") == id).with_columns(
        pl.col("weight").fill_null(1.0)
    )
    batch = Batch.from_lists(
        [""], [table.get_column("text").to_list()], [table.get_column("weight").to_list()]
    )
    selected = batch.references(getattr(metric, "references", "all")).indices
    return table[np.asarray(selected)]


def _only_rows(responses: pl.DataFrame, system: str) -> pl.DataFrame:
    rows = responses.filter(pl.col("system") == system)
    if rows.is_empty():
        names = responses.get_column("system").unique(maintain_order=True).to_list()
        raise ParameterError(f"system '{system}' is unknown; choose {one_of(names)}")
    return rows


def _only(table: pl.DataFrame, column: str, value: str, what: str) -> pl.DataFrame:
    row = table.filter(pl.col(column) == value)
    if row.is_empty():
        examples = one_of(table.get_column(column).head(3).to_list())
        raise ParameterError(f"there is no {what} with the id '{value}'; ids look like {examples}")
    return row
