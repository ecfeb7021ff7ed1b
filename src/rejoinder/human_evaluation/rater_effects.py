"""Whether raters are taken as a sample of all raters or as the only ones: for whom an interval holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from rejoinder.errors import ParameterError
from rejoinder.human_evaluation.rating_criterion import MEAN, are_places
from rejoinder.messages import Argument, counted
from rejoinder.statistics.conventions import check_choice
from rejoinder.tables.assembly.long_or_wide import NOBODY

RaterEffects = Literal["random", "fixed"]
"""``random``: raters are a sample, and intervals hold for other raters too; ``fixed``: for these alone."""

FEWEST_RATERS = 4
"""Fewer raters hardly show how raters differ: then their effects are fixed unless random is asked for."""

FEWEST_RANDOM = 3
"""Two raters do not show it at all: an interval for others mostly reaches beyond the grades."""


class RaterRule(NamedTuple):
    """For whom the intervals of one table hold.

    Attributes:
        random: Whether they hold for other raters too.
        note: The sentence that says so, and why.
        named: Whether raters have names, so that their ratings can be told apart.
    """

    random: bool
    note: str
    named: bool

    @classmethod
    def of(
        cls, requested: RaterEffects | None, raters: Sequence[str], fixed_because: str = ""
    ) -> RaterRule:
        """The rule for ratings of these raters: random effects from four raters on, unless requested.

        Args:
            requested: What was asked for; None: the default.
            raters: The names of the raters.
            fixed_because: Why their effects can only be fixed, if that is so.

        Raises:
            ParameterError: What was asked for is unknown, or random effects cannot be estimated.

        >>> RaterRule.of(None, ["ann", "bob", "eve", "kim"]).note
        'intervals hold for other raters too (random rater effects: 4 raters)'
        >>> RaterRule.of(None, ["ann", "bob"]).note
        'intervals hold for these raters only (fixed rater effects: 2 raters are fewer than 4)'
        """
        if requested is not None:
            check_choice(get_args(RaterEffects), rater_effects=requested)
        named = not are_places(raters) and list(raters) not in ([MEAN], [NOBODY])
        fixed_because = fixed_because or "raters have no names" * (not named)
        number = counted(len(raters), "rater")
        if requested == "random" and (fixed_because or len(raters) < FEWEST_RANDOM):
            raise ParameterError(
                Argument("rater_effects", requested),
                f": raters cannot be resampled: {fixed_because or number}; expected three or more raters "
                f"with names, whose ratings are averaged; give {Argument('rater_effects', 'fixed')}",
            )
        if requested == "random" or (
            requested is None and not fixed_because and len(raters) >= FEWEST_RATERS
        ):
            note = f"intervals hold for other raters too (random rater effects: {number})"
            return cls(True, note, named)
        why_fixed = f"{number} {'is' if len(raters) == 1 else 'are'} fewer than {FEWEST_RATERS}"
        why = "as requested" if requested else fixed_because or why_fixed
        note = f"intervals hold for these raters only (fixed rater effects: {why})"
        return cls(False, note, named)


FIXED = RaterRule(False, "intervals hold for these raters only", False)
"""Of raters of whom nothing is known."""


def effects_fact(rules: Iterable[RaterRule]) -> str:
    """The rules of some tables in a signature: what was asked for, or followed from the raters.

    >>> effects_fact([FIXED, RaterRule.of("random", ["ann", "bob", "eve"]), FIXED])
    'rater_effects:fixed+random'
    """
    effects = {"random" if rule.random else "fixed" for rule in rules}
    return f"rater_effects:{'+'.join(sorted(effects))}"
