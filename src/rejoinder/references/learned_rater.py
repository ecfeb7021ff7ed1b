"""A learned rater: scores of replies by a metric that needs no reference, and their map to weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError
from rejoinder.human_evaluation.grades import SCALE
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument, Call, Placeholder, counted
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.measurement import data_facts, measure, provided, remarks
from rejoinder.metrics.engine.rows import rows_of
from rejoinder.metrics.external import External
from rejoinder.metrics.registry import metric
from rejoinder.metrics.ruber import RUBER
from rejoinder.progress import Progress
from rejoinder.statistics.aggregation import scale as scaled
from rejoinder.statistics.correlation import spearman
from rejoinder.statistics.quantile_matching import QuantileMap
from rejoinder.tables.testset import TestSet

FEW = 30
"""Below so many rated replies a note says that the map is rough."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What a learned rater says of replies.

    Attributes:
        metric: The rater.
        values: float64 [n], NaN where it has no score of a reply.
        notes: What the rater's model says of the replies.
        signature: Everything that the values follow from.
    """

    metric: Metric
    values: Floats
    notes: tuple[str, ...]
    signature: str


def learned_rater(weights_from: str | Metric) -> Metric:
    """The metric that rates replies: one that reads the reply and its context, and no reference.

    ``ruber`` is taken by its unreferenced half (``referenced=none``), whatever else is given.

    Raises:
        ParameterError: There is no such metric, or it needs references.
    """
    rater = metric(weights_from)
    if isinstance(rater, RUBER):
        rater = replace(rater, referenced="none")
    if wrong := rater.needs & {"references", "weights"}:
        raise ParameterError(
            f"weights_from: {rater.label} needs {' and '.join(sorted(wrong))}, which are what is to be "
            "weighed; choose one that reads the reply and its context alone, such as "
            "ruber:model=FOLDER, or give the scores of another tool with "
            f"{Call('weights_from=rejoinder.External(name, scores)')}"
        )
    return rater


def score_texts(
    rater: Metric, testset: TestSet, texts: pl.DataFrame, progress: Progress | None = None
) -> Scored:
    """Scores replies, each by itself.

    Args:
        rater: A metric of `learned_rater`.
        testset: The items, for their contexts.
        texts: ``system, id, text``; ``system`` may be null.
        progress: Called with how much of the model's work is done, and of how much.

    Raises:
        InputError: The rater reads contexts, and the test set has none; or its model is damaged.
    """
    if isinstance(rater, External):
        return _scored_elsewhere(rater, texts)
    turns = dict(testset.contexts.select("id", "context").iter_rows())
    contexts = [turns[id] for id in texts.get_column("id")]
    if "context" in rater.needs and not any(contexts):
        raise InputError(
            f"weights_from: {rater.label} reads the context of a reply, and the test set has no contexts; "
            "give a test set with them"
        )
    replies = texts.get_column("text").to_list()
    batch = Batch.from_systems([replies], [[]] * len(replies), None, contexts)
    batch = provided([rater], batch, progress)
    values = rows_of(measure([rater], batch)[0], 1).segments(rater)[0]
    signature = rater.signature(**data_facts(rater, batch))
    return Scored(rater, values, tuple(remarks({rater.label: rater}, batch)), signature)


def _scored_elsewhere(rater: External, texts: pl.DataFrame) -> Scored:
    """The scores of another tool, found by system (the source of a candidate) and id."""
    values = rater.reply_values
    if values is None:
        raise ParameterError(
            f"weights_from: '{rater.label}' comes from saved scores, which hold no values of single replies; "
            "give the scores again: rejoinder.External(name, frame)"
        )
    place = {name: s for s, name in enumerate(values.systems)}
    column = {id: i for i, id in enumerate(values.ids)}
    scores = np.full(texts.height, np.nan)
    for row, (system, id) in enumerate(texts.select("system", "id").iter_rows()):
        if system in place and id in column:
            scores[row] = values.values[place[system], column[id]]
    if np.isnan(scores).all():
        raise InputError(
            f"weights_from: '{rater.label}' has no score of any of {counted(len(scores), 'text')} to be "
            f"weighed; scores are found by system (for candidates, their source) and id; "
            f"got systems such as '{values.systems[0]}', expected such as "
            f"'{texts.item(0, 'system') or ''}'"
        )
    return Scored(rater, scores, tuple(rater.notes()), rater.signature())


def linear_weights(scored: Scored, ends: tuple[float, float]) -> tuple[Floats, list[str]]:
    """Weights without any rating: the range of the scores as -1 to 1, and the note that says so.

    Args:
        scored: The scores.
        ends: The worst and the best grade, for scores of another tool that have no bounds.

    Raises:
        ParameterError: A metric of ours has no bounds.
        InputError: A score lies outside.
    """
    low, high = scored.metric.bounds
    if not np.isfinite([low, high]).all():
        if not isinstance(scored.metric, External):
            raise ParameterError(
                f"weights_from: {scored.metric.label} has no least and greatest value that could become "
                "-1 and 1; give ratings of a sample to match its scores with (",
                Argument("ratings", Placeholder("FILE")),
                ")",
            )
        low, high = ends
    known = scored.values[~np.isnan(scored.values)]
    if known.size and (known.min() < low or known.max() > high):
        worst = known.min() if known.min() < low else known.max()
        raise InputError(
            f"weights_from: {scored.metric.label} gave {worst:g}, which is off the scale from {low:g} to "
            f"{high:g}; give its scale with {SCALE}, or ratings to match "
            "the scores with"
        )
    weights = scaled(scored.values, low, high)
    if not scored.metric.higher_is_better:
        weights = -weights
    worst, best = (low, high) if scored.metric.higher_is_better else (high, low)
    note = (
        f"weights: scores of {scored.metric.label} from {worst:g} (worst) to {best:g} (best) as -1 to "
        "1 in a straight line; without ratings nothing says that people would use the scale so"
    )
    return weights, [note]


def matched_weights(
    scored: Scored, sample: Floats, weights: Floats
) -> tuple[Floats, QuantileMap, list[str]]:
    """Weights whose distribution on the rated replies is that of people's weights.

    Args:
        scored: The scores of all texts.
        sample: The scores of the rated replies (float64 [n]).
        weights: Their weights by people (float64 [n]).

    Raises:
        InputError: The rated replies with a score are too few, or all have one score.
    """
    sign = 1.0 if scored.metric.higher_is_better else -1.0
    both = ~np.isnan(sample)
    sample, weights = sign * sample[both], weights[both]
    quantiles = QuantileMap.fitted(sample, weights)
    rho = float(spearman(sample, weights))
    notes = [
        f"weights: scores of {scored.metric.label} matched in distribution with the mean ratings of "
        f"{counted(sample.size, 'rated reply', 'rated replies')} (mean weight {weights.mean():.3f}); "
        "the order of the weights is the metric's, whose Spearman correlation with these ratings is "
        + (f"{rho:.2f}" if np.isfinite(rho) else "undefined")
    ]
    if sample.size < FEW:
        notes.append(
            f"weights: {sample.size} rated replies make a rough map; {FEW} or more are better"
        )
    outside = int(
        ((sign * scored.values < sample.min()) | (sign * scored.values > sample.max())).sum()
    )
    if outside:
        notes.append(
            f"weights: {counted(outside, 'text')} with a score beyond those of the rated replies: the "
            "least or the greatest weight"
        )
    return quantiles(sign * scored.values), quantiles, notes


def without_scores(
    table: pl.DataFrame, weights: Sequence[float] | Floats
) -> tuple[pl.DataFrame, list[str]]:
    """The texts that have a weight, with it, and a note about those that have none."""
    weighed = table.with_columns(pl.Series("weight", weights, dtype=pl.Float64))
    known = weighed.filter(pl.col("weight").is_not_nan())
    missing = weighed.height - known.height
    notes = [f"weights: {counted(missing, 'text')} without a score skipped"] if missing else []
    return known, notes
