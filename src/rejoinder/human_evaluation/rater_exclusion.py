"""Which raters count: who falls below a kappa, who cannot be judged, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rejoinder.errors import ParameterError
from rejoinder.messages import counted, listed
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.raters import LEAST_SHARED

KEPT, DROPPED, BELOW, UNJUDGED = "kept", "dropped", "below", "not judged"

THRESHOLD = 0.1
"""Raters below are left out of results (METHODS, section 5)."""


@dataclass(frozen=True)
class Wish:
    """What a summary is to do: its parameters.

    Args:
        threshold: Raters whose kappa is below are named.
        drop: And dropped.
        least: The fewest units shared with others to be judged by.
        resamples: Of the bootstrap; 0 for none.
        seed: Of every draw.
        raters: How the ratings of a reply become one number.
    """

    threshold: float = THRESHOLD
    drop: bool = False
    least: int = LEAST_SHARED
    resamples: int = 1000
    seed: int = 12345
    raters: str = "mean"

    def __post_init__(self) -> None:
        if not -1 <= self.threshold <= 1:
            raise ParameterError(
                f"threshold={self.threshold!r} must be a kappa, from -1 to 1; {THRESHOLD} is usual"
            )
        if self.least < 1:
            raise ParameterError(f"least={self.least!r} must be 1 or more; {LEAST_SHARED} is usual")
        check_draws(self.resamples, self.seed)

    def verdict(self, kappa: float, reason: str | None) -> str:
        """What becomes of a rater of this kappa, or with this reason for none."""
        if reason:
            return UNJUDGED
        if kappa >= self.threshold:
            return KEPT
        return DROPPED if self.drop else BELOW

    def signature(self) -> str:
        """The rule in a signature."""
        rule = "dropped below" if self.drop else "below"
        return f"kappa:{rule} {self.threshold:g}|least:{self.least}"


def verdict_notes(rows: Sequence[dict[str, Any]], wish: Wish, noun: str) -> list[str]:
    """What is to be said of raters who are dropped, below, or not judged.

    Args:
        rows: ``rater``, ``verdict``, ``reason``, and how many judgements under ``noun``'s plural.
        wish: The rule.
        noun: What a judgement is called.
    """
    notes = []
    total = counted(len(rows), "rater")
    named = {kind: [row["rater"] for row in rows if row["verdict"] == kind] for kind in _ALL}
    if dropped := named[DROPPED]:
        number = sum(row[_COLUMN[noun]] for row in rows if row["verdict"] == DROPPED)
        notes.append(
            f"{len(dropped)} of {total} below a kappa of {wish.threshold:g} left out with "
            f"{counted(number, noun)}: {listed(dropped)}; those who are left agree by selection too"
        )
    if below := named[BELOW]:
        notes.append(
            f"{len(below)} of {total} below a kappa of {wish.threshold:g}, not left out: "
            f"{listed(below)}; --filter-raters (drop=True) leaves them out"
        )
    if (unjudged := named[UNJUDGED]) and len(rows) > 1:
        reasons = dict.fromkeys(str(row["reason"]) for row in rows if row["reason"])
        notes.append(
            f"{len(unjudged)} of {total} not judged by kappa, and kept: {listed(unjudged)} "
            f"({'; '.join(reasons)})"
        )
    return notes


def nobody_left(table: str, number: int, criterion: str, wish: Wish) -> str:
    """The message where all raters of a criterion would be dropped."""
    return (
        f"{table}: {'all ' * (number > 1)}{counted(number, 'rater')} of '{criterion}' below a kappa of "
        f"{wish.threshold:g}, and none is left; lower the threshold, or keep them all"
    )


_ALL = (KEPT, DROPPED, BELOW, UNJUDGED)
_COLUMN = {"rating": "ratings", "judgement": "comparisons"}
