"""The small networks over a frozen encoder's vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, normalize


class Towers(nn.Module):
    """``exp(t) cos(f(turns), g(reply))`` with f and g of two layers each.

    Args:
        width: Width of the encoder's vectors.
        turns: Number of of them a query has.
        hidden: Width of the hidden layers.
        out: Width of the common space.
        dropout: Dropout on hidden layers.
    """

    def __init__(self, width: int, turns: int, hidden: int, out: int, dropout: float) -> None:
        super().__init__()
        self.query = _two_layers(turns * width, hidden, out, dropout)
        self.reply = _two_layers(width, hidden, out, dropout)
        self.temperature = nn.Parameter(torch.tensor(2.5))

    def pairs(self, q: Tensor, r: Tensor) -> Tensor:
        """[b, turns * width] and [b, width] to [b]."""
        return (self._query(q) * self._reply(r)).sum(dim=-1) * self.temperature.exp()

    def grid(self, q: Tensor, r: Tensor) -> Tensor:
        """Every query with every reply: [b, turns * width] and [c, width] to [b, c]."""
        return self._query(q) @ self._reply(r).T * self.temperature.exp()

    def _query(self, q: Tensor) -> Tensor:
        return normalize(self.query(q), dim=-1)

    def _reply(self, r: Tensor) -> Tensor:
        return normalize(self.reply(r), dim=-1)


def _two_layers(width: int, hidden: int, out: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, out)
    )


Tokens: TypeAlias = tuple[Tensor, Tensor]
"""Projected tokens, float32 [n, t, d], and which of them are there, bool [n, t]."""

GROUPS = 6
"""Pairs are scored in so many groups by the length of the reply: less padding, and that is most of it."""


class DecomposableAttention(nn.Module):
    """Attend, compare, aggregate (Parikh et al. 2016, section 3), from the reply's side.

        e_ij = r_i . q_j / sqrt(d)
        a_i = sum_j softmax_j(e_ij) q_j
        c_i = relu(F [r_i ; a_i ; r_i * a_i])
        s = G [mean_i c_i ; max_i c_i]

    Args:
        states: Width of the encoder's states.
        width: d.
        turns: Number of turns a query has, each told apart by a vector of its own.
        dropout: Dropout on tokens and comparisons.
    """

    def __init__(self, states: int, width: int, turns: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.project = nn.Linear(states, width)
        self.turn = nn.Embedding(turns, width)
        nn.init.normal_(self.turn.weight, std=0.02)
        self.compare = nn.Sequential(
            nn.Linear(3 * width, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, width)
        )
        self.judge = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))
        self.dropout = nn.Dropout(dropout)

    def tokens(self, states: Tensor, turns: Tensor) -> Tokens:
        """Tokens by their states [n, t, states] and turns [n, t] (-1: there is none)."""
        projected = self.project(states) + self.turn(turns.clamp(min=0))
        return self.dropout(projected), turns >= 0

    def forward(self, q: Tokens, r: Tokens, queries: Tensor, replies: Tensor) -> Tensor:
        """The scores of pairs: [b].

        Args:
            q: The tokens of queries.
            r: Vectors of replies.
            queries: int64 [b], which query each pair has.
            replies: int64 [b], likewise.
        """
        lengths = r[1].sum(dim=1)[replies]
        order = lengths.argsort()
        weight = self.first.weight[:, : self.width]
        halves = (
            r[0],
            linear(r[0], weight, self.first.bias),
        )  # once for each reply, whatever it is paired with
        scores = []
        for group in order.tensor_split(min(GROUPS, order.numel())):
            longest = int(lengths[group[-1]])
            cut = [each[:, :longest] for each in (*halves, r[1])]
            scores.append(self._scores(q, cut, queries[group], replies[group]))
        return torch.cat(scores)[order.argsort()]

    def _scores(self, q: Tokens, r: Sequence[Tensor], queries: Tensor, replies: Tensor) -> Tensor:
        """The scores of pairs whose replies are of like length: [b]."""
        a, present = (each.index_select(0, queries) for each in q)
        b, begun, mask = (each.index_select(0, replies) for each in r)
        attention = (b @ a.transpose(1, 2)) / b.shape[-1] ** 0.5
        attention = attention.masked_fill(~present[:, None], float("-inf")).softmax(dim=-1)
        aligned = attention @ a
        rest = self.first.weight[:, self.width :]
        begun = begun + linear(torch.cat([aligned, b * aligned], dim=-1), rest)
        compared = self.compare[1:](begun).relu() * mask[..., None]
        mean = compared.sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return self.judge(torch.cat([mean, compared.amax(dim=1)], dim=-1)).squeeze(-1)

    @property
    def first(self) -> nn.Linear:
        """The layer that sees ``[r_i ; a_i ; r_i * a_i]``, part by part."""
        layer = self.compare[0]
        assert isinstance(layer, nn.Linear)
        return layer
