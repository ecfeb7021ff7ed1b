"""Notes about the texts that are scored: empty ones, repeated ones, and copies of references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rejoinder.messages import Argument, Placeholder, counted
from rejoinder.metrics.base import Metric

FEWEST_REPEATS, SHARE_OF_REPEATS = 5, 0.1
"""From so many repeated items on there is a note, if they are this share of all."""

_GIVES = " gives a reference of the very item in"
_MOST_BLANKS = 2
"""A reference with more blanks, of more than three words, is no short answer."""


def empty_reply_notes(counts: Mapping[str, int]) -> list[str]:
    """Notes on empty replies, by system."""
    return [
        f"'{system}': {counted(count, 'empty reply', 'empty replies')}, scored as such"
        for system, count in counts.items()
        if count
    ]


def empty_reference_notes(count: int) -> list[str]:
    """A note on empty references: to BLEU they are the closest in length to any short reply."""
    if not count:
        return []
    return [
        f"{counted(count, 'empty reference')} counted as references, which spares short replies BLEU's "
        "brevity penalty; leave such references out"
    ]


def copy_notes(counts: Mapping[str, int], items: int, references: Iterable[str]) -> list[str]:
    """Notes on systems most of whose replies are references of their own items.

    Where most references have at most three words, or several systems do this, the replies may be right
    short answers, and the notes say so.

    Args:
        counts: By system how many of its replies are.
        items: How many items have references.
        references: Their texts.
    """
    copiers = {system: count for system, count in counts.items() if 2 * count > items}
    if not copiers:
        return []
    short = [text.count(" ") <= _MOST_BLANKS for text in references]
    meaning = "its scores are high by construction"
    if len(copiers) > 1 or 2 * sum(short) > len(short):
        meaning = "copied references, whose scores are high by construction, or right short answers"
    return [
        f"'{system}'{_GIVES} {count} of {counted(items, 'item')} with references: {meaning}"
        f"{_remedy(system)}"
        for system, count in copiers.items()
    ]


def copies_matter(metrics: Mapping[str, Metric]) -> bool:
    """Whether a copied reference makes a score doubtful: not where all are rates, as exact match is."""
    return any(not each.share for each in metrics.values())


def _remedy(system: str) -> str:
    return f"; {Argument('without', [system])} takes it out of the systems"


def without_remedy(note: str) -> str:
    """A note of ``copy_notes`` for where no system can be left out; another note as it is."""
    return note.removesuffix(_remedy(copier_of(note)[1:-1]))


def copier_of(note: str) -> str:
    """The system that a note of ``copy_notes`` is about; empty of another note."""
    system, gives, _ = note.partition(_GIVES)
    return system if gives else ""


def repeat_notes(repeats: int, items: int) -> list[str]:
    """A note where many items repeat others, which are hardly independent: 5 or more, and a tenth.

    Args:
        repeats: How many items have the context and the replies of an earlier one.
        items: How many items there are.
    """
    if repeats < max(FEWEST_REPEATS, SHARE_OF_REPEATS * items):
        return []
    return [
        f"{repeats} of {items} items repeat the context and the replies of another item, but are taken as "
        "independent, so that intervals are too narrow; name the column of what belongs together "
        f"with {Argument('cluster', Placeholder('COLUMN'))}"
    ]
