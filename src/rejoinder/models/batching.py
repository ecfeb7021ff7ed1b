"""Batches of texts of similar length, as many as fit a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import Tensor


def within_budget(
    order: Iterable[int], lengths: Sequence[int], budget: int, most: int | None = None
) -> list[list[int]]:
    """Consecutive items of an order, batch by batch; an item longer than the budget is alone.

    Args:
        order: Positions of the items; similar lengths should be next to each other.
        lengths: The length of each item.
        budget: Maximum number of items of a batch times the longest of their lengths.
        most: Maximum number of items of a batch; None: no limit.

    Returns:
        Positions, batch by batch.

    >>> within_budget([1, 3, 2, 0], [3, 9, 4, 4], 9)
    [[1], [3, 2], [0]]
    """
    batches: list[list[int]] = []
    batch: list[int] = []
    longest = 0
    for position in order:
        padded = max(longest, lengths[position])
        if batch and ((len(batch) + 1) * padded > budget or len(batch) == most):
            batches.append(batch)
            batch, padded = [], lengths[position]
        batch.append(position)
        longest = padded
    return [*batches, batch] if batch else batches


def padded(
    rows: Sequence[Sequence[int]],
    device: torch.device | str,
    *,
    left: bool = False,
    filler: int = 0,
) -> tuple[Tensor, Tensor]:
    """Rows of ids of unequal lengths as a rectangle.

    Args:
        rows: The ids of each text.
        device: Where the tensors are wanted.
        left: Whether what is filled stands before a row, not behind it.
        filler: What is filled in.

    Returns:
        Ids and masks, 1 where a row has an id: int64 [rows, longest].
    """
    import torch

    ids = torch.full((len(rows), max(1, *map(len, rows))), filler, dtype=torch.int64)
    mask = torch.zeros_like(ids)
    for place, row in enumerate(rows):
        where = slice(ids.shape[1] - len(row), None) if left else slice(0, len(row))
        ids[place, where] = torch.tensor(row, dtype=torch.int64)
        mask[place, where] = 1
    return ids.to(device), mask.to(device)
