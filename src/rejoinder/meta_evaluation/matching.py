"""The matching of ratings and scores: which replies have both, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import polars as pl

from rejoinder.errors import InputError, one_of
from rejoinder.human_evaluation.grades import Scale, check_scale, grade_notes
from rejoinder.human_evaluation.panel import panel
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted, meant, merged, quoted
from rejoinder.meta_evaluation.evidence import MeanOfReplies, Rated, Subject
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.rows import codes_of, rows_of
from rejoinder.metrics.means import mean_rows
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.aggregation import aggregate
from rejoinder.statistics.intervals import large_group
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.item_clusters import CONVERSATION, OWN_COLUMNS, cluster_labels, labels_in
from rejoinder.tables.pair_ratings import belong_to_pairs, over_pairs
from rejoinder.tables.schemas import AGAINST
from rejoinder.tables.selection import check_systems, criterion_notes
from rejoinder.tables.types import Ratings

RANDOM = "random"
MOST_NAMED = 5
"""More systems without a rating share one note."""
LOWER = "lower is better, so its sign is turned around"


def match(
    scores: Scores,
    ratings: Frame | Ratings,
    criterion: str | None,
    raters: str,
    without: Sequence[str],
    seed: int,
    scale: Scale | None = None,
    in_pairs: bool = False,
) -> tuple[Rated, list[str], str]:
    """Scores and ratings of the same replies, notes on the others, and the criterion's name.

    Notes on names and grades that look wrong come first, then those on ratings left out, those of
    the scores, and those on how values are to be read.

    Ratings that belong to pairs of systems (column ``against``) become ratings of the reply by
    itself, each rater's mean over the pairs; ``in_pairs`` keeps those of each pair beside them, and
    leaves out the ratings that belong to no pair.

    The other arguments are those of `correlate`.

    Args:
        scores: The scores.
        ratings: The ratings.
        criterion: The rating criterion; None takes the only one.
        raters: How the ratings of one reply become one number.
        without: Systems to leave out.
        seed: Random seed.
        scale: The worst and the best grade that could be given; None: those that were given.
        in_pairs: Whether ratings that belong to pairs of systems stay with their pairs.

    Raises:
        InputError: The ratings break their rules, are off the scale, or have no system or no item
            in common with the scores.
        ParameterError: A parameter is unknown, or there are several criteria and none is named.
    """
    every = taken(Ratings, ratings).of_criterion(criterion, one=True)
    given = table = every.table()
    of_pairs, notes = belong_to_pairs(table), []
    in_pairs = in_pairs and of_pairs
    if in_pairs:
        table, notes = _pair_ratings(scores, table, without)
    table, more = _common(scores, table, without)
    notes += [*more, *_concerning(scores.notes, without)]
    by_itself, more = over_pairs(table)
    notes += [] if in_pairs else more
    rated, more = _rated(scores, by_itself, raters, seed)
    if scores.cluster:
        cluster, names = _clusters(scores, rated.ids)
        rated = replace(rated, cluster=cluster, clusters=names)
        more = [*more, *large_group(np.bincount(cluster), "rated items")]
    if in_pairs:
        rated = replace(rated, paired=_paired(rated, table, raters))
    if scale is not None:
        check_scale(given, scale)
    grades = given.get_column("score").to_numpy() if of_pairs else rated.matrix
    wrong = [*misnamed(scores, given, without), *grade_notes(grades, scale)]
    doubts = [*wrong, *_cluster_notes(scores, every.frame)]
    notes = [*criterion_notes(given, criterion), *doubts, *notes, *more]
    return rated, notes, given.item(0, "criterion")


def other_criterion_notes(labels: Sequence[str], criterion: str) -> list[str]:
    """A note on marks of one model by several criteria, of which people rated another.

    Args:
        labels: The judges, named as ``mark`` names them: the model, a space and the criterion.
        criterion: That of the ratings.
    """
    models = [label.removesuffix(criterion) for label in labels if label.endswith(f" {criterion}")]
    others = [
        label
        for label in labels
        if any(label.startswith(model) and label != model + criterion for model in models)
    ]
    return [
        f"scores {quoted(label)} seem to be of another criterion than the ratings ({quoted(criterion)}), "
        "and are taken for a judge too; to leave them out, give "
        f"{Argument('scores')} a file without their rows"
        for label in others
    ]


def _concerning(notes: Sequence[str], without: Sequence[str]) -> list[str]:
    """Notes of the scores, but for those about a system that is left out here."""
    return [each for each in notes if not each.startswith(tuple(f"'{name}'" for name in without))]


def misnamed(scores: Scores, ratings: pl.DataFrame, without: Sequence[str]) -> list[str]:
    """Notes on scored systems whose ratings all go by another name, it seems.

    Args:
        scores: The scores.
        ratings: All ratings.
        without: The systems that are left out.
    """
    names = ratings.get_column("system").unique(maintain_order=True).to_list()
    unrated = [name for name in scores.names if name not in names and name not in without]
    return [
        f"'{other}' has no rating, and the ratings of '{name}' are left out: did you mean '{other}' "
        "there? Write the system's name alike in the ratings and the responses"
        for name in names
        if name not in scores.names and (other := meant(name, unrated))
    ]


def _pair_ratings(
    scores: Scores, table: pl.DataFrame, without: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """The ratings that belong to a pair of scored systems, and what to say of the others."""
    notes = []
    alone = table.get_column(AGAINST).null_count()
    if alone:
        notes.append(
            f"ratings: {alone} left out: they belong to no pair of systems (column '{AGAINST}')"
        )
    others = pl.col(AGAINST)
    table = table.filter(others.is_not_null() & ~others.is_in(list(without)))
    strange = table.filter(~others.is_in(scores.names))
    names = strange.get_column(AGAINST).unique(maintain_order=True).to_list()
    if names:
        notes.append(
            f"ratings: {strange.height} against {one_of(names[:5])} left out: no such system is scored"
        )
    if names and strange.height == table.height:
        raise InputError(
            f"ratings: column '{AGAINST}' names {one_of(names[:5])}, none of which is scored; the "
            f"scores are of {one_of(scores.names)}; {_alike(names, scores.names)}"
        )
    return table.filter(others.is_in(scores.names)), notes


def _alike(rated: Sequence[str], scored: Sequence[str]) -> str:
    """The remedy where no rated system is scored, with two names that seem to be of one system."""
    pairs = [(name, [each for each in scored if name and name in each]) for name in rated]
    clear = next(((name, each[0]) for name, each in pairs if len(each) == 1), None)
    words = f": for example {quoted(clear[0])} as {quoted(clear[1])}" if clear else ""
    return f"name systems alike in both, by changing the names in the file of ratings{words}"


def _common(
    scores: Scores, table: pl.DataFrame, without: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """The ratings of replies that are scored by every metric, and what to say of the others."""
    check_systems(without, scores.names)
    known, notes = of_scored(scores, table, without)
    ids = scores.items.get_column("id")
    usable = _usable(scores)
    scorable = known.filter(pl.col("id").is_in(ids.filter(pl.Series(usable)).implode()))
    if not scorable.height:
        raise InputError("ratings: no rated item can be scored by every metric; drop a metric")
    answered = scorable.join(_unanswered(scores), on=["system", "id"], how="anti")
    if not answered.height:
        raise InputError("ratings: none is of a reply that was given; name systems and ids alike")
    if answered.height < scorable.height:
        notes.append(
            f"ratings: {scorable.height - answered.height} left out, of replies that were not given or "
            "that a metric has no value for"
        )
    lost = known.get_column("id").n_unique() - scorable.get_column("id").n_unique()
    if lost:
        notes.append(
            f"{lost} rated items left out for all metrics alike: at least one cannot score them"
        )
    absent = set(scores.names) - set(without) - set(answered.get_column("system"))
    notes += _unrated([name for name in scores.names if name in absent])
    return answered, notes


def of_scored(
    scores: Scores, table: pl.DataFrame, without: Sequence[str] = ()
) -> tuple[pl.DataFrame, list[str]]:
    """The ratings of systems and items that are scored, and what to say of the others.

    Args:
        scores: The scores.
        table: The ratings.
        without: The systems that are left out.

    Raises:
        InputError: No system, or no item, is scored.
    """
    notes = []
    rated = table.get_column("system").unique(maintain_order=True).to_list()
    strangers = [name for name in rated if name not in scores.names]
    if len(strangers) == len(rated):
        raise InputError(
            f"ratings: of {one_of(rated[:5])}, none of which is scored; the scores are of "
            f"{one_of(scores.names)}; {_alike(rated, scores.names)}"
        )
    for name in strangers:
        number = table.filter(pl.col("system") == name).height
        other = meant(name, scores.names)
        hint = f"; did you mean '{other}'?" if other else ""
        notes.append(f"ratings: {number} of '{name}' left out: no such system is scored{hint}")
    if without:
        notes.append(f"left out as asked: {', '.join(without)}")
    if strangers or without:
        table = table.filter(pl.col("system").is_in([n for n in scores.names if n not in without]))
    ids = scores.items.get_column("id")
    known = table.filter(pl.col("id").is_in(ids.implode()))
    if not known.height:
        example = f"'{table.item(0, 'id')}'" if table.height else "none"
        raise InputError(
            f"ratings: no id is among the scored items (rated: {example}, scored: '{ids[0]}', ...); "
            "the ids of ratings and test set must be the same"
        )
    if known.height < table.height:
        number = table.height - known.height
        unknown = table.filter(~pl.col("id").is_in(ids.implode())).get_column("id")
        items, example = counted(unknown.n_unique(), "item"), unknown[0]
        notes.append(
            f"ratings: {number} left out, of {items} not among those scored (such as '{example}')"
        )
    return known, notes


def _unrated(names: Sequence[str]) -> list[str]:
    """The notes on systems without a rating; many share one."""
    if len(names) <= MOST_NAMED:
        return [f"'{name}' has no rating" for name in names]
    first = ", ".join(quoted(name) for name in names[:MOST_NAMED])
    return [f"{len(names)} systems have no rating, such as {first}"]


def _usable(scores: Scores) -> np.ndarray:
    """Which items every metric can score: bool [n]."""
    usable = np.ones(scores.items.height, dtype=np.bool_)
    return np.logical_and.reduce([usable, *(each.usable for each in scores.measured.values())])


def _unanswered(scores: Scores) -> pl.DataFrame:
    """The replies that some metric has no row of, because the system did not give them."""
    gaps = np.zeros((len(scores.names), scores.items.height), dtype=np.bool_)
    for each in scores.measured.values():
        if each.answered is not None:
            gaps[:, each.usable] |= ~each.answered
    system, item = np.nonzero(gaps)
    names, ids = np.array(scores.names, dtype=object), scores.items.get_column("id")
    return pl.DataFrame(
        {"system": pl.Series(names[system], dtype=pl.String), "id": ids.gather(item)}
    )


def _rated(scores: Scores, table: pl.DataFrame, how: str, seed: int) -> tuple[Rated, list[str]]:
    """Joins ratings and rows; the systems and items are those that have a rating."""
    present = set(table.get_column("system"))
    systems = tuple(name for name in scores.names if name in present)
    items = scores.items.get_column("id")
    picked = items.is_in(table.get_column("id").implode()).to_numpy()
    ids = items.filter(pl.Series(picked)).to_list()
    raters = sorted(set(table.get_column("rater")))
    (system, item), _, matrix = panel(table, raters, system=systems, id=ids)
    human = aggregate(matrix, how)
    notes = []
    if human.constant_raters:
        notes.append(
            f"{human.constant_raters} raters give one value throughout and count as 0 under 'z'"
        )
    rows = [scores.names.index(name) for name in systems]
    subjects: dict[str, Subject] = {}
    for label, each in scores.measured.items():
        metric = each.metric
        picked_rows = each.rows.pick(picked[each.usable]).of(rows)
        subjects[label] = Subject(picked_rows, metric, 1.0 if metric.higher_is_better else -1.0)
    lower = ((label, LOWER) for label, each in subjects.items() if each.sign < 0)
    notes += merged(lower)
    subjects[RANDOM] = _random(len(systems), len(ids), seed)
    rated = Rated(
        systems,
        tuple(ids),
        subjects,
        system,
        item,
        matrix,
        human.values,
        how == "mean",
        raters=tuple(raters),
    )
    return rated, notes


def _clusters(scores: Scores, ids: Sequence[str]) -> tuple[Indices, tuple[str, ...]]:
    """The clusters of the items, int64 [n], numbered as they come; and their names."""
    items = pl.DataFrame({"id": ids}).join(scores.items, on="id", how="left", maintain_order="left")
    labels = cluster_labels(items, scores.cluster)
    codes = codes_of(labels.rank("dense").cast(pl.Int64).to_numpy())
    return codes, tuple(labels.unique(maintain_order=True).to_list())


def _cluster_notes(scores: Scores, ratings: pl.DataFrame) -> list[str]:
    """Notes where a column of clusters of the ratings is not that of the items that are scored."""
    column = scores.cluster or CONVERSATION
    if not scores.measured or column not in ratings.columns or column in OWN_COLUMNS:
        return []
    labels = labels_in(ratings.get_column(column))
    scored = labels_in(scores.items.get_column(column)) if scores.cluster else labels
    if labels is None or scored is None:
        return []
    pairs = ratings.select("id", labels).drop_nulls().unique()
    pairs = pairs.filter(pl.col("id").is_in(scores.items.get_column("id").implode()))
    if not scores.cluster:
        if column in scores.items.columns or not pairs.get_column(column).is_duplicated().any():
            return []
        return [
            f"the ratings have a column '{column}', and the items that are scored have none, so that all "
            "items are taken as independent; for clusters, add the column to the test set, or to the file "
            "of scores where there is no test set"
        ]
    named = scores.items.select("id", scored=scored)
    other = pairs.join(named, on="id", maintain_order="left").filter(
        pl.col(column) != pl.col("scored")
    )
    if not other.height:
        return []
    id, rated, scored = other.sort("id").select("id", column, "scored").row(0)
    return [
        f"the column '{column}' of the ratings differs from that of the items that are scored at "
        f"{counted(other.get_column('id').n_unique(), 'item')}, such as '{id}' ('{rated}', scored: "
        f"'{scored}'): the clusters are those of the scored items"
    ]


def _paired(rated: Rated, table: pl.DataFrame, how: str) -> Floats:
    """The rating of each system's replies beside each other's: float64 [S, S, n], NaN where none.

    A rater's ratings in all pairs are standardised together under ``z``.
    """
    known = table.filter(pl.col(AGAINST).is_in(rated.systems))
    raters = sorted(set(known.get_column("rater")))
    names = {"system": rated.systems, AGAINST: rated.systems, "id": rated.ids}
    places, _, matrix = panel(known, raters, **names)
    paired = np.full((len(rated.systems), len(rated.systems), len(rated.ids)), np.nan)
    paired[places] = aggregate(matrix, how).values
    return paired


def _random(systems: int, items: int, seed: int) -> Subject:
    """Replies scored by one seeded normal draw."""
    noise = np.random.default_rng([seed, 1]).standard_normal(items * systems)
    return Subject(rows_of(mean_rows(noise), systems), cast(Metric, MeanOfReplies()))
