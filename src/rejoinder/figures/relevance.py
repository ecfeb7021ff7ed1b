"""Mean human rating along a score: figure 1 of Tao et al. (2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rejoinder.figures import style
from rejoinder.kernels.arrays import Floats
from rejoinder.statistics.mean_difference import paired_difference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BINS = 10
"""At most so many bins, of equally many replies each."""

LEAST = 5
"""At least so many replies in a bin."""

COLUMNS = 3


class Bin(NamedTuple):
    """Some replies with scores of one range.

    Args:
        score: Their mean score.
        rating: Their mean rating.
        low: Lower end of the 95% interval of the mean rating, by Student's t; NaN for fewer than four
            replies, or where all have one rating.
        high: Upper end.
        n: How many replies.
    """

    score: float
    rating: float
    low: float
    high: float
    n: int


def binned(score: Floats, rating: Floats) -> list[Bin]:
    """Mean ratings of replies in bins of their scores, about equally many in each.

    Replies with the same score stay in one bin. Replies without a score or a rating are left out.

    Args:
        score: float64 [n].
        rating: float64 [n].

    >>> bins = binned(np.arange(10.0), np.arange(10.0) // 5)
    >>> [(each.score, each.rating, each.n) for each in bins]
    [(2.0, 0.0, 5), (7.0, 1.0, 5)]
    """
    both = np.isfinite(score) & np.isfinite(rating)
    score, rating = score[both], rating[both]
    if not score.size:
        return []
    number = max(1, min(BINS, score.size // LEAST))
    ordered = np.sort(score)
    # The first score of each bin but the first: equal scores fall on one side of it.
    starts = ordered[[round(i * score.size / number) for i in range(1, number)]]
    place = np.searchsorted(np.unique(starts), score, side="right")
    return [_bin(score[place == i], rating[place == i]) for i in np.unique(place)]


def relevance(panels: Mapping[str, tuple[Floats, Floats]], x_name: str) -> Figure:
    """The mean rating along the score, one panel for each system, with 95% intervals.

    The paper's figure 1 is that of the ground truth: the panel of the system that is people.

    Args:
        panels: By name, the scores and the ratings of the same replies, float64 [n] each.
        x_name: What the score is.

    >>> with style.drawing():
    ...     figure = relevance({"people": (np.arange(20.0), np.arange(20.0) % 5)}, "s_U")
    >>> len(figure.axes)
    1
    """
    columns = min(COLUMNS, max(1, len(panels)))
    rows = max(1, -(-len(panels) // columns))
    figure = style.canvas(max(3.2, 2.9 * columns), 2.5 * rows + 0.2)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).ravel()
    for each, (name, (score, rating)) in zip(axes, panels.items(), strict=False):
        style.tidy(each, "both")
        each.set_title(style.shortened(name))
        each.set_xlabel(x_name, fontsize=8)
        each.set_ylabel("mean human rating", fontsize=8)
        bins = binned(score, rating)
        if not bins:
            style.say(each, "nothing to draw:\nno reply has both numbers")
            continue
        x, y = [one.score for one in bins], [one.rating for one in bins]
        each.plot(x, y, color=style.COLOURS[0], marker="o", markersize=4, linewidth=1.2)
        for one in bins:
            each.plot([one.score] * 2, [one.low, one.high], color=style.INK, linewidth=0.9)
    for each in axes[len(panels) :]:
        each.axis("off")
    return figure


def _bin(score: Floats, rating: Floats) -> Bin:
    mean, interval, _ = paired_difference(rating)
    return Bin(float(score.mean()), mean, interval.low, interval.high, rating.size)
