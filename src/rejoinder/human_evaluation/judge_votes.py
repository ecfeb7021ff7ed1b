"""What a judge's votes favour beside the better reply: the first place, and systems of its own kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rejoinder.human_evaluation.comparisons import Comparisons
from rejoinder.human_evaluation.strengths import StrengthModel, Strengths, voters
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups, interval_size
from rejoinder.statistics.conventions import NO_SPREAD, too_few_groups
from rejoinder.statistics.holm import holm
from rejoinder.statistics.proportions import wilson
from rejoinder.statistics.student import two_sided_p

FIRST_PLACE, OWN_KIND, BOTH_ORDERS = "first place", "own kind", "both orders"

PEOPLE = "people"
"""All raters who are no judges, taken together."""

FIXED_SIDES = "no two systems change places: place and system cannot be separated"
UNKNOWN_KIND = "people did not compare a system of this kind with another one"
UNSEEN_KIND = "the judge did not compare a system of this kind with another one"
NOT_TOLD_APART = "the votes do not separate it from the strengths of the systems"
ONE_ORDER = "no two replies were judged in both orders"


class JudgeColumns(NamedTuple):
    """What is estimated of judges' votes beside strengths.

    Args:
        columns: By voter (0 for people, 1, 2, ... for judges) and measure, the covariate: float64 [n].
        reasons: By voter and measure, why it is not estimated.
    """

    columns: dict[tuple[int, str], Floats]
    reasons: dict[tuple[int, str], str]

    def matrix(self, n: int) -> Floats:
        """The covariates of n votes: float64 [n, c]."""
        return np.column_stack([np.zeros((n, 0)), *self.columns.values()])


def judge_columns(
    compared: Comparisons, model: StrengthModel, families: Mapping[str, Sequence[str]]
) -> JudgeColumns:
    """The first place in the votes of people and of each judge, and each judge's own kind.

    Args:
        compared: The comparisons, ``a`` as it was shown first.
        model: How strengths are estimated; without judges there are no columns.
        families: By judge the systems of its own kind.
    """
    columns: dict[tuple[int, str], Floats] = {}
    reasons: dict[tuple[int, str], str] = {}
    voter, changing = voters(compared, model), compared.shown_both_ways()
    first = np.where(compared.turned, -1.0, 1.0)
    for i in range(len(model.judges) + 1 if model.judges else 0):
        if (changing & (voter == i)).any():
            columns[i, FIRST_PLACE] = np.where(voter == i, first, 0.0)
        else:
            reasons[i, FIRST_PLACE] = FIXED_SIDES
    for i, judge in enumerate(model.judges, start=1):
        if not (kind := families.get(judge, ())):
            continue
        mixed = _kind_signs(compared, kind)
        if not mixed[voter == i].any():
            reasons[i, OWN_KIND] = UNSEEN_KIND
        elif not mixed[voter == 0].any():
            reasons[i, OWN_KIND] = UNKNOWN_KIND
        else:
            columns[i, OWN_KIND] = np.where(voter == i, mixed, 0.0)
    return JudgeColumns(columns, reasons)


def _kind_signs(compared: Comparisons, kind: Sequence[str]) -> Floats:
    """1 where a alone is of a kind, -1 where b alone is, else 0: float64 [n]."""
    member = np.isin(np.array(compared.systems), list(kind)).astype(np.float64)
    return member[compared.a] - member[compared.b]


class JudgeVotes:
    """How the votes of judges are moved by place and kind, under one criterion.

    One model of all votes holds the strengths of systems, each judge's discrimination, the covariates,
    and, in log odds, what the first place adds to a reply in the votes of people and in those of each
    judge, and what a judge adds to systems of its own kind beyond what people's votes say. With ``b``
    such a number, a share is ``1 / (1 + e^-b)``: how often the favoured reply wins against an equal one,
    of the votes that are no tie (with ``ties="half"``: a tie is half a win). One half is no preference.

    Args:
        strengths: The model, fitted with these columns.
        estimated: What is estimated of judges.

    Attributes:
        rows: ``criterion``, ``judge`` (or `PEOPLE`), ``measure`` (`FIRST_PLACE`; `OWN_KIND`;
            `BOTH_ORDERS`: the share of pairs of replies, judged in both orders, with one and the same
            outcome), ``value``, ``low``, ``high`` (95%; the sandwich, mapped to shares; Wilson's for
            both orders), ``p`` (Wald, against one half; NaN for both orders), ``p_holm`` (over the
            judges' rows), ``n`` (votes between systems that change places; votes between own and other
            systems; pairs of replies), ``reason``.
    """

    def __init__(self, strengths: Strengths, estimated: JudgeColumns) -> None:
        self.strengths, self.estimated = strengths, estimated
        self.compared, self.options = strengths.compared, strengths.options
        self.voters = (PEOPLE, *strengths.model.judges)
        self.voter = voters(self.compared, strengths.model)
        self.rows = self._fitted()
        self.rows += [self._both_orders(i) for i in range(1, len(self.voters))]
        self.rows.sort(key=lambda row: self.voters.index(row["judge"]))
        judged = [row for row in self.rows if row["judge"] != PEOPLE]
        for row, p in zip(judged, holm(np.array([row["p"] for row in judged])), strict=True):
            row["p_holm"] = float(p)

    def _fitted(self) -> list[dict[str, Any]]:
        """A row for each number of the model, and for each that could not be in it."""
        columns, reasons = self.estimated
        of_columns, fitted = self.strengths.of_columns, self.strengths.fitted
        if len(of_columns) != len(columns):
            reasons = reasons | dict.fromkeys(columns, fitted.reason or NOT_TOLD_APART)
            columns = {}
        none = np.full(3, np.nan)
        rows = [
            self._row(i, measure, none, np.nan, 0, reason)
            for (i, measure), reason in reasons.items()
        ]
        changing = self.compared.shown_both_ways()
        for place, ((i, measure), column) in zip(of_columns, columns.items(), strict=False):
            number = int(np.sum((column != 0) & (changing | (measure == OWN_KIND))))
            rows.append(self._row(i, measure, *self._estimate(place), number, self._reason()))
        return rows

    def _estimate(self, place: int) -> tuple[Floats, float]:
        """A parameter as a share with the ends of its interval, and its p against one half."""
        strengths = self.strengths
        value = float(strengths.fitted.parameters[place])
        error = float(np.sqrt(max(strengths.covariance[place, place], 0.0)))
        p = np.nan
        if self._reason() is None and error > NO_SPREAD:
            p = two_sided_p(value / error, strengths.clusters.freedom)
        ends = np.array([value, strengths.ends.low[place], strengths.ends.high[place]])
        return 1 / (1 + np.exp(-ends)), p

    def _reason(self) -> str | None:
        return self.strengths.ends.reason

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
            "criterion": self.strengths.criterion, "judge": self.voters[i], "measure": measure,
            "value": value, "low": low, "high": high, "p": float(p), "p_holm": np.nan, "n": n,
            "reason": reason,
        }  # fmt: skip


def _outcomes_of_both_orders(
    compared: Comparisons, of_judge: NDArray[np.bool_]
) -> tuple[Floats, Indices]:
    """Of each pair of replies judged in both orders by one rater: 1 for the same outcome; its cluster.

    Of several votes in one order the first counts.
    """
    rows = np.flatnonzero(of_judge)
    keys = np.stack([compared.item, compared.a, compared.b, compared.rater])[:, rows]
    pairs, pair = np.unique(keys, axis=1, return_inverse=True)
    votes = np.full((pairs.shape[1], 2), 2)
    for row, place in zip(rows[::-1], pair.ravel()[::-1], strict=True):
        votes[place, int(compared.turned[row])] = compared.winner[row]
    both = (votes != 2).all(axis=1)
    same = (votes[both, 0] == votes[both, 1]).astype(np.float64)
    return same, compared.group_of_item[pairs[0, both]]
