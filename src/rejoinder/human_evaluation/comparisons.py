"""Comparisons of two replies under one criterion, as arrays."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.human_evaluation.panel import coded
from rejoinder.human_evaluation.rater_exclusion import SummaryOptions
from rejoinder.kernels.arrays import Indices
from rejoinder.statistics.agreement import Judgements
from rejoinder.statistics.head_to_head import flip_test

SHARED = "pairs of replies"
"""What raters share, in words."""

COVARIATE = "covariate:"
"""How the columns begin that hold covariates."""


class Comparisons:
    """Comparisons of two replies as arrays.

    Systems are numbered in the order of their first appearance, and a pair is in the order of its two
    systems, whichever of them was shown first.

    Args:
        table: ``schemas.PREFERENCES``, checked, of one criterion.

    Attributes:
        systems, raters, items: The names.
        a, b: The two systems of each comparison, a < b (int64 [n]).
        rater, item: int64 [n].
        group: The item's cluster (int64 [n]); the item itself where every item is independent.
        winner: int64 [n], 1 where a won, -1 where b did, 0 for a tie.
        shown: The same for the system shown as a, and that shown as b (int64 [n]).
        turned: Whether b was shown as a (bool [n]).
        covariates: float64 [n, k], of the columns ``covariate:NAME``, what a has more of than b.
    """

    def __init__(self, table: pl.DataFrame, options: SummaryOptions) -> None:
        systems = table.select(pl.concat_list("a", "b").explode().alias("system"))
        self.systems, system = coded(systems.get_column("system"))
        self.raters, self.rater = coded(table.get_column("rater"))
        self.items, self.item = coded(table.get_column("id"))
        self.groups, group_of_item = np.unique(
            options.groups(np.array(self.items)), return_inverse=True
        )
        if not options.clusters:
            group_of_item = np.arange(len(self.items))
        self.group_of_item, self.group = group_of_item, group_of_item[self.item]
        first, second = system.reshape(-1, 2).T
        outcomes = {"a": 1, "b": -1, "tie": 0}
        winner = table.get_column("winner").replace_strict(outcomes, return_dtype=pl.Int64)
        self.shown = winner.to_numpy()
        self.turned = first > second
        self.a, self.b = np.minimum(first, second), np.maximum(first, second)
        self.winner = np.where(self.turned, -self.shown, self.shown)
        columns = [name for name in table.columns if name.startswith(COVARIATE)]
        shown = table.select(columns).to_numpy().astype(np.float64).reshape(table.height, -1)
        self.covariates = np.where(self.turned[:, None], -shown, shown)

    def pairs(self) -> Indices:
        """The pairs of systems that were compared: int64 [p, 2]."""
        return np.unique(np.stack([self.a, self.b]), axis=1).T

    def repeated(self) -> NDArray[np.bool_]:
        """Whether a rater judged the same two replies in the other order before: bool [n]."""
        keys = np.stack([self.item, self.a, self.b, self.rater])
        _, first = np.unique(keys, axis=1, return_index=True)
        repeated = np.ones(self.winner.size, dtype=np.bool_)
        repeated[first] = False
        return repeated

    def sign_test(self, chosen: NDArray[np.bool_], outcomes: Indices) -> float:
        """The sign test over items: which side more of an item's judges prefer.

        Items of one cluster change their signs together (`flip_test`).

        Args:
            chosen: The comparisons to test (bool [n]).
            outcomes: int64 [n], 1 for one side, -1 for the other, 0 for a tie.
        """
        signs = np.sign(np.bincount(self.item[chosen], outcomes[chosen], len(self.items)))
        return flip_test(np.bincount(self.group_of_item, signs).astype(np.int64))

    def judgements(self, least: int) -> Judgements:
        """The outcomes by pair of replies and rater; of repeated judgements, the first."""
        keys = np.stack([self.item, self.a, self.b], axis=1)
        units, unit = np.unique(keys, axis=0, return_inverse=True)
        matrix = np.full((len(units), len(self.raters)), np.nan)
        once = ~self.repeated()
        matrix[unit.reshape(-1)[once], self.rater[once]] = self.winner[once]
        return Judgements(
            matrix, self.group_of_item[units[:, 0]], paired=True, units=SHARED, least=least
        )

    def shown_both_ways(self) -> NDArray[np.bool_]:
        """Which comparisons are of two systems that change sides: bool [n].

        Where one of two systems is always shown as a, its side cannot be told from its quality.
        """
        pair = self.a * len(self.systems) + self.b
        return np.isin(pair, np.intersect1d(pair[self.turned], pair[~self.turned]))
