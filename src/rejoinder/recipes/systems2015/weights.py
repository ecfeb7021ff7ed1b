"""Minimum error rate training (Och 2003) of a phrase-based responder: decode, search, decode again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from rejoinder.metrics.base import Metric
from rejoinder.responders.phrase.trained import FEATURES, PhraseResponder, as_lists
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tables.testset import TestSet
from rejoinder.tuning.objectives import candidate_rows, with_metrics
from rejoinder.tuning.weight_search import CandidateRows, WeightSearch

SYSTEM = "phrase"
"""The name of the system in lists."""

LEAST = 1e-3
"""The least weight of the language model: the search builds on it."""


def tuned_weights(
    responder: PhraseResponder,
    messages: Sequence[str],
    testset: TestSet,
    metric: Metric,
    features: Sequence[str],
    *,
    rounds: int = 4,
    count: int = 100,
    starts: int = 5,
    beam: int = 10,
    seed: int = 12345,
    more: Sequence[str] = (),
) -> tuple[dict[str, float], float]:
    """The weights of some features that make the best replies to messages score highest.

    Each round adds the best candidates under the weights so far to the lists, and searches the weights
    that are best on all lists. It ends early where no candidate is new.

    Args:
        responder: With the weights to start from.
        messages: One for each item.
        testset: Their references.
        metric: What is maximised; a sum of rows.
        features: The features that have a weight; all others weigh nothing.
        rounds: Most rounds.
        count: Candidates of a list that are added in a round.
        starts: Starts of each search.
        beam: Beam size.
        seed: Random seed.
        more: Metrics of candidates that the search for replies does not know; they have weights too,
            which rerank lists alone.

    Returns:
        The weights by feature, and the metric of the lists' best under them.
    """
    rng = np.random.default_rng(seed)
    names = [*features, *more]
    vector = np.array([responder.weights.get(name, 0.0) for name in names])
    known = as_lists(SYSTEM, [], [])
    low = np.array([LEAST if name == "language_model" else -np.inf for name in names])
    sign = 1.0 if metric.higher_is_better else -1.0
    value = -np.inf
    for _ in range(rounds):
        now = {name: weight for name, weight in zip(names, vector, strict=True) if name in FEATURES}
        found = responder.weighted(now).candidates(messages, count, beam)
        all_of_them = pl.concat([known, as_lists(SYSTEM, testset.ids, found)])
        before, known = known, all_of_them.unique(["id", "text"], keep="first", maintain_order=True)
        if known.height == before.height:
            break
        lists = NBestLists(known).of_items(testset.ids)
        candidates = with_metrics(lists, more, testset, "scorer")
        rows = CandidateRows(
            candidates.matrix(names),
            candidates.bounds,
            candidate_rows(metric, candidates, testset),
            lambda totals: sign * metric.score(totals),
        )
        search = WeightSearch.of(rows, starts, rng, low)
        best = np.vstack([np.maximum(vector, low), search.starts[1:]])
        vector = replace(search, starts=best).best()
        vector = vector / np.abs(vector).sum()
        value = sign * rows.value_of(rows.chosen(vector))
    return dict(zip(names, vector.tolist(), strict=True)), value
