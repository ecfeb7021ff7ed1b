"""The small networks over a frozen encoder's vectors."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize


class Towers(nn.Module):
    """``exp(t) cos(f(turns), g(reply))`` with f and g of two layers each.

    Args:
        width: of the encoder's vectors.
        turns: how many of them a query has.
        hidden: of the hidden layers.
        out: of the common space.
        dropout: on hidden layers.
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
