"""The network of RUBER's unreferenced scorer (Tao et al. 2018, section 3.2, figure 4).

    q = BiGRU_q(query),  r = BiGRU_r(reply)          last states of both directions
    f = [q ; q^T M r ; r]
    s_U = MLP(f)                                     tanh layers, one output

``paper`` and ``gru`` are this house at two sizes; what is trained on top of the output (a sigmoid
and a margin, or a softmax over the replies of a batch) is the loss's business (``losses.py``).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

if TYPE_CHECKING:
    from collections.abc import Sequence


class House(nn.Module):
    """Bi-GRUs of query and reply, a quadratic feature, and an MLP.

    Args:
        words: Size V of the vocabulary.
        width: Of the word vectors.
        units: H of the GRUs, for each direction.
        layers: Sizes of the MLP's hidden layers.
        dropout: On word vectors, on q and r, and on hidden layers.
        shared: Whether one Bi-GRU reads both query and reply.
    """

    def __init__(
        self,
        words: int,
        width: int,
        units: int,
        layers: Sequence[int],
        dropout: float = 0.0,
        shared: bool = False,
    ) -> None:
        super().__init__()
        self.vectors = nn.Embedding(words, width)
        self.query = nn.GRU(width, units, batch_first=True, bidirectional=True)
        self.reply = (
            self.query if shared else nn.GRU(width, units, batch_first=True, bidirectional=True)
        )
        self.quadratic = nn.Parameter(torch.empty(2 * units, 2 * units))
        nn.init.xavier_uniform_(self.quadratic)
        sizes = [4 * units + 1, *layers, 1]
        self.mlp = nn.ModuleList(
            nn.Linear(before, after) for before, after in pairwise(sizes)
        )
        self.dropout = nn.Dropout(dropout)

    def queries(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Q of int64 [b, t] ids and their [b] lengths: float32 [b, 2H]."""
        return self._read(self.query, ids, lengths)

    def replies(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """R likewise."""
        return self._read(self.reply, ids, lengths)

    def _read(self, gru: nn.GRU, ids: Tensor, lengths: Tensor) -> Tensor:
        # Packed: words behind a text's end cost nothing and change nothing.
        vectors = self.dropout(self.vectors(ids))
        packed = pack_padded_sequence(vectors, lengths.cpu(), True, enforce_sorted=False)
        _, last = gru(packed)
        return self.dropout(torch.cat([last[0], last[1]], dim=-1))

    def pairs(self, q: Tensor, r: Tensor) -> Tensor:
        """s_U of pairs, before any sigmoid: [..., b, 2H] twice to [..., b]."""
        quadratic = ((q @ self.quadratic) * r).sum(dim=-1, keepdim=True)
        return self._rest(self.mlp[0](torch.cat([q, quadratic, r], dim=-1)))

    def grid(self, q: Tensor, r: Tensor) -> Tensor:
        """s_U of every query with every reply: [b, 2H] and [c, 2H] to [b, c].

        The first layer is linear in [q ; q^T M r ; r]: its three parts are made apart and summed,
        so that b * c features are never laid out.
        """
        first, units = self.mlp[0].weight, q.shape[1]
        quadratic = (q @ self.quadratic) @ r.T
        part_q = q @ first[:, :units].T + self.mlp[0].bias
        part_r = r @ first[:, units + 1 :].T
        hidden = part_q[:, None] + part_r[None] + quadratic[..., None] * first[:, units]
        return self._rest(hidden)

    def _rest(self, hidden: Tensor) -> Tensor:
        for layer in self.mlp[1:]:
            hidden = layer(self.dropout(torch.tanh(hidden)))
        return hidden.squeeze(-1)
