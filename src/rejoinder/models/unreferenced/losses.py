"""What a scorer is trained with: no label but which reply followed which query."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from rejoinder.kernels.arrays import Indices


def margin_loss(true: Tensor, wrong: Tensor, margin: float) -> Tensor:
    """``max(0, margin - s_U(q, r) + s_U(q, r-))``, mean over the batch (equation 5 of the paper).

    Args:
        true: [b], the outputs for the true replies, before the sigmoid that makes them s_U.
        wrong: [b], for random ones.
        margin: the difference that is enough.
    """
    return torch.relu(margin - torch.sigmoid(true) + torch.sigmoid(wrong)).mean()


def softmax_loss(grid: Tensor, hard: Tensor | None, replies: Indices) -> Tensor:
    """Cross entropy of the true reply among all of the batch, and of the true query likewise.

    Args:
        grid: [b, b], every query with every reply; the true pairs on the diagonal.
        hard: [b], each query with one more wrong reply of its own; None: without.
        replies: int64 [b], which text a reply is: a reply that is said in answer to several queries
            of the batch is wrong for none of them.
    """
    b = len(replies)
    same = torch.from_numpy((replies[:, None] == replies[None]) & ~np.eye(b, dtype=bool))
    grid = grid.masked_fill(same.to(grid.device), float("-inf"))
    true = torch.arange(b, device=grid.device)
    wide = grid if hard is None else torch.cat([grid, hard[:, None]], dim=1)
    by_query = cross_entropy(wide, true)
    return (by_query + cross_entropy(grid.T, true)) / 2


def choice_loss(scores: Tensor) -> Tensor:
    """Cross entropy of the first among the candidates of each query: [b, candidates]."""
    return cross_entropy(scores, torch.zeros(len(scores), dtype=torch.long, device=scores.device))
