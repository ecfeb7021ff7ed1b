"""The network of RUBER's unreferenced scorer (Tao et al. 2018, section 3.2, figure 4).

    q = BiGRU_q(query),  r = BiGRU_r(reply)          last states of both directions
    f = [q ; q^T M r ; r]
    s_U = MLP(f)                                     tanh layers, one output

``paper`` and ``gru`` are this network at two sizes; what is trained on top of the output (a sigmoid
and a margin, or a softmax over the replies of a batch) is the loss's business (``losses.py``).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import pack_padded_sequence

from rejoinder.models.ruber.data.texts import Ragged, like_lengths
from rejoinder.models.ruber.gru.recurrence import (
    Packed,
    last_states,
    last_states_by_table,
    projected,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


class Dropout(nn.Module):
    """Sets a share of the numbers to 0 and scales the others up, in training alone.

    torch draws a number of its own for each place; here 64 random bits serve four places, so the
    share is exact to 1/65536. The bits' seed comes from torch's generator, whose state a checkpoint
    holds.

    Args:
        share: Share of what is set to 0, in [0, 1).
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """Any shape to the same."""
        if not self.training or self.share == 0:
            return x
        if x.device.type != "cpu":
            return dropout(x, self.share)
        seed = int(torch.randint(2**62, ()))
        bits = np.random.Generator(np.random.SFC64(seed)).bytes(2 * x.numel())
        mask = torch.frombuffer(bytearray(bits), dtype=torch.int16) >= self._bound
        return x * mask.view(x.shape).to(x.dtype).mul_(1 / (1 - self.share))

    @property
    def _bound(self) -> int:
        """int16 begin at -2^15: so many of the 2^16 lie below as are to be set to 0."""
        return round(self.share * 2**16) - 2**15


class RuberNetwork(nn.Module):
    """Bi-GRUs of query and reply, a quadratic feature, and an MLP.

    Args:
        words: Size V of the vocabulary.
        width: Of the word vectors.
        units: H of the GRUs, for each direction.
        layers: Sizes of the MLP's hidden layers.
        dropout: On word vectors (a word loses the same numbers wherever the batch has it), on q and
            r, and on hidden layers.
    """

    def __init__(
        self, words: int, width: int, units: int, layers: Sequence[int], dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.vectors = nn.Embedding(words, width)
        self.query = nn.GRU(width, units, batch_first=True, bidirectional=True)
        self.reply = nn.GRU(width, units, batch_first=True, bidirectional=True)
        self.quadratic = nn.Parameter(torch.empty(2 * units, 2 * units))
        nn.init.xavier_uniform_(self.quadratic)
        sizes = [4 * units + 1, *layers, 1]
        self.mlp = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(sizes))
        self.dropout = Dropout(dropout)

    def queries(self, texts: Ragged) -> Tensor:
        """Q of b texts: float32 [b, 2H]. A text without a word is read as one unknown word."""
        return self._read(self.query, texts)

    def replies(self, texts: Ragged) -> Tensor:
        """R likewise."""
        return self._read(self.reply, texts)

    def _read(self, gru: nn.GRU, texts: Ragged) -> Tensor:
        texts = texts.filled()
        if not torch.is_grad_enabled():
            return self._read_many(gru, texts)
        if self._on_gpu:
            return self.dropout(self._read_padded(gru, texts))
        packed = Packed.of(texts.lengths)
        distinct, rows = np.unique(texts.ids, return_inverse=True)
        vectors = self.dropout(self.vectors(torch.from_numpy(distinct)))
        return self.dropout(last_states(gru, vectors, rows[packed.words], packed))

    def _read_many(self, gru: nn.GRU, texts: Ragged) -> Tensor:
        """Without gradient, in batches of like length.

        A word's part in the gates is the word's alone: it is made once, however often it is read.
        """
        distinct, rows = np.unique(texts.ids, return_inverse=True)
        places = Ragged(rows, texts.bounds)
        states = self.quadratic.new_empty(len(texts), 2 * gru.hidden_size)
        table = None if self._on_gpu else projected(gru, self.vectors(torch.from_numpy(distinct)))
        for group in like_lengths(texts.lengths):
            if table is None:
                states[group] = self._read_padded(gru, texts.take(group))
                continue
            batch = places.take(group)
            packed = Packed.of(batch.lengths)
            states[group] = last_states_by_table(gru, table, batch.ids[packed.words], packed)
        return states

    @property
    def _on_gpu(self) -> bool:
        return self.quadratic.device.type != "cpu"

    def _read_padded(self, gru: nn.GRU, texts: Ragged) -> Tensor:
        """By the kernels of a GPU; words behind a text's end change nothing."""
        ids, lengths = texts.padded()
        distinct, rows = torch.unique(ids.to(self.quadratic.device), return_inverse=True)
        vectors = self.dropout(self.vectors(distinct))[rows]
        packed = pack_padded_sequence(vectors, lengths, True, enforce_sorted=False)
        _, last = gru(packed)
        return torch.cat([last[0], last[1]], dim=-1)

    def pairs(self, q: Tensor, r: Tensor) -> Tensor:
        """s_U of pairs, before any sigmoid: [..., b, 2H] twice to [..., b]."""
        quadratic = ((q @ self.quadratic) * r).sum(dim=-1, keepdim=True)
        return self._rest(self.first(torch.cat([q, quadratic, r], dim=-1)))

    def grid(self, q: Tensor, r: Tensor) -> Tensor:
        """s_U of every query with every reply: [b, 2H] and [c, 2H] to [b, c].

        The first layer is linear in [q ; q^T M r ; r]: its three parts are made apart and summed,
        so that b * c features are never laid out.
        """
        first, units = self.first.weight, q.shape[1]
        quadratic = (q @ self.quadratic) @ r.T
        part_q = q @ first[:, :units].T + self.first.bias
        part_r = r @ first[:, units + 1 :].T
        hidden = part_q[:, None] + part_r[None] + quadratic[..., None] * first[:, units]
        return self._rest(hidden)

    def _rest(self, hidden: Tensor) -> Tensor:
        for layer in list(self.mlp)[1:]:
            hidden = layer(self.dropout(torch.tanh(hidden)))
        return hidden.squeeze(-1)

    @property
    def first(self) -> nn.Linear:
        """The MLP's first layer, which alone sees the features."""
        layer = self.mlp[0]
        assert isinstance(layer, nn.Linear)
        return layer
