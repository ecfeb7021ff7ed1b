"""What a scorer is trained with: no label but which reply followed which query."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, softplus

from rejoinder.kernels.arrays import Indices


def margin_loss(true: Tensor, wrong: Tensor, margin: float) -> Tensor:
    """``max(0, margin - s_U(q, r) + s_U(q, r-))``, mean over the batch (equation 5 of the paper).

    Args:
        true: [b], the outputs for the true replies, before the sigmoid that makes them s_U.
        wrong: [b], for random ones.
        margin: The difference that is enough.
    """
    return torch.relu(margin - torch.sigmoid(true) + torch.sigmoid(wrong)).mean()


def softmax_loss(grid: Tensor, replies: Indices) -> Tensor:
    """Cross entropy of the true reply among all of the batch, and of the true query likewise.

    Args:
        grid: [b, b], every query with every reply; the true pairs on the diagonal.
        replies: int64 [b], which text a reply is: a reply that is said in answer to several queries
            of the batch is wrong for none of them.
    """
    b = len(replies)
    same = torch.from_numpy((replies[:, None] == replies[None]) & ~np.eye(b, dtype=bool))
    grid = grid.masked_fill(same.to(grid.device), float("-inf"))
    true = torch.arange(b, device=grid.device)
    return (cross_entropy(grid, true) + cross_entropy(grid.T, true)) / 2


def own_loss(true: Tensor, same_dialogue: Tensor) -> Tensor:
    """Cross entropy of the true reply against one other utterance of its conversation.

    ``-log sigmoid(true - own)``, mean over the batch. Among hundreds of wrong replies that one
    would hardly count; it is the one that a scorer most needs to tell apart.

    Args:
        true: [b], the outputs for the true replies.
        same_dialogue: [b], for the others.
    """
    return softplus(same_dialogue - true).mean()


def choice_loss(scores: Tensor) -> Tensor:
    """Cross entropy of the first among the candidates of each query: [b, candidates]."""
    return cross_entropy(scores, torch.zeros(len(scores), dtype=torch.long, device=scores.device))
