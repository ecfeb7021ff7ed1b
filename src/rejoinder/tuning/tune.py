"""Weights of a linear reranker, tuned by any metric that is a sum of rows, and what they gain held out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError, check_least
from rejoinder.files.checksums import with_checksum
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted, listed
from rejoinder.metrics.base import Metric
from rejoinder.progress import Progress, advance
from rejoinder.result import TableResult
from rejoinder.scoring.score import score, wanted_metrics
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.held_out_gain import held_out_interval
from rejoinder.tables.assembly.column_mapping import Columns
from rejoinder.tables.format import FormatName
from rejoinder.tables.item_clusters import cluster_labels
from rejoinder.tables.nbest_lists import CandidatesLike, NBestLists
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tuning.gains import FIRST, RERANKED, gains, notes_of
from rejoinder.tuning.objectives import (
    MeanOfNumbers,
    candidate_batch,
    candidate_rows,
    mean_of_rows,
    with_metrics,
)
from rejoinder.tuning.weight_search import CandidateRows, WeightSearch

LEAST_CLUSTERS = 4
"""Of fewer there is no gain held out."""


@dataclass(frozen=True, repr=False)
class Tuned(TableResult):
    """Weights, and what they gain on items that they were not tuned on.

    Attributes:
        weights: By feature its weight, tuned on all items.
        value: The tuned metric of all items under these weights, seen in tuning: too high.
        testset: The digest of the test set.
        table: A row for each metric; see ``tune``.
        settings: ``items``, ``candidates``, ``folds``, ``starts``, ``seed``.
        signatures: By metric all that its numbers follow from.
        notes: What was left out, and what the numbers do not tell.
        scores: The first candidates and those reranked by weights of the other folds, as two systems.
    """

    weights: dict[str, float]
    value: float
    testset: str
    table: pl.DataFrame
    settings: dict[str, int]
    signatures: dict[str, str]
    notes: tuple[str, ...]
    scores: Scores

    def document(self, view: View = AS_USUAL) -> Document:
        """The gain held out under every metric, and the weights."""
        from rejoinder.tuning.tune_tables import tuned

        metrics = {label: each.metric for label, each in self.scores.measured.items()}
        return tuned(self.table, self.weights, self.settings, metrics, self.signatures, self.notes)

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder tune --json`` prints."""
        first = self.table.row(0, named=True)
        tuned = {"metric": first["metric"], "value": self.value}
        return {
            "tuned": with_checksum({**tuned, "weights": self.weights, "testset": self.testset}),
            "held_out": {key: first[key] for key in ("gain", "low", "high", "training_gain")},
            "metrics": self.table.to_dicts(),
            "settings": self.settings,
            "signatures": self.signatures,
            "notes": list(self.notes),
        }


def tune(
    candidates: CandidatesLike,
    testset: TestSetLike,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    *,
    features: Sequence[str] = (),
    scores: Sequence[Any] = (),
    means: Sequence[str] = (),
    predictor: str | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    folds: int = 5,
    starts: int = 20,
    cluster: str | None = None,
    seed: int = 12345,
    format: FormatName = None,
    columns: Columns = None,
    progress: Progress | None = None,
) -> Tuned:
    """Tunes the weights of a linear reranker, and says what they gain on items not tuned on.

    The weighted sum of its features ranks the candidates of an item. The weights maximise the metric of
    those ranked first by Och's exact line search, from several starts. The gain over the first candidate
    of each list is cross-validated over clusters of items: those of a fold are reranked by the weights of
    the others. Its interval is that of a difference of two systems.

    Args:
        candidates: N-best lists: paths or tables of replies, several to an item (told apart by ``sample``
            or ``system``), whose columns of numbers are features; lists of Moses; samples of logs.
        testset: Contexts and references. Items without candidates are left out and counted.
        metrics: The first one is tuned, and must be a sum of rows; the others show what the same weights
            do under metrics that were not tuned. None: the default metric of the test set, or none where
            there are ``means``.
        features: The numbers that are features, or metrics that look at no references, such as
            ``ruber:model=FOLDER`` or ``length``; by default all numbers but ``means``, ``predictor`` and
            the total of Moses.
        scores: More numbers of the candidates: tables of a judge, a metric or a model.
        means: Numbers of the candidates whose mean counts, as a metric does: a judge's marks, people's
            ratings. Without ``metrics``, the first one is tuned. Where some candidates have none, those
            that have one must be drawn at random.
        predictor: A number of all candidates that predicts those of ``means`` that some do not have.
        bounds: By feature the least and the greatest weight; ``(0, inf)`` for a sign.
        folds: Number of folds of the cross-validation.
        starts: Number of starts of each search.
        cluster: As for ``score``.
        seed: Random seed of starts, directions and folds.
        format: The format of the candidates' files; None: recognised.
        columns: Which column is which in them, as for ``read_testset``.
        progress: Called with how many searches are done, and of how many.

    Returns:
        Its ``table`` has a row for each metric, in its own range: ``metric``; ``tuned``, whether it is the
        tuned one; ``first``, the value of the first candidates; ``held_out``, that of those reranked by
        weights of other folds; ``gain``, by how much that is better, with its 95% interval ``low`` and
        ``high``; ``training_gain``, the mean gain on the items that weights were tuned on (null where it
        was not tuned); ``shown``, whether the interval excludes no gain.

    Raises:
        InputError: Candidates and test set do not fit, or too few items are left.
        ParameterError: A metric, a feature or a parameter is unknown or cannot be.
    """
    check_least(2, folds=folds)
    check_least(1, starts=starts)
    testset = TestSet.of(testset)
    given = NBestLists.of(candidates, scores, ids=testset.ids, format=format, columns=columns)
    digest = testset.digest
    lists, testset, notes = given.paired(testset)
    lists = with_metrics(lists, features, testset, "features")
    for name in (*means, *([predictor] if predictor else [])):
        lists.require(name, "means" if name in means else "predictor")
    names = lists.features(features, without=[*means, *([predictor] if predictor else [])])
    labelled = {} if metrics is None and means else wanted_metrics(metrics, testset)
    if metrics is None and labelled:
        labelled = dict(list(labelled.items())[:1])
    lists, testset, dropped = _usable(lists, testset, list(labelled.values())[:1])
    numbers = [MeanOfNumbers.of(lists, name, predictor) for name in means]
    rows, label, sign = _rows(lists, testset, labelled, numbers, names)
    low, high = _bounds(names, bounds or {})
    clusters = _clusters(testset, lists, cluster)
    rng = np.random.default_rng(seed)
    search = WeightSearch.of(rows, starts, rng, low, high)
    validated = cross_validated(search, clusters, folds, rng, progress)
    best = search.best()
    # Rounded, equal candidates may part: the weights that rank as those found are kept.
    weights = max(
        (_scaled(best, low, high), best), key=lambda each: rows.value_of(rows.chosen(each))
    )
    advance(progress, folds + 1, folds + 1)
    systems = {FIRST: lists.bounds[:-1], RERANKED: validated.chosen}
    replies = pl.concat([lists.replies(chosen, name) for name, chosen in systems.items()])
    measured = [*labelled.values(), *(each.of_systems(lists, systems) for each in numbers)]
    result = score(testset, replies, measured, drop_unusable=True, cluster=cluster, seed=seed)
    table = _table(result, label, validated.training_gain)
    useless = [name for name, spread in zip(names, rows.spread, strict=True) if not spread]
    notes += [
        *dropped,
        *_notes(table, label, useless, numbers, lists, predictor),
        *notes_of(result),
    ]
    settings = {
        "items": len(lists), "candidates": lists.frame.height, "folds": len(validated.weights),
        "starts": starts, "seed": seed,
    }  # fmt: skip
    value = sign * rows.value_of(rows.chosen(weights))
    by_name = dict(zip(names, weights.tolist(), strict=True))
    signatures = {name: each.signature for name, each in result.measured.items()}
    return Tuned(
        by_name, value, digest, table, settings, signatures, tuple(dict.fromkeys(notes)), result
    )


def _usable(
    lists: NBestLists, testset: TestSet, tuned: Sequence[Metric]
) -> tuple[NBestLists, TestSet, list[str]]:
    """The items that the tuned metric can score, and a note on the others."""
    for metric in tuned:
        if not metric.summable:
            raise ParameterError(
                f"metric '{metric.label}' is no sum of rows of single replies, so that it cannot be "
                "tuned; name it behind another one, and it is reported"
            )
        unusable, why = metric.unusable(candidate_batch(lists, testset))
        if unusable.all():
            raise InputError(f"{metric.label}: no item can be scored: each one {why}")
        if unusable.any():
            left = lists.select(~unusable)
            note = f"{counted(int(unusable.sum()), 'item')} left out: each {why}"
            return left, testset.select(left.ids), [f"{metric.label}: {note}"]
    return lists, testset, []


def _rows(
    lists: NBestLists,
    testset: TestSet,
    labelled: Mapping[str, Metric],
    numbers: Sequence[MeanOfNumbers],
    names: Sequence[str],
) -> tuple[CandidateRows, str, float]:
    """The candidates under what is tuned, its label, and -1 where lower values are better."""
    value: Callable[[Floats], Floats]
    if labelled:
        label, metric = next(iter(labelled.items()))
        sign = 1.0 if metric.higher_is_better else -1.0
        value = metric.score if sign > 0 else lambda totals: -metric.score(totals)
        rows = candidate_rows(metric, lists, testset)
    else:
        label, sign, value, rows = numbers[0].name, 1.0, mean_of_rows, numbers[0].rows()
    return CandidateRows(lists.matrix(names), lists.bounds, rows, value), label, sign


def _bounds(
    names: Sequence[str], given: Mapping[str, tuple[float, float]]
) -> tuple[Floats, Floats]:
    bounds = Argument("bounds")
    for name, (low, high) in given.items():
        if name not in names:
            raise ParameterError(bounds, f": no feature '{name}'; the features are {listed(names)}")
        if not low < high:
            why = f": {name} from {low} to {high}; expected a lower and a higher number"
            raise ParameterError(bounds, why)
    ends = np.array([given.get(name, (-math.inf, math.inf)) for name in names], dtype=np.float64)
    return ends[:, 0].copy(), ends[:, 1].copy()


def _scaled(weights: Floats, low: Floats, high: Floats) -> Floats:
    """The weights with absolute values that sum to 1, which ranks alike, where the bounds allow it."""
    total = np.abs(weights).sum()
    free = np.isin(low, (-np.inf, 0.0)).all() and np.isin(high, (np.inf, 0.0)).all()
    return weights / total if free and total > 0 else weights


def _clusters(testset: TestSet, lists: NBestLists, cluster: str | None) -> Indices:
    """The cluster of each item, found as ``score`` finds it."""
    first = lists.replies(lists.bounds[:-1], FIRST)
    column = score(testset, first, ["length"], cluster=cluster, resamples=0).cluster
    if not column:
        return np.arange(len(testset))
    labels = cluster_labels(testset.contexts, column).rank("dense")
    return labels.to_numpy().astype(np.int64)


class CrossValidated(NamedTuple):
    """What weights do on the items of a fold that they were not tuned on.

    Attributes:
        chosen: int64 [n], the candidate of each list that the weights of the other folds choose.
        weights: float64 [folds, d], the weights tuned without each fold.
        training_gain: The gain over the first candidates on the items tuned on, mean over folds.
    """

    chosen: Indices
    weights: Floats
    training_gain: float


def cross_validated(
    search: WeightSearch,
    clusters: Indices,
    folds: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> CrossValidated:
    """Tunes without each fold of clusters in turn.

    Args:
        search: The search of the weights.
        clusters: The cluster of each item.
        folds: Number of folds.
        rng: The random generator.
        progress: Called with what is done and what there is in all; None: never.

    Raises:
        InputError: There are too few clusters.
    """
    distinct, code = np.unique(clusters, return_inverse=True)
    if distinct.size < LEAST_CLUSTERS:
        raise InputError(
            f"candidates: {counted(distinct.size, 'item or cluster', 'items or clusters')}; expected "
            f"{LEAST_CLUSTERS} or more, to tune on some and look at the gain on others"
        )
    folds = min(folds, distinct.size)
    fold = (rng.permutation(distinct.size) % folds)[code]
    rows, gains, tuned = search.rows, [], []
    first = rows.bounds[:-1]
    chosen = first.copy()
    for k in range(folds):
        lists = np.flatnonzero(fold != k)
        tuned.append(search.best(lists))
        best = rows.chosen(tuned[-1])
        chosen[fold == k] = best[fold == k]
        gains.append(rows.value_of(best[lists]) - rows.value_of(first[lists]))
        advance(progress, k + 1, folds + 1)
    return CrossValidated(chosen, np.array(tuned), float(np.mean(gains)))


def _table(scores: Scores, label: str, training: float) -> pl.DataFrame:
    """The gains with intervals that know of the tuning: those of other metrics as wide as the tuned one's."""
    table, is_tuned = gains(scores), pl.col("metric") == label
    tuned = table.row(by_predicate=is_tuned, named=True)
    gain = tuned["gain"]
    ends = held_out_interval(gain, tuned["low"], tuned["high"], training)
    for name, end in ends._asdict().items():
        reach = tuned[name] - gain
        wider = (end - gain) / reach if abs(reach) > 0 else 1.0  # not NaN
        far = pl.col("gain") + wider * (pl.col(name) - pl.col("gain"))
        table = table.with_columns(pl.when(is_tuned).then(end).otherwise(far).alias(name))
    return table.select(
        *("metric", is_tuned.alias("tuned"), "first", pl.col(RERANKED).alias("held_out")),
        *("gain", "low", "high", pl.when(is_tuned).then(training).alias("training_gain")),
        (pl.col("low").fill_nan(None) > 0).fill_null(False).alias("shown"),
    )


def _notes(
    table: pl.DataFrame,
    label: str,
    useless: Sequence[str],
    numbers: Sequence[MeanOfNumbers],
    lists: NBestLists,
    predictor: str | None,
) -> list[str]:
    notes = []
    if useless:
        notes.append(
            f"{listed(useless)}: the same for all candidates of every item, so it keeps its starting "
            "weight"
        )
    for each in numbers:
        missing = int(np.isnan(lists.frame.get_column(each.name).to_numpy()).sum())
        if predictor and not missing:
            notes.append(
                f"{each.name}: every candidate has one, so that the predictor '{predictor}' has no effect"
            )
        if missing:
            by = f"by '{predictor}'" if predictor else "by the mean of the others"
            notes.append(
                f"{each.name}: {missing} of {lists.frame.height} candidates have none and are estimated "
                f"{by}, corrected by the others; right only if these were drawn at random"
            )
    if table.height == 1:
        notes.append(
            f"{label} was tuned, so its gain is partly its own: look at metrics or people that were not "
            f"tuned, with more {Argument('metrics')} or {Argument('means')}"
        )
    return notes
