"""Measuring a batch in shards: the rows of each shard's items, and the whole batch from all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.files.shards import in_shard, shared
from rejoinder.kernels.arrays import Tokens
from rejoinder.metrics.contract import Contract, Statistics
from rejoinder.metrics.engine.measurement import measure, provided
from rejoinder.progress import Progress


def measure_in_shards(
    metrics: Sequence[Contract], batch: Batch, names: Sequence[str], progress: Progress | None
) -> tuple[Batch, list[Statistics]]:
    """The batch with its features, and the statistics of each metric; see ``provided`` and ``measure``.

    Rows of numbers are cut into shards by item. Models cut their own work (``Encoder.encode`` and the scorer
    of RUBER), and what is derived from what they say of the whole batch, such as fitted bounds, is computed
    when parts are merged; so are bags of n-grams. In a shard, rows of other items are zeros.

    Args:
        metrics: The metrics.
        batch: The whole batch.
        names: For each item the name by which shards are formed.
        progress: Called with how many slices are done, and of how many.
    """
    counting = [each for each in metrics if each.summable and not each.requests()]
    others = [each for each in metrics if each not in counting]
    rows: dict[int, Statistics] = {}
    if counting:
        widths = [len(each.columns) for each in counting]
        size = len(batch.hypotheses) // max(1, len(batch))

        def compute(places: list[int]) -> np.ndarray:
            if not places:
                return np.zeros((0, size, sum(widths)))
            part = batch.take(np.array(places, dtype=np.int64))
            statistics = [np.asarray(each) for each in measure(counting, part, progress)]
            return np.concatenate(statistics, axis=1).reshape(len(places), size, -1)

        joined = shared("rows", names, _digest(counting, batch), compute)
        joined = joined.reshape(len(batch.hypotheses), sum(widths))
        cuts = np.split(joined, np.cumsum(widths)[:-1], axis=1)
        rows = {
            id(metric): np.ascontiguousarray(each)
            for metric, each in zip(counting, cuts, strict=True)
        }
    if in_shard():
        provided(others, batch, progress, derived=False)
        rows |= {id(each): _no_rows(each, batch) for each in others}
    else:
        batch = provided(others, batch, progress)
        measured = measure(others, batch, progress) if others else []
        rows |= {id(metric): each for metric, each in zip(others, measured, strict=True)}
    return batch, [rows[id(each)] for each in metrics]


def _no_rows(metric: Contract, batch: Batch) -> Statistics:
    """Statistics of nothing, which no number is made of."""
    n = len(batch.hypotheses)
    if metric.summable:
        return np.zeros((n, len(metric.columns)))
    nowhere = np.zeros(n, dtype=np.int64)
    return Tokens(np.zeros(0, dtype=np.uint64), nowhere, nowhere)


def _digest(metrics: Sequence[Contract], batch: Batch) -> str:
    """A digest of what the rows depend on: the metrics, and the texts with their weights."""
    digest = hashlib.sha256("\n".join(each.signature() for each in metrics).encode())
    for texts in (batch.hypotheses, batch.reference_texts):
        for each in (texts.data, texts.starts, texts.stops):
            digest.update(np.ascontiguousarray(each).tobytes())
    for each in (batch.bounds, batch.reference_bounds, batch.weights):
        digest.update(each.tobytes())
    return digest.hexdigest()
