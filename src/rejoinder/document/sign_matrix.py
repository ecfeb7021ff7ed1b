"""All pairs of many systems in one small table: a symbol for each pair of a row and a column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rejoinder.document.table import Grid, Head, Table
from rejoinder.document.text import Cell
from rejoinder.messages import counted

MOST_LISTED = 6
"""So many systems have a row for each pair: 15 of them."""

BETTER, WORSE, EQUIVALENT, UNCLEAR, UNTESTED, SELF = "+", "-", "=", ".", "?", "\\"

LEGEND = (
    "systems stand best first, and columns have their numbers, read downwards; +: the system of the row "
    "is significantly better than that of the column (p Holm below 0.05); -: significantly worse; .: not "
    "clear"
)


@dataclass(frozen=True)
class SignMatrix(Table):
    """Pairs of systems, which CSV has in rows, as signs on paper.

    Attributes:
        names: The systems, best first.
        heading: What the values are.
        values: The value of each system, as it is shown.
        signs: Of each system a sign for each system in this order.
    """

    names: Sequence[str] = ()
    heading: str = "value"
    values: Sequence[str] = ()
    signs: Sequence[str] = ()

    def grids(self) -> list[Grid]:
        """The matrix, below the numbers of its columns."""
        width = len(str(len(self.names)))
        numbers: list[list[Cell]] = [["", "", each] for each in column_numbers(len(self.names))]
        rows: list[list[Cell]] = [
            [f"{place:>{width}} {name}", value, signs]
            for place, (name, value, signs) in enumerate(
                zip(self.names, self.values, self.signs, strict=True), start=1
            )
        ]
        heads = [
            Head("system", key=True),
            Head(self.heading, right=True),
            Head("pairs", right=True),
        ]
        return [Grid(self.title, heads, numbers + rows, numbers=len(numbers))]


OPPOSITE = {BETTER: WORSE, WORSE: BETTER}


def signs_of(order: Sequence[Any], pairs: Iterable[tuple[Any, Any, str]]) -> list[str]:
    """For each system, in this order, a sign for each other one, from the sign of a in each pair a, b.

    >>> signs_of("xyz", [("x", "y", BETTER), ("z", "x", UNCLEAR), ("y", "z", UNTESTED)]) == [
    ...     SELF + "+.", "-" + SELF + "?", ".?" + SELF]
    True
    """
    known: dict[tuple[Any, Any], str] = {}
    for a, b, sign in pairs:
        known[a, b], known[b, a] = sign, OPPOSITE.get(sign, sign)
    return ["".join(SELF if i == j else known[i, j] for j in order) for i in order]


def how_many_differ(clear: int, pairs: int) -> str:
    """How many pairs of systems differ significantly.

    >>> how_many_differ(1, 3), how_many_differ(2, 3)
    ('1 of 3 pairs differs', '2 of 3 pairs differ')
    """
    return f"{clear} of {counted(pairs, 'pair')} {'differs' if clear == 1 else 'differ'}"


def column_numbers(count: int) -> list[str]:
    """The numbers of the columns, one digit below the other.

    >>> column_numbers(11)
    ['         11', '12345678901']
    """
    width = len(str(count))
    numbers = [str(place).rjust(width) for place in range(1, count + 1)]
    return ["".join(each[k] for each in numbers) for k in range(width)]
