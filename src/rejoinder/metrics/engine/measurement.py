"""Measuring a batch with several metrics at once, on all cores."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError
from rejoinder.kernels.cores import cores
from rejoinder.metrics.contract import Contract, Statistics
from rejoinder.metrics.engine.rows import joined
from rejoinder.metrics.engine.word_separation import ReplySample, separation_notes
from rejoinder.progress import Progress, advance

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from rejoinder.batches.features import Features, Request


def provided(
    metrics: Sequence[Contract],
    batch: Batch,
    progress: Progress | None = None,
    derived: bool = True,
) -> Batch:
    """The batch with all features that the metrics ask for.

    Args:
        metrics: The metrics.
        batch: The whole batch: a model sees every distinct text once.
        progress: Called with how much of a model's work is done, and of how much.
        derived: Whether also with what metrics derive from these.

    Raises:
        InputError: A metric needs contexts, and the batch has none.
        ParameterError: A metric names no model.
        MissingExtraError: A model needs a package that is not installed.
    """
    for metric in metrics:
        if "context" in metric.needs and batch.contexts is None:
            raise InputError(
                f"{metric.label}: it reads the context of a reply, and there is none; pass "
                "contexts=[...], for each item the list of its turns, oldest first"
            )
    missing = _missing([each for metric in metrics for each in metric.requests()], batch)
    if missing:
        from rejoinder.providers.registry import provide  # for metrics of models alone

        batch = _with(batch, {each: provide(each, batch, progress) for each in missing})
    if not derived:
        return batch
    derivations = {
        key: derive for metric in metrics for key, derive in metric.derivations().items()
    }
    return _with(batch, {key: derivations[key](batch) for key in _missing(derivations, batch)})


def _missing(requests: Iterable[Request], batch: Batch) -> list[Request]:
    return [each for each in dict.fromkeys(requests) if each not in batch.features]


def _with(batch: Batch, features: Mapping[Request, Features]) -> Batch:
    return replace(batch, features={**batch.features, **features}) if features else batch


def _features_of(metric: Contract, batch: Batch) -> list[Features]:
    """The features of a batch that a metric asked for or derived."""
    keys = (*metric.requests(), *metric.derivations())
    return [batch.features[each] for each in keys if each in batch.features]


def measure(
    metrics: Sequence[Contract], batch: Batch, progress: Progress | None = None
) -> list[Statistics]:
    """Measures every hypothesis of a batch with every metric, on all cores.

    Args:
        metrics: The metrics.
        batch: The items.
        progress: Called with how many slices are done, and of how many.

    Returns:
        For each metric its statistics, in the order of the batch's hypotheses.
    """
    batch = provided(metrics, batch, progress)
    parts = list(batch.parts(at_least=cores())) or [batch]

    def one(part: Batch) -> list[Statistics]:
        return [metric.statistics(part) for metric in metrics]

    several = len(parts) > 1 and cores() > 1
    results = []
    for result in _pool().map(one, parts) if several else map(one, parts):
        results.append(result)
        advance(progress, len(results), len(parts))
    return [joined(each) for each in zip(*results, strict=True)]


def remarks(
    metrics: Mapping[str, Contract], batch: Batch, systems: Sequence[str] = ()
) -> list[str]:
    """What metrics, and the models that they ask, say of a measured batch.

    Args:
        metrics: By the names of their columns.
        batch: With the features that they asked for.
        systems: The systems whose replies alternate in the batch, if they are several.

    Returns:
        Each remark once, behind the names of the metrics that it is of.
    """
    labels_of: dict[str, list[str]] = {}
    sample = ReplySample(batch.hypotheses, len(batch), systems)
    for label, metric in metrics.items():
        of_models = [note for each in _features_of(metric, batch) for note in each.notes]
        of_metric = (*metric.notes(batch), *separation_notes(metric, sample))
        for remark in dict.fromkeys((*of_models, *of_metric)):
            labels_of.setdefault(remark, []).append(label)
    return [f"{', '.join(labels)}: {remark}" for remark, labels in labels_of.items()]


def data_facts(metric: Contract, batch: Batch) -> dict[str, str | int]:
    """What a signature says of the data: references to an item, the weights' hash if they count, and
    what models fitted to it.
    """
    facts: dict[str, str | int] = {}
    if "references" in metric.needs:
        counts = np.diff(batch.reference_bounds)
        alike = counts.size > 0 and bool((counts == counts[0]).all())
        facts["nrefs"] = int(counts[0]) if alike else "var"
    if "weights" in metric.needs or getattr(metric, "references", "all") != "all":
        facts["weights"] = hashlib.sha256(batch.weights.tobytes()).hexdigest()[:8]
    for each in _features_of(metric, batch):
        facts |= dict(each.facts)
    return facts


@cache
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    # Threads, not processes: the kernels release the interpreter's lock.
    return ThreadPoolExecutor(max_workers=cores(), thread_name_prefix="rejoinder")


if hasattr(os, "register_at_fork"):  # a forked child has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
