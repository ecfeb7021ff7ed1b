"""Intervals of a mean that hold however often, and whenever, they are looked at.

An interval of 95% holds the truth in 95 of 100 studies if each is looked at once. Who looks after every
new rating, and stops at the first interval that leaves out 0, finds differences where there are none in
20 to 33 of 100. A confidence sequence holds the truth at all looks at once.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument
from rejoinder.statistics.conventions import LEVEL, check_level
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.prediction_powered import CorrectedMean
from rejoinder.statistics.student import t_quantile

NORMAL = NormalDist()

FIRST_LOOK = 20
"""With fewer labelled clusters there is no interval: how much they vary is not known well enough."""

TUNED_FOR = 100
"""The number of labelled clusters at which the interval is narrowest beside a fixed one.

It may not follow from what was seen, so it is the same for everyone. From 20 to 2,000 labelled clusters
the interval is 1.6 to 1.9 times as wide as a fixed one.
"""


UNSEEN_AT_ANY_LOOK = 0.015
"""`skewed_mean.UNSEEN` of many looks: with 0.075 they err in 8 of 100 studies with failures in 1 of 20."""


def squared_rho(planned: int = TUNED_FOR, level: float = LEVEL) -> float:
    """rho^2, with which the interval is narrowest beside a fixed one at a planned number.

    ``(-2 log a + log(-2 log a + 1)) / planned`` with a one less the level (Waudby-Smith, Arbour, Sinha,
    Kennedy and Ramdas 2021, arXiv 2103.06476, appendix on the choice of rho; to first order).

    Args:
        planned: How many labelled clusters are planned for, one or more.
        level: The coverage.

    Raises:
        ParameterError: A level outside (0, 1), or fewer than one planned.

    >>> round(squared_rho(100), 4)
    0.0794
    """
    check_level(level)
    if planned < 1:
        raise ParameterError(
            Argument("planned", planned), "; give the number of ratings that you plan for"
        )
    of_level = -2 * math.log(1 - level)
    return (of_level + math.log(of_level + 1)) / planned


def standard_errors_at(number: int, level: float = LEVEL) -> float:
    """How many standard errors the interval after so many observations reaches to either side.

    The asymptotic confidence sequence ``mean_t -+ s_t sqrt(2 (t rho^2 + 1) / (t^2 rho^2)
    log(sqrt(t rho^2 + 1) / a))`` (Waudby-Smith et al. 2021, theorem 2.2), over ``s_t / sqrt(t)``. It is
    Robbins' boundary of a normal mixture (Robbins 1970), here of a mean whose variance is estimated.

    Args:
        number: t, the number of observations: of labelled clusters; one or more.
        level: One less a.

    >>> round(standard_errors_at(100), 2), round(standard_errors_at(1000), 2)
    (3.04, 3.24)
    """
    y = number * squared_rho()
    return math.sqrt((1 + 1 / y) * (math.log1p(y) - 2 * math.log(1 - level)))


def quantile_at(number: int, df: float) -> float:
    """`standard_errors_at` of a standard error that is itself estimated from few.

    The quantile of Student's t beyond which lies as much as beyond `standard_errors_at` of the normal
    distribution.

    Args:
        number: How many clusters are labelled.
        df: The degrees of freedom of the standard error.

    >>> round(quantile_at(20, 19), 2), round(quantile_at(1000, 999), 2)
    (4.0, 3.25)
    """
    return t_quantile(1 - 2 * NORMAL.cdf(-standard_errors_at(number)), df)


def p_at(p: float, number: int) -> float:
    """The p-value for every look, of that for one look.

    The least a whose interval leaves out 0: ``sqrt(y + 1) exp(-z^2 y / (2 (y + 1)))`` with ``y = t
    rho^2``, no more than 1. z is the normal quantile of the p-value for one look.

    Args:
        p: The p-value for one look, two-sided.
        number: How many clusters are labelled.

    >>> round(p_at(2 * NORMAL.cdf(-standard_errors_at(50)), 50), 9)
    0.05
    """
    if not p > 0:
        return p
    y = number * squared_rho()
    z = NORMAL.inv_cdf(p / 2)
    return min(1.0, math.exp(math.log1p(y) / 2 - z * z * y / (2 * (y + 1))))


def at_any_time(mean: CorrectedMean, first: int = FIRST_LOOK) -> CorrectedMean:
    """The same mean with an interval and a p that hold at every look from 20 labelled clusters on.

    The interval reaches `quantile_at` standard errors to either side, and beyond where differences are
    skewed or nearly constant (see `skewed_mean.Tails`); `p_at` is below 0.05 where it leaves out 0. Holm's
    correction of such p-values holds at every look too, since it never rejects less when a p-value falls.

    Conditions: clusters are labelled in random order (or drawn with recorded probabilities), so that
    those labelled so far are a random sample at each look; the variance is estimated, and the interval
    holds as clusters become many (`FIRST_LOOK` is where to begin). The part of the variance that does
    not fall with the number of labels (that of the predictions, and of a few raters) is treated like
    the rest, which makes the interval too wide rather than too narrow.

    Args:
        mean: An estimate of `corrected_mean`.
        first: The fewest labelled clusters with an interval.

    Returns:
        The estimate; without an interval, with its reason, for fewer than ``first`` labelled clusters
        and where the estimate has none.
    """
    if mean.interval.reason is not None:
        return mean
    if mean.groups < first:
        reason = f"fewer than {first} labelled clusters"
        return replace(mean, interval=Interval.none(reason), p=math.nan)
    t = quantile_at(mean.groups, mean.df)
    tails = mean.tails._replace(missed=UNSEEN_AT_ANY_LOOK)
    interval = tails.interval(mean.value, mean.error, t)
    p = p_at(tails.p(mean.value, mean.error, mean.df, t), mean.groups)
    return replace(mean, interval=interval, p=p, tails=tails)
