"""Replies to many messages, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from rejoinder.files.shards import end_of_shard, shared
from rejoinder.progress import Progress, advance

T = TypeVar("T")


def in_batches(
    order: Sequence[int],
    size: int,
    reply_to: Callable[[Sequence[int]], Sequence[T]],
    row: Any,
    content: Any,
    progress: Progress | None,
) -> list[T]:
    """The replies to all messages, in the order of the messages; a call that computes a shard ends here.

    Args:
        order: The places of the messages, in the order in which they are replied to.
        size: How many are replied to at once; a batch stays whole in shards.
        reply_to: Replies to the messages in some places.
        row: The type of a reply.
        content: The messages and all that the replies depend on, as JSON has it.
        progress: Called with the number of messages replied to and of all.
    """
    batches = [order[begin : begin + size] for begin in range(0, len(order), size)]

    def compute(places: list[int]) -> list[list[T]]:
        total, done, replies = sum(len(batches[place]) for place in places), 0, []
        for place in places:
            replies.append(list(reply_to(batches[place])))
            done += len(batches[place])
            advance(progress, done, total)
        return replies

    names = [f"batch {place}" for place in range(len(batches))]
    rows = shared("replies", names, content, compute, list[row])
    end_of_shard()
    replies = {
        place: reply
        for batch, several in zip(batches, rows, strict=True)
        for place, reply in zip(batch, several, strict=True)
    }
    return [replies[place] for place in range(len(order))]
