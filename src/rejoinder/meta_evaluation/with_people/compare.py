"""Which system is better by people, by a judge, and by the judge corrected by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.human_evaluation.by_people.families import Correction, check_correction
from rejoinder.human_evaluation.by_people.rater_notes import rater_notes
from rejoinder.human_evaluation.grades import Scale
from rejoinder.human_evaluation.rater_effects import RaterEffects
from rejoinder.messages import Argument, among, pair_name
from rejoinder.meta_evaluation.matching import match, other_criterion_notes
from rejoinder.meta_evaluation.with_people.estimates import (
    CORRECTED,
    RANKS,
    errors,
    estimates,
    system_ranks,
)
from rejoinder.meta_evaluation.with_people.refusals import check_not_fitted, selection_notes
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.metrics.base import Metric
from rejoinder.progress import share
from rejoinder.result import Basis, PlottedResult, with_basis
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.combined_predictions import FOLDS
from rejoinder.statistics.confidence_sequence import FIRST_LOOK, TUNED_FOR
from rejoinder.statistics.conventions import check_choice
from rejoinder.statistics.draws import check_draws
from rejoinder.statistics.prediction_powered import FEWEST_LABELLED
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.item_clusters import cluster_note
from rejoinder.tables.selection import pairs_of
from rejoinder.tables.types import Ratings

Population = Literal["new", "these"]
"""Which items intervals are of: all items like these, or these alone."""

LARGE_PART = 1 / 3
"""From this share of rated items on, a note says what intervals for these items alone would be."""


@dataclass(frozen=True, eq=False, repr=False)
class PeopleComparison(PlottedResult):
    """Pairs of systems by people, by each judge, and by the judges corrected by people.

    Attributes:
        pairs: A row for each pair and each estimate: ``a``, ``b``; ``by``: ``people`` (the rated items
            alone), the name of a judge (its scores alone, in its own unit), or ``corrected``;
            ``difference`` (a - b), its 95% interval ``low``, ``high``, ``p`` (two-sided, Student's t)
            and ``p_holm`` (corrected over the pairs of an estimate); ``rated`` (items that both are
            rated on), ``items`` (that both have scores of); ``weight`` (lambda, the share of the
            judge's correction that is used) and ``saved`` (the share of labels that the judge saves;
            0: none), of ``corrected`` alone; ``reason``.
        errors: A row for each pair and each judge on the scale of the ratings: ``a``, ``b``, ``judge``;
            ``error``, the judge's difference less people's on the same rated items,
            with ``low``, ``high``, ``p``, ``p_holm`` (over the pairs of a judge), ``rated``,
            ``reason``. Where it is above 0 the judge favours a, below 0 b.
        ranks: A row for each system under ``people`` and ``corrected``, best first: ``by``,
            ``system``, ``difference`` (the mean of its differences from the others), ``best_rank``,
            ``worst_rank``, ``group``, ``letters``; see ``Scores.ranks``. Empty where not all pairs are
            compared.
        notes: What was left out, and what the numbers do not tell.
        signature: Everything that the numbers follow from.
        signatures: By judge the signature of its scores.
        judges: The names of the judges.
        cluster: The column of the clusters; empty where every item is independent.
        anytime: Whether the intervals and p of ``people``, ``corrected`` and ``errors`` hold however
            often they are looked at while ratings come in.
        metrics: The metrics of the judges, by name.
        correction: ``holm``, or ``max``: then ``pairs`` and ``errors`` have ``p_max`` too, corrected by
            the maximum over pairs (see `max_over_pairs`), by which ranks go.
        population: ``new``, or ``these`` where the intervals are of these items alone.
        warned: Whether ratings do not follow a judge in a line, so that corrected intervals may be too
            narrow.
    """

    pairs: pl.DataFrame
    errors: pl.DataFrame
    ranks: pl.DataFrame
    notes: tuple[str, ...]
    signature: str
    signatures: dict[str, str]
    judges: tuple[str, ...]
    cluster: str
    anytime: bool = False
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    correction: Correction = "holm"
    population: Population = "new"
    warned: bool = False
    _basis: Basis | None = field(default=None, repr=False, compare=False)

    @property
    def p_column(self) -> str:
        """The column of the p-values that say which pairs differ."""
        return f"p_{self.correction}"

    def document(self, view: View = AS_USUAL) -> Document:
        """Every pair of systems by people, by each judge and corrected, and the judges' errors."""
        from rejoinder.meta_evaluation.with_people.people_tables import comparison

        tables = self.pairs, self.errors, self.ranks
        return comparison(*tables, self.metrics, self.p_column, self.anytime, self.notes, view)

    def as_json(self, ranks: bool = False) -> dict[str, Any]:
        """The object that ``rejoinder compare --ratings --json`` prints, with ``--ranks`` or without."""
        tables = ["pairs", "errors", *(["ranks"] if ranks else [])]
        return self.json_of(*tables, "signature", "signatures", "notes")


@with_basis("scores", "ratings")
def compare_with_people(
    scores: Scores | Frame,
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
    population: Population = "new",
    rater_effects: RaterEffects | None = None,
    seed: int = 12345,
) -> PeopleComparison:
    """Compares systems by ratings of some items and by scores of all: prediction-powered inference.

    People's ratings of a few items are right and imprecise; the scores of a judge (a language model, a
    metric) of all items are precise and may favour a system. The corrected difference is that of the
    ratings, moved by as much as the judge says that the rated items differ from the others; see
    `prediction_powered.corrected_mean`. A judge that is biased, or useless, makes it no worse, as long
    as the rated items were drawn without a look at their scores. Several judges are combined first,
    across folds of clusters; see `combined_predictions`.

    With random rater effects intervals hold for other raters too, and not only for other items, unless one
    rater gives more than two thirds of a system's ratings: then they hold for these raters, as with fixed
    effects, and where different people rate the two systems there is none (`rater_variance.scope`).

    Args:
        scores: The scores of ``rejoinder.score``, ``rejoinder.load_scores`` or
            ``Scores.from_segments``: each metric is a judge. The score of a corpus metric is here the
            mean of its scores of single replies.
        ratings: The ratings of some of these replies: the table of ``read_ratings``. A column
            ``probability`` says with which probability the item was drawn for rating.
        a: A system; None compares every pair.
        b: Another system; None compares ``a`` with every other system.
        criterion: Which criterion of the ratings; required if there are several.
        without: Systems to leave out, people for instance.
        scale: The worst and the best grade that could be given, beyond which no interval of people's
            reaches; None: the worst and the best given, which bound no interval. A judge is on the same
            scale if its scores are: then its error is tested. Where differences vary little beside the
            scale, intervals allow for failures that no rated item shows.
        cluster: A column of the contexts whose equal values are not independent; see
            ``rejoinder.score``.
        anytime: Intervals and p-values of people, of the corrected differences and of the judges' errors
            that hold at every look, so that one may stop as soon as one leaves out 0; see
            `confidence_sequence.at_any_time`. From 20 rated items (or clusters) on, and 1.6 to 1.9
            times as wide. A judge alone has all its scores, and keeps its interval.
        correction: ``holm``; ``max``: by the maximum over pairs, which takes into account that pairs
            share systems and items, and is less strict.
        population: ``these``: intervals and p-values are of these items alone, a finite population of which
            people rated a part (see `prediction_powered.corrected_mean`, ``fixed``); ``new``: of all items
            like these.
        rater_effects: ``random``: raters are a sample of all raters; ``fixed``: they are the only ones. None:
            random where there are four raters or more with names. A note says which, and why.
        seed: Random seed of the folds, of the test of how items were chosen, and of the correction.

    Raises:
        InputError: No pair has 10 rated items (or clusters); the rated items differ from the others in
            their scores (p at most 0.001 by permutation) and no ``probability`` is given; a judge was
            made from these ratings; or the ratings do not fit the scores.
        ParameterError: A parameter is unknown, or fewer than two systems are rated.

    >>> rng = np.random.default_rng(0)
    >>> quality = {"a": rng.normal(size=200) + 0.5, "b": rng.normal(size=200)}
    >>> ids = [str(i) for i in range(200)]
    >>> marks = [pl.DataFrame({"system": s, "id": ids, "judge": q + 0.5 * rng.normal(size=200)})
    ...          for s, q in quality.items()]
    >>> people = [pl.DataFrame({"system": s, "id": ids[:40], "rater": "r", "criterion": "overall",
    ...                         "score": q[:40]}) for s, q in quality.items()]
    >>> scores = Scores.from_segments(pl.concat(marks))
    >>> result = compare_with_people(scores, pl.concat(people))
    >>> result.pairs["by"].to_list(), result.pairs["rated"].to_list()
    (['people', 'judge', 'corrected'], [40, 40, 40])
    """
    scores = scores_of(scores, Scores, "rejoinder.compare_with_people(scores, ratings)")
    check_draws(0, seed)
    check_correction(correction, anytime)
    check_choice(get_args(Population), population=population)
    if anytime and population == "these":
        raise ParameterError(
            Argument("anytime", True),
            f" and {Argument('population', 'these')} do not go together: "
            "intervals that hold at every look are of new items; leave one of the two out",
        )
    scores.need_items()
    if cluster is not None:
        scores = scores.clustered(cluster)
    given = taken(Ratings, ratings).of_criterion(criterion, one=True)
    table = given.table(probability=True)
    rated, notes, name = match(scores, given, criterion, "mean", without, seed, scale)
    if len(rated.systems) < 2:
        raise ParameterError(
            f"ratings: of the scored systems, {one_of(rated.systems)} alone is rated; a comparison needs "
            "two"
        )
    replies = RepliesWithRatings.of(scores, rated, table, scale, rater_effects)
    signatures = {label: each.signature for label, each in scores.measured.items()}
    check_not_fitted(replies, signatures, table)
    pairs = _wanted(scores, replies, a, b)
    _check_enough(replies, pairs)
    more = [cluster_note(rated.group, scores.cluster)] if scores.cluster else []
    more += other_criterion_notes(replies.labels, name)
    more += selection_notes(replies, seed)
    more += rater_notes(replies, pairs)
    of_rows = seed, anytime, correction, population == "these"
    with share(0, 0.5):
        rows, of_intervals, warned = estimates(replies, pairs, *of_rows)
    with share(0.5, 1):
        judge_errors, about = errors(replies, pairs, table, scale, *of_rows)
    facts = [
        "ppi",
        f"criterion:{name}",
        f"judges:{'+'.join(replies.labels)}",
        *([f"without:{'+'.join(without)}"] if without else []),
        *([f"cluster:{scores.cluster}"] if scores.cluster else []),
        *(["weights:probability"] if replies.probabilities is not None else []),
        *([f"anytime:{TUNED_FOR}"] if anytime else []),
        *([f"correction:{correction}"] if correction != "holm" else []),
        *([f"population:{population}"] if population != "new" else []),
        f"rater_effects:{'random' if replies.rule.random else 'fixed'}",
        *([f"folds:{FOLDS}"] if len(replies.labels) > 1 else []),
        f"seed:{seed}",
        f"version:{__version__}",
    ]
    every = len(pairs) == len(replies.systems) * (len(replies.systems) - 1) // 2
    return PeopleComparison(
        rows,
        judge_errors,
        system_ranks(replies.systems, rows, f"p_{correction}")
        if every
        else pl.DataFrame(schema=RANKS),
        (
            *more,
            *_anytime_notes(replies, anytime),
            *of_intervals,
            *about,
            *_reasons(rows, population == "new" and not anytime),
            *notes,
        ),
        "|".join(facts),
        signatures,
        replies.labels,
        scores.cluster,
        anytime,
        {label: scores.measured[label].metric for label in replies.labels},
        correction,
        population,
        warned,
    )


def _wanted(
    scores: Scores, replies: RepliesWithRatings, a: str | None, b: str | None
) -> list[tuple[int, int]]:
    """The pairs of rated systems, by their places among these."""
    for name in (a, b):
        if name is not None and scores.place(name) >= 0 and name not in replies.systems:
            raise ParameterError(
                f"system '{name}' has no rating; choose {one_of(replies.systems)}, or have its replies rated"
            )
    return pairs_of(replies.systems, a, b)


def _check_enough(replies: RepliesWithRatings, pairs: Sequence[tuple[int, int]]) -> None:
    """Raises an InputError where no pair has enough rated clusters."""
    numbers = [np.unique(replies.group[replies.rated[a] & replies.rated[b]]).size for a, b in pairs]
    if max(numbers) < FEWEST_LABELLED:
        a, b = pairs[int(np.argmax(numbers))]
        of = f"{max(numbers)} {replies.groups_are}"
        raise InputError(
            f"ratings: at most {of} are rated for both systems of a pair ('{replies.systems[a]}' and "
            f"'{replies.systems[b]}'); expected {FEWEST_LABELLED} or more: fewer do not tell how far the "
            "judge errs; have more rated"
        )


def _anytime_notes(replies: RepliesWithRatings, anytime: bool) -> list[str]:
    """Assumptions of anytime-valid intervals."""
    if not anytime:
        return []
    return [
        f"intervals that hold at every look assume that {replies.groups_are} are rated in random order (or "
        f"drawn with recorded probabilities); they begin at {FIRST_LOOK} rated {replies.groups_are}, rest "
        "on an estimated variance, and err in more than 5 of 100 studies where differences are strongly "
        "skewed and have no known ends (in 6 for a lognormal distribution, in 9 where a system fails badly "
        "in 1 of 10 or 20 replies)"
    ]


def _reasons(rows: pl.DataFrame, narrower: bool) -> list[str]:
    """Notes on pairs without an interval, and on pairs of which a large part or all is rated.

    Args:
        rows: The table of pairs.
        narrower: Whether intervals are for new items, and could be for these items alone.
    """
    ours = rows.filter(pl.col("by") == CORRECTED)
    notes = []

    def named(rows: pl.DataFrame) -> str:
        return among([pair_name(a, b) for a, b in rows.select("a", "b").rows()], ours.height)

    without_interval = ours.filter(pl.col("reason").is_not_null())
    for (reason,), same in without_interval.group_by("reason", maintain_order=True):
        notes.append(f"{named(same)} without an interval: {reason}")
    whole = ours.filter(pl.col("rated") == pl.col("items"))
    if whole.height:
        notes.append(
            f"{named(whole)}: the judge adds nothing, since every item that has scores is rated"
        )
    share = pl.col("rated") / pl.col("items")
    large = ours.filter(narrower, share >= LARGE_PART, pl.col("reason").is_null())
    if large.height:
        large = large.sort(share, descending=True)
        rated, of = large.select("rated", "items").row(0)
        notes.append(
            f"{named(large)}: a third of the items or more are rated ({rated} of {of}); intervals are for "
            f"new items like these, and for these items alone {Argument('population', 'these')} gives "
            "narrower ones"
        )
    return notes
