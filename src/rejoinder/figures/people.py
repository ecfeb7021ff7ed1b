"""People against people as points: the median rater, and one half of the raters against the other.

These are the first two panels of figures 4 and 5 of Tao et al. (2018). `one_against_rest` in
scatter.py has every rater in one cloud.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rejoinder.figures.scatter import Cloud
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.raters import human_correlations
from rejoinder.statistics.rating_matrix import checked_ratings, weighted_means


def median_rater(matrix: Floats, systems: Sequence[str] | None = None) -> Cloud | None:
    """The ratings of the median rater against the mean of the others' (panel a of the figures).

    Raters are ordered by Pearson's r with the mean of the others. The median rater is the one in the
    middle; of an even number, the lower of the two in the middle.

    Args:
        matrix: float64 [replies, raters], NaN where missing.
        systems: [replies], whose reply each is.

    Returns:
        The cloud; None where no rater has a correlation with the others.

    >>> up = np.arange(12.0)
    >>> cloud = median_rater(np.stack([up, up, up % 5], axis=1))
    >>> cloud.y.tolist() == up.tolist()
    True
    """
    matrix = checked_ratings(matrix)
    each = human_correlations(matrix, "pearson").each
    defined = np.flatnonzero(~np.isnan(each))
    if not defined.size:
        return None
    order = defined[np.argsort(each[defined], kind="stable")]
    rater = order[(order.size - 1) // 2]
    others = weighted_means(matrix, 1 - np.eye(matrix.shape[1])).T[:, rater]
    ratings = matrix[:, rater]
    labels = "mean of the others' ratings", "one rater's rating"
    return _cloud("the median rater", others, ratings, systems, *labels)


def group_against_group(
    matrix: Floats, systems: Sequence[str] | None = None, seed: int = 12345
) -> Cloud | None:
    """The mean ratings of one half of the raters against those of the other (panel b).

    After Liu et al. (2016). A point is a mean on both axes, so the groups agree better than two
    people do, and the more so the more raters there are: it is no ceiling for a metric beside single
    raters (Tao et al. 2018, section 4.2).

    Args:
        matrix: float64 [replies, raters], NaN where missing.
        systems: [replies], whose reply each is.
        seed: Of the halving; of an odd number of raters the second group has one more.

    Returns:
        The cloud; None where there is one rater, or the groups share no reply.

    >>> cloud = group_against_group(np.array([[1.0, 3.0], [2.0, 4.0]]), seed=1)
    >>> sorted(cloud.x.tolist() + cloud.y.tolist())
    [1.0, 2.0, 3.0, 4.0]
    """
    matrix = checked_ratings(matrix)
    raters = matrix.shape[1]
    if raters < 2:
        return None
    first = np.zeros(raters)
    first[np.random.default_rng(seed).permutation(raters)[: raters // 2]] = 1
    x, y = weighted_means(matrix, np.stack([first, 1 - first]))
    if not (np.isfinite(x) & np.isfinite(y)).any():
        return None
    labels = "mean rating of one half", "mean rating of the other half"
    return _cloud("one half of the raters", x, y, systems, *labels)


def _cloud(
    name: str, x: Floats, y: Floats, systems: Sequence[str] | None, x_name: str, y_name: str
) -> Cloud:
    """The replies that have both numbers."""
    both = np.isfinite(x) & np.isfinite(y)
    whose = [systems[i] for i in np.flatnonzero(both).tolist()] if systems is not None else None
    return Cloud(name, x[both], y[both], whose, x_name, y_name, people=True)
