"""What the tables of a plan come to: how many items are needed, and how many there are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from rejoinder.document.numbers import decimals
from rejoinder.messages import Call, counted
from rejoinder.metrics.base import Metric
from rejoinder.planning.labels_saved import COMBINED
from rejoinder.planning.pilot import PEOPLE
from rejoinder.scoring.shown_values import number_of
from rejoinder.statistics.labels_saved import labels_with

IN_FULL = 3
"""More pairs, or metrics, than these get no sentence of their own."""
OUT_OF_REACH = 20
"""Beyond this many times the pilot a number of items is not shown."""

_two = decimals(2)


class Planned(NamedTuple):
    """What of a plan is shown: attributes of ``Plan``."""

    comparisons: pl.DataFrame
    comparison_needs: pl.DataFrame
    correlations: pl.DataFrame
    correlation_needs: pl.DataFrame
    components: pl.DataFrame
    labels_saved: pl.DataFrame
    samples: pl.DataFrame
    items: int
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    parameters: dict[str, Any]
    metrics: dict[str, Metric]


def answers(result: Planned) -> Iterator[str]:
    """Sentences for the differences that are to show, and for the width of an interval asked for."""
    needs = result.comparison_needs.to_dicts()
    pairs = list(dict.fromkeys((row["a"], row["b"]) for row in needs))
    subjects = _subjects(needs)
    if len(pairs) > IN_FULL:
        for subject in subjects[:1]:
            yield _pairs_sentence(result, subject, needs)
    before = ""
    for a, b in pairs if len(pairs) <= IN_FULL else ():
        for subject in subjects[:IN_FULL]:
            rows = [row for row in needs if (row["a"], row["b"], row["subject"]) == (a, b, subject)]
            if rows:
                row = _own(result, rows)
                items, given = _there(result, row)
                yield (
                    _pair_sentence(result, row, items)
                    if given == before
                    else f"{given}. " + _pair_sentence(result, row, items)
                )
                before = given
    yield from _samples_sentences(result)
    widths = result.correlation_needs.to_dicts()
    for subject in list(dict.fromkeys(row["subject"] for row in widths))[:IN_FULL]:
        row = _own(result, [row for row in widths if row["subject"] == subject])
        yield (
            f"A 95% interval of the {result.parameters['correlation']} correlation of {subject} with people "
            f"that is {row['target']:g} wide {_takes(row, result.items)}{_more(row, result.items)}."
        )


def _samples_sentences(result: Planned) -> Iterator[str]:
    """Whether more prompts or more samples of each narrow the interval of a difference more."""
    rows = result.samples.filter("best").head(IN_FULL)
    prompt, sample = result.parameters.get("costs", (1, 1))
    cost = f"a prompt costs {prompt:g} and a sample {sample:g}"
    for row in rows.iter_rows(named=True):
        items, samples = counted(row["items"], "prompt"), counted(row["samples"], "sample")
        yield (
            f"{row['subject']}, '{row['a']}' and '{row['b']}': twice as many prompts make the interval of "
            f"the difference {math.sqrt(0.5):.2f} times as wide, twice as many samples of each "
            f"{row['twice_samples']:.2f} times; for the pilot's cost ({cost}) it is narrowest with {items} "
            f"of {samples} of each system, {row['ratio']:.2f} times as wide."
        )


def pilot_raters(result: Planned, a: str | None, b: str | None) -> int | None:
    """How many raters a reply of these systems has in the pilot.

    Args:
        result: The plan.
        a: The first system; None: of all pairs.
        b: The second system; None: of all pairs.
    """
    for row in result.components.to_dicts():
        if (row["a"], row["b"]) == (a, b):
            return max(1, round(row["raters_per_reply"]))
    return result.parameters["pilot_raters"]


def _subjects(needs: Sequence[Mapping[str, Any]]) -> list[str]:
    """People; without them, all metrics."""
    every = list(dict.fromkeys(row["subject"] for row in needs))
    return [PEOPLE] if PEOPLE in every else every


def _own(result: Planned, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of the rows of one subject that with all references and the pilot's number of raters."""
    raters = pilot_raters(result, rows[0].get("a"), rows[0].get("b"))
    whole = [row for row in rows if row["references"] is None]
    return next((row for row in whole if row["raters"] == raters), (whole or list(rows))[0])


def _pair_sentence(result: Planned, row: Mapping[str, Any], items: int) -> str:
    """How many items show the difference of one pair, and how many more than there are that is."""
    a, b, subject = row["a"], row["b"], row["subject"]
    by = "" if subject == PEOPLE else f" by {subject}"
    which = "" if row["given"] else ", the pilot's,"
    what = f"a difference{by} of {_difference(result, row)}{which} between {a} and {b}"
    if row["items"] is None or row["items_low"] is None:
        return (
            f"How many items show the difference{by} between {a} and {b} is not known: "
            f"{row['reason']}."
        )
    power = f"{100 * result.parameters['power']:g}%"
    with_judge = _with_judge(result, row, items) if subject == PEOPLE else ""
    return (
        f"To show {what} with {power} power {_takes(row, result.items)}{_more(row, items)}."
        f"{_in_this_study(result, row, items)}{with_judge}{_beside_closed_form(row, result.items)}"
    )


def _in_this_study(result: Planned, row: Mapping[str, Any], items: int) -> str:
    """How often so many items as there are show a pilot's difference; empty where no more are needed."""
    keys = ("a", "b", "subject", "raters", "references")
    same = (pl.col(name).eq_missing(pl.lit(row[name])) for name in keys)
    powers = result.comparisons.filter(*same, items=items).get_column("power").to_list()
    if row["given"] or row["items"] <= items or not powers or math.isnan(powers[0]):
        return ""
    test = (
        f"'{Call('rejoinder.compare_with_people')}'" if row["subject"] == PEOPLE else "its own test"
    )
    return (
        f" Of 100 such studies with {counted(items, 'item')} about {100 * powers[0]:.0f} show it; "
        f"{test} tests whether this one does."
    )


def _beside_closed_form(row: Mapping[str, Any], pilot: int) -> str:
    """How many items textbooks have, and why there are more here; empty where no number is shown."""
    closed, items = row["closed_form"], row["items"]
    if row["or_fewer"] or items > OUT_OF_REACH * pilot or closed in (None, items):
        return ""
    return (
        f" The closed form of textbooks has {closed:,}, since it takes the pilot's variance for the true one "
        "and the normal distribution for Student's t."
    )


def _there(result: Planned, row: Mapping[str, Any]) -> tuple[int, str]:
    """How many items the pilot has of a pair, and this in words."""
    if row["subject"] != PEOPLE:
        return result.items, f"{counted(result.items, 'item')} {_are(result.items)} there"
    for each in result.components.to_dicts():
        if (each["a"], each["b"]) == (row["a"], row["b"]):
            raters = each["raters_per_reply"]
            whole = abs(raters - round(raters)) < 0.05
            by = counted(round(raters), "rater") if whole else f"{raters:.1f} raters on average"
            of = "" if whole else f" (what follows is for {counted(row['raters'], 'rater')} each)"
            return each["n"], (
                f"{counted(each['n'], 'item')} {_are(each['n'])} rated, each reply by {by}{of}"
            )
    return result.items, f"{counted(result.items, 'item')} {_are(result.items)} rated"


def _takes(row: Mapping[str, Any], pilot: int) -> str:
    """How many items are needed, with their range."""
    if row["items"] is None:
        return f"takes a number of items that is not known ({row['reason']})"
    most, high = OUT_OF_REACH * pilot, row["items_high"]
    if row["items"] > most:
        return f"takes over {most:,} items, more than this pilot can tell"
    end = f"over {most:,}" if high is None or high > most else f"{high:,}"
    if row["or_fewer"]:
        return f"takes {row['items']} items or fewer (95% range up to {end})"
    low = "fewer" if row["items_low"] == row["least_planned"] else f"{row['items_low']:,}"
    rough = ", and rough: beyond 4 times the pilot" if row["beyond"] else ""
    return f"takes about {row['items']:,} items (95% range {low} to {end}{rough})"


def _more(row: Mapping[str, Any], items_there: int) -> str:
    """How many more items than there are."""
    items = row["items"]
    if items is None or items > OUT_OF_REACH * items_there:
        return ""
    return ", which there are" if items <= items_there else f": about {items - items_there:,} more"


def _with_judge(result: Planned, row: Mapping[str, Any], rated: int) -> str:
    """How many rated items do as well beside a judge's scores of all items; empty where there is none.

    Of several judges it is that of all of them together, as in ``compare --ratings``.
    """
    of_pair = {
        each["judge"]: each
        for each in result.labels_saved.to_dicts()
        if (each["a"], each["b"]) == (row["a"], row["b"])
    }
    if not of_pair or row["items"] <= rated or row["items"] > OUT_OF_REACH * rated:
        return ""
    each = of_pair.get(COMBINED) or next(iter(of_pair.values()))
    judge = "the judges together" if each["judge"] == COMBINED else f"the judge '{each['judge']}'"
    if math.isnan(each["saved"]):
        return f" What {judge} would save is not known: {each['reason']}."
    total, needed = each["scored"], row["items"]
    if total <= each["rated"]:
        return ""  # every scored item is rated
    if needed > total:
        return f" More items than the {total:,} scored ones are needed, with {judge} too."
    shares = [each["most"]]
    if not math.isnan(each["saved_low"]) and each["saved"] > 0:
        shares += [each["most"] * each[end] / each["saved"] for end in ("saved_low", "saved_high")]
    with_it, most, least = (*(labels_with(needed, total, share) for share in shares), 0, 0)[:3]
    if with_it >= needed:
        return f" By this pilot {judge} would save no ratings."
    span = f" ({least:,} to {most:,} by the range of what it saves)" if most else ""
    more = f"about {with_it - rated:,} more" if with_it > rated else "which there are"
    return (
        f" With '{Call('rejoinder.compare_with_people')}' and {judge} on all {total:,} scored items "
        f"about {with_it:,} rated items{span} would do: {more}."
    )


def _pairs_sentence(result: Planned, subject: str, needs: Sequence[dict[str, Any]]) -> str:
    """Of many pairs: for how many the pilot's items are enough."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in needs:
        if row["subject"] == subject:
            rows.setdefault((row["a"], row["b"]), []).append(row)
    smallest = [_own(result, each) for each in rows.values()]
    known = [row for row in smallest if row["items"] is not None]
    power, level = (f"{100 * result.parameters[name]:g}%" for name in ("power", "alpha"))
    row = smallest[0]
    what = f"a difference of {_difference(result, row)}" if row["given"] else "its own difference"
    given = f"{counted(result.items, 'item')} {_are(result.items)} there"
    enough = sum(row["items"] <= _there(result, row)[0] for row in known)
    within = [row for row in known if row["items"] <= OUT_OF_REACH * result.items]
    most = max(within, key=lambda row: row["items"], default=None)
    rest = "" if most is None or enough == len(smallest) else (
        f"; of the others within {OUT_OF_REACH} times the pilot {most['a']} and {most['b']} take the most: "
        f"about {most['items']:,} items"
    )  # fmt: skip
    return (
        f"{given}: by {subject} they are enough to show {what} at the {level} level with {power} power in "
        f"{enough} of {len(smallest)} pairs{rest}."
    )


def _difference(result: Planned, row: Mapping[str, Any]) -> str:
    return number_of(result.metrics.get(row["subject"]))(row["target"])


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
