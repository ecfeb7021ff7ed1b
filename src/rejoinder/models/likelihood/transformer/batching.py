"""Batches and passes of like length in a token budget, halved where memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rejoinder.errors import InputError
from rejoinder.messages import Argument
from rejoinder.models.batching import within_budget

T = TypeVar("T")
R = TypeVar("R")


def bucketed(costs: Sequence[tuple[int, int]], budget: int) -> list[list[int]]:
    """Puts items of like length together, the longest first (so that memory runs out at once).

    Args:
        costs: For each item the length of its prefix and of its longest tail.
        budget: The most tokens of padded prefixes in a batch; an item longer than that stands
            alone.

    Returns:
        The places of the items, batch by batch.

    >>> bucketed([(3, 1), (9, 1), (4, 1), (4, 2)], 9)
    [[1], [3, 2], [0]]
    """
    order = sorted(range(len(costs)), key=lambda place: (*costs[place], -place), reverse=True)
    return within_budget(order, [max(1, prefix) for prefix, _ in costs], budget)


def levelled(lengths: Sequence[int], toll: int, budget: int, width: int = 0) -> list[list[int]]:
    """Cuts items into passes so that padded tokens and passes together cost the least.

    An item is padded to the longest of its pass. One pass for all wastes tokens where lengths
    differ; a pass for each length wastes passes. The least sum over all cuts of the sorted items,
    by dynamic programming, ``cost = sum over passes of (items x longest + toll)``; a pass that does
    not fit the budget is cut again.

    Args:
        lengths: How many tokens each item is fed.
        toll: What one more pass costs, in tokens.
        budget: The most tokens in a pass, the ``width`` of each item's prefix included; an item
            longer than that stands alone.
        width: Tokens that stand before each item.

    Returns:
        The places of the items, pass by pass, the longest first.

    >>> levelled([2, 9, 9, 2, 3], 5, 100)  # 2 x 9 + 5 + 3 x 3 + 5 = 37; one pass: 5 x 9 + 5 = 50
    [[1, 2], [4, 0, 3]]
    """
    order = sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    begins = [
        at for at in range(len(order)) if at == 0 or lengths[order[at]] < lengths[order[at - 1]]
    ]
    least = {len(order): (0, len(order))}  # from an item on: the cost, and where its pass ends
    for begin in reversed(begins):
        longest = lengths[order[begin]]
        least[begin] = min(
            ((end - begin) * longest + toll + cost, end) for end, (cost, _) in least.items()
        )
    passes: list[list[int]] = []
    begin = 0
    while begin < len(order):
        end = least[begin][1]
        size = max(1, budget // max(1, width + lengths[order[begin]]))
        passes += [order[at : min(at + size, end)] for at in range(begin, end, size)]
        begin = end
    return passes


def halving(measure: Callable[[Sequence[T]], list[R]], items: Sequence[T]) -> list[R]:
    """Measures items at once; where memory runs out, the two halves one after the other.

    Raises:
        InputError: A single item does not fit.
    """
    try:
        return measure(items)
    except (RuntimeError, MemoryError) as error:
        if not out_of_memory(error):
            raise
        if len(items) < 2:
            raise InputError(
                "memory runs out on a single prompt with its replies; keep fewer turns "
                f"({Argument('turns')}), take a smaller dtype or another device"
            ) from None
    # Out of the except block: the failed call's tensors live as long as its traceback does.
    _release()
    half = len(items) // 2
    return halving(measure, items[:half]) + halving(measure, items[half:])


def out_of_memory(error: BaseException) -> bool:
    """Whether an error is one of memory: torch has a class for the GPU, a sentence for the CPU."""
    words = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or "out of memory" in words
        or "can't allocate memory" in words
        or "not enough memory" in words
    )


def _release() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
