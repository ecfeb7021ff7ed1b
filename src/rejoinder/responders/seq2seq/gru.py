"""A GRU sequence-to-sequence model with attention.

A bidirectional encoder, and a decoder with the attention of Luong, Pham & Manning (2015, "global,
general", without input feeding, so that all positions are trained at once). One matrix of
embeddings serves messages, replies and the output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from rejoinder.responders.seq2seq.subwords import EOS, PAD

if TYPE_CHECKING:
    from rejoinder.models.training.shapes import Shapes
    from rejoinder.responders.seq2seq.batches import SubwordBatch
    from rejoinder.responders.seq2seq.parameters import Parameters


class Network(nn.Module):
    """The weights.

    Args:
        vocabulary: Subwords.
        width: Width of embeddings and of hidden states, even.
        layers: Number of layers of the encoder and of the decoder.
        dropout: Dropout on embeddings, between layers and before the output.
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


State = tuple[Tensor, ...]
Step = Callable[[Tensor, State], tuple[Tensor, State]]


@dataclass
class _FinishedHypotheses:
    """What the search has finished for one message: scores and tokens, the best first."""

    beam: int
    ended: list[tuple[float, list[int]]] = field(default_factory=list)
    over: bool = False

    def add(self, score: float, tokens: list[int]) -> None:
        # Once over, an item stays as it is: what others of the batch need must not change it.
        if self.over or score == float("-inf"):
            return
        self.ended.append((score, tokens))
        self.ended.sort(key=lambda each: -each[0])  # stable: of equals the first found stays first
        del self.ended[self.beam :]

    def close(self, best: float) -> None:
        """Ends it where nothing open, at ``best`` or below, would take a place if it ended now."""
        self.over |= len(self.ended) == self.beam and best <= self.ended[-1][0]


def beam_search(
    step: Step, state: State, start: int, end: int, beam: int, length_penalty: float, longest: int
) -> list[list[int]]:
    """The sequence that a beam search scores highest, for each item of a batch.

    A score is the sum of log-probabilities, the end included, divided by the number of tokens to the
    power of ``length_penalty``: 0 takes the sum, which favours short sequences, 1 the mean.

    Args:
        step: From the last tokens [n] and a state to scores [n, vocabulary] and the next state.
        state: Tensors whose first dimension is the batch.
        start: The token before the first.
        end: The token that ends a sequence.
        beam: Sequences kept for each item.
        length_penalty: See above.
        longest: Tokens at most; a sequence that has not ended there counts as it stands.

    Returns:
        Tokens without start and end.
    """
    count = state[0].shape[0]
    device = state[0].device
    state = tuple(each.repeat_interleave(beam, dim=0) for each in state)
    tokens = torch.full((count * beam,), start, dtype=torch.int64, device=device)
    # All but the first of the beams, which are equal at the start, are out until there is a choice.
    scores = torch.full((count, beam), float("-inf"), device=device)
    scores[:, 0] = 0.0
    sequences: list[list[list[int]]] = [[[] for _ in range(beam)] for _ in range(count)]
    items = [_FinishedHypotheses(beam) for _ in range(count)]
    for length in range(1, longest + 1):
        logits, state = step(tokens, state)
        size = logits.shape[-1]
        following = scores[:, :, None] + logits.float().log_softmax(-1).view(count, beam, size)
        # Twice the beam: even if each of the best ends, enough go on.
        top, place = following.view(count, -1).topk(min(2 * beam, beam * size), dim=-1)
        rows = [
            _advance(*each, size, end, length**length_penalty)
            for each in zip(items, sequences, top.tolist(), place.tolist(), strict=True)
        ]
        sequences = [
            [before[origin] + [token] for _, origin, token in row]
            for before, row in zip(sequences, rows, strict=True)
        ]
        for item, row in zip(items, rows, strict=True):
            item.close(row[0][0] / length**length_penalty)
        if all(item.over for item in items):
            break
        flat = [item * beam + origin for item, row in enumerate(rows) for _, origin, _ in row]
        state = tuple(each[torch.tensor(flat, device=device)] for each in state)
        tokens = torch.tensor([token for row in rows for *_, token in row], device=device)
        scores = torch.tensor([[score for score, *_ in row] for row in rows], device=device)
    for item, row, open_ones in zip(items, scores.tolist(), sequences, strict=True):
        for score, open_one in zip(row, open_ones, strict=True):
            item.add(score / longest**length_penalty, open_one)
    return [item.ended[0][1] for item in items]


def _advance(
    item: _FinishedHypotheses,
    sequences: list[list[int]],
    top: list[float],
    place: list[int],
    size: int,
    end: int,
    divisor: float,
) -> list[tuple[float, int, int]]:
    """Notes what ends, and returns score, origin and token of what goes on, the best first."""
    goes_on: list[tuple[float, int, int]] = []
    for rank, (score, flat) in enumerate(zip(top, place, strict=True)):
        origin, token = divmod(flat, size)
        if token != end:
            goes_on.append((score, origin, token))
        elif rank < item.beam:
            item.add(score / divisor, sequences[origin])
        if len(goes_on) == item.beam:
            break
    missing = item.beam - len(goes_on)  # where the vocabulary is smaller than the beam
    return goes_on + [(float("-inf"), 0, end)] * missing
