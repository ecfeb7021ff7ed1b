"""What is shown of designs: their cost beside each other, and where a study that follows one stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from rejoinder.document.numbers import NONE, decimals
from rejoinder.document.parts import GAP, Document, Line, lines
from rejoinder.document.table import Column, Table, estimate, key, number

MEANINGS = {
    "design": "In words.",
    "raters": "Raters of an item.",
    "items": "Rated items at most.",
    "most": "Ratings at most; one is a rater's of one item, with the replies of all systems.",
    "none": "Mean number of ratings where there is no difference.",
    "half": "Mean number of ratings where the difference is half of the planned one.",
    "planned": "Mean number of ratings at the planned difference.",
    "double": "Mean number of ratings at twice the planned difference.",
    "share": "At the planned difference, of the ratings of three raters an item without looks.",
    "share_low": "Lower end of the 90% interval of the forecast share; null without a pilot.",
    "share_high": "Upper end of the 90% interval of the forecast share.",
    "of_one_rater": "At the planned difference, of the ratings of one rater an item without looks.",
    "minutes": "Minutes at the planned difference; null where a rating's are not given.",
    "price": "Price at the planned difference; null where a rating's is not given.",
    "chosen": "Whether it is the design of the file.",
    "reason": "Why it does not reach the power.",
}
LEVERS = {
    "lever": "What saves ratings.",
    "planned": "Share of the ratings before it that it saves, at the planned difference.",
    "none": "The same where there is no difference.",
}
LEGEND = (
    "a rating: one rater's of one item, with the replies of all systems side by side; most: planned maximum; "
    "none, half, planned, double: mean number of ratings where there is no difference, half, once and twice "
    "the planned one; share: of the ratings of three raters an item without looks; of one: of those of one "
    "rater an item without looks; *: the design that is saved"
)


def designs(
    alternatives: pl.DataFrame,
    levers: pl.DataFrame,
    design: Mapping[str, Any],
    notes: tuple[str, ...],
    parameters: dict[str, Any],
) -> Document:
    """The tables of ``DesignPlan``, whose attributes these are.

    Args:
        alternatives: The designs.
        levers: What each lever saves.
        design: The one that is chosen, with its looks.
        notes: What to know of it.
        parameters: What was asked for.
    """
    whole = decimals(0)
    columns: list[Column] = [
        key("design", ("design", "chosen"), lambda name, chosen: f"{name} *" if chosen else name),
        number("most", "most", _count),
        *(number(name, name, _or_none(whole)) for name in ("none", "half", "planned", "double")),
        number("share", "share", _or_none(decimals(2))),
        estimate("90% interval", ("share", "share_low", "share_high"), decimals(2))
        if alternatives["share_low"].drop_nulls().len()
        else number("of one", "of_one_rater", _or_none(decimals(2))),
    ]
    if parameters["per_rating"] is not None:
        columns += [number(name, name, _or_none(whole)) for name in ("minutes", "price")]
    effect, power = parameters["effect"], parameters["power"]
    title = f"ratings that show a difference of {effect:g} with {100 * power:g}% power"
    share = _or_none(lambda value: f"{100 * value:.0f}%")
    saved: list[Column] = [
        key("lever"),
        number("planned", "planned", share),
        number("none", "none", share),
    ]
    return [
        Table(alternatives, columns, title=title, meanings=MEANINGS),
        GAP,
        Table(
            levers,
            saved,
            name="levers",
            title="saved by each lever of what is left",
            meanings=LEVERS,
        ),
        GAP,
        Line(LEGEND, "legend"),
        *lines(notes, "note"),
        GAP,
        *lines(_sentences(design)),
    ]


def _sentences(design: Mapping[str, Any]) -> list[str]:
    none, _, expected, _ = design["expected"]
    looks = ""
    if design["stopping"]:
        first, every = design["looks"][0], design["every"]
        looks = f", with looks from the {first}th rated item on, every {every} items"
    return [
        f"The design: {design['name']}{looks}. At most {design['raters'] * design['most']:,} ratings, on "
        f"average {expected:,.0f} if the planned difference is true, and {none:,.0f} if there is none, where "
        f"three raters an item without looks take {design['fixed']:,}."
    ]


def _count(value: int | None) -> str:
    return NONE if value is None else f"{value:,}"


def _or_none(show: Any) -> Any:
    return lambda value: NONE if value is None else show(value)
