"""How much may be drawn at random: resamples, permutations, and the seed of both."""

from __future__ import annotations

from numbers import Integral

from rejoinder.errors import ParameterError
from rejoinder.messages import Argument, Placeholder

MOST_DRAWS = 1_000_000
"""More resamples or permutations than a study needs; larger values are typing errors."""

FEWEST_RESAMPLES = 100
"""Of fewer resamples the ends of a 95% interval are the extremes."""


def check_draws(resamples: int, seed: int) -> None:
    """Raises a ParameterError for a number of resamples or a seed that is out of range.

    >>> check_draws(1000, 12345)
    """
    if not isinstance(resamples, Integral) or not 0 <= resamples <= MOST_DRAWS:
        raise ParameterError(
            Argument("resamples", Placeholder(_brief(resamples))),
            f" must be from 0 (no interval) to {MOST_DRAWS:,}; 1,000 to "
            "10,000 are enough for an interval",
        )
    if 0 < resamples < FEWEST_RESAMPLES:
        raise ParameterError(
            Argument("resamples", int(resamples)),
            f": too few for a 95% interval; give 0 for none, or {FEWEST_RESAMPLES} or more",
        )
    if not isinstance(seed, Integral) or seed < 0:
        raise ParameterError(Argument("seed", Placeholder(_brief(seed))), " must be 0 or more")


def check_permutations(permutations: int) -> None:
    """Raises a ParameterError for a number of permutations that is out of range.

    >>> check_permutations(0)
    """
    if not isinstance(permutations, Integral) or not 0 <= permutations <= MOST_DRAWS:
        raise ParameterError(
            Argument("permutations", Placeholder(_brief(permutations))),
            f" must be from 0 (no test) to {MOST_DRAWS:,}",
        )


def _brief(given: object) -> str:
    """A value for a message: a number or a word as it is, anything larger by its type."""
    text = repr(given)
    return text if len(text) < 60 and "\n" not in text else f"a {type(given).__name__}"
