"""Which items to have rated next: uncertain ones likelier, each with a probability that is known.

A label is the difference of two systems' ratings of an item, a prediction that of their scores. Labels
tell most where predictions err most (Zrnic and Candes 2024, arXiv 2403.03208), and weighing each by one
over its probability keeps the estimate right whatever the predictions are worth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument
from rejoinder.statistics.conventions import NO_SPREAD
from rejoinder.statistics.prediction_powered import FEWEST_LABELLED

UNIFORM_PART = 0.5
"""The share of the probability that is the same for every item, so that none is nearly never drawn."""


def expected_errors(labels: Floats, predictions: Floats, signs: Floats) -> Floats:
    """How large the predictions' error of each item is expected to be, beside the mean item's.

    The residuals of a regression of each pair's labels on its predictions are taken over pairs as
    ``sqrt(mean_p e_p^2)``, regressed on signs of doubt, and predicted for every item. The slopes are
    shrunk by ``max(0, 1 - 1 / F)`` with their F statistic (Copas 1983): signs that tell nothing
    give every item the same size.

    Args:
        labels: float64 [P, m], NaN where an item has no label of the pair.
        predictions: float64 [P, m], NaN where the item belongs to no pair.
        signs: float64 [m, k], in each of which uncertain items may differ from others: the size of
            the predicted difference, the disagreement of judges.

    Returns:
        float64 [m], with the mean 1 and no less than ``UNIFORM_PART``; all 1 where fewer than 10 items
        have a label.

    Raises:
        InputError: The shapes do not fit.

    >>> f = np.linspace(-2, 2, 40)
    >>> d = np.where(np.abs(f) < 1, f + 3.0 * (-1) ** np.arange(40), f)
    >>> sizes = expected_errors(d[None], f[None], np.abs(f)[:, None])
    >>> bool(sizes[20] > 1.2), bool(sizes[0] < 0.8)
    (True, True)
    """
    labels, predictions = (np.asarray(each, dtype=np.float64) for each in (labels, predictions))
    m = labels.shape[-1]
    if labels.ndim != 2 or labels.shape != predictions.shape or signs.shape[:1] != (m,):
        raise InputError(
            f"expected_errors: labels {labels.shape}, predictions {predictions.shape} and signs "
            f"{signs.shape} do not fit; expected [P, m], [P, m] and [m, k]"
        )
    spread = signs.std(axis=0)
    z = (signs - signs.mean(axis=0)) / np.where(spread > NO_SPREAD, spread, np.inf)
    z = z[:, spread > NO_SPREAD]
    sizes = _residual_sizes(labels, predictions)
    has = np.isfinite(sizes)
    n, k = int(has.sum()), z.shape[1]
    if n < max(FEWEST_LABELLED, k + 3) or not k or np.ptp(sizes[has]) <= NO_SPREAD:
        return np.ones(m)
    x, y = z[has] - z[has].mean(axis=0), sizes[has] - sizes[has].mean()
    slopes = np.linalg.lstsq(x, y, rcond=None)[0]
    explained = float(((x @ slopes) ** 2).sum()) / k
    rest = float(((y - x @ slopes) ** 2).sum()) / (n - k - 1)
    shrunk = max(0.0, 1 - rest / explained) if explained > NO_SPREAD**2 else 0.0
    predicted = np.maximum(0.0, sizes[has].mean() + shrunk * (z - z[has].mean(axis=0)) @ slopes)
    mean = float(predicted.mean())
    return UNIFORM_PART + (1 - UNIFORM_PART) * (predicted / mean if mean > 0 else np.ones(m))


def _residual_sizes(labels: Floats, predictions: Floats) -> Floats:
    """The size of the residuals of each item's labels, over pairs: float64 [m], NaN without a label."""
    residuals = np.full(labels.shape, np.nan)
    for place, (d, f) in enumerate(zip(labels, predictions, strict=True)):
        has = np.isfinite(d) & np.isfinite(f)
        if not has.any():
            continue
        centred, of_labels = f[has] - f[has].mean(), d[has] - d[has].mean()
        square = float(centred @ centred)
        slope = float(centred @ of_labels) / square if square > NO_SPREAD**2 else 0.0
        residuals[place, has] = of_labels - slope * centred
    number = np.isfinite(residuals).sum(axis=0)
    squares = np.nansum(residuals**2, axis=0) / np.maximum(1, number)
    return np.where(number > 0, np.sqrt(squares), np.nan)


def next_probabilities(sizes: Floats, open_: NDArray[np.bool_], number: int) -> Floats:
    """The probability with which each item is drawn next, so that so many of the open ones are drawn.

    ``min(1, c size_i)`` with c such that the probabilities of the open items add up to the number
    (Sarndal, Swensson and Wretman 1992, section 3.6.2). An item that is not open gets the probability
    that it would have had.

    Args:
        sizes: float64 [m], above 0.
        open_: bool [m], which items may be drawn.
        number: How many; 1 to as many as are open.

    Raises:
        ParameterError: The number is below 1 or above that of the open items.

    >>> next_probabilities(np.array([1.0, 1.0, 2.0, 8.0]), np.ones(4, dtype=bool), 2).tolist()
    [0.25, 0.25, 0.5, 1.0]
    """
    of_open = sizes[open_]
    if not of_open.size:
        raise ParameterError(
            Argument("number", number), "; all items are rated, so that none is left to draw"
        )
    if not 1 <= number <= of_open.size:
        raise ParameterError(
            Argument("number", number),
            f"; expected 1 to {of_open.size}, the items that are not rated yet",
        )
    if number == of_open.size:
        return np.ones(sizes.size)
    certain = np.zeros(of_open.size, dtype=np.bool_)
    while True:
        scale = (number - int(certain.sum())) / float(of_open[~certain].sum())
        more = ~certain & (scale * of_open >= 1)
        if not more.any():
            return np.minimum(1.0, scale * sizes)
        certain |= more


def systematic_sample(probabilities: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draws each item with exactly its probability, and so many as these add up to (Madow 1949).

    In a random order, the items at which the sum of the probabilities reaches ``u``, ``u + 1``, ...
    with u uniform between 0 and 1.

    Args:
        probabilities: float64 [m], within [0, 1].
        rng: Where the randomness comes from.

    Returns:
        bool [m].

    >>> drawn = systematic_sample(np.array([0.5, 0.5, 1.0]), np.random.default_rng(0))
    >>> int(drawn.sum()), bool(drawn[2])
    (2, True)
    """
    sampled = np.zeros(probabilities.size, dtype=np.bool_)
    order = rng.permutation(np.flatnonzero(probabilities > 0))
    if not order.size:
        return sampled
    sums = np.cumsum(probabilities[order])
    sums[-1] = round(sums[-1], 6)  # a whole number, but for rounding
    start = 1 - rng.random()  # above 0
    passed = np.floor(sums - start + 1).astype(np.int64)
    sampled[order] = np.diff(passed, prepend=0) > 0
    return sampled


def inclusion(before: Floats, after: Floats) -> Floats:
    """The probability of being drawn at all, from those of an earlier draw and of the next one.

    ``p + (1 - p) q``: who was not drawn before may be drawn next.

    >>> inclusion(np.array([0.2]), np.array([0.5])).round(3).tolist()
    [0.6]
    """
    return before + (1 - before) * after
