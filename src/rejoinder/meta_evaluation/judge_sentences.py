"""What the tables of a judge beside people come to: two sentences for each judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from rejoinder.document.numbers import decimals, interval, p_value
from rejoinder.document.text import plain
from rejoinder.messages import SIGNIFICANT

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
    """How far a judge agrees with people, whether it favours a system, and whether it may stand in.

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
    constant = any(CONSTANT_STANDS_IN in note for note in notes)
    return (
        f"{judge} {_agreement(by['within'], by['reliability'])}. It {_favours(of_errors)}; "
        f"{_stands_in(test, constant)}."
    )


def _agreement(within: Mapping[str, Any], reliability: Mapping[str, Any]) -> str:
    """How a judge's marks follow ratings, beside what the ratings of other people would reach."""
    if math.isnan(within["value"]):
        return f"cannot be compared with people within systems: no correlation ({within['reason']})"
    r = _with_interval(within)
    if math.isnan(within["low"]):
        follows = (
            f"has no interval of its correlation with people's ratings (r within {r}: "
            f"{within['reason']})"
        )
    elif within["low"] > 0:
        follows = f"follows people's ratings (r within {r})"
    elif within["high"] < 0:
        follows = f"correlates negatively with people's ratings (r within {r})"
    else:
        follows = f"is not shown to follow people's ratings (r within {r})"
    if math.isnan(reliability["value"]):
        return (
            f"{follows}; what people reach among themselves is not known: {reliability['reason']}"
        )
    return (
        f"{follows}; mean ratings of as many other raters would reach {_with_interval(reliability)}"
    )


def _favours(errors: Sequence[Mapping[str, Any]]) -> str:
    """Which systems a judge favours, and whether its errors move with lengths."""
    systems = [row for row in errors if row["factor"] == "system"]
    tested = [row for row in systems if not math.isnan(row["p_holm"])]
    words = []
    if len(systems) == 1:
        words.append("marked one system, so that nothing says whether it favours one")
    elif not tested:
        words.append(f"may favour a system, which is not known: {systems[0]['reason']}")
    else:
        words.append(_favoured(tested))
    for row in errors:
        if row["factor"] != "system" and row["p_holm"] < SIGNIFICANT:
            way = "favours" if row["value"] > 0 else "disfavours"
            words.append(f"{way} replies with more {row['factor']}")
    return " and ".join(words)


def _favoured(tested: Sequence[Mapping[str, Any]]) -> str:
    significant = sorted(
        (row for row in tested if row["p_holm"] < SIGNIFICANT), key=lambda row: -abs(row["value"])
    )
    if not significant:
        least = min(row["p_holm"] for row in tested)
        most = max(abs(row[end]) for row in tested for end in ("low", "high"))
        return (
            f"is not shown to favour a system (smallest p Holm {p_value(least)}), but the intervals allow "
            f"errors of up to {_two(most)} in units of the ratings"
        )
    words = []
    for verb, sign in (("favours", 1), ("disfavours", -1)):
        rows = [row for row in significant if sign * row["value"] > 0]
        named = [f"{row['level']} ({_with_interval(row)})" for row in rows[:MOST_NAMED]]
        if len(rows) > MOST_NAMED:
            named.append(f"{len(rows) - MOST_NAMED} more")
        if named:
            words.append(f"{verb} {', '.join(named)}")
    return " and ".join(words) + " in units of the ratings"


def _stands_in(test: Mapping[str, Any], constant: bool) -> str:
    """The result of the alternative annotator test, or why there is none."""
    if test["reason"] is not None:
        return (
            "whether it can replace a rater is not known: the alternative annotator test was "
            f"{test['reason'].replace('not done: ', 'not done, since ')}"
        )
    beaten = (
        f"in the alternative annotator test it beats {test['beaten']} of {test['raters']} raters"
    )
    if not test["passed"]:
        return f"the test does not show that it can replace a rater: {beaten}, and half are needed"
    so_would = ", but one and the same grade for every reply would too" if constant else ""
    return f"it can replace a rater: {beaten}{so_would}"


def _with_interval(row: Mapping[str, Any]) -> str:
    return plain(interval(row["value"], row["low"], row["high"], _two))
