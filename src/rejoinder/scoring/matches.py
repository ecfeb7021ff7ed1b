"""Which n-grams of every reply matched which reference, under one metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.metrics.base import Metric
from rejoinder.progress import Progress, advance
from rejoinder.scoring.explain import Explained
from rejoinder.tables.testset import TestSet


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
    testset: TestSet,
    replies: pl.DataFrame,
    metric: Metric,
    progress: Progress | None = None,
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
            found = [
                Match(each.ngram, places[each.reference], each.adds)
                for each in parts
                if each.reference is not None and each.matched
            ]
            yield system, id, found
        advance(progress, done + 1, ids)


def _counting(metric: Metric, texts: Sequence[str], weights: Sequence[float]) -> list[int]:
    """The places of the references that count under the metric's rule; none where it cannot score."""
    if not texts:
        return []
    batch = Batch.from_lists([""], [list(texts)], [list(weights)])
    if metric.unusable(batch)[0][0]:
        return []
    return np.asarray(batch.references(getattr(metric, "references", "all")).indices).tolist()
