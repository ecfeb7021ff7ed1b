"""p-values of the pairs of one estimate, corrected for being several."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import polars as pl

from rejoinder.errors import ParameterError
from rejoinder.human_evaluation.by_people.replies import RatedReplies
from rejoinder.kernels.arrays import Floats
from rejoinder.messages import Argument
from rejoinder.statistics.clusters import freedom_of, influences
from rejoinder.statistics.conventions import check_choice
from rejoinder.statistics.holm import holm
from rejoinder.statistics.max_over_pairs import max_over_pairs
from rejoinder.statistics.prediction_powered import CorrectedMean

Correction = Literal["holm", "max"]
"""Holm's correction, or that by the maximum over pairs."""


def check_correction(correction: str, anytime: bool) -> None:
    """Raises a ParameterError for an unknown correction, and for one that is of one look, at any time."""
    check_choice(get_args(Correction), correction=correction)
    if anytime and correction == "max":
        raise ParameterError(
            Argument("anytime", True),
            f" and {Argument('correction', 'max')} do not go together: the maximum over pairs is of one "
            "look; leave one of the two out",
        )


class Families:
    """What the rows of a table of pairs have in common, for the correction of their p-values.

    Args:
        replies: The replies, whose clusters are numbered from 0.
        correction: ``max``: by the maximum over pairs too.
        seed: Random seed of its draws.
    """

    def __init__(self, replies: RatedReplies, correction: Correction, seed: int) -> None:
        self.group, self.correction, self.seed = replies.group, correction, seed
        self.clusters = int(replies.group.max()) + 1
        self._influence: list[Floats] = []
        self._df: list[float] = []

    def add(self, items: np.ndarray, mean: CorrectedMean) -> None:
        """Adds an estimate over some items, as the next row of the table."""
        if self.correction == "max":
            influence = np.zeros(self.clusters)
            if mean.p == mean.p:
                influence[np.unique(self.group[items])] = mean.influence
            self._influence.append(influence)
            self._df.append(mean.df)

    def add_judge(self, items: np.ndarray, differences: Floats) -> None:
        """Adds the mean of a judge's differences over some items, as the next row."""
        if self.correction == "max":
            influence, df = np.zeros(self.clusters), np.nan
            if items.size:
                terms = (differences - differences.mean()) / differences.size
                influence = influences(terms, self.group[items], self.clusters)
                df = freedom_of(np.bincount(self.group[items]))
            self._influence.append(influence)
            self._df.append(df)

    def corrected(self, table: pl.DataFrame, family: str) -> pl.DataFrame:
        """The table with ``p_holm``, and ``p_max`` where asked for, over the rows of each family.

        Args:
            table: A row for each estimate that was added, with the column ``p``.
            family: The column whose equal values are a family.
        """
        columns = {"p_holm": np.full(table.height, np.nan)}
        if self.correction == "max":
            columns["p_max"] = np.full(table.height, np.nan)
        names = table.get_column(family).to_numpy()
        p = table.get_column("p").to_numpy()
        for name in table.get_column(family).unique(maintain_order=True):
            places = np.flatnonzero(names == name)
            columns["p_holm"][places] = holm(p[places])
            tested = places[np.isfinite(p[places])]
            if self.correction == "max" and tested.size:
                columns["p_max"][tested] = max_over_pairs(
                    p[tested],
                    np.stack([self._influence[row] for row in tested]),
                    min(self._df[row] for row in tested),
                    np.random.default_rng([self.seed, 2]),
                )
        return table.with_columns(
            pl.Series(column, values, dtype=pl.Float64) for column, values in columns.items()
        )
