"""The size ``cross``: a small network that reads query and reply together, token by token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Indices
from rejoinder.models.ruber.data.conversations import NONE
from rejoinder.models.ruber.encoder.encoder_scorer import EncoderScorer
from rejoinder.models.ruber.losses import choice_loss
from rejoinder.models.ruber.scorer import Others, said_elsewhere
from rejoinder.progress import Progress
from rejoinder.text.detokenize import detokenize

if TYPE_CHECKING:
    from numpy.random import Generator
    from torch import Tensor

    from rejoinder.models.ruber.data.conversations import Conversations
    from rejoinder.models.ruber.encoder.heads import DecomposableAttention
    from rejoinder.models.training.shapes import Shapes


@dataclass(frozen=True)
class CrossConfig:
    """Sizes and choices.

    Attributes:
        width: Width of a token within the network.
        dropout: Dropout on tokens and on the hidden layer.
        turns: Number of turns of the query are read.
        wrong: Number of wrong replies of the batch a true one is compared with, besides one of its
            own conversation.
        longest: Tokens of a turn and of a reply that are read, special ones aside: the last ones of
            those that the encoder has. It cuts a text to its own first tokens (``Encoder.longest``);
            what stands behind them is not read.
    """

    width: int = 128
    dropout: float = 0.2
    turns: int = 3
    wrong: int = 12
    longest: int = 32


@dataclass(frozen=True, eq=False)
class TokenStates:
    """The encoder's states of texts, end to end.

    Attributes:
        states: States (float16 [t, d]): half the precision is half the memory, and they are inputs.
        bounds: int64 [n + 1].
    """

    states: np.ndarray
    bounds: Indices

    @property
    def lengths(self) -> Indices:
        """Tokens to a text: int64 [n]."""
        return np.diff(self.bounds)

    def padded(
        self, spans: Sequence[Sequence[tuple[int, int, int]]]
    ) -> tuple[NDArray[np.float32], Indices]:
        """Spans of states, end to end in each row.

        Args:
            spans: For each row the spans ``(first, last, turn)`` of its texts.

        Returns:
            float32 [rows, longest, d], and int64 [rows, longest]: which turn each token is of,
            counted back from the reply, -1 behind the end. A row without a token has a zero one.
        """
        longest = max(1, *(sum(last - first for first, last, _ in row) for row in spans))
        states = np.zeros((len(spans), longest, self.states.shape[1]), dtype=np.float32)
        turns = np.full((len(spans), longest), -1, dtype=np.int64)
        for i, row in enumerate(spans):
            at = 0
            for first, last, turn in row:
                end = at + last - first
                states[i, at:end] = self.states[first:last]
                turns[i, at:end] = turn
                at = end
            if at == 0:
                turns[i, 0] = 0
        return states, turns


class CrossScorer(EncoderScorer):
    """Decomposable attention (Parikh et al. 2016) over a frozen encoder's tokens.

    Each token of the reply attends to the tokens of the query, is compared with what it found
    there, and what the comparisons say, on average and at most, is the score.

    Args:
        config: Sizes.
        encoder: Frozen.
    """

    kind: ClassVar[str] = "cross"

    config_type: ClassVar[type[CrossConfig]] = CrossConfig
    reading: ClassVar[str] = "tokens"
    module: DecomposableAttention

    @staticmethod
    def network_of(config: CrossConfig, width: int) -> DecomposableAttention:
        """Attention over the states of tokens."""
        from rejoinder.models.ruber.encoder.heads import DecomposableAttention

        return DecomposableAttention(width, config.width, config.turns, config.dropout)

    @staticmethod
    def sizes_in(weights: Shapes) -> dict[str, int]:
        """The sizes that the shapes of the network's weights tell."""
        return {"width": weights["project.weight"][0], "turns": weights["turn.weight"][0]}

    def prepare(self, texts: Sequence[str], progress: Progress | None = None) -> TokenStates:
        """The states of the texts' tokens."""
        states_of_texts = self.encoder.encode_tokens([detokenize(text) for text in texts], progress)
        bounds = np.cumsum([0, *(len(each) for each in states_of_texts)])
        states = np.empty((int(bounds[-1]), self.encoder.size), dtype=np.float16)
        for i, each in enumerate(states_of_texts):
            states[bounds[i] : bounds[i + 1]] = each
        return TokenStates(states, bounds)

    def logits(self, prepared: TokenStates, turns: Indices, replies: Indices) -> Tensor:
        """float32 [b]; equal queries, and equal replies, are projected once."""
        own_turns, of_query = np.unique(turns, axis=0, return_inverse=True)
        own_replies, of_reply = np.unique(replies, return_inverse=True)
        q = self.module.tokens(*self._queries(prepared, own_turns))
        r = self.module.tokens(*self._replies(prepared, own_replies))
        return self.module(q, r, self._tensor(of_query.ravel()), self._tensor(of_reply.ravel()))

    def loss(
        self,
        prepared: TokenStates,
        corpus: Conversations,
        rows: Indices,
        others: Others,
        rng: Generator,
    ) -> Tensor:
        """The true reply among wrong ones of the batch, and one of its own conversation."""
        b = rows.size
        true, same_dialogue = corpus.replies[rows], said_elsewhere(corpus, rows, others, rng)
        q = self.module.tokens(*self._queries(prepared, corpus.turns[rows]))
        r = self.module.tokens(*self._replies(prepared, np.concatenate([true, same_dialogue])))
        places = np.arange(b)
        wrong = _elsewhere(true, self.sizes.wrong, rng)
        candidates = np.column_stack([places, b + places, wrong])
        queries = np.repeat(places, candidates.shape[1])
        scores = self.module(q, r, self._tensor(queries), self._tensor(candidates.ravel()))
        return choice_loss(scores.reshape(b, -1))

    def _queries(self, prepared: TokenStates, turns: Indices) -> tuple[Tensor, Tensor]:
        rows = []
        for places in turns[:, -self.sizes.turns :].tolist():
            back = range(len(places) - 1, -1, -1)
            rows.append(
                [
                    self._span(prepared, p, turn)
                    for p, turn in zip(places, back, strict=True)
                    if p != NONE
                ]
            )
        return self._padded(prepared, rows)

    def _replies(self, prepared: TokenStates, places: Indices) -> tuple[Tensor, Tensor]:
        rows = [[self._span(prepared, place, 0)] for place in places.tolist()]
        return self._padded(prepared, rows)

    def _padded(
        self, prepared: TokenStates, rows: Sequence[Sequence[tuple[int, int, int]]]
    ) -> tuple[Tensor, Tensor]:
        states, turns = prepared.padded(rows)
        return self._tensor(states), self._tensor(turns)

    def _span(self, prepared: TokenStates, place: int, turn: int) -> tuple[int, int, int]:
        last = int(prepared.bounds[place + 1])
        return max(int(prepared.bounds[place]), last - self.sizes.longest), last, turn


def _elsewhere(replies: Indices, count: int, rng: Generator) -> Indices:
    """For each item of a batch the places of ``count`` other items with another reply: [b, count].

    An item that finds none after a few draws keeps what it has: a true reply among the wrong ones
    costs it a little, and that is rare.
    """
    b = replies.size
    sampled = rng.integers(0, b, (b, count))
    for _ in range(3):
        same = replies[sampled] == replies[:, None]
        sampled[same] = rng.integers(0, b, int(same.sum()))
    return sampled
