"""The interval of a gain that is cross-validated: of weights that were tuned on the other folds."""

from __future__ import annotations

from typing import NamedTuple


class HeldOutGain(NamedTuple):
    """The ends of the 95% interval."""

    low: float
    high: float


def spread_of_tuning(share: float) -> float:
    """How many times the variance of a cross-validated gain is that over items with the weights fixed.

    Items of two folds tune the weights that choose for each other, so that their gains go together. Where
    weights are a direction that is fitted to n items, with r the share of the training gain that is no
    fitting, the part of the variance that comes from what is chosen is ``(1 + r) (2 - r)^2 / 2`` times
    larger; the first candidates have the other half, which tuning does not touch. From 1 (r = 1: all of
    the training gain is real) to about 1.5 (r = 0).

    >>> spread_of_tuning(0.0), spread_of_tuning(1.0)
    (1.5, 1.0)
    """
    r = min(1.0, max(0.0, share))
    return (1 + (1 + r) * (2 - r) ** 2 / 2) / 2


def held_out_interval(gain: float, low: float, high: float, training: float) -> HeldOutGain:
    """The interval of a cross-validated gain: the gains that the data do not reject.

    A gain m is rejected where ``(gain - m)^2`` exceeds the squared half-width of the usual interval times
    `spread_of_tuning` of ``m / training``. NaN where the usual interval is.

    Args:
        gain: The gain held out.
        low: The lower end of its interval over items with the weights fixed.
        high: The upper end.
        training: The gain on the items tuned on.

    >>> held_out_interval(0.0, -1.0, 1.0, 0.0)  # all that was gained in training is real
    HeldOutGain(low=-1.0, high=1.0)
    """

    def end(fixed: float) -> float:
        near, far = gain, gain + 1.3 * (fixed - gain)
        for _ in range(60):
            middle = (near + far) / 2
            share = middle / training if training > 0 else 1.0
            inside = (middle - gain) ** 2 <= (fixed - gain) ** 2 * spread_of_tuning(share)
            near, far = (middle, far) if inside else (near, middle)
        return near

    return HeldOutGain(end(low), end(high)) if low == low else HeldOutGain(low, high)
