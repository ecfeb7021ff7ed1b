"""Relative utterance quantity (RUQ): do models prefer the references, or generic replies?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from rejoinder.batches.references import ReferenceRule
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.files.shards import end_of_shard
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.metrics.engine.jackknife import interval_facts
from rejoinder.metrics.engine.rows import Matrix
from rejoinder.metrics.ruq import RUQ, STRONGEST
from rejoinder.models.likelihood.backend import EMPTY, NOT_FINITE, LikelihoodBackend, LocalModel
from rejoinder.models.likelihood.prompts import Prompting
from rejoinder.models.likelihood.registry import open_backends
from rejoinder.models.likelihood.store import Likelihoods, likelihoods
from rejoinder.progress import Progress
from rejoinder.scoring.clusters import clustered
from rejoinder.scoring.measurements import Measured, few_items
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.draws import check_draws
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.utterance_quantity.generic import checked, generic_replies
from rejoinder.utterance_quantity.requests import RuqItems, items_of
from rejoinder.utterance_quantity.result import Quantity

_Model = str | os.PathLike[str] | LikelihoodBackend

Outputs = Mapping[str, Mapping[str, str]]
"""By model and item the model's own output."""


def ruq(
    testset: TestSetLike,
    models: _Model | Sequence[_Model],
    *,
    generic: Sequence[str] | None = None,
    references: str = "w>=0",
    outputs: pl.DataFrame | Outputs | None = None,
    prompting: Prompting | None = None,
    local: LocalModel = LocalModel(),
    end_text: str = "",
    work: str | os.PathLike[str] | None = None,
    cluster: str | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Quantity:
    """Measures whether models find the reference or a generic reply more likely.

    The score of a reply is its mean log-probability per token, end of sequence included; of several
    references the lowest counts (Khayrallah and Sedoc 2021, section 2). A reference or a generic
    reply that one model cannot score is excluded for all models, and counted in the notes.

    Args:
        testset: Prompts and references. Every prompt needs a turn.
        models: Folders or names of ``transformers`` models, URLs of servers, ``.jsonl`` files of
            likelihoods, or opened backends; one or several. See
            ``rejoinder.models.likelihood.open_backend``.
        generic: Generic replies; None takes the English set of the package.
        references: ``all``, ``single`` or ``w>=T``, as for ``RUQ``.
        outputs: The models' own outputs, which the RUQ plot draws: a table of responses whose systems
            are the models, or texts by model's name and item's id. The outputs of a single system
            are taken for those of a single model, whatever it is called.
        prompting: The layout of conversations, for models that are not opened yet.
        local: How models on this machine are loaded and run.
        end_text: The text of the end-of-sequence token of servers' models.
        work: A folder where results are kept as they are computed; an interrupted run is resumed.
        cluster: As for ``rejoinder.score``; shares have Wilson's interval for as many prompts as they
            are worth.
        resamples: Number of resamples of the paired bootstrap; 0 gives neither intervals nor tests.
        seed: Random seed.
        progress: Called with the number of prompts done and of all prompts.

    Raises:
        InputError: No prompt can be scored, or a model cannot be opened or cannot score any.
        ParameterError: A parameter is out of range, two models have the same name, or the outputs
            are of other systems.
    """
    check_draws(resamples, seed)
    if isinstance(models, str | os.PathLike | LikelihoodBackend):
        models = [models]
    ReferenceRule.parse(references)
    replies = generic_replies() if generic is None else checked(generic)
    backends = open_backends(models, prompting, local=local, end_text=end_text)
    names = _names(backends)
    outputs_of, remarks = _matched(_texts(outputs), names)
    testset = TestSet.of(testset)
    items = items_of(testset, replies, references)
    tables, notes = [], list(items.notes)
    results = [
        likelihoods(
            backend,
            items.requests(outputs_of.get(backend.name, {})),
            work=work,
            progress=None if progress is None else _share(progress, position, len(backends)),
        )
        for position, backend in enumerate(backends)
    ]
    end_of_shard()
    for backend, result in zip(backends, results, strict=True):
        outputs_of_model = outputs_of.get(backend.name, {})
        _check_finite(backend.name, result)
        tables.append(items.table(backend.name, result.replies, outputs_of_model))
        notes += [f"{backend.name}: {each}" if len(names) > 1 else each for each in result.notes]
    notes += _dropped(names, tables)
    lowest, which = items.lowest(tables)
    generic_means = np.stack([items.generic_means(table) for table in tables], axis=1)
    metric = RUQ(references=references)
    scores = _scores(backends, items, lowest, generic_means, notes, metric, resamples, seed)
    scores = clustered(scores, cluster)
    return Quantity(scores, items.all_replies(tables, which), tuple(items.generic), remarks)


def _names(backends: Sequence[LikelihoodBackend]) -> tuple[str, ...]:
    names = tuple(backend.name for backend in backends)
    if not names:
        raise ParameterError("models: no model is given; give at least one")
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"models: two models are called '{name}'; give each model once, or open them with "
                "names of their own (open_backend(model, name=...))"
            )
    return names


def _texts(outputs: pl.DataFrame | Outputs | None) -> Outputs:
    if not isinstance(outputs, pl.DataFrame):
        return outputs or {}
    texts: dict[str, dict[str, str]] = {}
    for system, id, text in outputs.select("system", "id", "text").iter_rows():
        texts.setdefault(system, {})[id] = text
    return texts


def _matched(outputs: Outputs, names: Sequence[str]) -> tuple[Outputs, tuple[str, ...]]:
    """The outputs by model, and a remark if they are those of a system of another name."""
    if set(outputs) <= set(names):
        return outputs, ()
    if len(outputs) == len(names) == 1:
        (system,), (name,) = outputs, names
        return {name: outputs[system]}, (
            f"the outputs of system '{system}' are used as those of model '{name}'",
        )
    raise ParameterError(
        f"outputs: got systems {one_of(outputs)}, expected models {one_of(names)}; write the models' "
        "names into the column 'system'"
    )


def _share(progress: Progress, position: int, models: int) -> Progress:
    return lambda done, total: progress(position * total + done, models * total)


def _check_finite(name: str, result: Likelihoods) -> None:
    reasons = {each.dropped for replies in result.replies for each in replies} - {EMPTY}
    if reasons == {NOT_FINITE}:
        raise InputError(
            f"{name}: every log-probability is NaN or infinite; check that the weights are complete. A "
            "16-bit number format can overflow: try dtype float32"
        )


def _dropped(names: Sequence[str], tables: Sequence[pl.DataFrame]) -> list[str]:
    """The number of replies without a likelihood, by kind and reason."""
    notes = []
    for name, table in zip(names, tables, strict=True):
        before = f"{name}: " if len(names) > 1 else ""
        counts = table.filter(pl.col("dropped") != "").group_by("kind", "dropped").len()
        for kind, reason, count in counts.sort("kind", "dropped").iter_rows():
            generic = kind == "generic"
            what = counted(
                count,
                "generic reply" if generic else str(kind),
                "generic replies" if generic else None,
            )
            notes.append(f"{before}{what} dropped: {reason}")
    return notes


def _facts(backends: Sequence[LikelihoodBackend]) -> dict[str, str]:
    """What the signature says about each model."""
    facts = {
        backend.name: ",".join(f"{key}={value}" for key, value in backend.facts.items())
        for backend in backends
    }
    if len(facts) == 1:
        return {"model": next(iter(facts.values()))}
    return {f"model[{name}]": each for name, each in facts.items()}


def _scores(
    backends: Sequence[LikelihoodBackend],
    items: RuqItems,
    lowest: Floats,
    generic: Floats,
    notes: list[str],
    metric: RUQ,
    resamples: int,
    seed: int,
) -> Scores:
    """The scores of S models on n items.

    Args:
        backends: The models.
        items: The items.
        lowest: [n, S], the lowest score of each item's references.
        generic: [n, S, G], the scores of the G generic replies.
        notes: Remarks so far; those about the scores are added.
        metric: The metric, whose generic reply is replaced.
        resamples: Number of resamples.
        seed: Random seed.
    """
    opponents = {STRONGEST: generic.max(axis=2)}  # NaN where one of them is
    opponents |= {reply: generic[:, :, g] for g, reply in enumerate(items.generic)}
    facts = _facts(backends)
    measured = {}
    for reply, means in opponents.items():
        each = replace(metric, generic=reply)
        rows = each.rows(lowest, means)
        usable: np.ndarray = np.isfinite(rows).all(axis=(1, 2))  # pyright: ignore
        if not usable.any():
            raise InputError(f"{each.label}: no prompt can be scored: {'; '.join(notes)}")
        dropped = int((~usable).sum())
        if dropped:
            notes.append(f"{each.label}: {dropped} of {len(usable)} items dropped")
        signature = each.signature(
            nrefs=items.spread, **facts, **interval_facts(each, resamples, seed)
        )
        measured[each.label] = Measured(
            each, Matrix(np.ascontiguousarray(rows[usable])), usable, signature
        )
    if resamples:
        notes += few_items(measured)
    names = tuple(backend.name for backend in backends)
    return Scores(names, items.table_of_items, measured, tuple(notes), resamples, seed, items.span)
