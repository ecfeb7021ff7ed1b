"""A difference of two systems that is looked at while ratings come in: what each look decides."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rejoinder.statistics.group_sequential import (
    CONDITIONAL,
    FUTILE_FROM,
    NORMAL,
    SPENT,
    Monitoring,
    conditional_power,
    futile_below,
    in_t,
    in_z,
    spent,
)

BETTER, FUTILE, ENDED, GO_ON = "better", "futile", "undecided", "go on"
"""What a look says: one system is better; the planned effect would hardly be shown any more; the planned
maximum is reached without a decision; more ratings are needed."""

CLOSED = "closed"
"""What is said of a pair that goes on, one of which cannot be the best system that is sought."""

_Z = NORMAL.inv_cdf(0.975)


class LookEstimate(NamedTuple):
    """A difference at one look.

    Args:
        rated: The number of rated items, or of clusters of them.
        value: The estimate.
        error: Its standard error.
        df: The degrees of freedom of the standard error.
    """

    rated: int
    value: float
    error: float
    df: float


class PlannedStudy(NamedTuple):
    """What a design promises of one pair.

    Args:
        most: The planned maximum of rated items, or of clusters of them.
        information: ``1 / error^2`` that is planned for there.
        effect: The planned difference, above 0.
        final: The last boundary, in standard errors.
        stopping: Whether the study stops as soon as the difference is clear; else it ends at the maximum.
        futility: Whether it stops where it is futile.
    """

    most: int
    information: float
    effect: float
    final: float
    stopping: bool = True
    futility: bool = True


class MonitoredLook(NamedTuple):
    """One look.

    Args:
        estimate: The difference.
        fraction: Its share of the planned information.
        z: The estimate over its standard error, as a normal deviate.
        boundary: How large |z| must be; infinite where the look may spend nothing.
        low: The lower end of the repeated interval, which holds at all looks together; infinite where the
            look may spend nothing.
        high: Its upper end.
        power_left: How likely the planned effect would still be shown, if it is true.
        says: `BETTER`, `FUTILE`, `ENDED` or `GO_ON`.
    """

    estimate: LookEstimate
    fraction: float
    z: float
    boundary: float
    low: float
    high: float
    power_left: float
    says: str


@dataclass(frozen=True)
class StudyCourse:
    """A study until now.

    Attributes:
        looks: Until the one that ended it; all where it goes on.
        late: How many items were rated after that look.
        low: The lower end of the stage-wise interval, with the late ratings; NaN while the study goes on.
        high: Its upper end.
        median: The median-unbiased estimate.
        p: Two-sided, of no difference, by the order of the looks.
    """

    looks: tuple[MonitoredLook, ...]
    late: int = 0
    low: float = math.nan
    high: float = math.nan
    median: float = math.nan
    p: float = math.nan

    @property
    def says(self) -> str:
        """What the last look says."""
        return self.looks[-1].says if self.looks else GO_ON


def follow(
    estimates: Sequence[LookEstimate],
    plan: PlannedStudy,
    wider: Callable[[int], float] = lambda rated: 1.0,
    every: LookEstimate | None = None,
) -> StudyCourse:
    """Takes looks in their order until one of them ends the study.

    Looks after one that found the study futile count: its boundaries do not rest on an end there. Ratings
    that come after an end are in the estimate, in the place of those of the last look (Whitehead's deletion
    method): what was decided stays.

    Args:
        estimates: At each look.
        plan: What the design promises.
        wider: From the rated items of a look to what its boundary is multiplied by for several pairs.
        every: That of all ratings, for a study that has ended; None: the last look is of all.

    >>> plan = PlannedStudy(100, 100.0, 0.28, 2.1)
    >>> course = follow([LookEstimate(50, 0.5, 0.14, 49), LookEstimate(60, 0.4, 0.13, 59)], plan)
    >>> course.says, course.late, round(course.low, 2), round(course.high, 2)
    ('better', 10, 0.14, 0.66)
    """
    usable = [each for each in estimates if each.error > 0 and each.df > 0]
    fractions = [1 / each.error**2 / plan.information for each in usable]
    until_now: list[LookEstimate] = []
    total = 0.0
    spending = []
    for each, fraction in zip(usable, fractions, strict=True):
        ends = each.rated >= plan.most or fraction >= 1
        total = SPENT if ends else max(total, spent(fraction) if plan.stopping else 0.0)
        spending.append(total)
        until_now.append(each)
        if ends:
            break
    if not until_now:
        return StudyCourse(())
    times = [each.rated / plan.most for each in until_now]
    monitoring = Monitoring.of(times, spending)
    boundaries = monitoring.boundaries * [wider(each.rated) for each in until_now]
    looks: list[MonitoredLook] = []
    for each, fraction, boundary in zip(until_now, fractions, boundaries, strict=False):
        looks.append(_look(each, fraction, float(boundary), plan))
        if looks[-1].says in (BETTER, ENDED):
            break
    if looks[-1].says == GO_ON:
        return StudyCourse(tuple(looks))
    number = len(looks)
    final = every if every is not None and every.error > 0 and every.df > 0 else usable[-1]
    if final.rated <= until_now[number - 1].rated:
        final = until_now[number - 1]
    ends = [*times[: number - 1], final.rated / plan.most]
    z = in_z(final.value / final.error, final.df)
    if ends == times[:number]:
        monitoring = Monitoring(monitoring.stages[:number])
    else:
        monitoring = Monitoring.of(ends, spending[:number])
    given_up = [each.says != FUTILE and _futile_below(each.fraction, plan) for each in looks[:-1]]
    beyond = [math.copysign(math.sqrt(time) * given, each.z) for time, given, each in zip(
        ends, given_up, looks, strict=False)]  # fmt: skip
    ordered = monitoring.stage_wise(z, beyond=beyond)
    scale, factor = math.sqrt(ends[-1]), in_t(_Z, final.df) / _Z * final.error
    low, high, median = (final.value + (each * scale - z) * factor for each in ordered[:3])
    return StudyCourse(
        tuple(looks), final.rated - until_now[number - 1].rated, low, high, median, p=ordered.p
    )


def _futile_below(fraction: float, plan: PlannedStudy) -> float:
    """The |z| below which a look is futile; 0 where none is."""
    if not plan.futility or not FUTILE_FROM <= fraction < 1:
        return 0.0
    drift = plan.effect * math.sqrt(plan.information)
    return max(0.0, futile_below(drift, plan.final)(fraction, 0.0)) / math.sqrt(fraction)


def _look(
    each: LookEstimate, fraction: float, boundary: float, plan: PlannedStudy
) -> MonitoredLook:
    z = in_z(each.value / each.error, each.df)
    reach = in_t(boundary, each.df) * each.error if math.isfinite(boundary) else math.inf
    drift = plan.effect * math.sqrt(plan.information)
    left = conditional_power(z, min(1.0, fraction), drift, plan.final)
    if abs(z) >= boundary:
        says = BETTER
    elif each.rated >= plan.most or fraction >= 1:
        says = ENDED
    elif plan.futility and fraction >= FUTILE_FROM and left < CONDITIONAL:
        says = FUTILE
    else:
        says = GO_ON
    return MonitoredLook(
        each, fraction, z, boundary, each.value - reach, each.value + reach, left, says
    )
