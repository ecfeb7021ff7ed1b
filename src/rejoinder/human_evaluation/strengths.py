"""Strengths of systems on one scale, from comparisons under one criterion, and what else is estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from rejoinder.errors import ParameterError
from rejoinder.human_evaluation.comparisons import Comparisons
from rejoinder.human_evaluation.rater_effects import RaterEffects, RaterRule
from rejoinder.human_evaluation.rater_exclusion import SummaryOptions
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.contest_likelihood import Contests
from rejoinder.statistics.conventions import check_choice
from rejoinder.statistics.head_to_head import Tally, tally
from rejoinder.statistics.holm import SIGNIFICANT, holm
from rejoinder.statistics.paired_comparisons import (
    Fit,
    ParameterIntervals,
    Ties,
    bootstrap_intervals,
    fit,
    p_of_differences,
    parameter_intervals,
)

NO_DISCRIMINATION = (
    "it cannot be separated from other effects on the judge's votes: more systems are needed"
)
"""Why a judge has no discrimination."""


@dataclass(frozen=True)
class StrengthModel:
    """How strengths are estimated.

    Args:
        ties: ``half``: a tie is half a win for either; ``davidson``: an outcome of its own.
        covariates: Differences of two replies that are taken out of the strengths.
        judges: Raters whose votes have a discrimination of their own; all others are people.
        rater_effects: ``random``: clusters are items and raters; ``fixed``: items alone; None: random where
            there are four raters or more, and no judges.
        bootstrap: Percentile bootstrap over items in place of the sandwich.
        ranks: The range of ranks of each system too.
    """

    ties: Ties = "half"
    covariates: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    rater_effects: RaterEffects | None = None
    bootstrap: bool = False
    ranks: bool = False

    def __post_init__(self) -> None:
        check_choice(get_args(Ties), ties=self.ties)
        others = {
            Argument("ties", "davidson"): self.ties != "half",
            Argument("covariates"): bool(self.covariates),
            Argument("judges"): bool(self.judges),
            Argument("rater_effects", "random"): self.rater_effects == "random",
            Argument("ranks", True): self.ranks,
        }
        named = [name for name, given in others.items() if given]
        if self.bootstrap and named:
            raise ParameterError(
                Argument("bootstrap", True),
                f" and {named[0]} do not go together: the bootstrap is of "
                "Bradley-Terry strengths over items alone; leave one of the two out",
            )

    def signature(self) -> str:
        """The rule in a signature, without that of raters: this one follows from their number too."""
        facts = [f"ties:{self.ties}", f"ci:{'bootstrap' if self.bootstrap else 'sandwich'}"]
        facts += [f"covariates:{','.join(self.covariates)}"] * bool(self.covariates)
        facts += [f"judges:{','.join(self.judges)}"] * bool(self.judges)
        return "|".join(facts)

    def rule(self, raters: Sequence[str]) -> RaterRule:
        """Whether intervals hold for other raters too; a judge is no sample of raters."""
        why = (
            "the bootstrap is over items"
            if self.bootstrap
            else "judges are named" * bool(self.judges)
        )
        return RaterRule.of(self.rater_effects, raters, "" if self.rater_effects else why)


def voters(compared: Comparisons, model: StrengthModel) -> Indices:
    """Who voted: 0 for people, 1, 2, ... for the judges of a model: int64 [n]."""
    place = {name: i for i, name in enumerate(model.judges, start=1)}
    return np.array([place.get(rater, 0) for rater in compared.raters])[compared.rater]


def covariance_over(compared: Comparisons, over_raters: bool, fitted: Fit) -> tuple[Groups, Floats]:
    """The clusters with the fewest degrees of freedom, and the covariance of all parameters over all.

    Args:
        compared: The comparisons.
        over_raters: Whether raters are clusters too.
        fitted: The fitted strengths.
    """
    groupings = [compared.group, *([compared.rater] if over_raters else [])]
    groups = [Groups.of(each, compared.a.size) for each in groupings]
    return min(groups, key=lambda each: each.freedom), fitted.covariance(*groupings)


class Strengths:
    """The strengths of one criterion as rows of tables.

    Args:
        criterion: Its name.
        compared: The comparisons.
        model: How strengths are estimated.
        options: Resamples, seed and clusters.
        over_raters: Whether clusters are items and raters, not items alone.
        columns: float64 [n, c], what else is estimated of judges' votes, as covariates; see
            `judge_votes.judge_columns`. Left out where the votes do not tell it.

    Attributes:
        fitted: The estimates.
        covariance: float64 [p, p], of its parameters over clusters.
        clusters: The grouping with the fewest degrees of freedom.
        ends: The intervals of its parameters.
        of_columns: The places of ``columns`` among the parameters; empty where they are left out.
        rows: ``criterion``, ``system``, ``strength``, ``low``, ``high``, ``wins``, ``ties``,
            ``losses``, ``reason``; with ``model.ranks`` also ``best_rank`` and ``worst_rank``.
        parameters: ``criterion``, ``parameter`` (``tie``, ``covariate``, ``discrimination``), ``name``,
            ``value``, ``low``, ``high``, ``reason``.

    Raises:
        InputError: A judge has no comparisons, or nobody else has.
    """

    def __init__(
        self,
        criterion: str,
        compared: Comparisons,
        model: StrengthModel,
        options: SummaryOptions,
        over_raters: bool,
        columns: Floats,
    ) -> None:
        self.criterion, self.compared, self.model = criterion, compared, model
        self.options = options
        self.cluster_noun = f"{options.group_noun} or raters" if over_raters else options.group_noun
        count = tally(compared.a, compared.b, compared.winner, len(compared.systems))
        self.parameters: list[dict[str, Any]] = []
        self.of_columns = range(0)
        self.fitted = fitted = self._fit(columns)
        self.clusters, self.covariance = covariance_over(compared, over_raters, fitted)
        self.ends = ends = self._intervals()
        self.rows = self._rows(fitted.strengths, ends.low, ends.high, ends.reason, count)
        if model.ranks:
            self._add_ranks(fitted, p_of_differences(fitted, self.covariance, self.clusters))
        self._add_parameters(fitted, ends)

    def _fit(self, columns: Floats) -> Fit:
        """The richest model that the votes tell: with columns and discriminations, if they are there.

        Of two systems alone a judge's own kind cannot be told from its discrimination: then columns are
        estimated without discriminations.
        """
        compared = self.compared
        who = voters(compared, self.model)
        nothing = np.zeros((compared.a.size, 0))
        fitted = None
        for more, judge in ((columns, who), (columns, None), (nothing, who)):
            x = np.column_stack([compared.covariates, more])
            contests = Contests(
                compared.a, compared.b, compared.winner, len(compared.systems), x, judge
            )
            fitted = fit(contests, self.model.ties, compared.systems)
            if fitted.reason is None or not columns.shape[1]:
                first = fitted.model.of_covariates.start + compared.covariates.shape[1]
                self.of_columns = range(first, first + more.shape[1])
                return fitted
        assert fitted is not None
        return fitted

    def _intervals(self) -> ParameterIntervals:
        fitted, clusters, options = self.fitted, self.clusters, self.options
        if not options.resamples:
            return ParameterIntervals.none(fitted, fitted.reason)
        if self.model.bootstrap:
            rng = np.random.default_rng(options.seed)
            return bootstrap_intervals(fitted, clusters, options.resamples, rng)
        return parameter_intervals(fitted, self.covariance, clusters, noun=self.cluster_noun)

    def _rows(
        self, values: Floats, low: Floats, high: Floats, reason: str | None, count: Tally
    ) -> list[dict[str, Any]]:
        return [
            {
                "criterion": self.criterion,
                "system": system,
                "strength": float(values[i]),
                "low": float(low[i]),
                "high": float(high[i]),
                "wins": int(count.wins[i].sum()),
                "ties": int(count.ties[i].sum()),
                "losses": int(count.wins[:, i].sum()),
                "reason": reason,
            }
            for i, system in enumerate(self.compared.systems)
        ]

    def _add_ranks(self, fitted: Fit, p: Floats) -> None:
        """The range of ranks of each system, from the tests of all pairs, Holm-corrected."""
        systems = len(self.rows)
        above, below = np.triu_indices(systems, 1)
        corrected = np.full((systems, systems), np.nan)
        corrected[above, below] = corrected[below, above] = holm(p[above, below])
        better = (corrected < SIGNIFICANT) & (fitted.strengths[:, None] > fitted.strengths)
        for i, row in enumerate(self.rows):
            known = fitted.reason is None and (np.isfinite(p[i]).sum() == systems - 1)
            row["best_rank"] = 1 + int(better[:, i].sum()) if known else None
            row["worst_rank"] = systems - int(better[i].sum()) if known else None

    def _add_parameters(self, fitted: Fit, ends: ParameterIntervals) -> None:
        """Nu on its own scale, the covariates and the discriminations."""
        likelihood = fitted.model
        named = [("covariate", name) for name in self.model.covariates]
        start = likelihood.of_covariates.start
        places = list(range(start, start + len(self.model.covariates)))
        if likelihood.ties:
            named.append(("tie", "nu"))
            places.append(likelihood.of_tie)
        if judges := range(likelihood.of_judges.start, likelihood.of_judges.stop):
            named += [("discrimination", name) for name in self.model.judges]
            places += judges
        for (parameter, name), place in zip(named, places, strict=True):
            values = [each[place] for each in (fitted.parameters, ends.low, ends.high)]
            value, low, high = map(float, np.exp(values) if parameter == "tie" else values)
            self.parameters.append(
                {"criterion": self.criterion, "parameter": parameter, "name": name, "value": value,
                 "low": low, "high": high, "reason": ends.reason}
            )  # fmt: skip
        if not judges:
            self.parameters += [
                {"criterion": self.criterion, "parameter": "discrimination", "name": name,
                 "value": np.nan, "low": np.nan, "high": np.nan, "reason": NO_DISCRIMINATION}
                for name in self.model.judges
            ]  # fmt: skip
