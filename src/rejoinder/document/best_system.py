"""Which system is best, in one sentence: the best, a tie at the top, or that nothing tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from rejoinder.messages import SIGNIFICANT, enumerated

NAMED = 3
"""So many systems of a tie are named; of more, the first alone."""

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Standing(NamedTuple):
    """A system beside the one that is ahead.

    Args:
        system: Its name.
        value: Its mean.
        p: The corrected p-value of its difference from the system that is ahead; NaN without a test.
    """

    system: str
    value: float
    p: float = math.nan


def standings(
    values: Iterable[tuple[str, float]], tests: Mapping[tuple[str, str], float]
) -> tuple[Standing, ...]:
    """The systems beside the first of them.

    Args:
        values: The systems with their means, best first.
        tests: Corrected p-values by pair of systems, in any order of the two.

    >>> standings([("a", 3.0), ("b", 2.0)], {("b", "a"): 0.01})[1]
    Standing(system='b', value=2.0, p=0.01)
    """
    (first, best), *others = values

    def p(other: str) -> float:
        return tests.get((first, other), tests.get((other, first), math.nan))

    return Standing(first, best), *(Standing(name, value, p(name)) for name, value in others)


def tied_at_top(ordered: Sequence[Standing]) -> list[Standing]:
    """The first system, and those that are not significantly worse, or have no test."""
    return [ordered[0], *(each for each in ordered[1:] if not each.p < SIGNIFICANT)]


def best_sentence(ordered: Sequence[Standing], by: str, show: Callable[[float], str]) -> str:
    """Which system is best, as far as the tests tell.

    Args:
        ordered: The systems, best first, as `standings` returns them.
        by: By what: ``people``, or the label of a metric.
        show: How a mean is written.

    >>> rows = [("a", 3.3), ("b", 3.0), ("c", 2.5)]
    >>> best_sentence(standings(rows, {("a", "b"): 0.02, ("a", "c"): 0.01}), "people", str)
    'a is best by people: 3.3, better than each of the other two.'
    >>> best_sentence(standings(rows, {("a", "b"): 0.2, ("a", "c"): 0.01}), "people", str)
    'a and b are tied at the top by people: 3.3 and 3.0, a difference that may be chance; c is worse than a.'
    """
    first, *others = ordered
    value, tied = show(first.value), tied_at_top(ordered)
    if not others:
        return f"{first.system} has {value} by {by}; there is no other system to compare it with."
    if all(math.isnan(each.p) for each in others):
        rest = others[0].system if len(others) == 1 else "the others"
        return f"{first.system} is ahead by {by}: {value}; whether it is better than {rest} cannot be tested."
    if len(tied) == 1:
        if len(others) == 1:
            (other,) = others
            return (
                f"{first.system} is better than {other.system} by {by}: {value} against "
                f"{show(other.value)}."
            )
        words = f"better than each of the other {_number(len(others))}"
        return f"{first.system} is best by {by}: {value}, {words}."
    worse = [each.system for each in others if each.p < SIGNIFICANT]
    end = "."
    if worse:
        which = worse[0] if len(worse) == 1 else f"each of the other {_number(len(worse))}"
        end = f"; {which} is worse than {first.system}."
    top = " at the top" * bool(worse)
    if len(tied) > NAMED:
        words = f"{'' if worse else 'all '}{_number(len(tied))} systems are tied{top} by {by}"
        lead = f"{first.system} is ahead with {value}, which may be chance"
        return f"{words[0].upper()}{words[1:]}: {lead}{end}"
    names = enumerated([each.system for each in tied])
    values = enumerated([show(each.value) for each in tied])
    chance = "a difference" if len(tied) == 2 else "differences"
    return f"{names} are tied{top} by {by}: {values}, {chance} that may be chance{end}"


def _number(count: int) -> str:
    """A small number as a word."""
    return NUMBERS[count] if count < len(NUMBERS) else f"{count}"
