"""What is shown of a plan for rates: items needed, power on other numbers of items, and what passes."""

from __future__ import annotations

from typing import Any

import polars as pl

from rejoinder.document.numbers import NONE, decimals
from rejoinder.document.parts import GAP, Document, Line, lines
from rejoinder.document.table import Column, Table, key, number

MEANINGS = {
    "prompts": "other: each system has prompts of its own; same: both have the same.",
    "discordant": "Share of the prompts that one of the two systems alone passes; null for other prompts.",
    "items": "Number of prompts of each system.",
    "power": "Power to show the difference, enumerated.",
    "closed_form": "Number of prompts by the closed form of textbooks.",
    "rate": "Rate that the lower end of the 95% interval is to reach.",
}
LEGEND = (
    "items: prompts of each system, from which on the test has the power; closed form: by the formula of "
    "textbooks; one alone passes: share of the prompts that one of the two systems alone passes, at most as "
    "if they passed independently of each other, and at least; tests: on the same prompts McNemar's "
    "exact test (its p is that of compare; mid-p is less strict), on other ones the interval of the "
    "difference, which excludes 0; power is "
    "enumerated for prompts that are independent of each other"
)


def rate_plan(
    needs: pl.DataFrame, powers: pl.DataFrame, floors: pl.DataFrame, parameters: dict[str, Any]
) -> Document:
    """The tables of ``RatePlan``, whose attributes these are.

    Args:
        needs: The items that are needed.
        powers: The power of each number of items.
        floors: For each rate, from how many items on it is shown where all of them pass.
        parameters: What the plan was asked for.
    """
    design = [key("prompts"), key("one alone passes", "discordant", _share)]
    needed: list[Column] = [
        *design,
        number("items", "items", _items),
        number("power", "power", _share),
        number("closed form", "closed_form"),
    ]
    low, high = sorted(parameters["rates"])
    asked = f"{100 * parameters['power']:g}% power at the {100 * parameters['alpha']:g}% level"
    title = f"rates of {low:g} and {high:g}: items for {asked}"
    power_of = number(lambda items: f"{items:,}", "power", _share, across=True)
    return [
        Table(needs, needed, title=title, meanings=MEANINGS),
        GAP,
        Table(
            powers,
            [*design, power_of],
            name="power",
            across="items",
            title="power on so many items",
            meanings=MEANINGS,
        ),
        GAP,
        Line(LEGEND, "legend"),
        GAP,
        *lines(_sentences(needs, floors, low, high, asked)),
    ]


def _sentences(
    needs: pl.DataFrame, floors: pl.DataFrame, low: float, high: float, asked: str
) -> list[str]:
    """What the tables come to."""
    other, *same = [_items(row["items"]) for row in needs.to_dicts()]
    on_same = " down to ".join(same)
    fewer = ", fewer the oftener both pass the same ones" if len(same) > 1 else ""
    shown = ", ".join(f"{rate:g} from {items:,} on" for rate, items in floors.sort("rate").rows())
    return [
        f"To show that rates of {low:g} and {high:g} differ with {asked} takes {other} prompts for each "
        f"system, or {on_same} that are the same for both{fewer}.",
        *[
            "A single system that passes all of its prompts is shown to have a rate of at least "
            f"{shown} (the lower end of its 95% interval)."
        ]
        * bool(shown),
    ]


def _items(items: int | None) -> str:
    return "over 100,000" if items is None else f"{items:,}"


def _share(value: float | None) -> str:
    return NONE if value is None else decimals(3)(value)
