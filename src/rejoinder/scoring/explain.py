"""Why a reply scored what it scored, and which n-grams of every reply matched which reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.contributions import Contribution
from rejoinder.metrics.engine.measurement import provided
from rejoinder.metrics.similarity import Likeness
from rejoinder.progress import Progress, advance
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


class Match(NamedTuple):
    """An n-gram of a reply that a reference holds.

    Args:
        ngram: Its tokens with blanks between.
        reference: The reference that counted, by its place among all references of the item.
        adds: What it adds to the numerator of the metric.
    """

    ngram: str
    reference: int
    adds: float


def explained_metric(metrics: Sequence[Metric]) -> Metric | None:
    """The first metric whose scores are sums over n-grams; None where there is none."""
    return next((each for each in metrics if isinstance(each, Explained)), None)


def matches(
    testset: TestSet, replies: pl.DataFrame, metric: Metric, progress: Progress | None = None
) -> Iterator[tuple[str, str, list[Match]]]:
    """The n-grams that matched, for every reply; see ``explain`` for all that is known of one.

    Args:
        testset: Contexts and references.
        replies: ``system``, ``id``, ``text``: replies to these items.
        metric: An n-gram metric; see ``explained_metric``.
        progress: Called with how many items are done, and of how many.

    Yields:
        System, id and the matches of each reply, item by item. A reply of an item that the metric
        cannot score has none.

    >>> from rejoinder.metrics.bleu import BLEU
    >>> testset = TestSet.from_lists([["at nine", "not yet"]])
    >>> answers = pl.DataFrame({"system": ["a"], "id": ["1"], "text": ["yet at nine"]})
    >>> [[each.ngram for each in found] for _, _, found in matches(testset, answers, BLEU(order=1))]
    [['yet', 'at', 'nine']]
    """
    if not isinstance(metric, Explained):
        return
    references = {
        id: (table.get_column("text").to_list(), table.get_column("weight").fill_null(1).to_list())
        for (id,), table in testset.references.group_by("id", maintain_order=True)
    }
    groups = replies.group_by("id", maintain_order=True)
    ids = replies.get_column("id").n_unique()
    for done, ((id,), table) in enumerate(groups):
        texts, weights = references.get(id, ([], []))
        places = _counting(metric, texts, weights)
        texts, weights = [texts[j] for j in places], [weights[j] for j in places]
        for system, text in table.select("system", "text").iter_rows():
            parts = metric.contributions(text, texts, weights) if places else []
            shared = [
                Match(each.ngram, places[each.reference], each.adds)
                for each in parts
                if each.reference is not None and each.matched
            ]
            yield system, id, shared
        advance(progress, done + 1, ids)


def _counting(metric: Metric, texts: Sequence[str], weights: Sequence[float]) -> list[int]:
    """The places of the references that count under the metric's rule; none where it cannot score."""
    if not texts:
        return []
    batch = Batch.from_lists([""], [list(texts)], [list(weights)])
    if metric.unusable(batch)[0][0]:
        return []
    return np.asarray(batch.references(getattr(metric, "references", "all")).indices).tolist()
