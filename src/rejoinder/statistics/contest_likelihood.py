"""The likelihood of contests between systems, with ties, covariates and judges.

A contest of systems a and b is won by a, won by b, or tied. With
``eta = discrimination * (strength_a - strength_b) + x . coefficients``,

    P(a) = e^(eta/2) / Z,   P(b) = e^(-eta/2) / Z,   P(tie) = nu / Z,   Z = the sum of the three

(Davidson 1970). Where a tie counts as half a win for either, nu is 0 and its score is the mean of those
of a win and a loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field

import numpy as np

from rejoinder.errors import InputError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.head_to_head import checked_outcomes

LARGEST = 100.0
"""Beyond this log odds the likelihood grows without end: there are no estimates."""

BLOCK = 1 << 15
"""How many contests are held as rows of all parameters at once."""


@dataclass(frozen=True, eq=False)
class Contests:
    """What was compared, and who won.

    Args:
        a: int64 [n], one system of each contest, from 0.
        b: The other (int64 [n]).
        winner: int64 [n], 1 where a won, -1 where b did, 0 for a tie.
        systems: How many systems there are.
        covariates: Differences of a and b (float64 [n, k]); None: none.
        judge: int64 [n], 0 for people, 1, 2, ... for judges with a discrimination of their own; None:
            all are people.

    Raises:
        InputError: See `head_to_head.tally`; or a covariate is not finite; or shapes do not agree; or
            there are no contests of people where judges are named.
    """

    a: Indices
    b: Indices
    winner: Indices
    systems: int
    covariates: Floats | None = None
    judge: Indices | None = None
    x: Floats = field(init=False)
    voter: Indices = field(init=False)

    def __post_init__(self) -> None:
        a, b, winner = checked_outcomes(self.a, self.b, self.winner, self.systems)
        n = a.size
        x = np.zeros((n, 0)) if self.covariates is None else np.asarray(self.covariates, np.float64)
        voter = np.zeros(n, np.int64) if self.judge is None else np.asarray(self.judge, np.int64)
        if x.ndim != 2 or len(x) != n or voter.shape != (n,):
            raise InputError(
                f"contests: {n} of them, covariates of shape {x.shape}, judges of shape "
                f"{voter.shape}; give one row of each for each contest"
            )
        if not np.isfinite(x).all():
            row = int(np.flatnonzero(~np.isfinite(x).all(axis=1))[0])
            raise InputError(f"contests: a covariate in row {row} is not finite; give numbers")
        if voter.size and (voter.min() < 0 or not (voter == 0).any()):
            raise InputError(
                "contests: no contest is judged by people (judge 0), by whom the discrimination of "
                "judges is measured; name fewer judges"
            )
        for name, value in (("a", a), ("b", b), ("winner", winner), ("x", x), ("voter", voter)):
            object.__setattr__(self, name, value)

    @property
    def judges(self) -> int:
        """How many judges have a discrimination of their own."""
        return int(self.voter.max()) if self.voter.size else 0


class ContestLikelihood:
    """Log-likelihood, scores and information. Without covariates, contests that are alike count once.

    Args:
        contests: What was compared.
        ties: Whether a tie is an outcome of its own.

    Attributes:
        size: The number of parameters, p.
        of_covariates, of_tie, of_judges: Their places.
    """

    def __init__(self, contests: Contests, ties: bool) -> None:
        self.contests, self.ties = contests, ties
        systems, covariates = contests.systems, contests.x.shape[1]
        self.of_covariates = slice(systems, systems + covariates)
        self.of_tie = systems + covariates
        first = self.of_tie + ties
        self.of_judges = slice(first, first + contests.judges)
        self.size = first + contests.judges
        self._kinds, self._kind, self._weights = self._distinct()

    def resampled(self, contests: Indices) -> ContestLikelihood:
        """The likelihood of drawn contests, int64 [m], each as often as it was drawn."""
        other = copy(self)
        other._weights = np.bincount(self._kind[contests], minlength=self._kinds.size).astype(float)
        return other

    def points(self) -> Floats:
        """Wins of the row over the column, ties as half: float64 [systems, systems]."""
        points, each = np.zeros((self.contests.systems,) * 2), self.contests
        a, b, winner = (of[self._kinds] for of in (each.a, each.b, each.winner))
        np.add.at(points, (a, b), self._weights * (1 + winner) / 2)
        np.add.at(points, (b, a), self._weights * (1 - winner) / 2)
        return points

    def value(self, parameters: Floats) -> float:
        """The log-likelihood; -inf where log odds are beyond all bounds."""
        total = 0.0
        for rows, weight in self._blocks():
            eta = self._log_odds(parameters, rows)[0]
            if np.abs(eta).max() > LARGEST:
                return -np.inf
            winner = self.contests.winner[rows]
            each = winner * eta / 2 - self._chances(parameters, eta)[0]
            if self.ties:
                each = each + (winner == 0) * parameters[self.of_tie]
            total += float(weight @ each)
        return total

    def slope(self, parameters: Floats, observed: bool) -> tuple[Floats, Floats]:
        """The gradient, float64 [p], and the information, float64 [p, p].

        Args:
            parameters: Where.
            observed: Add what comes from a judge's log odds being a product: the observed
                information. Without it no step leads downhill.
        """
        gradient = np.zeros(self.size)
        information = np.zeros((self.size, self.size))
        for rows, weight in self._blocks():
            jacobian, residual, eta = self._scores(parameters, rows)
            _, lead, tie = self._chances(parameters, eta)
            spread = weight * (1 - tie - lead**2) / 4
            gradient += (weight * residual[:, 0]) @ jacobian
            information += (jacobian * spread[:, None]).T @ jacobian
            if self.ties:
                gradient[self.of_tie] += weight @ residual[:, 1]
                cross = -(weight * lead * tie / 2) @ jacobian
                information[self.of_tie] += cross
                information[:, self.of_tie] += cross
                information[self.of_tie, self.of_tie] += weight @ (tie * (1 - tie))
            if observed:
                self._add_curvature(information, rows, weight * residual[:, 0])
        systems = self.contests.systems
        information[:systems, :systems] += 1 / systems  # strengths have mean 0
        return gradient, information

    def outer(self, parameters: Floats, labels: Indices) -> Floats:
        """``(G - 1) / G sum_c s_c s_c' / (1 - h_c)^2``: float64 [p, p].

        s_c is the sum of the scores of cluster c, and h_c its share of the contests: one step of the
        jackknife over clusters. Where these have one size, ``G / (G - 1) sum_c s_c s_c'``.
        """
        groups = Groups.of(labels, labels.size)
        left = np.maximum(1 - groups.size / labels.size, 1 / labels.size)  # 0 of one cluster alone
        total = np.zeros((self.size, self.size))
        begin = 0
        while begin < len(groups):
            start = int(groups.first[begin])
            end = max(begin + 1, int(np.searchsorted(groups.first, start + BLOCK)))
            stop = int(groups.first[end - 1] + groups.size[end - 1])
            jacobian, residual, _ = self._scores(parameters, groups.order[start:stop])
            scores = jacobian * residual[:, :1]
            if self.ties:
                scores[:, self.of_tie] = residual[:, 1]
            sums = np.add.reduceat(scores, groups.first[begin:end] - start, axis=0)
            sums /= left[begin:end, None]
            total += sums.T @ sums
            begin = end
        return total * (len(groups) - 1) / len(groups)

    def _distinct(self) -> tuple[Indices, Indices, Floats]:
        """One contest of each kind, the kind of each, and how many there are.

        With covariates each is a kind.
        """
        each = self.contests
        if each.x.shape[1]:
            return np.arange(each.a.size), np.arange(each.a.size), np.ones(each.a.size)
        key = (each.a * each.systems + each.b) * 3 + each.winner + 1
        key = key * (each.judges + 1) + each.voter
        _, once, kind, count = np.unique(key, True, True, True)
        return once, kind, count.astype(np.float64)

    def _blocks(self) -> Iterator[tuple[Indices, Floats]]:
        for begin in range(0, self._kinds.size, BLOCK):
            end = begin + BLOCK
            yield self._kinds[begin:end], self._weights[begin:end]

    def _log_odds(self, parameters: Floats, rows: Indices) -> tuple[Floats, Floats, Floats]:
        """Eta; the difference of strengths; the discrimination of who voted: float64 [b] each."""
        each = self.contests
        difference = parameters[each.a[rows]] - parameters[each.b[rows]]
        discrimination = np.append(1.0, parameters[self.of_judges])[each.voter[rows]]
        eta = discrimination * difference + each.x[rows] @ parameters[self.of_covariates]
        return eta, difference, discrimination

    def _chances(self, parameters: Floats, eta: Floats) -> tuple[Floats, Floats, Floats]:
        """Log Z, P(a) - P(b), and P(tie): float64 [b] each."""
        tie = parameters[self.of_tie] if self.ties else -np.inf
        top = np.maximum(np.abs(eta) / 2, tie)
        won, lost, even = np.exp(eta / 2 - top), np.exp(-eta / 2 - top), np.exp(tie - top)
        z = won + lost + even
        return top + np.log(z), (won - lost) / z, even / z

    def _scores(self, parameters: Floats, rows: Indices) -> tuple[Floats, Floats, Floats]:
        """Derivatives of eta, [b, p]; of the log-likelihood by eta and by log nu, [b, 2]; and eta."""
        each = self.contests
        eta, difference, discrimination = self._log_odds(parameters, rows)
        _, lead, tie = self._chances(parameters, eta)
        jacobian = np.zeros((rows.size, self.size))
        row = np.arange(rows.size)
        jacobian[row, each.a[rows]] = discrimination
        jacobian[row, each.b[rows]] = -discrimination
        jacobian[:, self.of_covariates] = each.x[rows]
        judged = np.flatnonzero(each.voter[rows])
        jacobian[judged, self.of_judges.start + each.voter[rows][judged] - 1] = difference[judged]
        winner = each.winner[rows]
        return jacobian, np.stack([(winner - lead) / 2, (winner == 0) - tie], axis=1), eta

    def _add_curvature(self, information: Floats, rows: Indices, slope: Floats) -> None:
        each = self.contests
        judged = np.flatnonzero(each.voter[rows])
        column = self.of_judges.start + each.voter[rows][judged] - 1
        for system, sign in ((each.a, -1.0), (each.b, 1.0)):
            place = system[rows][judged]
            np.add.at(information, (place, column), sign * slope[judged])
            np.add.at(information, (column, place), sign * slope[judged])
