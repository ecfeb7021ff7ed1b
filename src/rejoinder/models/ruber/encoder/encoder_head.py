"""The size ``encoder``: a small head over the vectors of a frozen sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rejoinder.kernels.arrays import Indices
from rejoinder.models.ruber.encoder.encoder_scorer import EncoderScorer
from rejoinder.models.ruber.losses import softmax_loss
from rejoinder.models.ruber.scorer import Others
from rejoinder.progress import Progress
from rejoinder.text.detokenize import detokenize

if TYPE_CHECKING:
    from numpy.random import Generator
    from torch import Tensor

    from rejoinder.models.ruber.data.conversations import Conversations
    from rejoinder.models.ruber.encoder.heads import Towers
    from rejoinder.models.training.shapes import Shapes


@dataclass(frozen=True)
class HeadConfig:
    """Sizes and choices.

    Attributes:
        hidden: Width of the two-layer networks.
        out: Width of the space where queries and replies meet.
        dropout: Dropout on hidden layers.
        turns: Number of turns of the query are read.
    """

    hidden: int = 768
    out: int = 384
    dropout: float = 0.5
    turns: int = 3


class HeadScorer(EncoderScorer):
    """Two small networks over sentence vectors, and a scaled cosine.

    The vectors of the last turns (zeros before the first), end to end, are mapped to the space of
    replies, and the reply's vector to the same.

    Args:
        config: Sizes.
        encoder: Frozen.
    """

    kind: ClassVar[str] = "encoder"

    config_type: ClassVar[type[HeadConfig]] = HeadConfig
    reading: ClassVar[str] = "whole"
    module: Towers

    @staticmethod
    def network_of(config: HeadConfig, width: int) -> Towers:
        """Two towers over sentence vectors."""
        from rejoinder.models.ruber.encoder.heads import Towers

        return Towers(width, config.turns, config.hidden, config.out, config.dropout)

    @staticmethod
    def sizes_in(weights: Shapes) -> dict[str, int]:
        """The sizes that the shapes of the towers' weights tell."""
        hidden, across = weights["query.0.weight"]
        return {
            "hidden": hidden,
            "out": weights["query.3.weight"][0],
            "turns": across // max(1, weights["reply.0.weight"][1]),
        }

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> np.ndarray:
        """The texts' vectors, float32 [n + 1, d]; the last one is the zeros of ``NONE``."""
        vectors = self.encoder.encode([detokenize(text) for text in texts], progress)
        return np.concatenate([vectors, np.zeros((1, vectors.shape[1]), np.float32)])

    def lengths(self, prepared: np.ndarray, turns: Indices, replies: Indices) -> Indices:
        """All alike."""
        return np.ones(replies.size, dtype=np.int64)

    def logits(self, prepared: np.ndarray, turns: Indices, replies: Indices) -> Tensor:
        """float32 [b]."""
        q, r = self._vectors(prepared, turns, replies)
        return self.module.pairs(q, r)

    def loss(
        self,
        prepared: np.ndarray,
        corpus: Conversations,
        rows: Indices,
        others: Others,
        rng: Generator,
    ) -> Tensor:
        """The true reply among all of the batch."""
        true = corpus.replies[rows]
        q, r = self._vectors(prepared, corpus.turns[rows], true)
        return softmax_loss(self.module.grid(q, r), true)

    def _vectors(
        self, prepared: np.ndarray, turns: Indices, replies: Indices
    ) -> tuple[Tensor, Tensor]:
        queries = prepared[turns[:, -self.sizes.turns :]].reshape(len(turns), -1)
        return self._tensor(queries), self._tensor(prepared[replies])
