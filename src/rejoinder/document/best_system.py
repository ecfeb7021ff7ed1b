"""Which system is best, in one sentence: the best, a tie at the top, or that nothing tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
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
        lead: By how much the system that is ahead is better, where the two are tested: on the items that
            both have. Below 0 it is worse; NaN without a test.
        own_lead: The same of their own means, which may be of different items.
        below: The systems that are significantly better than it.
    """

    system: str
    value: float
    p: float = math.nan
    lead: float = math.nan
    own_lead: float = math.nan
    below: tuple[str, ...] = ()

    @property
    def tested(self) -> bool:
        """Whether there is a test of it against the system that is ahead."""
        return not math.isnan(self.p)

    @property
    def worse(self) -> bool:
        """Whether it is significantly worse than the system that is ahead."""
        return self.p < SIGNIFICANT and self.lead > 0

    @property
    def better(self) -> bool:
        """Whether it is significantly better than the system that is ahead."""
        return self.p < SIGNIFICANT and self.lead < 0


def standings(
    values: Iterable[tuple[str, float]],
    tests: Iterable[tuple[str, str, float, float]],
    higher_is_better: bool = True,
) -> tuple[Standing, ...]:
    """The systems beside the first of them: the one that the fewest others are significantly better than.

    Args:
        values: The systems with their means, best first. Where tests say otherwise, they decide.
        tests: By pair of systems a and b: a, b, the difference a - b, and its corrected p-value.
        higher_is_better: Whether a higher mean is better.

    >>> standings([("a", 3.0), ("b", 2.0)], [("b", "a", -0.5, 0.01)])[1]
    Standing(system='b', value=2.0, p=0.01, lead=0.5, own_lead=1.0, below=('a',))
    """
    way, rows = 1 if higher_is_better else -1, list(values)
    known = {(a, b): (way * each, p) for a, b, each, p in tests if not math.isnan(p)}
    known |= {(b, a): (-each, p) for (a, b), (each, p) in known.items()}
    names = [name for name, _ in rows]

    def better(name: str) -> tuple[str, ...]:
        pairs = ((other, *known.get((name, other), (0.0, 1.0))) for other in names)
        return tuple(other for other, lead, p in pairs if p < SIGNIFICANT and lead < 0)

    (first, best), *others = sorted(rows, key=lambda row: len(better(row[0])))
    beside = []
    for name, value in others:
        lead, p = known.get((first, name), (math.nan, math.nan))
        beside.append(Standing(name, value, p, lead, way * (best - value), better(name)))
    return Standing(first, best, below=better(first)), *beside


def tied_at_top(ordered: Sequence[Standing]) -> list[Standing]:
    """The first system, and those that are not significantly worse, or have no test."""
    return [ordered[0], *(each for each in ordered[1:] if not each.worse)]


def best_sentence(
    ordered: Sequence[Standing],
    by: str,
    show: Callable[[float], str],
    shared: str = "on the items that both have",
    whole: str = "on all of its items",
) -> str:
    """Which system is best, as far as the tests tell.

    Args:
        ordered: The systems, best first, as `standings` returns them.
        by: By what: ``people``, or the label of a metric.
        show: How a mean is written.
        shared: Where a test compares two systems.
        whole: Where a system has its mean.

    >>> rows, worse = [("a", 3.3), ("b", 3.0), ("c", 2.5)], ("a", "c", 0.8, 0.01)
    >>> best_sentence(standings(rows, [("a", "b", 0.3, 0.02), worse]), "people", str)
    'a is best by people: 3.3, better than each of the other two.'
    >>> best_sentence(standings(rows, [("a", "b", 0.3, 0.2), worse]), "people", str)
    'a and b are tied at the top by people: 3.3 and 3.0, a difference that may be chance; c is worse than a.'
    """
    first, *others = ordered
    value = show(first.value)
    if not others:
        return f"{first.system} has {value} by {by}; there is no other system to compare it with."
    if beaten := [each for each in others if each.better]:
        pair = f"{beaten[0].system} is better than {first.system} by {show(-beaten[0].lead)}"
        return f"No system is best by {by}: {first.system} has {value}, but {shared}, {pair}."
    if not any(each.tested for each in others):
        rest = others[0].system if len(others) == 1 else "the others"
        equal = [each.system for each in others if each.own_lead == 0]
        lead = f"{first.system} is ahead by {by}: {value}; whether it is better than {rest}"
        if equal:
            names = enumerated([first.system, *equal])
            lead = f"{names} have the same mean by {by}: {value}; whether they differ"
        return f"{lead} cannot be tested."
    untested = [each for each in others if not each.tested]
    end = f"{_also(untested, f'not tested against {first.system}')}."
    worse = [each for each in others if each.worse]
    tied = [first, *(each for each in others if each.tested and not each.worse)]
    if contrary := [each for each in worse if each.own_lead < 0]:
        pairs = enumerated([f"than {each.system} by {show(each.lead)}" for each in contrary])
        means = f"the mean of {contrary[0].system} {whole} is {show(contrary[0].value)}"
        more = [each for each in worse if each not in contrary]
        rest = _also(more, f"worse than {first.system}, too")
        rest += _also(tied[1:], f"tied with {first.system}")
        return (
            f"By {by}, {shared}, {first.system} is better {pairs}, although {means} and that of "
            f"{first.system} {value}{rest}{end}"
        )
    if len(tied) == 1:
        if len(worse) == 1:
            against = f"{value} against {show(worse[0].value)}"
            return f"{first.system} is better than {worse[0].system} by {by}: {against}{end}"
        if len(worse) < len(others):
            which = f"better than {_number(len(worse))} others"
            return f"{first.system} is {which} by {by}: {value}{end}"
        return (
            f"{first.system} is best by {by}: {value}, better than each of the other "
            f"{_number(len(others))}{end}"
        )
    if worse:
        which = worse[0].system if len(worse) == 1 else f"each of the other {_number(len(worse))}"
        end = f"; {which} is worse than {first.system}{end}"
    near = {each.system for each in tied}
    if differ := sum(len(near.intersection(each.below)) for each in tied):
        pairs = "two of the others" if differ == 1 else f"{_number(differ)} pairs of the others"
        lead = f"{first.system} is ahead with {value}, which may be chance, though {pairs} differ"
        return f"No system is best by {by}: {lead}{end}"
    top = " at the top" * bool(worse)
    if len(tied) > NAMED:
        every = "all " * (len(tied) == len(ordered))
        words = f"{every}{_number(len(tied))} systems are tied{top} by {by}"
        lead = f"{first.system} is ahead with {value}, which may be chance"
        return f"{words[0].upper()}{words[1:]}: {lead}{end}"
    names = enumerated([each.system for each in tied])
    if all(each.own_lead == 0 for each in tied[1:]):
        have = "both have" if len(tied) == 2 else "each has"
        return f"{names} are tied{top} by {by}: {have} {value}{end}"
    values = enumerated([show(each.value) for each in tied])
    chance = "a difference" if len(tied) == 2 else "differences"
    return f"{names} are tied{top} by {by}: {values}, {chance} that may be chance{end}"


def _also(systems: Sequence[Standing], words: str) -> str:
    """A further part of the sentence on some systems; empty without one."""
    if not systems:
        return ""
    names = [each.system for each in systems]
    which = enumerated(names) if len(names) <= NAMED else f"{_number(len(names))} systems"
    return f"; {which} {'is' if len(names) == 1 else 'are'} {words}"


def _number(count: int) -> str:
    """A small number as a word."""
    return NUMBERS[count] if count < len(NUMBERS) else f"{count}"
