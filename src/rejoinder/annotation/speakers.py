"""Who says which turn of a conversation."""

from __future__ import annotations

from collections.abc import Sequence


def turns(context: Sequence[str]) -> list[tuple[str, str]]:
    """The turns of a conversation with their speakers, who take turns; the reply would be A's.

    >>> turns(("Hi", "Hello", "How are you?"))
    [('B', 'Hi'), ('A', 'Hello'), ('B', 'How are you?')]
    """
    return [
        ("B" if (len(context) - place) % 2 else "A", text) for place, text in enumerate(context)
    ]
