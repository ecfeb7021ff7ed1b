"""Cohen's kappa, plain and weighted, of two raters or of every pair of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.rating_matrix import checked_ratings

# How much two ratings disagree, by the steps between them on the scale.
WEIGHTS: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda steps: (steps > 0).astype(np.float64),
    "linear": lambda steps: steps,
    "quadratic": np.square,
}


class PairwiseKappas(NamedTuple):
    """Kappa of every pair of raters, and on how many units it rests.

    Args:
        kappa: float64 [raters, raters]; NaN on the diagonal, and where a pair has none.
        shared: int64 [raters, raters], the units that both rated.
    """

    kappa: Floats
    shared: Indices


def weighted_kappa(
    a: Floats, b: Floats, weights: str = "linear", categories: Sequence[float] | None = None
) -> float:
    """Cohen's kappa of two raters: agreement beyond chance.

    ``kappa = 1 - sum d_kl o_kl / sum d_kl e_kl`` (Cohen 1968): o_kl is the share of units rated k by
    one and l by the other, e_kl the product of the two raters' shares, and d_kl the disagreement:
    0 or 1 (``none``, Cohen 1960), the steps between k and l (``linear``) or their square. 1 is full
    agreement, 0 what chance would give, below 0 less than that. A rater who always says the same
    gets 0 against one who does not.

    A step is the difference of the two ratings, so that a grade in the middle of the scale counts
    though nobody gave it. (Cohen leaves d open; software that numbers the grades it meets takes 2
    and 4 for neighbours where 3 is not given.) With ``categories`` it is the number of places
    between them in that list: for grades whose names are no measure.

    Args:
        a: float64 [n], ratings of one; NaN where missing. Units that both rated count.
        b: float64 [n], of the other.
        weights: ``none``, ``linear`` or ``quadratic``.
        categories: The scale in order; None takes the ratings for numbers.

    Returns:
        Kappa; NaN where no unit was rated by both, or both gave one and the same value throughout.

    Raises:
        ParameterError: No such weights, or a category twice.
        InputError: The ratings differ in length, or one is not in ``categories``.

    >>> weighted_kappa(np.array([1.0, 2.0, 3.0, 3.0]), np.array([1.0, 2.0, 3.0, 2.0]))
    0.7142857142857143
    """
    disagreement = _disagreement(weights)
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(f"kappa: shapes {a.shape} and {b.shape}; give both raters' same n units")
    both = ~(np.isnan(a) | np.isnan(b))
    codes, scale = _coded(checked_ratings(np.stack([a[both], b[both]], axis=1)), categories)
    table = np.zeros((scale.size, scale.size))
    np.add.at(table, (codes[:, 0], codes[:, 1]), 1.0)
    d = disagreement(np.abs(scale[:, None] - scale))
    n = table.sum()
    observed = (d * table).sum()
    expected = (d * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()
    return float(1 - n * observed / expected) if expected > 0 else np.nan


def pairwise_kappas(
    matrix: Floats, weights: str = "linear", categories: Sequence[float] | None = None
) -> PairwiseKappas:
    """`weighted_kappa` of every pair of raters, each over the units that both rated.

    Args:
        matrix: float64 [units, raters], NaN where missing.
        weights: ``none``, ``linear`` or ``quadratic``.
        categories: The scale in order; None takes the ratings for numbers.

    Raises:
        ParameterError: No such weights, or a category twice.
        InputError: The matrix is none, or a rating is not in ``categories``.

    >>> pairwise_kappas(np.array([[1.0, 1.0], [2.0, 2.0], [np.nan, 1.0]])).shared.tolist()
    [[2, 2], [2, 3]]
    """
    disagreement = _disagreement(weights)
    codes, scale = _coded(checked_ratings(matrix), categories)
    d = disagreement(np.abs(scale[:, None] - scale))
    present = (codes >= 0).astype(np.float64)
    shared = present.T @ present
    # Sums over the shared units: kappa = 1 - (observed / n) / (expected / n^2).
    observed, expected = _observed(codes, d), _expected(codes, d, present)
    usable = (expected > 0) & ~np.eye(len(shared), dtype=np.bool_)
    ratio = shared * observed / np.where(usable, expected, 1.0)
    return PairwiseKappas(np.where(usable, 1 - ratio, np.nan), shared.astype(np.int64))


def _observed(codes: Indices, d: Floats) -> Floats:
    """The disagreement of every two raters, summed over shared units: float64 [raters, raters]."""
    raters = codes.shape[1]
    # Where a rating is missing (code -1) the last row and column stand, and count nothing.
    padded = np.pad(d, ((0, 1), (0, 1)))
    observed = np.zeros((raters, raters))
    for rater in range(raters):
        observed[rater] = padded[codes[:, [rater]], codes].sum(axis=0)
    return observed


def _expected(codes: Indices, d: Floats, present: Floats) -> Floats:
    """The same for every pairing of their shared units by chance, n^2 of them."""
    raters = codes.shape[1]
    # given[r, s, k]: how often r gave grade k among the units that s rated too
    given = np.zeros((raters, raters, len(d)))
    for k in range(len(d)):
        given[:, :, k] = (codes == k).T.astype(np.float64) @ present
    return ((given @ d) * np.swapaxes(given, 0, 1)).sum(axis=-1)


def _coded(matrix: Floats, categories: Sequence[float] | None) -> tuple[Indices, Floats]:
    """The place of each rating on the scale, -1 where missing, and where the grades stand."""
    present = ~np.isnan(matrix)
    if categories is None:
        grades = np.unique(matrix[present])
        order, scale = np.arange(grades.size), grades
    else:
        listed = np.asarray(categories, dtype=np.float64)
        if not listed.size or np.unique(listed).size < listed.size:
            raise ParameterError(f"categories={categories!r}; list each grade of the scale once")
        order = np.argsort(listed)
        grades, scale = listed[order], np.arange(float(listed.size))
    codes = np.full(matrix.shape, -1, dtype=np.int64)
    found = np.searchsorted(grades, matrix[present])
    unknown = grades[np.minimum(found, grades.size - 1)] != matrix[present]
    if unknown.any():
        raise InputError(
            f"ratings: {matrix[present][unknown][0]} is not among the categories {categories}; "
            "list the whole scale"
        )
    codes[present] = order[found]
    return codes, scale


def _disagreement(weights: str) -> Callable[[Floats], Floats]:
    if weights not in WEIGHTS:
        raise ParameterError(f"weights={weights!r} is unknown; choose {one_of(WEIGHTS)}")
    return WEIGHTS[weights]
