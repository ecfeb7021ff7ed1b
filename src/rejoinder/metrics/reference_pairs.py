"""Pairs of a hypothesis with a single reference of its item, for metrics that pick the best one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rejoinder.batches.batch import Batch
from rejoinder.batches.references import References
from rejoinder.kernels.arrays import Floats, Grouped, Indices, Tokens
from rejoinder.kernels.ngrams import pair_rows


@dataclass(frozen=True)
class ReferencePairs:
    """Every hypothesis with every reference of its item, hypothesis after hypothesis.

    Attributes:
        bounds: Hypothesis k has the pairs bounds[k] to bounds[k + 1] (int64 [m + 1]).
        hypotheses: The hypothesis of each pair (int64 [p]).
        references: The reference of each pair, among those of the rule (int64 [p]).
    """

    bounds: Indices
    hypotheses: Indices
    references: Indices

    @classmethod
    def of(cls, batch: Batch, references: References) -> ReferencePairs:
        """The pairs of a batch, with the references that a rule selects."""
        return cls.between(batch.bounds, references.bounds)

    @classmethod
    def between(cls, replies: Indices, references: Indices) -> ReferencePairs:
        """The pairs of replies and references that are cut into items: int64 [n + 1] each."""
        each = np.diff(replies)
        counts = np.repeat(np.diff(references), each)
        bounds = np.concatenate([[0], np.cumsum(counts)])
        shift = np.repeat(references[:-1], each) - bounds[:-1]
        within = np.arange(bounds[-1]) + np.repeat(shift, counts)
        return cls(bounds, np.repeat(np.arange(counts.size), counts), within)

    def best(self, values: Floats) -> Floats:
        """The greatest value of each hypothesis: float64 [p] to [m]; NaN for one without pairs."""
        greatest = np.full(self.bounds.size - 1, np.nan)
        has = np.flatnonzero(np.diff(self.bounds))
        if has.size:
            greatest[has] = np.maximum.reduceat(values, self.bounds[has])
        return greatest

    def first_best(self, values: Floats) -> Indices:
        """The first pair of the greatest value, int64 [m]; -1 for a hypothesis without pairs."""
        selected = np.full(self.bounds.size - 1, -1)
        winners = np.flatnonzero(values == self.best(values)[self.hypotheses])[::-1]
        selected[self.hypotheses[winners]] = winners  # last to first: the first one remains
        return selected


def matches(
    batch: Batch, references: References, pairs: ReferencePairs, h: Tokens, r: Tokens, order: int
) -> Floats:
    """The clipped n-gram matches of every pair, float64 [p, N]: ``sum_g #_g(h, r)`` by order.

    Args:
        batch: The items.
        references: Those that a rule selects.
        pairs: Of these.
        h: The hypotheses' tokens.
        r: The tokens of the selected references.
        order: N.
    """
    return pair_rows(Grouped(*h, batch.bounds), Grouped(*r, references.bounds), pairs.bounds, order)
