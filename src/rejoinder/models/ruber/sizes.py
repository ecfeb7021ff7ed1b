"""The sizes of unreferenced scorers, in one table, and how each is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rejoinder.errors import InputError, ParameterError
from rejoinder.models.huggingface.encoder import Encoder
from rejoinder.models.ruber.data.conversations import Conversations
from rejoinder.models.ruber.data.texts import Vocabulary
from rejoinder.models.ruber.encoder.cross import CrossConfig, CrossScorer
from rejoinder.models.ruber.encoder.encoder_head import HeadConfig, HeadScorer
from rejoinder.models.ruber.gru.gru import GRUConfig, GRUScorer
from rejoinder.models.ruber.scorer import UnreferencedScorer
from rejoinder.models.ruber.training import Schedule
from rejoinder.models.training.shapes import Shapes, check_network, check_rows, check_sizes
from rejoinder.models.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Size:
    """A size: what is built, and how it is trained.

    Attributes:
        config: of the scorer.
        schedule: of the training.
    """

    config: GRUConfig | HeadConfig | CrossConfig
    schedule: Schedule


SIZES: dict[str, Size] = {
    # As published: a Bi-GRU, margin loss, random wrong replies, the message alone.
    "paper": Size(GRUConfig(), Schedule(rate=1e-3, batch=128, epochs=5, warmup=0.12)),
    # The same network, improved by measurement: softmax over the batch, two turns, dropout.
    "gru": Size(
        GRUConfig(width=200, layers=(), dropout=0.3, turns=2, loss="softmax", longest=20),
        Schedule(rate=2e-3, batch=256, epochs=6, falling=True),
    ),
    # A small head over the vectors of a sentence encoder.
    "encoder": Size(
        HeadConfig(), Schedule(rate=1e-3, batch=512, epochs=6, decay=0.01, falling=True)
    ),
    # A small network over the tokens of that encoder, query and reply read together.
    "cross": Size(CrossConfig(), Schedule(rate=1e-3, batch=64, epochs=3, decay=0.01, falling=True)),
}
"""Every size by name."""


def size_named(name: str) -> Size:
    """The size of a name.

    Raises:
        ParameterError: there is none.
    """
    if name not in SIZES:
        raise ParameterError(f"size '{name}' is unknown; choose {', '.join(SIZES)}")
    return SIZES[name]


def built(
    size: Size, corpus: Conversations, language: str, vectors: WordVectors, encoder: Encoder | None
) -> UnreferencedScorer:
    """A fresh scorer; its weights are drawn from torch's generator.

    Args:
        size: which.
        corpus: whose words it will know.
        language: how its texts are cut into words.
        vectors: what its word vectors start from, where the width is the same.
        encoder: for sizes that read with one.

    Raises:
        ParameterError: the size needs an encoder, and there is none.
    """
    if isinstance(size.config, HeadConfig):
        return HeadScorer(size.config, needed(encoder))
    if isinstance(size.config, CrossConfig):
        return CrossScorer(size.config, needed(encoder))
    texts = (corpus.texts[place] for place in corpus.used().tolist())
    scorer = GRUScorer(size.config, Vocabulary.of(texts, language, size.config.least, MOST_WORDS))
    _start_from(scorer, vectors)
    return scorer


@dataclass(frozen=True)
class Described:
    """A scorer as a model's folder describes it.

    Attributes:
        config: of the scorer.
        files: its vocabulary files by name.
        weights: the shapes of its weights by name.
    """

    config: Mapping[str, Any]
    files: Mapping[str, bytes]
    weights: Shapes


def rebuilt(kind: str, described: Described, encoder: Encoder | None) -> UnreferencedScorer:
    """A scorer as a model's folder describes it; its weights are still to be loaded.

    Its sizes are compared with the shapes of its weights before it is built.

    Raises:
        InputError: the folder describes none, or another than the one of its weights.
    """
    make = KINDS.get(kind)
    try:
        if make is not None:
            check_network(lambda: make(described, encoder).module, described.weights)
            return make(described, encoder)
    except (TypeError, LookupError, ValueError) as error:
        raise InputError(f"the model is of another version of Rejoinder: {error}") from error
    raise InputError(
        f"the model holds a scorer of kind '{kind}', which is unknown; update Rejoinder"
    )


def _gru(described: Described, encoder: Encoder | None) -> UnreferencedScorer:
    words = tuple(described.files["words.txt"].decode().split("\n"))
    config = described.config
    check_sizes(config, GRUScorer.sizes_in(described.weights))
    check_rows("words.txt", len(words), "vectors.weight", described.weights)
    own: dict[str, Any] = {key: value for key, value in config.items() if key != "language"}
    own["layers"] = tuple(own["layers"])
    return GRUScorer(GRUConfig(**own), Vocabulary(words, config["language"]))


def _head(described: Described, encoder: Encoder | None) -> UnreferencedScorer:
    reader = needed(encoder)
    check_sizes(described.config, HeadScorer.sizes_in(described.weights))
    return HeadScorer(HeadConfig(**described.config), reader)


def _cross(described: Described, encoder: Encoder | None) -> UnreferencedScorer:
    reader = needed(encoder)
    check_sizes(described.config, CrossScorer.sizes_in(described.weights))
    return CrossScorer(CrossConfig(**described.config), reader)


KINDS: dict[str, Callable[[Described, Encoder | None], UnreferencedScorer]] = {
    GRUScorer.kind: _gru,
    HeadScorer.kind: _head,
    CrossScorer.kind: _cross,
}
"""What rebuilds the scorers of each kind."""

MOST_WORDS = 30_000


def reads_with_encoder(size: Size) -> bool:
    """Whether a size is a network over a sentence encoder."""
    return not isinstance(size.config, GRUConfig)


def needed(encoder: Encoder | None) -> Encoder:
    """The encoder.

    Raises:
        ParameterError: there is none.
    """
    if encoder is None:
        raise ParameterError(
            "this size reads with a sentence encoder; name the folder of one with --encoder PATH "
            "(encoder=PATH); nothing is fetched"
        )
    return encoder


def _start_from(scorer: GRUScorer, vectors: WordVectors) -> None:
    """Word vectors as word2vec has them; words that it does not know start small and random."""
    import torch

    table = scorer.network.vectors.weight
    with torch.no_grad():
        table.normal_(0.0, 0.1)
        if vectors.size != table.shape[1]:
            return
        for place, word in enumerate(scorer.vocabulary.words):
            if word in vectors:
                table[place] = torch.from_numpy(vectors.matrix[vectors.places[word]].copy())
