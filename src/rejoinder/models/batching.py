"""Batches of texts of similar length, as many as fit a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
