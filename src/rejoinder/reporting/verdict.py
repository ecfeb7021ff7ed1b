"""Which system is best by the best evidence there is: the decision, from results to one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rejoinder.document.best_system import Standing, best_sentence, tied_at_top
from rejoinder.document.numbers import Show, decimals
from rejoinder.human_evaluation.preference_result import CHOICES, choices_sentence
from rejoinder.messages import counted, enumerated

Evidence = Literal["people", "corrected", "metric with people", "metric", "none"]
"""What a verdict rests on, best first: people's ratings of every item, or of the rated items alone where
the scores do not help; these ratings corrected by scores of all items; a metric that agrees with people
on these replies; a metric; or nothing, because every metric rewards trivial replies or contradicts people."""


@dataclass(frozen=True)
class PeopleEvidence:
    """The systems by people's ratings.

    Attributes:
        criterion: What was rated.
        alone: The systems by people alone, best first.
        corrected: The same, corrected by scores; empty where scores cannot correct, or add nothing.
        judges: The scores that correct.
        rated: How many items have ratings of both systems, of the pair with the smallest share of them.
        items: How many items of that pair have scores of both; 0 where ratings are all that is given.
        uneven: Whether another pair has a larger share of rated items.
        warned: Whether the scores do not follow the ratings in a line, so that the intervals of
            corrected differences may be too narrow.
        choices: How often people chose between the replies of two systems, where this is of choices.
    """

    criterion: str
    alone: tuple[Standing, ...]
    corrected: tuple[Standing, ...] = ()
    judges: tuple[str, ...] = ()
    rated: int = 0
    items: int = 0
    uneven: bool = False
    warned: bool = False
    choices: int = 0


@dataclass(frozen=True)
class MetricEvidence:
    """The systems by one metric.

    Attributes:
        label: The metric.
        ordered: The systems, best first.
        show: How values are written.
        agreement: The correlation with people on single replies and the ends of its interval, NaN where
            undefined; None without ratings.
        trivial: The trivial baseline that it ranks highest, in words; empty where that reaches at most half
            of the systems.
        reached: How many systems this baseline reaches or beats.
    """

    label: str
    ordered: tuple[Standing, ...]
    show: Show = field(default_factory=lambda: decimals(2))
    agreement: tuple[float, float, float] | None = None
    trivial: str = ""
    reached: int = 0

    @property
    def agrees(self) -> bool:
        """Whether the interval of the correlation with people lies above 0."""
        return self.agreement is not None and self.agreement[1] > 0

    @property
    def contradicts(self) -> bool:
        """Whether that interval lies below 0."""
        return self.agreement is not None and self.agreement[2] < 0

    @property
    def correlation(self) -> str:
        """The correlation with people, in words."""
        value, low, high = map(decimals(2), self.agreement or (math.nan,) * 3)
        return f"correlation on single replies {value}, 95% interval {low} to {high}"


@dataclass(frozen=True)
class Verdict:
    """Which system is best, and what that rests on.

    Attributes:
        evidence: What it rests on.
        by: The same by name: ``people``, or the label of a metric.
        sentence: The verdict.
        grounds: Why it rests on this, and not on better evidence.
        standings: The systems, best first, with the p of their difference from the first; empty where
            nothing decides.
        criterion: What people rated; empty of a metric.
    """

    evidence: Evidence
    by: str
    sentence: str
    grounds: str
    standings: tuple[Standing, ...] = ()
    criterion: str = ""

    def as_json(self) -> dict[str, Any]:
        """The verdict with its systems, of which those at the ``top`` are not shown to be worse."""
        top = [each.system for each in tied_at_top(self.standings)] if self.standings else []
        systems = [{"system": s, "value": value, "p_holm": p} for s, value, p, *_ in self.standings]
        facts = "evidence", "by", "criterion", "sentence", "grounds"
        return {name: getattr(self, name) for name in facts} | {"top": top, "systems": systems}


def decide(
    people: Sequence[PeopleEvidence], metrics: Sequence[MetricEvidence], judged: bool = False
) -> Verdict | None:
    """The verdict by the best evidence; None where no metric ranks systems and nobody rated them.

    Args:
        people: Of each criterion; the first decides, and is named where there are several.
        metrics: Those that rank systems, in their order.
        judged: Whether people rated replies, or chose between two, be they too few to compare systems.
    """
    if people:
        verdict = _by_people(people[0])
        several = len({each.criterion for each in people}) > 1
        named = f"{verdict.criterion}: {verdict.sentence}"
        return replace(verdict, sentence=named) if several else verdict
    sound = [each for each in metrics if not each.trivial and not each.contradicts]
    contrary = [_contradiction(each) for each in metrics if each.contradicts]
    also = f" {enumerated(contrary)}, and cannot decide." if contrary else ""
    if agreeing := [each for each in sound if each.agrees]:
        best = max(agreeing, key=lambda each: each.agreement[1])  # pyright: ignore[reportOptionalSubscript]
        return _by_metric(best, judged, also)
    if sound:
        return _by_metric(sound[0], judged, also)
    return _by_none(metrics) if metrics else None


def _by_people(given: PeopleEvidence) -> Verdict:
    if given.choices:
        sentence = choices_sentence(given.alone)
        grounds = f"People chose between two replies {given.choices} times; a tie is half a win."
        return Verdict("people", CHOICES, sentence, grounds, given.alone, given.criterion)
    every, judges = given.rated == given.items, enumerated(given.judges)
    pair = " of a pair of systems, the pair with the smallest share" * given.uneven
    share = f"People rated {given.rated} of {counted(given.items, 'item')}{pair}"
    if given.corrected and not every and not given.warned:
        evidence, ordered, by = "corrected", given.corrected, f"people, corrected by {judges}"
        has = "has" if len(given.judges) == 1 else "have"
        grounds = f"{share}; {judges} {has} scores of all, which the ratings correct."
        alone, both = ({each.system for each in tied_at_top(x)} for x in (given.alone, ordered))
        if alone != both:
            how = "do not show it" if alone > both else "say otherwise"
            by_people = best_sentence(given.alone, "people", decimals(2))
            grounds += f" The rated items alone {how}: {by_people}"
    else:
        evidence, ordered, by = "people", given.alone, "people"
        grounds = "People rated every item."
        if not given.items:
            grounds = (
                f"People rated both systems of each pair on {counted(given.rated, 'item')} or more."
            )
            grounds += " No scores are given beside their ratings."
        elif not every:
            why = (
                f"ratings do not follow {judges} in a straight line, so that a correction may be too sure"
                if given.warned
                else "scores of the other items add nothing to their ratings"
            )
            grounds = f"{share}; {why}: the verdict rests on the rated items alone."
            if given.warned:
                grounds += (
                    " The table of pairs shows the corrected differences all the same. Other metrics "
                    f"beside {judges} make another correction, and this is decided anew."
                )
    sentence = best_sentence(ordered, by, decimals(2))
    return Verdict(evidence, by, sentence, grounds, ordered, given.criterion)


def _by_metric(given: MetricEvidence, judged: bool, also: str) -> Verdict:
    evidence, label = "metric", given.label
    if given.agreement is None:
        nobody = "People judged too few of" if judged else "Nobody rated"
        to_compare = " to compare systems" * judged
        grounds = (
            f"{nobody} these replies{to_compare}: this is what {label} says, and whether {label} agrees with "
            "people here is not known."
        )
    elif any(map(math.isnan, given.agreement)):
        grounds = f"This is what {label} says; whether {label} agrees with people here could not be computed."
    elif given.agrees:
        evidence = "metric with people"
        why = "Too few items are rated to compare systems by people"
        grounds = f"{why}; {label} agrees with the ratings ({given.correlation})."
    else:
        which = f"which is not shown to agree with people here ({given.correlation})"
        grounds = f"This is what {label} says, {which}."
    sentence = best_sentence(given.ordered, f"{label} alone", given.show)
    return Verdict(evidence, label, sentence, f"{grounds}{also}", given.ordered)


def _by_none(metrics: Sequence[MetricEvidence]) -> Verdict:
    labels = [each.label for each in metrics]
    each = [
        f"{one.label} puts {one.trivial} at or above {one.reached} of "
        f"{counted(len(one.ordered), 'system')}"
        if one.trivial
        else _contradiction(one)
        for one in metrics
    ]
    trivial = sum(bool(one.trivial) for one in metrics)
    if len(labels) == 1:
        why = "rewards trivial replies" if trivial else "contradicts people on these replies"
        sentence = f"{labels[0]} cannot decide which system is best: it {why}."
    else:
        why = "all of them reward trivial replies"
        if trivial < len(labels):
            why = "each of them contradicts people on these replies"
            why += " or rewards trivial ones" * bool(trivial)
        sentence = f"No metric at hand decides which system is best: {why}."
    return Verdict("none", enumerated(labels), sentence, f"{enumerated(each)}.")


def _contradiction(given: MetricEvidence) -> str:
    return f"{given.label} contradicts people here ({given.correlation})"
