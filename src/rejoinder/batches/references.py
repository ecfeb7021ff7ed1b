"""The references of a batch, and the rule that selects which of them count."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from rejoinder.errors import ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument


@dataclass(frozen=True)
class ReferenceRule:
    """Which references of an item count.

    Attributes:
        first_only: Only the first (original) reference of each item counts.
        threshold: The least weight of a reference that counts.
    """

    first_only: bool = False
    threshold: float = -math.inf

    @staticmethod
    @cache
    def parse(text: str) -> ReferenceRule:
        """Reads ``all``, ``single`` or ``w>=T`` (Galley et al. 2015, table 2).

        Raises:
            ParameterError: The text is none of these.

        >>> ReferenceRule.parse("w>=0.6")
        ReferenceRule(first_only=False, threshold=0.6)
        """
        if text == "all":
            return ReferenceRule()
        if text == "single":
            return ReferenceRule(first_only=True)
        if text.startswith("w>="):
            try:
                threshold = float(text[3:])
            except ValueError:
                threshold = float("nan")
            if -1 <= threshold <= 1:
                return ReferenceRule(threshold=threshold)
        raise ParameterError(
            Argument("references", text),
            " is no rule; choose 'all', 'single' (the first one) or 'w>=T' with "
            "a weight T in [-1, 1], such as 'w>=0.6'",
        )

    def selects(self, place: Indices | int, weight: Floats | float) -> Any:
        """Whether each reference counts, bool, of the shape of the arguments.

        Args:
            place: The place of a reference among those of its item, from 0.
            weight: Its weight.
        """
        return ((place == 0) | (not self.first_only)) & (weight >= self.threshold)


@dataclass(frozen=True)
class References:
    """The references of a batch, or those of them that a rule selects (see ``Batch.references``).

    Attributes:
        indices: int64 [r], which of the batch's references these are.
        bounds: Item i has the references bounds[i] to bounds[i + 1] (int64 [n + 1]).
        weights: float64 [r], in [-1, 1].
    """

    indices: Indices
    bounds: Indices
    weights: Floats

    @property
    def counts(self) -> Indices:
        """int64 [n]: how many references each item has."""
        return np.diff(self.bounds)

    def best_weights(self) -> Floats:
        """float64 [n]: the highest weight of each item, -inf for an item without references."""
        best = np.full(self.bounds.size - 1, -np.inf)
        has = np.flatnonzero(self.counts)
        if has.size:
            best[has] = np.maximum.reduceat(self.weights, self.bounds[has])
        return best

    def under(self, rule: ReferenceRule) -> References:
        """The references that a rule selects."""
        if rule == ReferenceRule():
            return self
        place = np.arange(self.indices.size) - np.repeat(self.bounds[:-1], self.counts)
        selected = rule.selects(place, self.weights)
        before = np.concatenate([[0], np.cumsum(selected)])
        return References(self.indices[selected], before[self.bounds], self.weights[selected])
