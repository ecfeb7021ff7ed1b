"""The ranks that tests of all pairs of systems leave possible, and letters of those that do not differ."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Indices

_MANY = 64
"""More columns than these are thinned before the next pair is inserted."""


def ranges(better: NDArray[np.bool_], order: Indices) -> dict[str, Any]:
    """The ranks, groups and letters of systems, from the tests of all pairs.

    Args:
        better: Whether the first system is significantly better than the second (bool [S, S]).
        order: The systems, best first (int64 [S]).

    Returns:
        The columns ``best_rank``, ``worst_rank``, ``group`` and ``letters``, in this order of systems;
        see ``Scores.ranks``.
    """
    systems = len(order)
    begins = [bool(better[np.ix_(order[:k], order[k:])].all()) for k in range(systems)]
    return {
        "best_rank": 1 + better.sum(axis=0)[order],
        "worst_rank": systems - better.sum(axis=1)[order],
        "group": np.cumsum(begins),
        "letters": letters((better | better.T)[np.ix_(order, order)]),
    }


def letter_groups(different: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The groups of a compact letter display, by insertion and absorption (Piepho 2004).

    Two members stand in a group together if and only if they do not differ. All begin in one group.
    Each pair that differs splits every group that holds both into one without the first and one
    without the second; a group that another one holds is absorbed. At the end a member leaves a group
    where its groups with all others of it are elsewhere too (sweeping).

    Source: H.-P. Piepho, An algorithm for a letter-based representation of all-pairwise comparisons,
    Journal of Computational and Graphical Statistics 13 (2004).

    Args:
        different: Whether two members differ, symmetric, of the shape [S, S], the best member first.

    Returns:
        Which members each group holds, of the shape [groups, S], ordered by the first members.

    Example:
        >>> different = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
        >>> letter_groups(different).astype(int).tolist()
        [[1, 1, 0], [0, 1, 1]]
    """
    number = different.shape[0]
    groups = [(1 << number) - 1]  # a bit for each member
    most = _MANY
    for i, j in zip(*np.nonzero(np.triu(different, 1)), strict=True):
        pair = (1 << int(i), 1 << int(j))
        groups = _split(groups, *pair)
        if len(groups) > most:
            groups = _bits(_swept(_members(groups, number)))
            most = max(_MANY, 2 * len(groups))
    return _ordered(_swept(_members(groups, number)))


def letters(different: NDArray[np.bool_]) -> list[str]:
    """The letters of each member: two share a letter if and only if they do not differ.

    The first group is ``a``, of the best member; after ``z`` come ``A`` to ``Z``, then ``a2``.

    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    ['a', 'ab', 'b']
    """
    groups = letter_groups(different)
    names = [_name(place) for place in range(groups.shape[0])]
    return [
        "".join(name for name, has in zip(names, member, strict=True) if has) for member in groups.T
    ]


def _name(place: int) -> str:
    turn, letter = divmod(place, len(string.ascii_letters))
    return string.ascii_letters[letter] + (str(turn + 1) if turn else "")


def _split(groups: list[int], i: int, j: int) -> list[int]:
    """The groups without any that holds both of two members.

    What a group becomes may be held by another one, and is then absorbed. A group that stays cannot:
    it was no part of the group that was split.
    """
    both = i | j
    staying = [group for group in groups if group & both != both]
    new = dict.fromkeys(
        part for group in groups if group & both == both for part in (group ^ i, group ^ j)
    )
    for part in sorted(new, key=int.bit_count, reverse=True):
        if all(part & group != part for group in staying):
            staying.append(part)
    return staying


def _members(groups: list[int], number: int) -> NDArray[np.bool_]:
    """Which members each group holds."""
    rows = [[group >> member & 1 for member in range(number)] for group in groups]
    return np.array(rows, dtype=np.bool_).reshape(len(groups), number)


def _bits(groups: NDArray[np.bool_]) -> list[int]:
    return [sum(1 << int(member) for member in np.flatnonzero(group)) for group in groups]


def _swept(groups: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The groups without the members that they need not hold, those of the smallest first."""
    groups = groups.copy()
    counts = groups.astype(np.int64)
    together = counts.T @ counts  # [i, j]: in how many groups both are; at [i, i] those of i
    for g in np.argsort(groups.sum(axis=1), kind="stable"):
        for i in np.flatnonzero(groups[g]):
            members = np.flatnonzero(groups[g])
            if (together[i, members] > 1).all():
                together[i, members] -= 1
                together[members, i] -= 1
                together[i, i] += 1
                groups[g, i] = False
    return groups[groups.any(axis=1)]


def _ordered(groups: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """By the place of the first member, then of the second, and so on."""
    keys = [tuple(np.flatnonzero(group).tolist()) for group in groups]
    return groups[sorted(range(len(keys)), key=keys.__getitem__)]
