"""How many items show that two systems pass different shares of them: a plan without a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import polars as pl

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import ParameterError
from rejoinder.messages import Argument
from rejoinder.planning.criterion import Answer, PlanningCriterion, Schema, check_power
from rejoinder.planning.pilot import Pilot
from rejoinder.planning.requested import numbers_of
from rejoinder.result import TableResult
from rejoinder.statistics import rate_power
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.power import POWER

OTHER, SAME = "other", "same"
"""Whether each system has items of its own, or both have the same."""
SIZES = (20, 50, 100, 200, 500, 1000)
"""The numbers of items to tell of where none are named."""

_DESIGN: Schema = {"prompts": pl.String, "discordant": pl.Float64, "items": pl.Int64}


@dataclass(frozen=True)
class Rates(PlanningCriterion):
    """The difference of the rates of two systems: shares of the items that each passes.

    Attributes:
        first: The true rate of one system, within [0, 1].
        second: That of the other.
        discordant: The share of the items that one of the two alone passes; None: what it is at most
            where they pass independently of each other, and what it is at least.
        power: Wanted of the comparison; from 0.5.
        alpha: The level of its test.
        items: The numbers of items to tell of.

    Raises:
        ParameterError: A setting is out of range.
    """

    first: float
    second: float
    discordant: float | None = None
    power: float = POWER
    alpha: float = SIGNIFICANT
    items: Sequence[int] = SIZES

    tables: ClassVar[Mapping[str, Schema]] = {
        "rate_needs": {
            **_DESIGN,
            "power": pl.Float64,
            "closed_form": pl.Int64,
            "reason": pl.String,
        },
        "rate_power": {**_DESIGN, "power": pl.Float64},
        "all_pass": {"rate": pl.Float64, "items": pl.Int64},
    }

    def __post_init__(self) -> None:
        """Checks the settings."""
        rates = self.first, self.second
        if not all(0 <= each <= 1 for each in rates) or abs(self.first - self.second) <= NOISE:
            raise ParameterError(
                Argument("rates", rates),
                " must be two different shares of passes, from 0 to 1: 0.90 and 0.95",
            )
        least, most = abs(self.first - self.second), min(sum(rates), 2 - sum(rates))
        if self.discordant is not None and not least - NOISE <= self.discordant <= most + NOISE:
            raise ParameterError(
                Argument("discordant", self.discordant),
                f" must be from {least:.4g} to {most:.4g}: the share of the items that one of two systems "
                f"with rates of {self.first:g} and {self.second:g} alone passes",
            )
        check_power(self.power, self.alpha)

    @property
    def discordances(self) -> list[float]:
        """The shares of items that one system alone passes, to plan for: the greatest first."""
        if self.discordant is not None:
            return [self.discordant]
        independent = self.first * (1 - self.second) + self.second * (1 - self.first)
        shares = {round(each, 12) for each in (independent, abs(self.first - self.second))}
        return sorted(shares, reverse=True)

    def answer(self, pilot: Pilot | None = None) -> Answer:
        """The items that show the difference, on other items and on the same; no pilot is needed."""
        difference = abs(self.first - self.second)
        rates, asked = (self.first, self.second), (self.power, self.alpha)
        separate = partial(
            rate_power.separate_power, first=self.first, second=self.second, alpha=self.alpha
        )
        designs: list[tuple[str, float | None, Callable[[int], float], float]]
        designs = [(OTHER, None, separate, rate_power.separate_items(*rates, *asked))]
        for share in self.discordances:
            on_same = partial(
                rate_power.paired_power, discordant=share, difference=difference, alpha=self.alpha
            )
            near = rate_power.paired_items(share, difference, *asked)
            designs.append((SAME, share, on_same, near))
        needs, powers = [], []
        for prompts, share, power_on, near in designs:
            design = {"prompts": prompts, "discordant": share}
            items = rate_power.fewest_items(power_on, self.power, near)
            beyond = f"even {rate_power.MOST_ITEMS:,} items are not enough"
            reached = (
                {"power": None, "reason": beyond} if items is None else {"power": power_on(items)}
            )
            needs.append({**design, "items": items, "closed_form": math.ceil(near), **reached})
            powers += [{**design, "items": n, "power": power_on(n)} for n in self.items]
        floors = [
            {"rate": rate, "items": rate_power.all_must_pass(rate)} for rate in rates if rate < 1
        ]
        return Answer({"rate_needs": needs, "rate_power": powers, "all_pass": floors})

    def parameters(self) -> dict[str, Any]:
        """The rates, and what is asked of the comparison."""
        return {
            "rates": [self.first, self.second],
            "discordant": self.discordant,
            "power": self.power,
            "alpha": self.alpha,
            "items": list(self.items),
            "version": __version__,
        }


@dataclass(frozen=True, repr=False)
class RatePlan(TableResult):
    """How many items show that two systems pass different shares of them.

    Attributes:
        rate_needs: For ``prompts`` of each system's own (``other``) or the ``same`` ones, of which one
            system alone passes a share ``discordant``: the smallest number of ``items`` (of each
            system) from which on the test has the power wanted, the ``power`` there, and the number by
            the ``closed_form`` of textbooks; ``reason``: why there is none.
        rate_power: The same designs: the ``power`` on so many ``items``.
        all_pass: For each of the two rates how many ``items`` there must be, all passed, for the lower
            end of the 95% interval of a rate to reach it.
        parameters: Of the plan.
    """

    rate_needs: pl.DataFrame
    rate_power: pl.DataFrame
    all_pass: pl.DataFrame
    parameters: dict[str, Any]

    def document(self, view: View = AS_USUAL) -> Document:
        """The items needed, the power on other numbers of items, and what passes at all."""
        from rejoinder.planning.rate_tables import rate_plan

        return rate_plan(self.rate_needs, self.rate_power, self.all_pass, self.parameters)

    def as_json(self) -> dict[str, Any]:
        """The object that ``rejoinder plan --rates --json`` prints."""
        return self.json_of("rate_needs", "rate_power", "all_pass", "parameters")


def plan_rates(
    first: float,
    second: float,
    discordant: float | None = None,
    *,
    items: Sequence[int] = (),
    power: float = POWER,
    alpha: float = SIGNIFICANT,
) -> RatePlan:
    """Says how many items show that two systems pass different shares of them, without a pilot.

    The power is enumerated, not approximated: on the same items that of McNemar's exact test, whose
    p decides in ``compare``, on other items that the interval of the difference excludes 0.

    Args:
        first: The true rate of one system: the share of items that it passes.
        second: That of the other.
        discordant: The share of the same items that one of the two alone passes. None plans for two: as
            if they passed independently of each other, and the least there can be.
        items: The numbers of items to tell the power on; else 20 to 1,000.
        power: Wanted power; from 0.5.
        alpha: The level of the test.

    Raises:
        ParameterError: A parameter is out of range.

    >>> plan_rates(0.90, 0.95).rate_needs.select("prompts", "discordant", "items", "closed_form").rows()
    [('other', None, 424, 435), ('same', 0.14, 463, 438), ('same', 0.05, 157, 155)]
    """
    rates = Rates(first, second, discordant, power, alpha, numbers_of("items", items) or SIZES)
    tables = rates.frames(rates.answer(), clusters=False)
    return RatePlan(**tables, parameters=rates.parameters())
