"""Which model provides which features, in one table.

A metric asks for features (``batches.features.Request``) and a model answers; neither knows the
other. To add a kind: a function from a request and a batch to ``Features``, one that hashes the
model, and a line in ``PROVIDERS``. Models are imported on first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.errors import ParameterError, one_of
from rejoinder.progress import Progress
from rejoinder.providers import bert_score, embedding, ruber


@dataclass(frozen=True)
class Provider:
    """What makes the features of a kind.

    Attributes:
        provide: Makes the features of a whole batch; equal texts are read once.
        identity: A hash of the content of a model's file or folder.
    """

    provide: Callable[[Request, Batch, Progress | None], Features]
    identity: Callable[[str], str]


def provide(request: Request, batch: Batch, progress: Progress | None = None) -> Features:
    """The features that a metric asks for.

    Args:
        request: What the metric asks for.
        batch: The replies with their references.
        progress: Called with what is done and what there is in all; None: never.

    Raises:
        ParameterError: There is no provider of that kind.
        InputError: There is no such model, or it is damaged.
        MissingExtraError: The model needs a package that is not installed.
    """
    return _provider(request.kind).provide(request, batch, progress)


def identity(kind: str, source: str | os.PathLike[str]) -> str:
    """A hash of the content of a model's file or folder: what a signature says of it.

    Raises:
        ParameterError: There is no provider of that kind.
        InputError: There is no such model.
    """
    return _provider(kind).identity(os.fspath(source))


def _provider(kind: str) -> Provider:
    if kind not in PROVIDERS:
        raise ParameterError(f"features of kind '{kind}' are unknown; choose {one_of(PROVIDERS)}")
    return PROVIDERS[kind]


def _content_hash(source: str) -> str:
    from rejoinder.files.content import content_hash

    return content_hash(source)


def _encoder_hash(source: str) -> str:
    from rejoinder.models.huggingface.encoder import find_encoder

    return _content_hash(str(find_encoder(source)))


def _file_or_encoder_hash(source: str) -> str:
    return _content_hash(source) if os.path.isfile(source) else _encoder_hash(source)


PROVIDERS: dict[str, Provider] = {
    "vectors": Provider(embedding.words, _content_hash),
    "encoder": Provider(embedding.sentences, _encoder_hash),
    "bert-score": Provider(bert_score.matches, _file_or_encoder_hash),
    "ruber": Provider(ruber.scores, _content_hash),
    "ruber-texts": Provider(ruber.texts, _content_hash),
}
"""The provider of each kind of features."""
