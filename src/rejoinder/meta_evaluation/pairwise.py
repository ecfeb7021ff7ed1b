"""Pairs of replies to a context: how often a metric orders them as people do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted
from rejoinder.meta_evaluation.evidence import (
    CorrelationRow,
    Draws,
    Evidence,
    Pair,
    Rated,
    no_interval,
    texts_at,
)
from rejoinder.statistics import intervals
from rejoinder.statistics.clusters import Groups, interval_size
from rejoinder.statistics.conventions import p_of_drawn, too_few_groups
from rejoinder.statistics.intervals import Interval
from rejoinder.statistics.mean_difference import mean_inference
from rejoinder.statistics.pairwise_accuracy import best_epsilon, decided_accuracy, pairwise_accuracy
from rejoinder.statistics.proportions import share_interval

ACCURACIES = ("accuracy", "decided")
"""What the pairwise protocol tells of a metric: ties counted as answers, and decided pairs alone."""


SYSTEMS = (
    "pairwise: the two replies of a pair are of two systems, so a metric that only prefers the "
    "systems that people prefer is above chance too, and p counts that as evidence; the protocol "
    "'turn' has a test within systems"
)


class ReplyPairs(Evidence):
    """Pairs of replies to a context, ordered by people and by metrics.

    Args:
        rated: Scores and ratings.
        epsilon: Scores no further apart tie.
        draws: How much is drawn.
    """

    def __init__(self, rated: Rated, epsilon: float | Literal["best"], draws: Draws) -> None:
        rated, left_out = rated.scored()
        self.scores, self.rated, self.draws = rated.segments, rated, draws
        self.labels = list(rated.subjects)
        self.human, self.groups = rated.human, rated.item
        sizes = np.bincount(self.groups)
        several = np.flatnonzero(sizes > 1)
        # The clusters of the contexts that have a pair, or these contexts themselves.
        self.of_context = several if rated.cluster is None else rated.cluster[several]
        self.groups_are = rated.groups_are
        self.left, self.right = _pairs_within(self.groups)
        self.notes: list[str] = left_out
        if draws.resamples:
            self.notes += intervals.few_groups(np.unique(self.of_context).size, self.groups_are)
        alone = int((sizes == 1).sum())
        if alone:
            self.notes.append(
                f"pairwise: {counted(alone, 'context')} with a single rated reply left out"
            )
        ties = int((self.human[self.left] == self.human[self.right]).sum())
        self.notes.append(
            f"pairwise: people rate {ties} of {counted(self.left.size, 'pair')} alike"
        )
        if self.left.size:
            self.notes.append(SYSTEMS)
        self.epsilon = {label: self._epsilon(label, epsilon) for label in self.labels}

    def _epsilon(self, label: str, epsilon: float | Literal["best"]) -> float:
        if isinstance(epsilon, str):
            return best_epsilon(self.scores[label], self.human, self.groups)
        return epsilon

    def names(self, correlations: Sequence[str]) -> Sequence[str]:
        """Accuracies stand in the place of coefficients."""
        return ACCURACIES

    def row(self, label: str, correlation: str) -> CorrelationRow:
        """Accuracy, its interval over contexts, and a permutation test."""
        x, y = self.scores[label], self.human
        epsilon = self.epsilon[label]
        more = {"epsilon": epsilon if correlation == "accuracy" else 0.0, "chance": math.nan}
        reason = self._reason(x)
        if reason:
            return CorrelationRow(math.nan, self.left.size, reason=reason, more=more)
        if correlation == "accuracy":
            result = pairwise_accuracy(x, y, self.groups, epsilon)
        else:
            result = decided_accuracy(x, y, self.groups)
        if not result.pairs:
            return CorrelationRow(math.nan, 0, reason="people rate all pairs alike", more=more)
        each = self._by_context(label, y, correlation)
        interval = self._interval(each, share=True)
        p = math.nan
        if self.draws.permutations:
            p, more["chance"] = self._p_and_chance(label, correlation)
        ends = interval.low, interval.high
        return CorrelationRow(result.accuracy, result.pairs, *ends, p, no_interval(interval), more)

    def _reason(self, x: Floats) -> str | None:
        if not self.left.size:
            return "no context has two rated replies"
        missing = int(np.isnan(x).sum())
        return f"{missing} of {x.size} replies have no score of their own" if missing else None

    def _interval(self, each: Floats, share: bool = False) -> Interval:
        """Of the mean over contexts, float64 [contexts], those without a pair being NaN: Student's t.

        Of a share Wilson's with the same standard error: of as many contexts that are right or wrong as
        vary as much.
        """
        values, of = each[~np.isnan(each)], self.of_context[~np.isnan(each)]
        groups = Groups.of(of, values.size)
        if reason := too_few_groups(len(groups), self.groups_are):
            return Interval.none(reason)
        if not self.draws.resamples:
            return Interval.none()
        if share:
            return share_interval(values, groups, interval_size(values, groups))
        return mean_inference(values, groups).interval

    def _counted(self, y: Floats, correlation: str) -> NDArray[np.bool_]:
        """Which pairs count, bool [..., p]: all, or those that people decided."""
        decided = y[..., self.left] != y[..., self.right]
        return np.ones_like(decided) if correlation == "accuracy" else decided

    def _by_context(self, label: str, y: Floats, correlation: str) -> Floats:
        """The accuracy in each context that has a pair: float64 [..., contexts] of y [..., r]."""
        dx = self.scores[label][self.left] - self.scores[label][self.right]
        if correlation == "accuracy":
            dx = np.where(np.abs(dx) <= self.epsilon[label], 0.0, dx)
        counted = self._counted(y, correlation)
        right = counted & (np.sign(dx) == np.sign(y[..., self.left] - y[..., self.right]))
        number = np.add.reduceat(counted.astype(np.float64), self._starts, axis=-1)
        total = np.add.reduceat(right.astype(np.float64), self._starts, axis=-1)
        return np.where(number > 0, total, np.nan) / np.maximum(number, 1.0)

    @cached_property
    def _starts(self) -> Indices:
        """Where the pairs of each context begin."""
        of_pair = self.groups[self.left]
        return np.flatnonzero(np.diff(of_pair, prepend=-1))

    def _p_and_chance(self, label: str, correlation: str) -> tuple[float, float]:
        """How often ratings that changed places are as far from chance as the real ones, and chance.

        Chance is the mean accuracy over the permutations. With ties it is not one half, and it
        differs by metric: one that gives most replies the same score ties most pairs, which is right
        only where people tie.
        """
        observed = np.nanmean(self._by_context(label, self.human, correlation))
        width = max(1, 4 * self.left.size // self.human.size)
        groups, trials = Groups.of(self.groups, self.human.size), self.draws.permutations
        if self.rated.cluster is None:
            orders = groups.permuted(trials, self.draws.rng, width)
        else:
            orders = groups.permuted_in(self.rated.group, trials, self.draws.rng, width)
        chance = np.concatenate(
            [
                np.nanmean(self._by_context(label, self.human[order], correlation), axis=1)
                for order in orders
            ]
        )
        mean = float(chance.mean())
        return p_of_drawn([chance - mean], float(observed) - mean), mean

    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """The difference of accuracies: its interval over contexts, and contexts' signs turned."""
        reason = self._reason(self.scores[a]) or self._reason(self.scores[b])
        if reason:
            return Pair(math.nan, math.nan, self.left.size, reason=reason)
        first, second = (self._by_context(label, self.human, correlation) for label in (a, b))
        counted = self._counted(self.human, correlation)
        defined = ~np.isnan(first)
        if not defined.any():
            return Pair(math.nan, math.nan, 0, reason="people rate all pairs alike")
        interval = self._interval(first - second)
        first, second = first[defined], second[defined]
        p = math.nan
        if self.draws.permutations:
            _, group = np.unique(self.of_context[defined], return_inverse=True)
            size = self.draws.permutations, int(group.max()) + 1
            coins = (2.0 * self.draws.rng.integers(0, 2, size) - 1)[:, group]
            again = coins @ (first - second) / first.size
            p = p_of_drawn([again], float((first - second).mean()))
        values, ends = (float(first.mean()), float(second.mean())), (interval.low, interval.high)
        return Pair(*values, int(counted.sum()), *ends, p, reason=no_interval(interval))

    def observations(self) -> pl.DataFrame:
        """A row for each pair: ``system_a``, ``system_b``, ``id``, ``group``, and differences."""
        rated, i, j = self.rated, self.left, self.right
        return pl.DataFrame(
            {
                "system_a": texts_at(rated.systems, rated.system[i]),
                "system_b": texts_at(rated.systems, rated.system[j]),
                "id": texts_at(rated.ids, self.groups[i]),
                "group": self.groups[i],
                "human": self.human[i] - self.human[j],
                **{label: x[i] - x[j] for label, x in self.scores.items()},
            }
        )


def _pairs_within(groups: Indices) -> tuple[Indices, Indices]:
    """All pairs of observations of one group, group after group."""
    order = np.argsort(groups, kind="stable")
    left, right = [], []
    for members in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        i, j = np.triu_indices(members.size, 1)
        left.append(members[i])
        right.append(members[j])
    return np.concatenate(left), np.concatenate(right)
