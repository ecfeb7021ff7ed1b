"""RUBER as a whole: a model trained from a corpus, and the features that its metric blends."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.locks import alone
from rejoinder.files.replacing import remove_parts
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import counted
from rejoinder.metrics.ruber import REFERENCED, RUBER, given_bounds, halves_of
from rejoinder.models.training.folder import FINISHED, check_free, finished
from rejoinder.progress import Progress
from rejoinder.providers.embedding import by_encoder, by_words, cut_texts, unknown_words
from rejoinder.tables.testset import TestSet

if TYPE_CHECKING:
    from rejoinder.models.ruber.fitting import Fitted
    from rejoinder.models.ruber.model import Unreferenced
    from rejoinder.models.ruber.training import Report


def train_ruber(
    corpus: TestSet,
    path: str | os.PathLike[str],
    *,
    sizes: Sequence[str] = ("gru",),
    seeds: int = 3,
    validation: TestSet | None = None,
    exclude: Sequence[TestSet] = (),
    encoder: str = "",
    vectors: str | os.PathLike[str] = "",
    language: str = "en",
    epochs: int | None = None,
    save_every: float = 30.0,
    report: Callable[[str], Report] | None = None,
) -> Fitted:
    """Trains RUBER on conversations, without any label, and writes the model's folder.

    A run that was killed goes on from the folder ``<path>.work``, which goes when the model is
    written. Where the folder holds the finished model of the same call already, nothing is done.

    Args:
        corpus: conversations (docs/formats.md): every context with its first reference.
        path: the folder of the model.
        sizes: ``paper``, ``gru``, ``encoder``, ``cross``: one, or several whose weighted mean is the score.
        seeds: how many of each size are trained.
        validation: conversations that choose the epochs; None: a twentieth of the corpus.
        exclude: evaluation sets; conversations that share anything telling with them are left out.
        encoder: the folder of a sentence encoder, for the sizes that read with one.
        vectors: a file or folder of word vectors (``WordVectors.load``) in place of word2vec on the
            corpus: for s_R, and for the GRU sizes to start from.
        language: how texts are cut into words (``rejoinder.text.words``).
        epochs: at most; None: what each size has.
        save_every: seconds between two saves of a training.
        report: called with a scorer's name, gives what is told about its steps.

    Raises:
        InputError: the corpus is too small, or nothing is left of it; the folder is not free, or
            holds another finished model; ``<path>.work`` is of another run, or another run trains
            this model now.
        ParameterError: a size or a number is none.
        MissingExtraError: torch or gensim is not installed.
    """
    from rejoinder.models.ruber import model as folders
    from rejoinder.models.ruber.fitting import Fitted, fit, remove_work
    from rejoinder.models.ruber.material import Material
    from rejoinder.models.vectors.word_vectors import WordVectors

    folder = Path(os.path.realpath(path))  # "." has a name of its own
    work = folder.with_name(f"{folder.name}.work")
    check_free(folder)
    material = Material.of(
        corpus, sizes=sizes, seeds=seeds, validation=validation, exclude=exclude, encoder=encoder,
        vectors=WordVectors.load(vectors) if vectors else None, language=language, epochs=epochs,
    )  # fmt: skip
    with alone(work):
        remove_parts(folder.parent, folder.name)
        if before := finished(folder, material.identity):
            remove_work(work, material)  # left by a kill between the model's last file and here
            log = [dict(entry) for entry in before.record.log]
            notes = (*material.notes, FINISHED)
            return Fitted(folders.load(folder), log, notes, before.record.corpus_hash, [])
        fitted = fit(material, work, save_every=save_every, report=report)
        model = replace(
            fitted.model,
            bounds={**fitted.model.bounds, **_referenced_bounds(fitted.model, fitted.unlike)},
        )
        about = (material.identity, material.notes)
        folders.save(folder, model, fitted.corpus_hash, fitted.log, *about)
        remove_work(work, material)
        return replace(fitted, model=model)


def features(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """The two halves of RUBER for every hypothesis, as a metric asks for them.

    Args:
        request: Of ``metrics.ruber.RUBER.requests``.
        batch: The whole batch: bounds that are fitted on the scored set see all of it.
        progress: Called with how many scorers are done, and of how many.

    Returns:
        For each hypothesis s_R and s_U, each scaled by its bounds to [0, 1]: float64 [m, 2]; s_R is
        NaN where there is nothing to compare with.
    """
    from rejoinder.models.ruber.model import load

    model = load(request.source)
    items = np.repeat(np.arange(len(batch)), np.diff(batch.bounds))
    contexts = batch.contexts or []
    queries = [contexts[i] for i in items.tolist()]
    metric = RUBER.asking(request)
    said: tuple[str, ...] = ()
    scored = model.sigmoids if metric.unreferenced == "sigmoid" else model.score
    halves = {"unreferenced": scored(queries, list(batch.hypotheses), progress)}
    if metric.referenced != "none":
        texts = _texts(model, metric.referenced, batch)
        halves[metric.referenced] = halves_of(texts, metric.compared(), batch)
        said = texts.notes
    # Bounds that are fitted see the replies that can be scored, and no other.
    usable = np.array([bool(query) for query in queries], dtype=bool)
    for values in halves.values():
        usable &= ~np.isnan(values)
    held = {name: values[usable] for name, values in halves.items()}
    bounds, notes = _chosen_bounds(model, metric, held)
    facts = (("bounds", _written(bounds, metric)),) if metric.scale == "scored" else ()
    scaled = {name: _scaled(values, *bounds[name]) for name, values in halves.items()}
    r = scaled.get(metric.referenced, np.full(len(batch.hypotheses), np.nan))
    return Features(np.column_stack([r, scaled["unreferenced"]]), None, (*said, *notes), facts)


def text_features(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """The texts by the model's own word vectors or encoder: what s_R compares."""
    from rejoinder.models.ruber.model import load

    return _texts(load(request.source), str(request.option("referenced")), batch)


def _texts(model: Unreferenced, kind: str, batch: Batch) -> Features:
    texts = [*batch.hypotheses, *batch.reference_texts]
    if kind == "pooled":
        whole = by_words(model.vectors, texts, model.vectors.language)
        notes = unknown_words(whole, len(batch.hypotheses))
    else:
        from rejoinder.models.huggingface.encoder import Encoder

        if not model.encoder:
            raise ParameterError(
                "metric 'ruber': referenced=encoder, and the model was trained without one; take "
                "referenced=pooled, or train with --encoder PATH"
            )
        encoder = Encoder.load(model.encoder)
        whole, notes = by_encoder(encoder, texts), cut_texts(encoder, texts)
    m = len(batch.hypotheses)
    return Features(whole.part(0, m), whole.part(m, len(whole)), tuple(notes))


def _chosen_bounds(
    model: Unreferenced, metric: RUBER, halves: dict[str, Floats]
) -> tuple[dict[str, tuple[float, float]], list[str]]:
    """The bounds of each half, and what is to be said of them."""
    names = [name for name in (metric.referenced, "unreferenced") if name in halves]
    if metric.scale == "training":
        bounds = {name: model.bounds[name] for name in names}
        if metric.unreferenced == "sigmoid":
            bounds["unreferenced"] = (0.0, 1.0)
        return bounds, _beyond(halves, bounds)
    if metric.scale == "scored":
        bounds = {name: _fitted(halves[name], name) for name in names}
        again = _written(bounds, metric)
        return bounds, [
            f"scaled by the replies scored here (s_R, s_U); to scale others alike, write scale={again}"
        ]
    low_r, high_r, low_u, high_u = given_bounds(metric.scale)
    given = {metric.referenced: (low_r, high_r), "unreferenced": (low_u, high_u)}
    bounds = {name: given[name] for name in names}
    return bounds, _beyond(halves, bounds)


def _written(bounds: dict[str, tuple[float, float]], metric: RUBER) -> str:
    """Bounds as ``scale=`` takes them."""
    numbers = [bounds.get(metric.referenced, (0.0, 1.0)), bounds["unreferenced"]]
    return ";".join(f"{each:.6g}" for pair in numbers for each in pair)


def _fitted(values: Floats, name: str) -> tuple[float, float]:
    """The least and the greatest of the replies scored."""
    held = values[~np.isnan(values)]
    if held.size == 0 or held.min() == held.max():
        raise InputError(
            f"metric 'ruber': scale=scored fits itself to the replies scored, and all have the same "
            f"{name} score; take scale=training"
        )
    return float(held.min()), float(held.max())


def _beyond(halves: dict[str, Floats], bounds: dict[str, tuple[float, float]]) -> list[str]:
    """How many scores lie beyond the bounds."""
    count = sum(
        int(((values < bounds[name][0] - 1e-9) | (values > bounds[name][1] + 1e-9)).sum())
        for name, values in halves.items()
    )
    if not count:
        return []
    scores = counted(count, "score")
    return [f"{scores} of a half (s_R or s_U) beyond the bounds of scale=, taken as at them"]


def _scaled(values: Floats, low: float, high: float) -> Floats:
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def _referenced_bounds(
    model: Unreferenced, unlike: Sequence[tuple[str, str]]
) -> dict[str, tuple[float, float]]:
    """From the similarity of the unlikest replies to that of equal ones, by the kind of similarity.

    The lower bound is that of the lowest hundredth. The least of all would do as the paper's minimum
    does, but it is that of one odd pair: an empty or a wordless text.
    """
    batch = Batch.from_lists([one for one, _ in unlike], [[other] for _, other in unlike])
    bounds = {}
    for kind in REFERENCED if model.encoder else REFERENCED[:1]:
        like = RUBER(model="-", referenced=kind).compared()
        values = halves_of(_texts(model, kind, batch), like, batch)
        bounds[kind] = (min(float(np.quantile(values, 0.01)), 0.99), 1.0)
    return bounds
