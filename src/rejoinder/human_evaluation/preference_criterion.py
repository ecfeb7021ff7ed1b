"""Head-to-head judgements under one criterion: pairs, strengths, and the raters' agreement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.human_evaluation.rater_exclusion import (
    KEPT,
    SummaryOptions,
    dropped_raters,
    verdict_notes,
)
from rejoinder.human_evaluation.summary import agreement_rows, constant_note, verdict_on
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted
from rejoinder.statistics.agreement import Judgements
from rejoinder.statistics.bradley_terry import Strengths, bradley_terry_intervals
from rejoinder.statistics.clusters import Groups, effective_size, interval_size
from rejoinder.statistics.conventions import too_few_groups
from rejoinder.statistics.head_to_head import Tally, flip_test, sign_test, tally
from rejoinder.statistics.holm import SIGNIFICANT, holm
from rejoinder.statistics.intervals import Interval, few_groups
from rejoinder.statistics.proportions import wilson
from rejoinder.tables.item_clusters import NONE

SHARED = "pairs of replies"
"""What raters share, in words."""


class Comparisons:
    """Comparisons of two replies as arrays.

    Systems are numbered in the order of their first appearance, and a pair is in the order of its two
    systems, whichever of them was shown first.

    Args:
        table: ``schemas.PREFERENCES``, checked, of one criterion.

    Attributes:
        systems, raters, items: The names.
        a, b: int64 [n], the two systems of each comparison, a < b.
        rater, item: int64 [n].
        group: int64 [n], the item's cluster; the item itself where every item is independent.
        winner: int64 [n], 1 where a won, -1 where b did, 0 for a tie.
        shown: int64 [n], the same for the system shown as a, and that shown as b.
        turned: bool [n], whether b was shown as a.
    """

    def __init__(self, table: pl.DataFrame, options: SummaryOptions) -> None:
        systems = table.select(pl.concat_list("a", "b").explode().alias("system"))
        self.systems, system = _coded(systems.get_column("system"))
        self.raters, self.rater = _coded(table.get_column("rater"))
        self.items, self.item = _coded(table.get_column("id"))
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

    def sign_test(self, own: NDArray[np.bool_], outcomes: Indices) -> float:
        """The sign test over items: which side more of an item's judges prefer.

        Items of one cluster change their signs together (`flip_test`).

        Args:
            own: bool [n], the comparisons to test.
            outcomes: int64 [n], 1 for one side, -1 for the other, 0 for a tie.
        """
        signs = np.sign(np.bincount(self.item[own], outcomes[own], len(self.items)))
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


class PreferenceCriterion:
    """One criterion: its raters' agreement, the raters that count, pairs of systems and strengths.

    Args:
        name: The criterion.
        table: ``schemas.PREFERENCES``, checked.
        options: The parameters.
    """

    def __init__(self, name: str, table: pl.DataFrame, options: SummaryOptions) -> None:
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
        dropped = dropped_raters(self.raters, "preferences", name, options)
        self.selected, usable = self.all, self.judgements
        if dropped:
            self.selected = Comparisons(table.filter(~pl.col("rater").is_in(dropped)), options)
            usable = self.selected.judgements(options.least)
        if options.drop:
            self.agreement += agreement_rows(name, KEPT, usable, options)
        self.pairs = self._pairs()
        self.strengths = self._strengths()

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
        own = (compared.a == a) & (compared.b == b)
        winner, item, group = compared.winner[own], compared.item[own], compared.group[own]
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
            "p": compared.sign_test(own, compared.winner),
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
        share = float(values.mean())
        if not self.options.clusters:
            return wilson(share, effective_size(values, group))
        clusters = Groups.of(group, values.size)
        if reason := too_few_groups(len(clusters), "clusters"):
            return Interval.none(reason)
        return wilson(share, interval_size(values, clusters))

    def _strengths(self) -> list[dict[str, Any]]:
        """Every system's Bradley-Terry strength."""
        compared, strengths = self.selected, self._bradley_terry()
        count = tally(compared.a, compared.b, compared.winner, len(compared.systems))
        return [
            {
                "criterion": self.name,
                "system": system,
                "strength": float(strengths.values[i]),
                "low": float(strengths.low[i]),
                "high": float(strengths.high[i]),
                **_record(count, i),
                "reason": strengths.reason,
            }
            for i, system in enumerate(compared.systems)
        ]

    def _bradley_terry(self) -> Strengths:
        compared = self.selected
        strengths = bradley_terry_intervals(
            compared.a,
            compared.b,
            compared.winner,
            len(compared.systems),
            compared.group,
            max(1, self.options.resamples),
            np.random.default_rng(self.options.seed),
            names=compared.systems,
        )
        if not self.options.resamples and np.isfinite(strengths.values).all():
            none = np.full(len(compared.systems), np.nan)
            return Strengths(strengths.values, none, none, 0, None)
        return strengths

    def _raters(self) -> list[dict[str, Any]]:
        compared, changing = self.all, self.all.shown_both_ways()
        rows = []
        for i, rater in enumerate(compared.raters):
            of_rater = compared.rater == i
            own = compared.shown[of_rater]
            row = {
                "criterion": self.name,
                "rater": rater,
                "comparisons": own.size,
                "first": int((own > 0).sum()),
                "second": int((own < 0).sum()),
                "ties": int((own == 0).sum()),
                "side_p": _side_p(compared.shown[changing & of_rater]),
            }
            constant = bool((own == own[0]).all())
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
            f"{counted(len(compared.groups), 'cluster')} of '{clusters.column}'; '--cluster {NONE}' "
            f"(cluster='{NONE}') takes every item as independent"
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
                    f"p {p:.2g}, Holm-corrected over raters)"
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
                f"(sign test over items, p {p:.2g}); if a was shown first, the order matters"
            )


def _side_p(shown: Indices) -> float:
    """One rater's sign test of the side: 1 for the first, -1 for the second, 0 for a tie.

    Over comparisons, not items: a rater who leans to no side, and is shown sides drawn anew for each
    pair, prefers either as a coin falls, however alike the replies to an item are.
    """
    return sign_test(int((shown > 0).sum()), int((shown < 0).sum())) if shown.size else math.nan


def _record(count: Tally, system: int) -> dict[str, int]:
    return {
        "wins": int(count.wins[system].sum()),
        "ties": int(count.ties[system].sum()),
        "losses": int(count.wins[:, system].sum()),
    }


def _coded(names: pl.Series) -> tuple[Sequence[str], Indices]:
    """The names in the order of their first appearance, and the place of each: int64 [n]."""
    distinct = names.unique(maintain_order=True).to_list()
    place = {name: i for i, name in enumerate(distinct)}
    return distinct, names.replace_strict(place, return_dtype=pl.Int64).to_numpy()
