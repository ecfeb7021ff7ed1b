"""Head-to-head judgements under one criterion: pairs, strengths, and the raters' agreement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import InputError
from rejoinder.human_evaluation.rater_exclusion import DROPPED, Wish, nobody_left, verdict_notes
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import counted, listed
from rejoinder.statistics.alpha import alpha_interval, krippendorff_alpha, reason_no_alpha
from rejoinder.statistics.bradley_terry import Strengths, bradley_terry_intervals
from rejoinder.statistics.head_to_head import Tally, sign_test, tally
from rejoinder.statistics.holm import SIGNIFICANT, holm
from rejoinder.statistics.intervals import Interval, few_groups
from rejoinder.statistics.kappa import (
    AgainstOthers,
    mean_kappa,
    pooled_kappa,
    reason_unjudged,
)
from rejoinder.statistics.proportions import effective_size, wilson

KINDS = ("nominal", "ordinal")
SHARED = "pairs of replies"
"""What raters share, in words."""


class Contests:
    """The comparisons under one criterion.

    Systems stand in the order of their first appearance, and a pair in that of its two systems,
    whichever of them was shown first.

    Args:
        name: The criterion.
        table: ``schemas.PREFERENCES``, checked.
        wish: What is to be done.
    """

    def __init__(self, name: str, table: pl.DataFrame, wish: Wish) -> None:
        self.name, self.table, self.wish = name, table, wish
        self.notes: list[str] = []
        shown = table.select(pl.concat_list("a", "b").explode().alias("system"))
        self.systems = shown.get_column("system").unique(maintain_order=True).to_list()
        self.judges, self.rater = _coded(table.get_column("rater"))
        self.items, self.item = _coded(table.get_column("id"))
        place = {system: i for i, system in enumerate(self.systems)}
        a, b = (
            table.get_column(side).replace_strict(place, return_dtype=pl.Int64).to_numpy()
            for side in ("a", "b")
        )
        said = {"a": 1, "b": -1, "tie": 0}
        self.shown = (
            table.get_column("winner").replace_strict(said, return_dtype=pl.Int64).to_numpy()
        )
        self.turned = a > b
        self.a, self.b = np.minimum(a, b), np.maximum(a, b)
        self.winner = np.where(self.turned, -self.shown, self.shown)
        self.matrix, self.item_of_unit = self._matrix()
        self.against = _halved(pooled_kappa(_mirrored(self.matrix)))
        self.both = self._shown_both_ways()
        self.raters = self._raters()
        self._note_sides()
        if wish.resamples:
            self.notes += few_groups(len(self.items), "items")

    def kept(self) -> Contests:
        """The comparisons without those of raters who are dropped.

        Raises:
            InputError: Nobody is left.
        """
        dropped = [row["rater"] for row in self.raters if row["verdict"] == DROPPED]
        if not dropped:
            return self
        if len(dropped) == len(self.judges):
            raise InputError(nobody_left("preferences", len(dropped), self.name, self.wish))
        return Contests(self.name, self.table.filter(~pl.col("rater").is_in(dropped)), self.wish)

    def counts(self) -> dict[str, Any]:
        """How many of everything."""
        return {
            "criterion": self.name,
            "items": len(self.items),
            "systems": len(self.systems),
            "pairs": len(self._met()),
            "raters": len(self.judges),
            "comparisons": self.winner.size,
            "ties": int((self.winner == 0).sum()),
            "missing": int(np.isnan(self.matrix).sum()),
        }

    def pairs(self) -> list[dict[str, Any]]:
        """Every pair of systems that met: rates, their intervals, and the sign test."""
        rows = [self._pair(int(a), int(b)) for a, b in self._met()]
        for row, p in zip(rows, holm(np.array([row["p"] for row in rows])), strict=True):
            row["p_holm"] = float(p)
        return rows

    def _met(self) -> Indices:
        return np.unique(np.stack([self.a, self.b]), axis=1).T

    def _pair(self, a: int, b: int) -> dict[str, Any]:
        own = (self.a == a) & (self.b == b)
        winner, item = self.winner[own], self.item[own]
        votes = np.bincount(item, winner)[np.unique(item)]
        won, lost = int((votes > 0).sum()), int((votes < 0).sum())
        row: dict[str, Any] = {
            "criterion": self.name,
            "a": self.systems[a],
            "b": self.systems[b],
            "wins": int((winner > 0).sum()),
            "ties": int((winner == 0).sum()),
            "losses": int((winner < 0).sum()),
            "comparisons": winner.size,
            "items": votes.size,
            "items_won": won,
            "items_tied": votes.size - won - lost,
            "items_lost": lost,
            "p": sign_test(won, lost),
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
            interval = wilson(share, effective_size(values, item))
            row |= {name: share, f"{name}_low": interval.low, f"{name}_high": interval.high}
        return row

    def strengths(self) -> list[dict[str, Any]]:
        """Every system's Bradley-Terry strength."""
        told = self._bradley_terry()
        count = tally(self.a, self.b, self.winner, len(self.systems))
        return [
            {
                "criterion": self.name,
                "system": system,
                "strength": float(told.values[i]),
                "low": float(told.low[i]),
                "high": float(told.high[i]),
                **_record(count, i),
                "reason": told.reason,
            }
            for i, system in enumerate(self.systems)
        ]

    def _bradley_terry(self) -> Strengths:
        told = bradley_terry_intervals(
            self.a,
            self.b,
            self.winner,
            len(self.systems),
            self.item,
            max(1, self.wish.resamples),
            np.random.default_rng(self.wish.seed),
            names=self.systems,
        )
        none = np.full(len(self.systems), np.nan)
        if not self.wish.resamples and np.isfinite(told.values).all():
            return Strengths(told.values, none, none, 0, None)
        return told

    def agreement(self, which: str) -> list[dict[str, Any]]:
        """Alpha and the mean kappa, of the raters called ``which``."""
        n = int(((~np.isnan(self.matrix)).sum(axis=1) > 1).sum())
        reason = self._no_alpha()
        mirrored = _mirrored(self.matrix)
        rows = []
        for kind in KINDS:
            alpha, interval = math.nan, Interval.none(reason)
            if not reason:
                alpha = krippendorff_alpha(mirrored, kind)
                interval = self._alpha_interval(mirrored, kind)
            rows.append(self._measured(which, f"alpha {kind}", alpha, interval, n))
        mean = mean_kappa(self.against, self.wish.least, SHARED)
        none = Interval.none(mean.reason)
        return [*rows, self._measured(which, "kappa", mean.value, none, mean.judged)]

    def _measured(
        self, which: str, measure: str, value: float, interval: Interval, n: int
    ) -> dict[str, Any]:
        return {
            "criterion": self.name,
            "raters": which,
            "measure": measure,
            "value": value,
            "low": interval.low,
            "high": interval.high,
            "n": n,
            "reason": interval.reason,
        }

    def _no_alpha(self) -> str | None:
        # Of the judgements themselves: mirrored, a single one would be two that vary.
        reason = reason_no_alpha(self.matrix)
        if reason and reason.startswith("no variation"):
            return reason if np.nanmax(np.abs(self.matrix)) == 0 else None
        return reason

    def _alpha_interval(self, mirrored: Floats, kind: str) -> Interval:
        if not self.wish.resamples:
            return Interval.none()
        return alpha_interval(mirrored, kind, np.tile(self.item_of_unit, 2))

    def _raters(self) -> list[dict[str, Any]]:
        rows = []
        for i, rater in enumerate(self.judges):
            own = self.shown[self.rater == i]
            sides = self.shown[self.both & (self.rater == i)]
            reason = self._unjudged(i)
            rows.append(
                {
                    "criterion": self.name,
                    "rater": rater,
                    "comparisons": own.size,
                    "first": int((own > 0).sum()),
                    "second": int((own < 0).sum()),
                    "ties": int((own == 0).sum()),
                    "side_p": _side_p(sides),
                    "kappa": float(self.against.kappa[i]),
                    "shared": int(self.against.shared[i]),
                    "constant": bool((own == own[0]).all()),
                    "verdict": self.wish.verdict(float(self.against.kappa[i]), reason),
                    "reason": reason,
                }
            )
        self.notes += verdict_notes(rows, self.wish, "judgement")
        self._note_leaning(rows)
        constant = [row["rater"] for row in rows if row["constant"] and row["comparisons"] > 1]
        if constant:
            self.notes.append(
                f"{counted(len(constant), 'rater')} with one answer throughout (side a, side b, or a "
                f"tie): {listed(constant)}"
            )
        return rows

    def _unjudged(self, rater: int) -> str | None:
        return reason_unjudged(self.against, rater, self.wish.least, SHARED)

    def _matrix(self) -> tuple[Floats, Indices]:
        """Outcomes by pair of replies and rater, float64 [units, raters]; the item of each unit."""
        keys = np.stack([self.item, self.a, self.b], axis=1)
        units, unit = np.unique(keys, axis=0, return_inverse=True)
        unit = unit.reshape(-1)
        matrix = np.full((len(units), len(self.judges)), np.nan)
        again = 0
        for row, column, outcome in zip(unit, self.rater, self.winner, strict=True):
            if np.isnan(matrix[row, column]):
                matrix[row, column] = outcome
            else:
                again += 1
        if again:
            self.notes.append(
                f"{counted(again, 'judgement')} by a rater who judged the same two replies in the "
                "other order before: counted for the systems, left out of agreement"
            )
        return matrix, units[:, 0]

    def _shown_both_ways(self) -> NDArray[np.bool_]:
        """Which comparisons are of two systems that change sides: bool [n].

        Where one of two systems always stands first, its side cannot be told from its quality.
        """
        pair = self.a * len(self.systems) + self.b
        return np.isin(pair, np.intersect1d(pair[self.turned], pair[~self.turned]))

    def _note_leaning(self, rows: Sequence[dict[str, Any]]) -> None:
        """Who prefers a side, corrected over the raters."""
        corrected = holm(np.array([row["side_p"] for row in rows]))
        for row, p in zip(rows, corrected, strict=True):
            if p < SIGNIFICANT:
                side = "first" if row["first"] > row["second"] else "second"
                self.notes.append(
                    f"'{row['rater']}' leans to the side named {side} whichever system it is: "
                    f"{row['first']} times the first, {row['second']} times the second (sign test, "
                    f"p {p:.2g}, Holm-corrected over raters)"
                )

    def _note_sides(self) -> None:
        """Whether the side matters, where systems change sides."""
        if not self.both.any():
            return
        shown = self.shown[self.both]
        first, second = int((shown > 0).sum()), int((shown < 0).sum())
        by_item = np.bincount(self.item[self.both], shown)
        p = sign_test(int((by_item > 0).sum()), int((by_item < 0).sum()))
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


def _mirrored(matrix: Floats) -> Floats:
    """Every unit twice, seen from either side: float64 [units, raters] to [2 units, raters].

    Which system of a pair is called the first is arbitrary, and with it how often "the first" wins;
    chance agreement must not depend on it. To a judge who does not know the systems, both sides are
    alike: so are, mirrored, their shares.
    """
    return np.concatenate([matrix, -matrix])


def _halved(against: AgainstOthers) -> AgainstOthers:
    return AgainstOthers(against.kappa, against.shared // 2)


def _coded(names: pl.Series) -> tuple[Sequence[str], Indices]:
    """The names in the order of their first appearance, and the place of each: int64 [n]."""
    distinct = names.unique(maintain_order=True).to_list()
    place = {name: i for i, name in enumerate(distinct)}
    return distinct, names.replace_strict(place, return_dtype=pl.Int64).to_numpy()
