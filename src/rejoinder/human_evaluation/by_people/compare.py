"""Systems compared by people's ratings alone: pairs, intervals, ranks, and which one is best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.document.best_system import best_sentence, standings
from rejoinder.document.numbers import decimals
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.human_evaluation.by_people.estimates import (
    MANY,
    beyond_t,
    mean_difference,
    ranks_of_pairs,
    row_of,
    unpaired_difference,
    unseen_failures,
)
from rejoinder.human_evaluation.by_people.families import Correction, Families, check_correction
from rejoinder.human_evaluation.by_people.rater_notes import is_adjusted, rater_notes
from rejoinder.human_evaluation.by_people.replies import RatedReplies
from rejoinder.human_evaluation.grades import Scale, check_scale, grade_notes
from rejoinder.human_evaluation.rater_effects import RaterEffects, effects_fact
from rejoinder.human_evaluation.summary import each_criterion, judgements_hash
from rejoinder.messages import among, pair_name
from rejoinder.progress import steps
from rejoinder.result import Basis, PlottedResult, with_basis
from rejoinder.statistics.confidence_sequence import TUNED_FOR, at_any_time
from rejoinder.statistics.conventions import NOISE
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.intervals import large_group
from rejoinder.statistics.prediction_powered import CorrectedMean
from rejoinder.tables.checks.arguments import strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.item_clusters import (
    ItemClusters,
    cluster_columns,
    cluster_note,
    item_clusters,
)
from rejoinder.tables.pair_ratings import over_pairs
from rejoinder.tables.schemas import PROBABILITY
from rejoinder.tables.selection import criterion_notes, pairs_of, without_systems
from rejoinder.tables.types import Ratings

PAIRS = {
    "criterion": pl.String, "a": pl.String, "b": pl.String, "kind": pl.String,
    "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64, "p": pl.Float64,
    "p_holm": pl.Float64, "wins": pl.Int64, "ties": pl.Int64, "losses": pl.Int64,
    "rated": pl.Int64, "reason": pl.String,
}  # fmt: skip
"""The table of pairs."""

RANKS = {
    "criterion": pl.String, "system": pl.String, "mean": pl.Float64, "difference": pl.Float64,
    "best_rank": pl.Int64, "worst_rank": pl.Int64, "group": pl.Int64, "letters": pl.String,
}  # fmt: skip
"""The table of ranks."""

VERDICTS = {"criterion": pl.String, "sentence": pl.String}
"""The table of verdicts."""


@dataclass(frozen=True, eq=False, repr=False)
class RatingComparison(PlottedResult):
    """Pairs of systems by people's ratings, criterion by criterion.

    Attributes:
        verdicts: ``criterion`` and ``sentence``: which system is best by people, or which are
            tied at the top. None of a criterion of which several pairs are compared, and not all.
        pairs: A row for each criterion and pair: ``criterion``, ``a``, ``b``; ``kind`` (``paired`` over the
            items on which both are rated, ``unpaired`` where there is none); ``difference`` of the mean
            ratings (a - b), its 95% interval ``low``, ``high``, ``p`` (two-sided, Student's t) and ``p_holm``
            (corrected over the pairs of a criterion); ``wins``, ``ties``, ``losses`` of a by the mean
            ratings of single items; ``rated`` (items on which both are rated); ``reason``.
        ranks: A row for each criterion and system, best first: ``criterion``, ``system``, ``mean`` (of its
            replies' mean ratings), ``difference`` (the mean of its differences from the others),
            ``best_rank``, ``worst_rank``, ``group``, ``letters``; see ``Scores.ranks``. Empty where not all
            pairs are compared.
        notes: What was left out, for whom intervals hold, and what the numbers do not tell.
        signature: Everything that the numbers follow from.
        anytime: Whether intervals and p hold however often they are looked at while ratings come in.
        correction: ``holm``, or ``max``: then ``pairs`` has ``p_max`` too, by which verdicts and ranks go.
    """

    verdicts: pl.DataFrame
    pairs: pl.DataFrame
    ranks: pl.DataFrame
    notes: tuple[str, ...]
    signature: str
    anytime: bool = False
    correction: Correction = "holm"
    _basis: Basis | None = field(default=None, repr=False, compare=False)

    @property
    def p_column(self) -> str:
        """The column of the p-values that say which pairs differ."""
        return f"p_{self.correction}"

    def document(self, view: View = AS_USUAL) -> Document:
        """Of each criterion which system is best, and every pair of systems."""
        from rejoinder.human_evaluation.by_people.tables import comparison

        tables = self.verdicts, self.pairs, self.ranks
        return comparison(*tables, self.p_column, self.anytime, self.notes, view)

    def as_json(self, ranks: bool = False) -> dict[str, Any]:
        """The object that ``rejoinder compare --ratings --json`` prints without scores."""
        return self.json_of("verdicts", "pairs", *(["ranks"] * ranks), "signature", "notes")


@with_basis("ratings")
def compare_by_people(
    ratings: Frame | Ratings,
    a: str | None = None,
    b: str | None = None,
    *,
    criterion: str | None = None,
    without: Sequence[str] = (),
    scale: Scale | None = None,
    cluster: str | None = None,
    anytime: bool = False,
    correction: Correction = "holm",
    rater_effects: RaterEffects | None = None,
    seed: int = 12345,
) -> RatingComparison:
    """Compares systems by people's ratings alone, criterion by criterion.

    The difference of two systems is that of their mean ratings on the items on which both are rated, with
    the interval that ``compare_with_people`` gives people's differences (`corrected_mean` without
    predictions). Systems that share no item have an unpaired difference.

    Args:
        ratings: The table of ``read_ratings``. A column ``probability`` says with which probability an
            item was drawn for rating.
        a: A system; None compares every pair.
        b: Another system; None compares ``a`` with every other system.
        criterion: One criterion of the ratings; None takes all, each by itself, that have two systems.
        without: Systems to leave out.
        scale: The worst and the best grade that could be given, beyond which no interval reaches; None:
            the worst and the best given, which bound no interval.
        cluster: A column of ``ratings`` whose equal values are not independent; as for
            ``rejoinder.ratings``.
        anytime: Intervals and p-values that hold at every look, from 20 rated items (or clusters) on.
        correction: ``holm``, or ``max``: by the maximum over pairs.
        rater_effects: ``random``: raters are a sample of all raters; ``fixed``: they are the only ones. None:
            random where there are four raters or more with names.
        seed: Random seed of the correction by the maximum.

    Raises:
        InputError: The table breaks its rules, or a rating is off the scale.
        ParameterError: A parameter is unknown, or there are fewer than two systems.

    >>> rows = [(f"c{i}", s, "ann", "overall", float(i % 3 + (s == "ours"))) for i in range(12)
    ...         for s in ("ours", "theirs")]
    >>> columns = ["id", "system", "rater", "criterion", "score"]
    >>> compared = compare_by_people(pl.DataFrame(rows, schema=columns, orient="row"), scale=(-9, 9))
    >>> compared.pairs.select("difference", "wins", "ties", "rated").row(0)
    (1.0, 12, 0, 12)
    """
    check_draws(0, seed)
    check_correction(correction, anytime)
    without = strings(without, "without", "systems")
    given = taken(Ratings, ratings, keep=cluster_columns(cluster))
    clusters, faults = item_clusters(given.frame, cluster, "ratings")
    table = given.of_criterion(criterion).table(probability=True)
    faults = [*criterion_notes(table, criterion), *faults]
    table, alone = _with_pairs(without_systems(table, without))
    faults += alone
    if scale is not None:
        check_scale(table, scale)
    asked = ComparisonOptions(a, b, clusters, scale, anytime, correction, rater_effects, seed)
    parts, notes = each_criterion(table, lambda name, own: ByPeople(name, own, asked), None)
    facts = [
        "people",
        f"criterion:{'+'.join(part.name for part in parts)}",
        *([f"without:{'+'.join(without)}"] if without else []),
        *([f"cluster:{clusters.column}"] if clusters else []),
        *(["weights:probability"] if PROBABILITY in table.columns else []),
        *([f"anytime:{TUNED_FOR}"] if anytime else []),
        *([f"correction:{correction}"] if correction != "holm" else []),
        effects_fact(part.replies.rule for part in parts),
        f"seed:{seed}",
        f"hash:{judgements_hash(table)}",
        f"version:{__version__}",
    ]
    verdicts = [(part.name, part.verdict) for part in parts if part.verdict]
    return RatingComparison(
        pl.DataFrame(verdicts, schema=VERDICTS, orient="row"),
        pl.concat([part.pairs for part in parts]),
        pl.concat([part.ranks for part in parts]),
        (*faults, *notes),
        "|".join(facts),
        anytime,
        correction,
    )


def _with_pairs(table: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The ratings of those criteria that have two systems or more, and a note on each other one.

    All ratings where every criterion has one system alone: then there is nothing to compare.
    """
    systems = table.group_by("criterion", maintain_order=True).agg(pl.col("system").unique())
    alone = {name: raters[0] for name, raters in systems.iter_rows() if len(raters) == 1}
    if len(alone) == systems.height:
        return table, []
    notes = [
        f"criterion '{name}' is left out: it has ratings of one system alone, '{system}'"
        for name, system in alone.items()
    ]
    return table.filter(~pl.col("criterion").is_in(list(alone))), notes


@dataclass(frozen=True)
class ComparisonOptions:
    """What is asked of a comparison by people; the attributes are arguments of `compare_by_people`."""

    a: str | None = None
    b: str | None = None
    clusters: ItemClusters | None = None
    scale: Scale | None = None
    anytime: bool = False
    correction: Correction = "holm"
    rater_effects: RaterEffects | None = None
    seed: int = 12345


class ByPeople:
    """The systems under one criterion.

    Args:
        name: The criterion.
        table: ``schemas.RATINGS`` of it, and ``probability`` where there is one.
        asked: What is asked.
    """

    def __init__(self, name: str, table: pl.DataFrame, asked: ComparisonOptions) -> None:
        self.name, self.asked = name, asked
        self.replies = RatedReplies.of_table(
            table, asked.clusters, asked.scale, asked.rater_effects
        )
        self.places = pairs_of(self.replies.systems, asked.a, asked.b)
        self.notes = over_pairs(table)[1] + rater_notes(self.replies, self.places)
        self.notes += grade_notes(table.get_column("score").to_numpy(), asked.scale)
        if asked.clusters:
            rated = np.isfinite(self.replies.ratings)
            group = np.broadcast_to(self.replies.group, rated.shape)[rated]
            self.notes.append(cluster_note(group, asked.clusters.column))
            sizes = np.bincount(self.replies.group[rated.any(axis=0)])
            self.notes += large_group(sizes, "rated items")
        self.pairs = self._pairs()
        self.ranks = self._ranks()

    @property
    def p(self) -> str:
        """The column of the p-values that say which pairs differ."""
        return f"p_{self.asked.correction}"

    @property
    def verdict(self) -> str:
        """Which system is best, in a sentence; empty where several pairs are compared, and not all."""
        if self.ranks.is_empty():
            return ""
        tests = self.pairs.select("a", "b", "difference", self.p).iter_rows()
        values = self.ranks.select("system", "mean").iter_rows()
        words = ()
        if any(is_adjusted(self.replies, *pair) for pair in self.places):
            words = "without the severity of raters, on the items that both have", "by all ratings"
        return best_sentence(standings(values, tests), "people", decimals(2), *words)

    def _pairs(self) -> pl.DataFrame:
        replies, anytime = self.replies, self.asked.anytime
        families = Families(replies, self.asked.correction, self.asked.seed)
        rows: list[dict[str, Any]] = []
        means: list[tuple[str, CorrectedMean]] = []
        for a, b in steps(self.places, len(self.places)):
            names = {"a": replies.systems[a], "b": replies.systems[b]}
            mean = mean_difference(replies, a, b)
            kind = "paired" if mean.labelled else "unpaired"
            if kind == "unpaired":
                mean = unpaired_difference(replies, a, b)
            mean = at_any_time(mean) if anytime else mean
            means.append((pair_name(**names), mean))
            row = names | {"criterion": self.name, "kind": kind, "rated": mean.labelled}
            facts = mean, replies.groups_are, anytime, replies.widest
            rows.append(row | _won(replies, a, b) | row_of(*facts))
            families.add(replies.rated_items(a, b), mean)
        known = [each for each in means if each[1].labelled]
        self.notes += beyond_t(replies, known, anytime)
        self.notes += unseen_failures(
            replies, min((mean.groups for _, mean in known), default=MANY)
        )
        self.notes += _unpaired(rows)
        return families.corrected(pl.DataFrame(rows, schema=PAIRS, orient="row"), "criterion")

    def _ranks(self) -> pl.DataFrame:
        """The ranks of the systems that are compared; none where not all of their pairs are."""
        compared = sorted({place for pair in self.places for place in pair})
        if len(self.places) < len(compared) * (len(compared) - 1) // 2:
            return pl.DataFrame(schema=RANKS)
        names = [self.replies.systems[place] for place in compared]
        columns = ranks_of_pairs(names, self.pairs, self.p)
        means = dict(zip(self.replies.systems, self.replies.means, strict=True))
        columns |= {"criterion": [self.name] * len(names)}
        columns |= {"mean": [means[name] for name in columns["system"]]}
        return pl.DataFrame(columns, schema_overrides=RANKS).select(*RANKS)


def _won(replies: RatedReplies, a: int, b: int) -> dict[str, int | None]:
    """How many items a won, tied and lost; None where the two share none."""
    apart = replies.labels_of(a, b)
    apart = apart[np.isfinite(apart)]
    if not apart.size:
        return dict.fromkeys(("wins", "ties", "losses"))
    wins, losses = int((apart > NOISE).sum()), int((apart < -NOISE).sum())
    return {"wins": wins, "ties": apart.size - wins - losses, "losses": losses}


def _unpaired(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A note on pairs that share no item."""
    unpaired = [pair_name(row["a"], row["b"]) for row in rows if row["kind"] == "unpaired"]
    if not unpaired:
        return []
    return [
        f"{among(unpaired, len(rows))}: rated on no common item, so that the difference is unpaired, "
        "and the items of one may be harder or easier"
    ]
