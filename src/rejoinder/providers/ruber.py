"""What a RUBER model says of a batch: the score s_U of each reply, and the texts by its vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.errors import ParameterError
from rejoinder.messages import Call
from rejoinder.progress import Progress
from rejoinder.providers.embedding import by_encoder, by_words

if TYPE_CHECKING:
    from rejoinder.models.ruber.model import Unreferenced


def scores(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """s_U of every hypothesis, float64 [m], unscaled; and the ranges that training gave.

    Args:
        request: Its option ``unreferenced``: ``logit`` or ``sigmoid``.
        batch: The whole batch.
        progress: Called with the number of scorers done, and of all scorers.
    """
    from rejoinder.models.ruber.model import load

    model = load(request.source)
    contexts = batch.contexts or []
    items = np.repeat(np.arange(len(batch)), np.diff(batch.bounds))
    queries = [contexts[i] for i in items.tolist()]
    sigmoid = request.option("unreferenced") == "sigmoid"
    score = model.sigmoids if sigmoid else model.score
    ranges = {**model.bounds, "unreferenced": (0.0, 1.0)} if sigmoid else model.bounds
    return Features(score(queries, list(batch.hypotheses), progress), ranges=ranges)


def texts(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """The texts by the model's own word vectors or encoder: what s_R compares.

    Args:
        request: Its option ``referenced``: ``pooled`` or ``encoder``.
        batch: The whole batch.
        progress: Not called.
    """
    from rejoinder.models.ruber.model import load

    return embedded(load(request.source), str(request.option("referenced")), batch)


def embedded(model: Unreferenced, referenced: str, batch: Batch) -> Features:
    """The texts of a batch by a model's own word vectors (``pooled``) or ``encoder``.

    Args:
        model: The model.
        referenced: ``pooled`` or ``encoder``.
        batch: The replies with their references.

    Raises:
        ParameterError: The model was trained without an encoder.
    """
    if referenced == "pooled":
        return by_words(model.vectors, batch, model.vectors.language)
    if not model.encoder:
        raise ParameterError(
            "metric 'ruber': referenced=encoder, and the model was trained without one; take "
            f"referenced=pooled, or train with {Call('encoder=PATH')}"
        )
    from rejoinder.models.huggingface.encoder import Encoder

    return by_encoder(Encoder.load(model.encoder), batch)
