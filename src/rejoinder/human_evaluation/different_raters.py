"""Notes on systems that different people rate: what a severe rater does to their difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rejoinder.messages import listed, some_of
from rejoinder.statistics.rater_variance import TIED, shared

SEVERE = "a severe rater counts against one system unless raters were assigned to them at random"
MOST_NAMED = 3


def different_raters(
    rated: Mapping[str, NDArray[np.bool_]],
    raters: Sequence[str],
    apart: Sequence[tuple[str, str]] | None = None,
) -> list[str]:
    """A note on the systems whose ratings are mostly of different people, with who rates which.

    Args:
        rated: By system which rater rated which reply: bool [replies, raters].
        raters: The names of the raters.
        apart: The pairs of systems whose ratings are mostly of different people; None: those of all pairs
            whose shares of ratings say so.

    >>> ann, bob = np.eye(2, dtype=bool)
    >>> different_raters({"a": ann[None], "b": bob[None]}, ["ann", "bob"])[0][:64]
    "different people rate the two systems of a - b ('a': ann; 'b': b"
    """
    share = {}
    for name, each in rated.items():
        counts = (each / np.maximum(1, each.sum(axis=1, keepdims=True))).sum(axis=0)
        share[name] = counts / max(1, counts.sum())
    if apart is None:
        pairs = combinations(rated, 2)
        apart = [(a, b) for a, b in pairs if shared(np.stack([share[a], share[b]])) < TIED]
    if not apart:
        return []
    names = {x: np.array(raters)[share[x] > 0].tolist() for x in apart[0]}
    who = "; ".join(f"'{system}': {listed(people)}" for system, people in names.items())
    return [
        f"different people rate the two systems of {listed_pairs(apart)} ({who}): {SEVERE}; better have "
        "each rater rate both"
    ]


def listed_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """The first pairs of systems, and how many more there are.

    >>> listed_pairs([("a", "b")])
    'a - b'
    """
    return some_of([f"{a} - {b}" for a, b in pairs], MOST_NAMED)
