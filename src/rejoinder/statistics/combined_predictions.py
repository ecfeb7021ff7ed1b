"""Several predictions of one label combined, so that no label helps to predict itself."""

from __future__ import annotations

import math

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.conventions import NO_SPREAD

FOLDS = 5
"""How many folds of clusters there are, each with labels of its own."""


FEWEST_FITTED = 15
"""Fewer independent labels in the other folds than this, of 20 in all, give every judge the same weight."""


def combined_predictions(
    labels: Floats, predictions: Floats, groups: Indices, folds: Indices, systems: int = 2
) -> Floats:
    """One prediction in place of k: a linear combination fitted on the labels of other folds.

    This is cross-prediction (Zrnic and Candes 2024, arXiv 2309.16598): an item with a label gets the
    coefficients of the folds without it, an item without one the mean of all folds' coefficients, each as
    often as its fold has labels. Coefficients are those of a ridge regression of the labels of all pairs of
    systems together, each pair about its own mean, on predictions of one standard deviation. What the
    penalty shrinks is not the coefficients but how far they are from equal ones, whose size is fitted: few
    labels, and judges that differ little, give the mean of the judges. The penalty is ``(k - 1) s^2 / D``
    (Hoerl, Kennard and Baldwin 1975): s^2 of least squares, D the squared length of its deviations from
    equal coefficients, less what s^2 alone would make of it; where nothing is left they are equal. The
    coefficients of each fold are scaled to length 1, since a slope is fitted to the result. With fewer than
    about 20 labels of two systems nothing is fitted, and the mean of the judges is taken: there a fit
    makes intervals that cover too little.

    Args:
        labels: float64 [P, m], for each pair of systems the difference of the ratings of each item; NaN
            where there is none.
        predictions: The differences of the scores (float64 [P, m, k]); NaN where an item belongs to
            no pair, and then it has no label.
        groups: The cluster of each item, numbered from 0 (int64 [m]).
        folds: The fold of each cluster (int64 [clusters]).
        systems: How many systems the pairs are of.

    Returns:
        float64 [P, m], without unit; for one predictor that predictor, in its own unit.

    Raises:
        InputError: The shapes do not fit.

    >>> f = np.stack([np.arange(40.0), np.arange(40) % 2], axis=1)[None]
    >>> d = np.where(np.arange(40) < 30, 2 * np.arange(40.0), np.nan)[None]
    >>> combined = combined_predictions(d, f, np.arange(40), np.arange(40) % 5)[0]
    >>> np.diff(combined)[:3].round(3).tolist()  # one over the standard deviation, of the first alone
    [0.087, 0.087, 0.087]
    """
    labels, predictions = (np.asarray(each, dtype=np.float64) for each in (labels, predictions))
    m = labels.shape[1]
    if predictions.shape[:2] != labels.shape or groups.shape != (m,):
        raise InputError(
            f"combined_predictions: labels {labels.shape}, predictions {predictions.shape} and groups "
            f"{groups.shape} do not fit; expected [P, m], [P, m, k] and [m]"
        )
    if predictions.shape[2] == 1:
        return predictions[..., 0]
    # 0 where two systems share no item
    number = np.isfinite(predictions).sum(axis=1, keepdims=True)
    centred = predictions - np.nansum(predictions, axis=1, keepdims=True) / np.maximum(1, number)
    scale = np.sqrt(np.nansum(centred**2, axis=(0, 1)) / np.maximum(1, number.sum(axis=(0, 1))))
    scaled = centred / np.where(scale > NO_SPREAD, scale, np.inf)
    return _predicted(labels, scaled, folds[groups], systems)


def _predicted(labels: Floats, scaled: Floats, fold_of: Indices, systems: int) -> Floats:
    """The combined predictions, of predictions with mean 0 and standard deviation 1."""
    has = np.isfinite(labels)
    pair, item = np.nonzero(has)
    x, y, fold = scaled[pair, item], labels[pair, item], fold_of[item]
    number = int(fold_of.max()) + 1
    coefficients = np.array(
        [_ridge(*_centred(x, y, pair, fold != each), systems) for each in range(number)]
    )
    share = np.bincount(fold, minlength=number) / fold.size
    of_item = np.where(has[..., None], coefficients[fold_of], share @ coefficients)
    return np.einsum("pmk,pmk->pm", scaled, of_item)


def _centred(x: Floats, y: Floats, pair: Indices, these: Indices) -> tuple[Floats, Floats, int]:
    """The rows of some folds about the means of their pairs, and of how many pairs they are."""
    x, y, pair = x[these], y[these], pair[these]
    _, code, count = np.unique(pair, return_inverse=True, return_counts=True)
    means = np.zeros((count.size, x.shape[1] + 1))
    np.add.at(means, code, np.column_stack([x, y]))
    means /= count[:, None]
    return x - means[code, :-1], y - means[code, -1], count.size


def _ridge(x: Floats, y: Floats, pairs: int, systems: int) -> Floats:
    """The coefficients of length 1 of a ridge regression towards equal ones: float64 [k].

    0 where there is nothing to fit.
    """
    k = x.shape[1]
    equal = np.full(k, 1 / math.sqrt(k))
    # Of P pairs of S systems S - 1 are independent, and each item's differences repeat its replies.
    independent = (y.size / max(1, pairs) - 1) * (systems - 1)
    if independent < 2:
        return np.zeros(k)
    if independent < max(FEWEST_FITTED, k + 1):
        return equal
    axes = np.linalg.qr(np.column_stack([equal, np.eye(k)[:, 1:]]))[0]  # the first is that of equal
    along = x @ axes
    square, product = along.T @ along, along.T @ y
    inverse = np.linalg.pinv(square, hermitian=True)
    least = inverse @ product
    rest = y - along @ least
    noise = float(rest @ rest) / (independent - k)
    apart = float(least[1:] @ least[1:]) - noise * float(inverse.diagonal()[1:].sum())
    if not apart > 0:
        return equal * float(np.sign(equal @ (x.T @ y)))
    square[1:, 1:] += (k - 1) * noise / apart * np.eye(k - 1)
    direction = np.asarray(axes @ np.linalg.lstsq(square, product, rcond=None)[0], dtype=np.float64)
    return direction / (float(np.linalg.norm(direction)) or 1.0)


def folds_of(clusters: int, folds: int, rng: np.random.Generator) -> Indices:
    """A fold for each cluster, at random and as even as can be: int64 [clusters].

    Args:
        clusters: Number of clusters.
        folds: Number of folds.
        rng: The random generator.

    >>> sorted(folds_of(5, 2, np.random.default_rng(0)).tolist())
    [0, 0, 0, 1, 1]
    """
    return rng.permutation(np.arange(clusters) % folds)
