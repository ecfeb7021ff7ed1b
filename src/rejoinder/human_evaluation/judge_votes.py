"""What a judge's votes favour beside the better reply: the first place, and systems of its own kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rejoinder.human_evaluation.comparisons import Comparisons
from rejoinder.human_evaluation.rater_exclusion import SummaryOptions
from rejoinder.human_evaluation.strengths import (
    StrengthModel,
    cluster_noun,
    covariance_over,
    voters,
)
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups, interval_size
from rejoinder.statistics.contest_likelihood import Contests
from rejoinder.statistics.conventions import NO_SPREAD, too_few_groups
from rejoinder.statistics.holm import holm
from rejoinder.statistics.paired_comparisons import Fit, fit, parameter_intervals
from rejoinder.statistics.proportions import wilson
from rejoinder.statistics.student import two_sided_p

FIRST_PLACE, OWN_KIND, BOTH_ORDERS = "first place", "own kind", "both orders"

PEOPLE = "people"
"""All raters who are no judges, taken together."""

FIXED_SIDES = "no two systems change places: the place cannot be told from the system"
UNKNOWN_KIND = "people did not compare a system of this kind with another one"
UNSEEN_KIND = "the judge did not compare a system of this kind with another one"
ONE_ORDER = "no two replies were judged in both orders"


class JudgeVotes:
    """How the votes of judges are moved by place and kind, under one criterion.

    One model of all votes holds the strengths of systems, each judge's discrimination (with three
    systems or more), the covariates, and, in log odds, what the first place adds to a reply in the
    votes of people and in those of each judge, and what a judge adds to systems of its own kind beyond
    what people's votes say. With ``b`` such a number, a share is ``1 / (1 + e^-b)``: how often the
    favoured reply wins against an equal one, of the votes that are no tie (with ``ties="half"``: a tie
    is half a win). One half is no preference.

    Args:
        criterion: Its name.
        compared: The comparisons, ``a`` as it was shown first.
        model: How strengths are estimated; its judges are reported.
        own: By judge the systems of its own kind.
        options: Clusters, and whether there are intervals.

    Attributes:
        rows: ``criterion``, ``judge`` (or `PEOPLE`), ``measure`` (`FIRST_PLACE`; `OWN_KIND`;
            `BOTH_ORDERS`: the share of pairs of replies, judged in both orders, with one and the same
            outcome), ``value``, ``low``, ``high`` (95%; the sandwich, mapped to shares; Wilson's for
            both orders), ``p`` (Wald, against one half; NaN for both orders), ``p_holm`` (over the
            judges' rows), ``n`` (votes between systems that change places; votes between own and other
            systems; pairs of replies), ``reason``.
    """

    def __init__(
        self,
        criterion: str,
        compared: Comparisons,
        model: StrengthModel,
        own: Mapping[str, Sequence[str]],
        options: SummaryOptions,
    ) -> None:
        self.criterion, self.compared, self.model = criterion, compared, model
        self.own, self.options = own, options
        self.voter = voters(compared, model)
        self.voters = (PEOPLE, *model.judges)
        columns, reasons = self._columns()
        self.rows = self._fitted(columns, reasons)
        self.rows += [self._both_orders(i) for i in range(1, len(self.voters))]
        self.rows.sort(key=lambda row: self.voters.index(row["judge"]))
        judged = [row for row in self.rows if row["judge"] != PEOPLE]
        for row, p in zip(judged, holm(np.array([row["p"] for row in judged])), strict=True):
            row["p_holm"] = float(p)

    def _columns(self) -> tuple[dict[tuple[int, str], Floats], dict[tuple[int, str], str]]:
        """What is estimated of each voter, as a covariate: float64 [n]; and why others are not."""
        columns: dict[tuple[int, str], Floats] = {}
        reasons: dict[tuple[int, str], str] = {}
        changing = self.compared.shown_both_ways()
        first = np.where(self.compared.turned, -1.0, 1.0)
        for i in range(len(self.voters)):
            own = self.voter == i
            if (changing & own).any():
                columns[i, FIRST_PLACE] = np.where(own, first, 0.0)
            else:
                reasons[i, FIRST_PLACE] = FIXED_SIDES
        for i, judge in enumerate(self.model.judges, start=1):
            if not (kind := self.own.get(judge, ())):
                continue
            mixed = self._of_kind(kind)
            if not mixed[self.voter == i].any():
                reasons[i, OWN_KIND] = UNSEEN_KIND
            elif not mixed[self.voter == 0].any():
                reasons[i, OWN_KIND] = UNKNOWN_KIND
            else:
                columns[i, OWN_KIND] = np.where(self.voter == i, mixed, 0.0)
        return columns, reasons

    def _of_kind(self, kind: Sequence[str]) -> Floats:
        """1 where a alone is of a kind, -1 where b alone is, else 0: float64 [n]."""
        member = np.isin(np.array(self.compared.systems), list(kind)).astype(np.float64)
        return member[self.compared.a] - member[self.compared.b]

    def _fitted(
        self, columns: Mapping[tuple[int, str], Floats], reasons: Mapping[tuple[int, str], str]
    ) -> list[dict[str, Any]]:
        """A row for each number of the model, and for each that could not be in it."""
        rows = [
            self._row(i, measure, np.full(3, np.nan), np.nan, 0, reason)
            for (i, measure), reason in reasons.items()
        ]
        if not columns:
            return rows
        fitted = self._fit(columns)
        clusters, covariance = covariance_over(self.compared, self.model, fitted)
        noun = cluster_noun(self.model, self.options)
        ends = parameter_intervals(fitted, covariance, clusters, noun=noun)
        start = fitted.model.of_covariates.start + self.compared.covariates.shape[1]
        changing = self.compared.shown_both_ways()
        for place, ((i, measure), column) in enumerate(columns.items(), start=start):
            value = fitted.parameters[place]
            error = np.sqrt(max(covariance[place, place], 0.0))
            known = ends.reason is None and error > NO_SPREAD
            p = two_sided_p(float(value / error), clusters - 1) if known else np.nan
            low, high = (
                (ends.low[place], ends.high[place]) if self.options.resamples else (np.nan,) * 2
            )
            shares = 1 / (1 + np.exp(-np.array([value, low, high])))
            number = int(np.sum((column != 0) & (changing | (measure == OWN_KIND))))
            rows.append(self._row(i, measure, shares, p, number, ends.reason))
        return rows

    def _fit(self, columns: Mapping[tuple[int, str], Floats]) -> Fit:
        """The model; without discriminations where two systems alone, or the votes, do not tell them."""
        compared = self.compared
        x = np.column_stack([compared.covariates, *columns.values()])
        if len(compared.systems) > 2:
            fitted = fit(self._contests(x, self.voter), self.model.ties, compared.systems)
            if fitted.reason is None:
                return fitted
        return fit(self._contests(x, None), self.model.ties, compared.systems)

    def _contests(self, x: Floats, voter: Indices | None) -> Contests:
        compared = self.compared
        return Contests(compared.a, compared.b, compared.winner, len(compared.systems), x, voter)

    def _both_orders(self, i: int) -> dict[str, Any]:
        """The share of pairs of replies, shown to a judge in both orders, with the same outcome."""
        same, group = _outcomes_of_both_orders(self.compared, self.voter == i)
        shares, reason = np.full(3, np.nan), ONE_ORDER
        if same.size:
            clusters, reason = Groups.of(group, same.size), None
            shares[0] = same.mean()
            if self.options.resamples:
                reason = too_few_groups(len(clusters), self.options.group_noun)
                if reason is None:
                    ends = wilson(float(shares[0]), interval_size(same, clusters))
                    shares[1:] = ends.low, ends.high
        return self._row(i, BOTH_ORDERS, shares, np.nan, same.size, reason)

    def _row(
        self, i: int, measure: str, shares: Floats, p: float, n: int, reason: str | None
    ) -> dict[str, Any]:
        value, low, high = map(float, shares)
        return {
            "criterion": self.criterion, "judge": self.voters[i], "measure": measure, "value": value,
            "low": low, "high": high, "p": float(p), "p_holm": np.nan, "n": n, "reason": reason,
        }  # fmt: skip


def _outcomes_of_both_orders(
    compared: Comparisons, own: NDArray[np.bool_]
) -> tuple[Floats, Indices]:
    """Of each pair of replies judged in both orders by one rater: 1 for the same outcome; its cluster.

    Of several votes in one order the first counts.
    """
    rows = np.flatnonzero(own)
    keys = np.stack([compared.item, compared.a, compared.b, compared.rater])[:, rows]
    pairs, pair = np.unique(keys, axis=1, return_inverse=True)
    votes = np.full((pairs.shape[1], 2), 2)
    for row, place in zip(rows[::-1], pair.ravel()[::-1], strict=True):
        votes[place, int(compared.turned[row])] = compared.winner[row]
    both = (votes != 2).all(axis=1)
    same = (votes[both, 0] == votes[both, 1]).astype(np.float64)
    return same, compared.group_of_item[pairs[0, both]]
