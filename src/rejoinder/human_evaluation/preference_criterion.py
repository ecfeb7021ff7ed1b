"""Head-to-head judgements under one criterion: pairs, strengths, and the raters' agreement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rejoinder.human_evaluation.comparisons import Comparisons
from rejoinder.human_evaluation.judge_votes import JudgeVotes, judge_columns
from rejoinder.human_evaluation.rater_exclusion import (
    KEPT,
    SummaryOptions,
    dropped_raters,
    verdict_notes,
)
from rejoinder.human_evaluation.strengths import StrengthModel, Strengths
from rejoinder.human_evaluation.summary import (
    agreement_rows,
    alpha_notes,
    constant_note,
    verdict_on,
)
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted, listed, p_value
from rejoinder.statistics.clusters import Groups, effective_size, of_freedom
from rejoinder.statistics.conventions import too_few_groups
from rejoinder.statistics.head_to_head import sign_test
from rejoinder.statistics.holm import SIGNIFICANT, holm
from rejoinder.statistics.intervals import Interval, few_groups
from rejoinder.statistics.proportions import share_interval
from rejoinder.tables.item_clusters import NONE


class PreferenceCriterion:
    """One criterion: its raters' agreement, the raters that count, pairs of systems and strengths.

    Args:
        name: The criterion.
        table: ``schemas.PREFERENCES``, checked.
        options: The parameters.
        model: How strengths are estimated.
        own: By judge the systems of its own kind.
    """

    def __init__(
        self,
        name: str,
        table: pl.DataFrame,
        options: SummaryOptions,
        model: StrengthModel,
        families: Mapping[str, Sequence[str]],
    ) -> None:
        self.name, self.options = name, options
        self.all = Comparisons(table, options)
        self.judgements = self.all.judgements(options.least)
        self.notes = self._repeated_note()
        self.raters = self._raters()
        self.notes += verdict_notes(self.raters, options, "judgement", "comparisons")
        self._note_leaning()
        self.notes += constant_note(
            self.raters, "comparisons", "one answer throughout (side a, side b, or a tie)"
        )
        self._note_sides()
        if options.resamples:
            self.notes += few_groups(len(self.all.groups), options.group_noun)
            self.notes += self._cluster_note()
        self.agreement = agreement_rows(name, "all", self.judgements, options)
        self.notes += alpha_notes(self.agreement, len(self.all.groups), options.group_noun)
        dropped = dropped_raters(self.raters, "preferences", name, options)
        self.selected, usable = self.all, self.judgements
        if dropped:
            self.selected = Comparisons(table.filter(~pl.col("rater").is_in(dropped)), options)
            usable = self.selected.judgements(options.least)
        if options.drop:
            self.agreement += agreement_rows(name, KEPT, usable, options)
        self.pairs = self._pairs()
        model = self._judged_by_both(model)
        estimated = judge_columns(self.selected, model, families)
        columns = estimated.matrix(self.selected.a.size)
        self.rule = model.rule(self.selected.raters)
        if options.resamples:
            self.notes.append(f"strengths: {self.rule.note}")
        strengths = Strengths(name, self.selected, model, options, self.rule.random, columns)
        self.strengths, self.parameters = strengths.rows, strengths.parameters
        self.judges = JudgeVotes(strengths, estimated).rows if model.judges else []

    def _judged_by_both(self, model: StrengthModel) -> StrengthModel:
        """The model with the judges who voted under this criterion, where people did too."""
        present = tuple(judge for judge in model.judges if judge in self.selected.raters)
        if absent := [judge for judge in model.judges if judge not in present]:
            self.notes.append(f"no votes of {listed(absent)} under '{self.name}'")
        if present and set(self.selected.raters) <= set(present):
            self.notes.append(
                f"all votes under '{self.name}' are of judges: strengths are theirs, and without people's "
                "votes nothing is said of the judges"
            )
            present = ()
        return replace(model, judges=present)

    def counts(self) -> dict[str, Any]:
        """How many of everything, before the filter."""
        return {
            "criterion": self.name,
            "items": len(self.all.items),
            "systems": len(self.all.systems),
            "pairs": len(self.all.pairs()),
            "raters": len(self.all.raters),
            "comparisons": self.all.winner.size,
            "ties": int((self.all.winner == 0).sum()),
            "missing": int(np.isnan(self.judgements.matrix).sum()),
            "clusters": len(self.all.groups),
        }

    def _pairs(self) -> list[dict[str, Any]]:
        """Every pair of systems that was compared: rates, their intervals, and the sign test."""
        rows = [self._pair(int(a), int(b)) for a, b in self.selected.pairs()]
        for row, p in zip(rows, holm(np.array([row["p"] for row in rows])), strict=True):
            row["p_holm"] = float(p)
        return rows

    def _pair(self, a: int, b: int) -> dict[str, Any]:
        compared = self.selected
        rows = (compared.a == a) & (compared.b == b)
        winner, item, group = compared.winner[rows], compared.item[rows], compared.group[rows]
        votes = np.bincount(item, winner)[np.unique(item)]
        won, lost = int((votes > 0).sum()), int((votes < 0).sum())
        row: dict[str, Any] = {
            "criterion": self.name,
            "a": compared.systems[a],
            "b": compared.systems[b],
            "wins": int((winner > 0).sum()),
            "ties": int((winner == 0).sum()),
            "losses": int((winner < 0).sum()),
            "comparisons": winner.size,
            "items": votes.size,
            "items_won": won,
            "items_tied": votes.size - won - lost,
            "items_lost": lost,
            "p": compared.sign_test(rows, compared.winner),
            "clusters": np.unique(group).size,
            "reason": None if won + lost else "no item is decided: there is nothing to test",
        }
        shares = {
            "win_rate": winner > 0,
            "tie_rate": winner == 0,
            "loss_rate": winner < 0,
            "points": (1 + winner) / 2,
        }
        for name, each in shares.items():
            values = each.astype(np.float64)
            share = float(values.mean())
            interval = self._share_interval(values, group)
            row |= {name: share, f"{name}_low": interval.low, f"{name}_high": interval.high}
            row["reason"] = row["reason"] or interval.reason
        return row

    def _share_interval(self, values: Floats, group: Indices) -> Interval:
        """Wilson's interval for as many judgements as these are worth, grouped by item or cluster."""
        clusters = Groups.of(group, values.size)
        if not self.options.clusters:
            return share_interval(values, clusters, effective_size(values, clusters))
        if reason := too_few_groups(len(clusters), "clusters"):
            return Interval.none(reason)
        return share_interval(
            values, clusters, effective_size(values, clusters) * of_freedom(clusters)
        )

    def _raters(self) -> list[dict[str, Any]]:
        compared, changing = self.all, self.all.shown_both_ways()
        rows = []
        for i, rater in enumerate(compared.raters):
            of_rater = compared.rater == i
            shown = compared.shown[of_rater]
            row = {
                "criterion": self.name,
                "rater": rater,
                "comparisons": shown.size,
                "first": int((shown > 0).sum()),
                "second": int((shown < 0).sum()),
                "ties": int((shown == 0).sum()),
                "side_p": _side_p(compared.shown[changing & of_rater]),
            }
            constant = bool((shown == shown[0]).all())
            rows.append(row | verdict_on(self.judgements, i, constant, self.options))
        return rows

    def _repeated_note(self) -> list[str]:
        repeated = int(self.all.repeated().sum())
        note = (
            f"{counted(repeated, 'judgement')} by a rater who judged the same two replies in the "
            "other order before: counted for the systems, left out of agreement"
        )
        return [note] if repeated else []

    def _cluster_note(self) -> list[str]:
        clusters = self.options.clusters
        if clusters is None:
            return []
        compared = self.all
        return [
            f"{counted(compared.winner.size, 'comparison')} of {counted(len(compared.items), 'item')} in "
            f"{counted(len(compared.groups), 'cluster')} of '{clusters.column}'; "
            f"{Argument('cluster', NONE)} takes every item as independent"
        ]

    def _note_leaning(self) -> None:
        """Which raters prefer a side, corrected over the raters."""
        corrected = holm(np.array([row["side_p"] for row in self.raters]))
        for row, p in zip(self.raters, corrected, strict=True):
            if p < SIGNIFICANT:
                side = "first" if row["first"] > row["second"] else "second"
                self.notes.append(
                    f"'{row['rater']}' leans to the side named {side} whichever system it is: "
                    f"{row['first']} times the first, {row['second']} times the second (sign test, "
                    f"p {p_value(p)}, Holm-corrected over raters)"
                )

    def _note_sides(self) -> None:
        """Whether the side matters, where systems change sides."""
        changing = self.all.shown_both_ways()
        if not changing.any():
            return
        shown = self.all.shown[changing]
        first, second = int((shown > 0).sum()), int((shown < 0).sum())
        p = self.all.sign_test(changing, self.all.shown)
        if p < SIGNIFICANT:
            side = "a" if first > second else "b"
            self.notes.append(
                f"side {side} is preferred whichever system it is: {first} times a, {second} times b "
                f"(sign test over items, p {p_value(p)}); if a was shown first, the order matters"
            )


def _side_p(shown: Indices) -> float:
    """One rater's sign test of the side: 1 for the first, -1 for the second, 0 for a tie.

    Over comparisons, not items: a rater who leans to no side, and is shown sides drawn anew for each
    pair, prefers either as a coin falls, however alike the replies to an item are.
    """
    return sign_test(int((shown > 0).sum()), int((shown < 0).sum())) if shown.size else math.nan
