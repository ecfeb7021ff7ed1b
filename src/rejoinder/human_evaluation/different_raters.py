"""Notes on systems that different people rate: what a severe rater does to their difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rejoinder.messages import listed

SEVERE = "a severe rater counts against one system unless raters were assigned to them at random"
MOST_NAMED = 3


def different_raters(
    pairs: Sequence[tuple[str, str]], raters: Mapping[str, Sequence[str]]
) -> list[str]:
    """A note that names who rates which system; none without pairs.

    Args:
        pairs: The pairs of systems whose ratings are mostly of different people.
        raters: By system its raters.

    >>> different_raters([("a", "b")], {"a": ["ann"], "b": ["bob", "eve"]})[0][:69]
    "different people rate the two systems of a - b ('a': ann; 'b': bob, e"
    """
    if not pairs:
        return []
    who = "; ".join(f"'{system}': {listed(raters[system])}" for system in pairs[0])
    return [
        f"different people rate the two systems of {listed_pairs(pairs)} ({who}): {SEVERE}; better have "
        "each rater rate both"
    ]


def listed_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """The first pairs of systems, and how many more there are.

    >>> listed_pairs([("a", "b")])
    'a - b'
    """
    first = ", ".join(f"{a} - {b}" for a, b in pairs[:MOST_NAMED])
    return first + (f" and {len(pairs) - MOST_NAMED} more" if len(pairs) > MOST_NAMED else "")
