"""The alternative annotator test: can a judge replace a rater? (Calderon et al. 2025).

Each rater is left out in turn. On each item the judge and that rater are compared by how close they
come to the other raters. A rater is beaten where the judge is not worse by more than a tolerance, which
is what the judge's lower price is worth; the judge may stand in where it beats half of the raters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument
from rejoinder.statistics.clusters import Groups, mean_variance
from rejoinder.statistics.conventions import NO_SPREAD, check_choice
from rejoinder.statistics.holm import SIGNIFICANT
from rejoinder.statistics.rating_matrix import checked_ratings
from rejoinder.statistics.student import upper_tail

Alignment = Literal["rmse", "accuracy"]
"""How close an answer is to those of others: minus the root mean square difference, or the share
that is equal."""

LEAST_ITEMS = 30
"""With fewer items of a rater the t-test does not hold (Calderon et al. 2025, section 3)."""

LEAST_RATERS = 3
"""Two raters have no common answer that a third party could be close to."""

ROUNDING = 1e-9
"""Two alignments this close together, relative to their size, are equal."""

PASSING = 0.5
"""The least winning rate of a judge that may stand in."""


class LeftOutRater(NamedTuple):
    """One rater beside the judge.

    Args:
        items: On how many items both answered, and another rater too.
        advantage: The share of these on which the judge is at least as close to the others.
        difference: The share on which the rater is at least as close, less ``advantage``.
        p: One-sided, that ``difference`` is below the tolerance; NaN with fewer than 30 items.
        p_corrected: By Benjamini and Yekutieli, over the raters.
        beaten: Whether it is at or below 0.05.
        reason: Why there is no test; None where there is.
    """

    items: int
    advantage: float
    difference: float
    p: float
    p_corrected: float
    beaten: bool
    reason: str | None


@dataclass(frozen=True)
class AnnotatorTest:
    """The result for one judge.

    Attributes:
        raters: One for each rater.
        winning_rate: Omega, the share of tested raters that are beaten; NaN where none is tested.
        advantage: Rho, the mean of the tested raters' ``advantage``.
        passed: Whether the winning rate is at least one half; None where it is undefined.
        reason: Why it is undefined; None where it is not.
    """

    raters: tuple[LeftOutRater, ...]
    winning_rate: float
    advantage: float
    passed: bool | None
    reason: str | None


def alternative_annotator_test(
    ratings: Floats,
    judge: Floats,
    tolerance: float,
    alignment: Alignment = "rmse",
    groups: NDArray[np.generic] | None = None,
) -> AnnotatorTest:
    """Tests whether a judge may stand in for raters.

    With ``I`` the items that rater j and another rate, and s the alignment with the other raters:
    advantage ``rho_j = mean_I [s(judge) >= s(j)]``; the test of ``mean_I [s(j) >= s(judge)] - rho_j <
    tolerance`` is a t-test, over clusters of items where they are given.

    Args:
        ratings: float64 [n, raters], NaN where a rater did not rate an item.
        judge: float64 [n], on the raters' scale; NaN where there is none.
        tolerance: The paper's epsilon, by how much the judge may be worse: 0.2 for experts, 0.15 for
            skilled raters, 0.1 for crowd workers.
        alignment: ``rmse`` for grades, ``accuracy`` for categories.
        groups: [n], the cluster of each item; None: items are independent.

    Raises:
        ParameterError: A tolerance outside [0, 1), or an unknown alignment.
        InputError: The arrays do not have one length.

    >>> ratings = np.tile([[1.0, 2.0, 3.0]], (40, 1))  # the judge is right in the middle
    >>> test = alternative_annotator_test(ratings, np.full(40, 2.0), 0.1)
    >>> test.winning_rate, [each.advantage for each in test.raters]
    (1.0, [1.0, 1.0, 1.0])
    """
    ratings, judge = checked_ratings(ratings), np.asarray(judge, dtype=np.float64)
    if judge.shape != ratings.shape[:1]:
        raise InputError(f"judge: shape {judge.shape} beside {len(ratings)} rated items")
    if not 0 <= tolerance < 1:
        raise ParameterError(
            Argument("tolerance", tolerance), " must be from 0 to 1; 0.1 to 0.2 is usual"
        )
    check_choice(get_args(Alignment), alignment=alignment)
    if ratings.shape[1] < LEAST_RATERS:
        return AnnotatorTest((), math.nan, math.nan, None, _too_few(ratings.shape[1]))
    labels = np.arange(len(judge)) if groups is None else np.asarray(groups)
    rows = [
        _left_out(ratings, judge, rater, tolerance, alignment, labels)
        for rater in range(ratings.shape[1])
    ]
    corrected = benjamini_yekutieli(np.array([row.p for row in rows]))
    rows = [
        row._replace(p_corrected=float(p), beaten=bool(p <= SIGNIFICANT))
        for row, p in zip(rows, corrected, strict=True)
    ]
    tested = [row for row in rows if row.reason is None]
    if not tested:
        what = "items" if len(np.unique(labels)) == len(labels) else "contexts or clusters"
        reason = (
            f"not done: every rater has fewer than {LEAST_ITEMS} {what} that another rated too; have "
            "more rated"
        )
        return AnnotatorTest(tuple(rows), math.nan, math.nan, None, reason)
    rate = sum(row.beaten for row in tested) / len(tested)
    advantage = float(np.mean([row.advantage for row in tested]))
    return AnnotatorTest(tuple(rows), rate, advantage, rate >= PASSING, None)


def benjamini_yekutieli(p: Floats) -> Floats:
    """Benjamini and Yekutieli's step-up correction (2001): float64 [m] to float64 [m].

    The i-th smallest of m is multiplied by ``m / i * sum_j 1 / j``; none may exceed a larger one's.
    Rejecting those at or below q keeps the expected share of wrong rejections at q, however the tests
    depend on each other. An undefined p stays NaN and does not belong to the family.

    >>> benjamini_yekutieli(np.array([0.01, 0.04])).round(3).tolist()  # times 2 / 1 * 1.5, 2 / 2 * 1.5
    [0.03, 0.06]
    """
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN sorts last
    m = order.size
    places = np.arange(1, m + 1)
    scaled = np.minimum(1.0, p[order] * m / places * (1 / places).sum())
    corrected = np.full_like(p, np.nan)
    corrected[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return corrected


def _too_few(raters: int) -> str:
    """Why there is no test with so few raters, and what would make one possible."""
    have, ask = (
        ("there is 1", "two more raters") if raters == 1 else ("there are 2", "a third rater")
    )
    return f"not done: it needs three raters or more, and {have}; ask {ask}"


def _left_out(
    ratings: Floats,
    judge: Floats,
    rater: int,
    tolerance: float,
    alignment: Alignment,
    labels: NDArray[np.generic],
) -> LeftOutRater:
    others = np.delete(ratings, rater, axis=1)
    both = np.isfinite(ratings[:, rater]) & np.isfinite(judge) & np.isfinite(others).any(axis=1)
    of_rater = _alignment(ratings[both, rater], others[both], alignment)
    its = _alignment(judge[both], others[both], alignment)
    slack = ROUNDING * (1 + np.abs(of_rater))  # equal but for rounding is equal
    judge_close = (its >= of_rater - slack).astype(np.float64)
    rater_close = (of_rater >= its - slack).astype(np.float64)
    n = int(both.sum())
    advantage = float(judge_close.mean()) if n else math.nan
    differences = rater_close - judge_close
    mean = float(differences.mean()) if n else math.nan
    clusters = Groups.of(labels[both], n)
    if len(clusters) < LEAST_ITEMS:
        what = "items" if len(clusters) == n else "clusters"
        reason = f"fewer than {LEAST_ITEMS} {what} rated by this rater and another"
        return LeftOutRater(n, advantage, mean, math.nan, math.nan, False, reason)
    p = _p_below(mean - tolerance, mean_variance(differences, clusters), clusters.freedom)
    return LeftOutRater(n, advantage, mean, p, math.nan, False, None)


def _alignment(answers: Floats, others: Floats, alignment: Alignment) -> Floats:
    """How close each answer is to those of the others: float64 [n]."""
    present = np.isfinite(others)
    if alignment == "accuracy":
        each = (others == answers[:, None]).astype(np.float64)
    else:
        each = (np.where(present, others, 0.0) - answers[:, None]) ** 2
    means = np.where(present, each, 0.0).sum(axis=1) / present.sum(axis=1)
    return means if alignment == "accuracy" else -np.sqrt(means)


def _p_below(value: float, variance: float, df: float) -> float:
    """The one-sided p that a mean is below 0, by Student's t."""
    if variance <= NO_SPREAD**2:
        return 0.0 if value < 0 else 1.0
    return upper_tail(-value / math.sqrt(variance), df)
