"""Which raters are excluded: who falls below a kappa, who cannot be judged, and the notes about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.messages import Argument, counted, listed
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.raters import LEAST_SHARED
from rejoinder.tables.item_clusters import ItemClusters

KEPT, DROPPED, BELOW, UNJUDGED = "kept", "dropped", "below", "not judged"

THRESHOLD = 0.1
"""Raters whose kappa is below are excluded (Khayrallah & Sedoc 2021, section 4.2)."""


@dataclass(frozen=True)
class SummaryOptions:
    """The parameters of a summary of judgements.

    Args:
        threshold: Raters whose kappa is below are named.
        drop: Whether they are excluded too.
        least: The fewest units shared with others to be judged by.
        resamples: Number of bootstrap resamples; 0 for no intervals.
        seed: Random seed.
        raters: How the ratings of a reply become one number.
        clusters: Which items are not independent; None: every item is.
    """

    threshold: float = THRESHOLD
    drop: bool = False
    least: int = LEAST_SHARED
    resamples: int = 1000
    seed: int = 12345
    raters: str = "mean"
    clusters: ItemClusters | None = None

    def __post_init__(self) -> None:
        if not -1 <= self.threshold <= 1:
            raise ParameterError(
                Argument("threshold", self.threshold),
                f" must be a kappa, from -1 to 1; {THRESHOLD} is usual",
            )
        if self.least < 1:
            raise ParameterError(
                Argument("least", self.least), f" must be 1 or more; {LEAST_SHARED} is usual"
            )
        check_draws(self.resamples, self.seed)

    def verdict(self, kappa: float, reason: str | None) -> str:
        """Whether a rater of this kappa counts; the reason is why there is no kappa."""
        if reason:
            return UNJUDGED
        if kappa >= self.threshold:
            return KEPT
        return DROPPED if self.drop else BELOW

    @property
    def group_noun(self) -> str:
        """What is resampled, in the plural."""
        return "clusters" if self.clusters else "items"

    def groups(self, ids: NDArray[np.generic]) -> NDArray[np.generic]:
        """What each item belongs to and is resampled with: its cluster, or itself."""
        return self.clusters.of(ids) if self.clusters else ids

    def signature(self) -> str:
        """The rule in a signature."""
        rule = "dropped below" if self.drop else "below"
        return f"kappa:{rule} {self.threshold:g}|least:{self.least}"


def dropped_raters(
    rows: Sequence[dict[str, Any]], table: str, criterion: str, options: SummaryOptions
) -> list[str]:
    """The raters who are excluded.

    Args:
        rows: ``rater`` and ``verdict`` of each.
        table: What the table is called, for the message.
        criterion: The criterion.
        options: The rule.

    Raises:
        InputError: All of them are.
    """
    dropped = [row["rater"] for row in rows if row["verdict"] == DROPPED]
    if rows and len(dropped) == len(rows):
        raise InputError(
            f"{table}: {'all ' * (len(rows) > 1)}{counted(len(rows), 'rater')} of '{criterion}' below "
            f"a kappa of {options.threshold:g}, and none is left; lower the threshold, or keep them all"
        )
    return dropped


def verdict_notes(
    rows: Sequence[dict[str, Any]], options: SummaryOptions, noun: str, count: str
) -> list[str]:
    """The notes about raters who are excluded, below the threshold, or not judged.

    Args:
        rows: ``rater``, ``verdict``, ``reason``, and how many judgements under ``count``.
        options: The rule.
        noun: What a judgement is called.
        count: The column that counts a rater's judgements.
    """
    notes = []
    total = counted(len(rows), "rater")
    dropped, below, unjudged = (
        [row["rater"] for row in rows if row["verdict"] == verdict]
        for verdict in (DROPPED, BELOW, UNJUDGED)
    )
    if dropped:
        number = sum(row[count] for row in rows if row["verdict"] == DROPPED)
        notes.append(
            f"{len(dropped)} of {total} below a kappa of {options.threshold:g} left out with "
            f"{counted(number, noun)}: {listed(dropped)}; those who are left agree by selection too"
        )
    if below:
        notes.append(
            f"{len(below)} of {total} below a kappa of {options.threshold:g}, not left out: "
            f"{listed(below)}; {Argument('drop', True)} leaves them out"
        )
    if unjudged and len(rows) > 1:
        reasons = dict.fromkeys(str(row["reason"]) for row in rows if row["reason"])
        notes.append(
            f"{len(unjudged)} of {total} kept without a kappa: {listed(unjudged)} ({'; '.join(reasons)})"
        )
    return notes
