"""Each rater's kappa against all the others at once, for crowds where any two share little."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.conventions import check_choice
from rejoinder.statistics.raters import LEAST_SHARED
from rejoinder.statistics.rating_matrix import checked_ratings

# How much two ratings disagree, by the steps between them on the scale.
WEIGHTS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda steps: (steps > 0).astype(np.float64),
    "linear": lambda steps: steps,
    "quadratic": np.square,
}

REASON_CONSTANT = "rater and others gave one and the same value throughout"
REASON_ALONE = "nothing shared with others"


class AgainstOthers(NamedTuple):
    """Each rater's kappa against the others, and on how many units it rests.

    Args:
        kappa: float64 [raters], NaN where there is none.
        shared: The rater's units that anybody else rated too (int64 [raters]).
    """

    kappa: Floats
    shared: Indices


def pooled_kappa(matrix: Floats, weights: str = "linear") -> AgainstOthers:
    """Weighted kappa of each rater with the others taken for one second rater.

    ``kappa = 1 - sum d_kl o_kl / sum d_kl e_kl`` (Cohen 1968), over one table for each rater: o_kl
    is the share of units rated k by the rater and l by another, e_kl the product of the margins, and
    d_kl the disagreement: 0 or 1 (``none``, Cohen 1960), the steps between k and l (``linear``) or
    their square. Of a unit of m ratings every other one pairs with the rater's by 1 / (m - 1), so
    that each shared unit counts 1. Of two raters this is Cohen's kappa.

    A step is the difference of the two ratings, so that a grade in the middle of the scale counts
    though nobody gave it. (Cohen leaves d open; software that numbers the grades it meets takes 2
    and 4 for neighbours where 3 is not given.)

    How one rater is compared with several by kappa, a measure of two, is left open where raters
    below 0.1 are removed (Khayrallah & Sedoc 2021, section 4.2). Why not the mean of the kappas with
    each other rater? Where everybody rates everything the two are nearly alike. In a crowd most pairs
    share a unit or two, and the kappa of so few is far too low: over one unit it is 0 if the two
    differ, and undefined, so left out, if they agree. Simulated raters whose kappa is 0.56 get 0.11
    on average where 300 of them share 2,000 units with 4 ratings each; the pooled table gives them
    0.54.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        weights: ``none``, ``linear`` or ``quadratic``: how steps on the scale count.

    Returns:
        Kappa, float64 [raters]: 0 for a rater who always says the same against others who do not,
        NaN where no unit is shared or both gave one and the same value throughout. And the units
        that the rater shares with anybody, int64 [raters].

    Raises:
        ParameterError: No such weights.
        InputError: The matrix is none.

    >>> pooled_kappa(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [3.0, 2.0]])).kappa.round(4).tolist()
    [0.7143, 0.7143]
    """
    check_choice(WEIGHTS, weights=weights)
    matrix = checked_ratings(matrix)
    present = ~np.isnan(matrix)
    shared = present & (
        present.sum(axis=1, keepdims=True) > 1
    )  # units that somebody else rated too
    each = [_kappa(matrix, rater, rows, WEIGHTS[weights]) for rater, rows in enumerate(shared.T)]
    return AgainstOthers(np.array(each, dtype=np.float64), shared.sum(axis=0).astype(np.int64))


def reason_unjudged(
    against: AgainstOthers, rater: int, least: int = LEAST_SHARED, units: str = "units"
) -> str | None:
    """Why a rater is not judged by kappa; None where it can be. ``units`` is what they are called.

    Args:
        against: Each rater's kappa against the others.
        rater: The place of the rater.
        least: Minimum number of shared units.
        units: What the units are called, in the plural.

    >>> reason_unjudged(pooled_kappa(np.array([[1.0, 1.0], [2.0, 2.0]])), 0)
    'fewer than 10 units shared with others'
    """
    shared = int(against.shared[rater])
    if shared < least:
        return f"fewer than {least} {units} shared with others" if shared else REASON_ALONE
    return REASON_CONSTANT if np.isnan(against.kappa[rater]) else None


class MeanKappa(NamedTuple):
    """The mean kappa of the raters that can be judged.

    Args:
        value: NaN where nobody can be.
        judged: How many can.
        reason: Why none can, in words; None where one can.
    """

    value: float
    judged: int
    reason: str | None


def mean_kappa(
    against: AgainstOthers, least: int = LEAST_SHARED, units: str = "units"
) -> MeanKappa:
    """The mean over raters with ``least`` shared units: kappas over a handful would drown the rest.

    Args:
        against: Each rater's kappa against the others.
        least: Minimum number of shared units.
        units: What the units are called, in the plural.

    >>> mean_kappa(pooled_kappa(np.array([[1.0, 1.0], [2.0, 2.0]])), least=2)
    MeanKappa(value=1.0, judged=2, reason=None)
    """
    raters = len(against.kappa)
    reasons = [reason_unjudged(against, rater, least, units) for rater in range(raters)]
    judged = [rater for rater, reason in enumerate(reasons) if reason is None]
    if judged:
        return MeanKappa(float(against.kappa[judged].mean()), len(judged), None)
    if raters < 2:
        return MeanKappa(np.nan, 0, "fewer than 2 raters")
    why = "; ".join(dict.fromkeys(filter(None, reasons)))
    return MeanKappa(np.nan, 0, f"no rater has a kappa: {why}")


def _kappa(
    matrix: Floats, rater: int, rows: np.ndarray, disagreement: Callable[[Floats], Floats]
) -> float:
    answers = matrix[rows, rater]
    others = np.delete(matrix[rows], rater, axis=1)
    place, seat = np.nonzero(~np.isnan(others))
    theirs = others[place, seat]
    weight = 1 / np.bincount(place, minlength=answers.size)[place] if place.size else np.empty(0)
    observed = (weight * disagreement(np.abs(answers[place] - theirs))).sum()
    k, n_k = np.unique(answers, return_counts=True)
    l, of_l = np.unique(theirs, return_inverse=True)  # noqa: E741
    n_l = np.bincount(of_l, weight, minlength=l.size)
    expected = n_k @ disagreement(np.abs(k[:, None] - l)) @ n_l
    return 1 - answers.size * observed / expected if expected > 0 else np.nan
