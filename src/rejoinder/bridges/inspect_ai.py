"""Our metrics as a scorer of inspect_ai."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from types import SimpleNamespace
from typing import Any

import numpy as np

from rejoinder.bridges.reply_rows import (
    check_framework,
    metric_of_parts,
    naming,
    reply_rows,
    score_of_rows,
)
from rejoinder.errors import InputError, MissingExtraError, ParameterError
from rejoinder.messages import Argument
from rejoinder.metrics.engine.jackknife import score_intervals
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.tables.logs.role_messages import turns_of
from rejoinder.tables.logs.samples import texts_of

KEY = "rejoinder"
"""The name of the scorer, and of what it keeps in the metadata of a score."""

_NEEDED = "0.3.285"


def scorer(metrics: str | Sequence[str], weights: str = "weights") -> Any:
    """A scorer of inspect_ai that scores replies by any of our metrics.

    The completion of a sample is the reply, the targets are its references, and the input has the
    turns before it. The value of a sample is an object with the score of the reply by each metric's
    label. The log has for each metric ``corpus_score``, the score of all replies together, and
    ``corpus_low`` and ``corpus_high``, its 95% interval over samples. Of several epochs the rows are
    averaged within a sample, which counts once.

    Args:
        metrics: Names of metrics with parameters, as ``-m`` takes them (``"bleu:order=4"``), or one.
            A metric that reads all replies at once (distinct-n, entropy, RUBER with
            ``scale=scored``) is refused.
        weights: The key of the samples' metadata that has the weights of the targets in [-1, 1], a
            list of the same length. A sample without it has targets of weight 1.

    Raises:
        MissingExtraError: Inspect_ai is not installed, or is of a version that does not fit.
        ParameterError: A metric is unknown, or cannot be scored sample by sample.
    """
    return registered().scorer(metrics, weights)


def sample_values(
    metrics: Mapping[str, str],
    reply: str,
    references: Sequence[str],
    weights: Sequence[float] | None = None,
    turns: Sequence[str] = (),
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """The scores of a single reply, and its rows.

    Args:
        metrics: By label the names of metrics.
        reply: The reply.
        references: Its references.
        weights: Their weights; None weighs all 1.
        turns: The turns before it, oldest first.

    Returns:
        By label the score of the reply, NaN where the metric cannot score it, and its row, which is
        then empty.

    Raises:
        InputError: The weights do not fit the references.
    """
    values: dict[str, float] = {}
    rows: dict[str, list[float]] = {}
    for label, name in metrics.items():
        metric = metric_of_parts(name)
        with naming({"hypotheses": "completion", "references": "target"}):
            measured, _ = reply_rows(
                metric,
                [reply],
                [list(references)],
                None if weights is None else [list(weights)],
                [list(turns)] if "context" in metric.needs else None,
                drop_unusable=True,
            )
        rows[label] = measured.sum(axis=0).tolist() if len(measured) else []
        values[label] = score_of_rows(metric, measured.sum(axis=0), len(measured))
    return values, rows


def corpus_values(
    name: str, rows_of_samples: Mapping[str, Sequence[Sequence[float]]]
) -> dict[str, float]:
    """The corpus score and its interval.

    Args:
        name: The metric.
        rows_of_samples: By sample the rows of its replies, one for each epoch; they are averaged.

    Returns:
        ``score``, ``low`` and ``high``; the interval is NaN for fewer than 4 samples.
    """
    metric = metric_of_parts(name)
    means = [np.mean(np.array(rows), axis=0) for rows in rows_of_samples.values() if rows]
    if not means:
        return dict.fromkeys(("score", "low", "high"), math.nan)
    matrix = Matrix(np.stack(means)[:, None, :])
    values = metric.score(matrix.sums())
    low, high = score_intervals(metric, values, matrix.left_out(metric))
    return {"score": float(values[0]), "low": float(low[0]), "high": float(high[0])}


def labels_of(metrics: str | Sequence[str]) -> dict[str, str]:
    """The names of metrics by label.

    Raises:
        ParameterError: A metric is unknown, is named twice, or cannot be scored sample by sample.
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names or not all(isinstance(each, str) for each in names):
        raise ParameterError(
            Argument("metrics", metrics),
            ": expected names of metrics, as ['bleu:order=4', 'chrf']; "
            "a log keeps names, not objects",
        )
    labels: dict[str, str] = {}
    for name in names:
        label = metric_of_parts(name).label
        label = label if label not in labels else f"{label} ({name})"
        if label in labels:
            raise ParameterError(f"metrics: '{name}' is named twice; name it once")
        labels[label] = name
    return labels


@cache
def registered() -> SimpleNamespace:
    """The scorer and the metric as inspect_ai registers them.

    Raises:
        MissingExtraError: Inspect_ai is not installed, or is of a version that does not fit.
    """
    check_framework("inspect_ai")
    api = import_module("inspect_ai.scorer")
    tag, info, named, register = _registry(api)
    corpus = _corpus(api)

    def make(metrics: str | Sequence[str], weights: str = "weights") -> Any:
        labels = labels_of(metrics)
        score = _scorer(api, labels, weights)
        of_labels = {label: [corpus(name, label)] for label, name in labels.items()}
        about = info(type="scorer", name=named(make, KEY), metadata={"metrics": of_labels})
        tag(make, score, about, metrics=list(labels.values()), weights=weights)
        return score

    make.__annotations__["return"] = api.Scorer
    register(make, name=named(make, KEY), metadata={"metrics": []})
    return SimpleNamespace(scorer=make, corpus=corpus)


def _registry(api: Any) -> tuple[Any, Any, Any, Any]:
    """What registers a scorer whose metrics follow from its arguments; no public call does."""
    try:
        registry = import_module("inspect_ai._util.registry")
        register = import_module("inspect_ai.scorer._scorer").scorer_register
        parts = (registry.registry_tag, registry.RegistryInfo, registry.registry_name, register)
        if "scores" in signature(api.metric).parameters:
            return parts
    except (ImportError, AttributeError):
        pass
    raise MissingExtraError(
        f"rejoinder.bridges.inspect_ai was made for inspect_ai {_NEEDED} and does not fit the version that "
        f"is installed; run: pip install inspect-ai=={_NEEDED}"
    )


def _corpus(api: Any) -> Any:
    """The metric that makes the corpus score of samples that ``scorer`` scored."""

    def corpus(metric: str, label: str) -> Any:
        def compute(scores: Any) -> Any:
            rows: dict[str, list[Sequence[float]]] = {}
            for each in scores:
                value = (each.score.metadata or {}).get(KEY, {}).get(label)
                if value is None:
                    raise InputError(
                        f"sample '{each.sample_id}': its score has no rows of '{label}' in its metadata; "
                        "score the log again with the scorer of rejoinder"
                    )
                rows.setdefault(str(each.sample_id), []).extend([value] if value else [])
            return corpus_values(metric, rows)

        # inspect_ai tells by the annotation what a metric takes.
        compute.__annotations__ = {"scores": list[api.SampleScore], "return": api.Value}
        return compute

    return api.metric(name="corpus", scores="unreduced")(corpus)


def _scorer(api: Any, labels: Mapping[str, str], weights: str) -> Any:
    async def score(state: Any, target: Any) -> Any:
        completion = state.output.completion
        turns = state.input
        if not isinstance(turns, str):
            turns = [{"role": each.role, "content": each.text} for each in turns]
        references = texts_of(list(target))
        values, rows = sample_values(
            labels, completion, references, (state.metadata or {}).get(weights), turns_of(turns)
        )
        if all(math.isnan(value) for value in values.values()):
            return api.Score.unscored(
                answer=completion, explanation="no metric can score this sample"
            )
        return api.Score(value=values, answer=completion, metadata={KEY: rows})

    return score
