"""The sizes ``paper`` and ``gru``: RUBER's network, as published and as improved by measurement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rejoinder.kernels.arrays import Indices
from rejoinder.models.ruber.data.conversations import NONE
from rejoinder.models.ruber.data.texts import Ragged, ScorerVocabulary
from rejoinder.models.ruber.losses import margin_loss, own_loss, softmax_loss
from rejoinder.models.ruber.scorer import (
    Described,
    Others,
    Sources,
    UnreferencedScorer,
    said_elsewhere,
)
from rejoinder.models.training.shapes import Shapes, check_rows, check_sizes
from rejoinder.progress import Progress

if TYPE_CHECKING:
    from numpy.random import Generator
    from torch import Tensor

    from rejoinder.models.huggingface.encoder import Encoder
    from rejoinder.models.ruber.data.conversations import Conversations
    from rejoinder.models.vectors.word_vectors import WordVectors

MOST_WORDS = 30_000
"""Maximum number of words of a vocabulary."""


@dataclass(frozen=True)
class GRUConfig:
    """Sizes and choices; the defaults are the paper's network.

    Attributes:
        width: Width of word vectors (the paper: 50, by word2vec on the corpus).
        units: Number of units of a GRU, for each direction. The paper gives none; an early public
            code had 128.
        layers: Number of layers of the MLP (the same code: 256, 512, 128).
        dropout: Dropout on vectors, states and hidden layers.
        turns: Number of turns of the query are read (the paper: the message alone).
        loss: ``margin`` (equation 5: a random reply must score lower by ``margin`` after a sigmoid)
            or ``softmax`` (the true reply among all replies of the batch, and the true query among
            all queries; and the true reply against another utterance of its conversation).
        margin: Margin of that loss.
        own: How much the last part of the softmax loss counts.
        least: A word that occurs less often is unknown.
        longest: Words of a turn and of a reply; a longer text keeps its end.
    """

    width: int = 50
    units: int = 128
    layers: tuple[int, ...] = (256, 512, 128)
    dropout: float = 0.0
    turns: int = 1
    loss: str = "margin"
    margin: float = 0.5
    own: float = 1.0
    least: int = 2
    longest: int = 40


class GRUScorer(UnreferencedScorer):
    """Bi-GRUs, a quadratic feature and an MLP over the words of query and reply.

    Args:
        config: Sizes.
        vocabulary: The words.
    """

    kind: ClassVar[str] = "gru"
    dual_encoder: ClassVar[bool] = True

    def __init__(self, config: GRUConfig, vocabulary: ScorerVocabulary) -> None:
        from rejoinder.models.ruber.gru.network import RuberNetwork

        self.sizes = config
        self.vocabulary = vocabulary
        words = len(vocabulary)
        self.network = RuberNetwork(
            words, config.width, config.units, config.layers, config.dropout
        )
        self.module = self.network
        self.config = asdict(config) | {"language": vocabulary.language}

    @classmethod
    def fresh(cls, config: GRUConfig, sources: Sources) -> GRUScorer:
        """Its word vectors start from those of the sources."""
        corpus = sources.corpus
        texts = (corpus.texts[place] for place in corpus.used().tolist())
        scorer = cls(config, ScorerVocabulary.of(texts, sources.language, config.least, MOST_WORDS))
        scorer._start_from(sources.vectors(config.width))
        return scorer

    @classmethod
    def rebuilt(cls, described: Described, encoder: Encoder | None) -> GRUScorer:
        """With the words of its vocabulary file."""
        words = tuple(described.files["words.txt"].decode().split("\n"))
        config = dict(described.config)
        check_sizes(config, cls.sizes_in(described.weights))
        check_rows("words.txt", len(words), "vectors.weight", described.weights)
        language = config.pop("language")
        config["layers"] = tuple(config["layers"])
        return cls(GRUConfig(**config), ScorerVocabulary(words, language))

    @classmethod
    def with_vectors(cls, config: GRUConfig, width: int) -> GRUConfig:
        """As wide as the word vectors that it starts from."""
        return replace(config, width=width)

    def _start_from(self, vectors: WordVectors) -> None:
        """Words that have no vector start small and random."""
        import torch

        table = self.network.vectors.weight
        with torch.no_grad():
            table.normal_(0.0, 0.1)
            for place, word in enumerate(self.vocabulary.words):
                if word in vectors:
                    table[place] = torch.from_numpy(vectors.matrix[vectors.places[word]].copy())

    @property
    def prepares_like(self) -> object:
        """The words, and how many of a text are read."""
        return ("words", self.vocabulary, self.sizes.longest)

    @property
    def files(self) -> dict[str, bytes]:
        """The words, a line each."""
        return {"words.txt": "\n".join(self.vocabulary.words).encode()}

    @staticmethod
    def sizes_in(weights: Shapes) -> dict[str, Any]:
        """The sizes that the shapes of a network's weights tell."""
        layers = sum(re.fullmatch(r"mlp\.\d+\.weight", name) is not None for name in weights)
        return {
            "width": weights["vectors.weight"][1],
            "units": weights["query.weight_hh_l0"][1],
            "layers": [weights[f"mlp.{i}.weight"][0] for i in range(layers - 1)],
        }

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> Ragged:
        """The texts as word ids."""
        return Ragged.of([self.vocabulary.ids(text, self.sizes.longest) for text in texts])

    def logits(self, prepared: Ragged, turns: Indices, replies: Indices) -> Tensor:
        """float32 [b]; equal queries, and equal replies, are read once."""
        own_turns, of_query = np.unique(turns, axis=0, return_inverse=True)
        own_replies, of_reply = np.unique(replies, return_inverse=True)
        q = self._queries(prepared, own_turns)
        r = self._replies(prepared, own_replies)
        return self.network.pairs(q[self._tensor(of_query.ravel())], r[self._tensor(of_reply)])

    def loss(
        self, prepared: Ragged, corpus: Conversations, rows: Indices, others: Others, rng: Generator
    ) -> Tensor:
        """The loss of the configuration."""
        true, b = corpus.replies[rows], rows.size
        if self.sizes.loss == "margin":
            wrong = corpus.replies[rng.integers(0, len(corpus), b)]
        else:
            wrong = said_elsewhere(corpus, rows, others, rng)
        q = self._queries(prepared, corpus.turns[rows])
        r = self._replies(prepared, np.concatenate([true, wrong]))
        if self.sizes.loss == "margin":
            return margin_loss(
                self.network.pairs(q, r[:b]), self.network.pairs(q, r[b:]), self.sizes.margin
            )
        grid = self.network.grid(q, r[:b])
        same_dialogue_loss = own_loss(grid.diagonal(), self.network.pairs(q, r[b:]))
        return softmax_loss(grid, true) + self.sizes.own * same_dialogue_loss

    def _queries(self, prepared: Ragged, turns: Indices) -> Tensor:
        return self.network.queries(joined(prepared, turns[:, -self.sizes.turns :]))

    def _replies(self, prepared: Ragged, places: Indices) -> Tensor:
        return self.network.replies(prepared.take(places))


def joined(prepared: Ragged, turns: Indices) -> Ragged:
    """The turns of each query end to end, a mark (id 1) between them.

    Args:
        prepared: The texts.
        turns: Places of texts (int64 [b, k]); NONE before the first.
    """
    present = turns != NONE
    texts = prepared.take(turns[present])
    if turns.shape[1] == 1:
        lengths = np.zeros(len(turns), np.int64)
        lengths[present[:, 0]] = texts.lengths
        return Ragged(texts.ids, np.append(0, np.cumsum(lengths)))
    # Every turn but a query's last one has a mark behind it.
    marked = texts.lengths + np.append(np.diff(np.nonzero(present)[0]) == 0, False)
    ends = np.cumsum(marked)
    ids = np.ones(int(marked.sum()), np.int64)
    within = np.repeat(ends - marked - texts.bounds[:-1], texts.lengths)
    ids[within + np.arange(texts.ids.size)] = texts.ids
    bounds = np.append(0, ends)[np.append(0, np.cumsum(present.sum(axis=1)))]
    return Ragged(ids, bounds)
