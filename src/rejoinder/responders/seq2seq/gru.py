"""A GRU sequence-to-sequence model with attention.

A bidirectional encoder, and a decoder with the attention of Luong, Pham & Manning (2015, "global,
general", without input feeding, so that all positions are trained at once). One matrix of
embeddings serves messages, replies and the output.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from rejoinder.responders.seq2seq.beam import beam_search
from rejoinder.responders.seq2seq.subwords import EOS, PAD

if TYPE_CHECKING:
    from rejoinder.models.training.shapes import Shapes
    from rejoinder.responders.seq2seq.batches import SubwordBatch
    from rejoinder.responders.seq2seq.parameters import Parameters


class Network(nn.Module):
    """The weights.

    Args:
        vocabulary: subwords.
        width: of embeddings and of hidden states, even.
        layers: of the encoder and of the decoder.
        dropout: on embeddings, between layers and before the output.
    """

    def __init__(self, vocabulary: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        between = dropout if layers > 1 else 0.0
        self.scale = width**0.5  # brings embeddings, small for the output's sake, to unit variance
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=PAD)
        self.encoder = nn.GRU(
            width, width // 2, layers, batch_first=True, dropout=between, bidirectional=True
        )
        self.bridge = nn.Linear(width, width)
        self.decoder = nn.GRU(width, width, layers, batch_first=True, dropout=between)
        self.key = nn.Linear(width, width, bias=False)
        self.combined = nn.Linear(2 * width, width)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        nn.init.zeros_(self.embedding.weight[PAD])

    def encode(self, sources: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The encoder's states [b, s, width], and the decoder's first ones [b, layers, width]."""
        packed = pack_padded_sequence(
            self.dropout(self.embedding(sources) * self.scale),
            mask.sum(dim=1).cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        states, last = self.encoder(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=sources.shape[1])
        forward, backward = last[0::2], last[1::2]
        first = torch.tanh(self.bridge(torch.cat([forward, backward], dim=-1)))
        return states, first.transpose(0, 1)

    def decode(
        self, inputs: Tensor, hidden: Tensor, states: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Scores [b, t, vocabulary] of what follows each input, and the decoder's new states."""
        embedded = self.dropout(self.embedding(inputs) * self.scale)
        outputs, last = self.decoder(embedded, hidden.transpose(0, 1).contiguous())
        scores = outputs @ self.key(states).transpose(1, 2)
        scores = scores.masked_fill(mask[:, None, :] == 0, float("-inf"))
        context = scores.softmax(dim=-1) @ states
        attended = torch.tanh(self.combined(torch.cat([context, outputs], dim=-1)))
        logits = self.dropout(attended) @ self.embedding.weight.T + self.bias
        return logits, last.transpose(0, 1)


@dataclass(frozen=True)
class GRU:
    """A model of this file's network."""

    module: Network

    @classmethod
    def build(cls, parameters: Parameters, vocabulary: int) -> GRU:
        """A model with fresh weights."""
        return cls(Network(vocabulary, parameters.width, parameters.layers, parameters.dropout))

    @staticmethod
    def sizes_in(weights: Shapes) -> dict[str, int]:
        """The sizes that the shapes of a network's weights tell."""
        subwords, width = weights["embedding.weight"]
        layers = sum(name.startswith("decoder.weight_ih_l") for name in weights)
        return {"subwords": subwords, "width": width, "layers": layers}

    @property
    def keys(self) -> dict[str, Any]:
        """None: ``transformers`` has no such class."""
        return {}

    def logits(self, batch: SubwordBatch) -> Tensor:
        """Scores, float [b, t, vocabulary]."""
        states, hidden = self.module.encode(batch.sources, batch.mask)
        return self.module.decode(batch.inputs, hidden, states, batch.mask)[0]

    def search(
        self, sources: Tensor, mask: Tensor, beam: int, length_penalty: float, longest: int
    ) -> list[list[int]]:
        """Our own beam search."""
        states, hidden = self.module.encode(sources, mask)

        def step(tokens: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
            hidden, states, mask = state
            logits, hidden = self.module.decode(tokens[:, None], hidden, states, mask)
            return logits[:, 0], (hidden, states, mask)

        return beam_search(step, (hidden, states, mask), EOS, EOS, beam, length_penalty, longest)
