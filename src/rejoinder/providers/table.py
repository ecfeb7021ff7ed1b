"""Features for metrics: which model provides what, in one table.

Metrics ask (``metrics/features.py``), models answer (``rejoinder.models``), and neither knows the
other. To add a kind: a function from a request and a batch to ``Features``, one that hashes the
model, and a line in ``PROVIDERS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rejoinder.batches.batch import Batch
from rejoinder.batches.features import Features, Request
from rejoinder.errors import ParameterError, one_of
from rejoinder.progress import Progress
from rejoinder.providers.embedding import by_encoder, by_words, cut_texts, unknown_words


@dataclass(frozen=True)
class Provider:
    """Who makes the features of a kind.

    Attributes:
        provide: Makes them, of a whole batch: a text that comes twice is looked at once.
        identity: A hash of the content of a model's file or folder.
    """

    provide: Callable[[Request, Batch, Progress | None], Features]
    identity: Callable[[str], str]


def provide(request: Request, batch: Batch, progress: Progress | None = None) -> Features:
    """The features that a metric asks for.

    Raises:
        ParameterError: Nobody provides that kind.
        InputError: There is no such model, or it is damaged.
        MissingExtraError: The model needs a package that is not installed.
    """
    return _provider(request.kind).provide(request, batch, progress)


def identity(kind: str, source: str) -> str:
    """A hash of the content of a model's file or folder.

    Raises:
        ParameterError: Nobody provides that kind.
        InputError: There is no such model.
    """
    return _provider(kind).identity(source)


def _provider(kind: str) -> Provider:
    if kind not in PROVIDERS:
        raise ParameterError(f"features of kind '{kind}' are unknown; choose {one_of(PROVIDERS)}")
    return PROVIDERS[kind]


def _vectors(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """The words of all texts as rows of the vectors that occur."""
    from rejoinder.models.vectors.word_vectors import WordVectors

    vectors = WordVectors.load(request.source)
    m = len(batch.hypotheses)
    both = [*batch.hypotheses, *batch.reference_texts]
    texts = by_words(vectors, both, str(request.option("language")))
    notes = tuple(unknown_words(texts, m))
    return Features(texts.part(0, m), texts.part(m, len(texts)), notes)


def _encoded(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """A vector for each text."""
    from rejoinder.models.huggingface.encoder import Encoder

    encoder = Encoder.load(request.source)
    texts = [*batch.hypotheses, *batch.reference_texts]
    embedded = by_encoder(encoder, texts, progress)
    m, notes = len(batch.hypotheses), tuple(cut_texts(encoder, texts))
    return Features(embedded.part(0, m), embedded.part(m, len(embedded)), notes)


def _ruber(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """The two halves of RUBER."""
    from rejoinder.providers.ruber import features

    return features(request, batch, progress)


def _ruber_texts(request: Request, batch: Batch, progress: Progress | None) -> Features:
    """The texts by a RUBER model's own vectors."""
    from rejoinder.providers.ruber import text_features

    return text_features(request, batch, progress)


def _content_hash(source: str) -> str:
    from rejoinder.models.vectors.word_vectors import content_hash

    return content_hash(source)


def _encoder_hash(source: str) -> str:
    from rejoinder.models.huggingface.encoder import find_encoder

    return _content_hash(str(find_encoder(source)))


PROVIDERS: dict[str, Provider] = {
    "vectors": Provider(_vectors, _content_hash),
    "encoder": Provider(_encoded, _encoder_hash),
    "ruber": Provider(_ruber, _content_hash),
    "ruber-texts": Provider(_ruber_texts, _content_hash),
}
"""Who provides each kind of features."""
