"""Where two values of JSON differ, and how such a place is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

NEAR = 1e-12
"""So far, of the greater one (of 1 for less), two numbers may lie apart that count as the same."""
_KEYS = (
    "metric",
    "criterion",
    "judge",
    "protocol",
    "measure",
    "correlation",
    "system",
    "a",
    "b",
    "id",
)
"""The columns by which a row is called."""


@dataclass(frozen=True)
class Discrepancy:
    """A value that is not as claimed.

    Attributes:
        table: The key at the top: a table, such as ``systems``.
        place: The row and the column.
        claimed: What the claim has there; None where it has nothing.
        computed: What was computed.
    """

    table: str
    place: str
    claimed: Any
    computed: Any

    @property
    def of_number(self) -> bool:
        """Whether one of the two is a number."""
        return any(isinstance(each, int | float) for each in (self.claimed, self.computed))


def differences(claimed: Any, computed: Any, *place: str) -> Iterator[Discrepancy]:
    """The places where two values of JSON differ; numbers by more than `NEAR`.

    >>> both = {"systems": [{"system": "a", "value": 0.5}]}, {"systems": [{"system": "a", "value": 0.6}]}
    >>> [(each.table, each.place) for each in differences(*both)]
    [('systems', 'a: value')]
    """
    if isinstance(claimed, dict) and isinstance(computed, dict):
        for key in dict.fromkeys((*claimed, *computed)):
            yield from differences(claimed.get(key), computed.get(key), *place, key)
    elif isinstance(claimed, list) and isinstance(computed, list):
        if len(claimed) != len(computed):
            yield Discrepancy(place[0], "number of rows", len(claimed), len(computed))
        for number, pair in enumerate(zip(claimed, computed, strict=False)):
            yield from differences(*pair, *place, _name(pair[1], number))
    elif not _same(claimed, computed):
        yield Discrepancy(place[0], ": ".join(place[1:]), claimed, computed)


def numbers_in(value: Any) -> int:
    """How many numbers a value of JSON has."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return sum(map(numbers_in, value))
    return isinstance(value, int | float)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str) or isinstance(b, str):
        return type(a) is type(b) and a == b
    if a is None or b is None or not (isinstance(a, int | float) and isinstance(b, int | float)):
        return a == b
    return abs(a - b) <= NEAR * max(1.0, abs(a), abs(b))


def _name(row: Any, number: int) -> str:
    words = [str(row[key]) for key in _KEYS if key in row] if isinstance(row, dict) else []
    return ", ".join(words) or f"row {number + 1}"
