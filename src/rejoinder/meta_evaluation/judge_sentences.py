"""What the tables of a judge beside people come to: whether its marks can be trusted, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from rejoinder.document.numbers import decimals, interval, p_value
from rejoinder.document.text import plain
from rejoinder.human_evaluation.grades import OUTLIER
from rejoinder.messages import SIGNIFICANT, Call
from rejoinder.meta_evaluation.with_people.estimates import PREFERS

CONSTANT_STANDS_IN = "one and the same grade for every reply could replace a rater too"
"""How the note begins where the alternative annotator test says little."""

MOST_NAMED = 3
"""So many systems that a judge favours, or disfavours, are named."""

_two = decimals(2)


def answer(
    measures: pl.DataFrame,
    errors: pl.DataFrame,
    tests: pl.DataFrame,
    notes: Sequence[str],
    judge: str,
) -> str:
    """Whether a judge's marks can be trusted: within systems, between them, as grades, as a rater's.

    No more is said than the tables have: what they do not have is said to be unknown, with the reason.

    Args:
        measures: The measures of all judges.
        errors: Their errors by system.
        tests: Whether each can replace a rater.
        notes: The notes of the report.
        judge: The name of the judge.
    """
    of_measures, of_errors, (test,) = (
        each.filter(pl.col("judge") == judge).to_dicts() for each in (measures, errors, tests)
    )
    by = {row["measure"]: row for row in of_measures}
    other_scale = math.isnan(by["severity"]["value"])
    contrary = [
        each for note in notes if (each := note.removeprefix(f"{judge} {PREFERS} ")) != note
    ]
    constant = any(CONSTANT_STANDS_IN in note for note in notes)
    of_both = ("ratings: ", f"{judge}: values: ")
    outliers = [each for each in notes if each.startswith(of_both) and OUTLIER in each]
    words = [
        f"Can the marks of {judge} be trusted? Within a system "
        f"{_within_systems(by['within'], by['reliability'])}",
        f"Between systems {_between_systems(of_errors, by['within']['reason'], contrary)}",
        *_as_grades(by["severity"]),
        _stands_in(test, judge, constant, other_scale and by["within"]["high"] < 0),
        *(
            f"All of this rests on a grade that may be an error: {each.partition(';')[0]}"
            for each in outliers[:1]
        ),
    ]
    return f"{'. '.join(words)}."


def _within_systems(within: Mapping[str, Any], reliability: Mapping[str, Any]) -> str:
    """How a judge's marks follow ratings, beside what the ratings of other people would reach.

    Less closely, or more, is said where the two intervals do not overlap.
    """
    if math.isnan(within["value"]):
        return f"that is not known: no correlation can be computed ({within['reason']})"
    r = f"r within {_with_interval(within)}"
    if math.isnan(within["low"]):
        return f"that is not known: {r} has no interval ({within['reason']})"
    if within["high"] < 0:
        return f"no: they correlate negatively with people's ratings ({r})"
    if within["low"] <= 0:
        return f"that is not known: they are not shown to follow people's ratings ({r})"
    follow = f"they follow people's ratings ({r})"
    if math.isnan(reliability["value"]):
        return f"{follow}; what people reach among themselves is not known: {reliability['reason']}"
    others, reach = "mean ratings of as many other raters", _with_interval(reliability)
    if within["high"] < reliability["low"]:
        return f"in part: {follow}, but less closely than {others} would ({reach})"
    if within["low"] > reliability["high"]:
        return f"{follow}, more closely than {others} would ({reach})"
    return f"{follow}; whether {others} would do so more closely ({reach}) is not shown"


def _between_systems(
    errors: Sequence[Mapping[str, Any]], before: str | None, contrary: Sequence[str]
) -> str:
    """Which systems a judge favours, and whether its errors move with lengths.

    Args:
        errors: Those of the judge.
        before: The reason that was given before.
        contrary: Which system it prefers where people prefer the other one, if it does.
    """
    systems = [row for row in errors if row["factor"] == "system"]
    tested = [row for row in systems if not math.isnan(row["p_holm"])]
    reason = systems[0]["reason"]
    if len(systems) == 1:
        words = ["that is not known: one system alone is marked"]
    elif not tested:
        same = "that is not known, for the same reason"
        words = [same if reason == before else f"that is not known: {reason}"]
    else:
        words = [_favoured(tested)]
    for each in contrary:
        error = words[0].removeprefix("no: ").replace("that is", "how far they err is", 1)
        words = [f"no: they significantly prefer {each}", error]
    for row in errors:
        if row["factor"] != "system" and row["p_holm"] < SIGNIFICANT:
            way = "favour" if row["value"] > 0 else "disfavour"
            words.append(f"they {way} replies with more {row['factor']}")
    return "; ".join(words)


def _favoured(tested: Sequence[Mapping[str, Any]]) -> str:
    significant = sorted(
        (row for row in tested if row["p_holm"] < SIGNIFICANT), key=lambda row: -abs(row["value"])
    )
    if not significant:
        least = min(row["p_holm"] for row in tested)
        most = max(abs(row[end]) for row in tested for end in ("low", "high"))
        return (
            f"they are not shown to favour one (smallest p Holm {p_value(least)}), but the intervals allow "
            f"errors of up to {_two(most)} in units of the ratings"
        )
    words = []
    for verb, sign in (("favour", 1), ("disfavour", -1)):
        rows = [row for row in significant if sign * row["value"] > 0]
        named = [f"{row['level']} ({_with_interval(row)})" for row in rows[:MOST_NAMED]]
        if len(rows) > MOST_NAMED:
            named.append(f"{len(rows) - MOST_NAMED} more")
        if named:
            words.append(f"{verb} {', '.join(named)}")
    return (
        f"no: they {' and '.join(words)} in units of the ratings, which "
        f"'{Call('rejoinder.compare_with_people')}' corrects"
    )


def _as_grades(severity: Mapping[str, Any]) -> list[str]:
    """By how much marks lie above or below ratings, where that is significant."""
    if not severity["p"] < SIGNIFICANT:
        return []
    way = "below" if severity["value"] < 0 else "above"
    return [f"As grades no: on average they lie {way} ratings, by {_with_interval(severity)}"]


def _stands_in(test: Mapping[str, Any], judge: str, constant: bool, turned: bool) -> str:
    """The result of the alternative annotator test, or why there is none.

    Marks of another scale are made ratings by a line, which may fall: then it is of marks ``turned`` around.
    """
    if test["reason"] is not None:
        return (
            f"Whether {judge} can replace a rater is not known: the alternative annotator test was "
            f"{test['reason'].replace('not done: ', 'not done, since ')}"
        )
    beaten = (
        f"in the alternative annotator test it beats {test['beaten']} of {test['raters']} raters"
    )
    if not test["passed"]:
        return f"The test does not show that {judge} can replace a rater: {beaten}, and half are needed"
    so_would = ", but one and the same grade for every reply would too" if constant else ""
    marks = f"Turned around, as where lower is better, the marks of {judge}" if turned else judge
    return f"{marks} can replace a rater: {beaten}{so_would}"


def _with_interval(row: Mapping[str, Any]) -> str:
    return plain(interval(row["value"], row["low"], row["high"], _two))
