"""How much may be drawn at random: resamples, permutations, and the seed of both."""

from __future__ import annotations

import numpy as np

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument, Placeholder

MOST_DRAWS = 1_000_000
"""More resamples or permutations than anybody can need: a slip of the keyboard."""


def check_draws(resamples: int, seed: int) -> None:
    """Raises a ParameterError for a number of resamples or a seed that is out of range.

    >>> check_draws(1000, 12345)
    """
    if not isinstance(resamples, (int, np.integer)) or not 0 <= resamples <= MOST_DRAWS:
        raise ParameterError(
            Argument("resamples", Placeholder(_brief(resamples))),
            f" must be from 0 (no interval) to {MOST_DRAWS:,}; 1,000 to "
            "10,000 are enough for an interval",
        )
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ParameterError(Argument("seed", Placeholder(_brief(seed))), " must be 0 or more")


def _brief(given: object) -> str:
    """A value for a message: a number or a word as it is, anything larger by its type."""
    text = repr(given)
    return text if len(text) < 60 and "\n" not in text else f"a {type(given).__name__}"
