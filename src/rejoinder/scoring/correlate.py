"""How far each metric agrees with people, under a protocol that is written down."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, cast

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.agreement.aggregation import aggregate
from rejoinder.agreement.correlation import CORRELATIONS, correlation_named
from rejoinder.errors import InputError, ParameterError, one_of
from rejoinder.kernels.arrays import Floats
from rejoinder.metrics.base import MOST_DRAWS, Metric, check_draws
from rejoinder.metrics.means import mean, mean_rows
from rejoinder.metrics.rows import BagMatrix, Matrix, Rows, rows_of
from rejoinder.scoring.protocols import (
    Draws,
    Evidence,
    Protocol,
    Rated,
    Row,
    Subject,
    at_once,
    protocol_named,
)
from rejoinder.scoring.scores import Scores

RANDOM = "random"
COLUMNS = ("id", "system", "rater", "criterion", "score")
DEFAULT_CORRELATIONS = ("pearson", "spearman", "kendall-b")


@dataclass(frozen=True)
class Agreement:
    """How far every metric agrees with people.

    Attributes:
        protocol: What one observation is.
        labels: The metrics.
        systems: How many systems are rated.
        correlations: The coefficients told (for ``pairwise``: the accuracies).
        signature: Protocol, coefficients, criterion, aggregation, draws, seed, the ratings' hash and
            the version.
        signatures: Of each metric.
        notes: What was left out, to be said beside every table.
    """

    protocol: Protocol
    labels: tuple[str, ...]
    systems: int
    correlations: tuple[str, ...]
    signature: str
    signatures: dict[str, str]
    notes: tuple[str, ...]
    _rows: tuple[tuple[str, str, Row], ...] = field(repr=False)
    _evidence: Evidence = field(repr=False)

    def table(self) -> pl.DataFrame:
        """Every metric under every coefficient.

        Returns:
            ``metric``, ``correlation``, ``value``, ``low`` and ``high`` (95%), ``p`` (permutation),
            ``n`` (observations) and ``reason`` (why one of them is NaN, else null). After the
            metrics the row ``random`` (replies scored by a seeded normal draw) and, at turn level
            with several raters, ``human (avg)`` and ``human (max)``. Lower-is-better metrics are
            turned around: above 0 always means agreement. The protocols ``unit`` (the spread over
            assignments) and ``pairwise`` (epsilon) append columns of their own.
        """
        more: dict[str, Any] = {}
        for _, _, row in self._rows:
            more |= dict.fromkeys(row.more, float("nan"))
        rows = [
            {
                "metric": label,
                "correlation": correlation,
                "value": row.value,
                "low": row.low,
                "high": row.high,
                "p": row.p,
                "n": row.n,
                "reason": row.reason,
                **(more | dict(row.more)),
            }
            for label, correlation, row in self._rows
        ]
        numbers = dict.fromkeys(["value", "low", "high", "p", *more], pl.Float64)
        return pl.DataFrame(rows, schema_overrides={**numbers, "reason": pl.String})

    def within(self, correlation: str | None = None) -> pl.DataFrame:
        """The agreement within each system, which differences between systems do not inflate.

        Pooled over systems, a metric that tells people's replies from machines' looks good even if
        it cannot tell one machine's good reply from its bad one.

        Args:
            correlation: A coefficient; None takes every one that was asked for.

        Returns:
            ``metric``, ``correlation``, ``system`` (each, then ``mean``: the mean over systems whose
            correlation is defined), ``value``, ``low``, ``high``, ``n``, ``reason``.

        Raises:
            ParameterError: The protocol is not ``turn``, or there is no such coefficient.
        """
        wanted = self.correlations if correlation is None else (correlation,)
        for each in wanted:
            if each not in self.correlations:
                correlation_named(each)
        rows = [row for each in wanted for row in self._evidence.within(each)]
        floats = dict.fromkeys(("value", "low", "high"), pl.Float64)
        return pl.DataFrame(rows, schema_overrides={**floats, "reason": pl.String})

    def comparisons(self, correlation: str | None = None) -> pl.DataFrame:
        """Every pair of metrics on the same observations.

        Three looks at one difference. The interval is of the difference itself. The paired
        permutation swaps two metrics' scores (standardised or ranked) group by group and assumes
        least. Williams' t takes the observations for independent and, being made for Pearson's r of
        normal variables, is an approximation for ranks.

        Args:
            correlation: A coefficient; None takes ``spearman`` (``accuracy`` for ``pairwise``).

        Returns:
            ``correlation``, ``a``, ``b``, ``value_a``, ``value_b``, ``difference`` (a - b), ``low``,
            ``high``, ``p`` (paired permutation), ``williams_t``, ``williams_p``, ``n``, ``reason``.

        Raises:
            ParameterError: There is one metric alone, or no such coefficient.
        """
        if len(self.labels) < 2:
            raise ParameterError(f"there is one metric alone, {one_of(self.labels)}; measure two")
        names = self._evidence.names(tuple(CORRELATIONS))
        chosen = correlation or ("spearman" if "spearman" in names else names[0])
        if chosen not in names:
            raise ParameterError(f"correlation={chosen!r} is unknown; choose {one_of(names)}")
        self._evidence.prepare([chosen])
        pairs = list(combinations(self.labels, 2))
        told = at_once(lambda pair: self._evidence.pair(*pair, chosen), pairs)
        rows = [
            {
                "correlation": chosen,
                "a": a,
                "b": b,
                "value_a": each.value_a,
                "value_b": each.value_b,
                "difference": each.value_a - each.value_b,
                "low": each.low,
                "high": each.high,
                "p": each.p,
                "williams_t": each.williams.t,
                "williams_p": each.williams.p,
                "n": each.n,
                "reason": each.reason,
            }
            for (a, b), each in zip(pairs, told, strict=True)
        ]
        return pl.DataFrame(rows, schema_overrides={"reason": pl.String})

    def observations(self) -> pl.DataFrame:
        """One row for each observation: what it is, its group, ``human``, a column for each metric.

        Of the protocol ``unit`` these are the units of the first assignment.
        """
        return self._evidence.observations()


def correlate(
    scores: Scores,
    ratings: pl.DataFrame,
    protocol: str | Protocol = "turn",
    *,
    correlations: Sequence[str] = DEFAULT_CORRELATIONS,
    criterion: str | None = None,
    raters: str = "mean",
    without: Sequence[str] = (),
    permutations: int = 1000,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Callable[[int, int], None] | None = None,
) -> Agreement:
    """Holds every metric against people's ratings of the same replies.

    Args:
        scores: What was measured, fresh or loaded.
        ratings: The table of ``read_ratings``: ``id``, ``system``, ``rater``, ``criterion``,
            ``score``.
        protocol: ``"turn"``, ``"unit"``, ``"system"``, ``"pairwise"``, or one of ``Turn``, ``Unit``,
            ``System`` and ``Pairwise`` with parameters of its own.
        correlations: Of ``pearson``, ``spearman``, ``kendall-b``, ``kendall-c``; ``pairwise`` has
            accuracies instead.
        criterion: Which criterion, where there are several.
        raters: How the ratings of a reply become one number: ``mean``, ``median``, or ``z`` (each
            rater's ratings standardised, then averaged).
        without: Systems to leave out, people for instance.
        permutations: Of the tests; 0 for none.
        resamples: Of the bootstrap; 0 for none.
        seed: Of every draw.
        progress: Called with how many rows of the table are done, and of how many.

    Raises:
        InputError: The ratings are not the table, rate a reply twice by one rater, or have no system
            or no item in common with the scores.
        ParameterError: A parameter is unknown, there are several criteria and none is named, or the
            scores are blocks of items.

    >>> from rejoinder import TestSet, score
    >>> testset = TestSet.from_lists([["yes please"], ["at nine"], ["no"]])
    >>> replies = [("a", "1", "yes"), ("a", "2", "at nine"), ("a", "3", "oh")]
    >>> replies = pl.DataFrame(replies, schema=["system", "id", "text"], orient="row")
    >>> rated = [(i, "a", "mean", "overall", s) for i, s in [("1", 4.0), ("2", 5.0), ("3", 1.0)]]
    >>> rated = pl.DataFrame(rated, schema=list(COLUMNS), orient="row")
    >>> told = correlate(score(testset, replies, ["rougeL"]), rated, correlations=["kendall-b"])
    >>> told.table().row(0)[:3]
    ('ROUGE-L', 'kendall-b', 1.0)
    """
    chosen = protocol_named(protocol)
    if not correlations:
        raise ParameterError(f"correlations: none; choose of {one_of(CORRELATIONS)}")
    for name in correlations:
        correlation_named(name)
    check_draws(resamples, seed)
    if not isinstance(permutations, int) or not 0 <= permutations <= MOST_DRAWS:
        raise ParameterError(
            f"permutations={permutations!r} must be from 0 (no test) to {MOST_DRAWS:,}"
        )
    if scores.blocks:
        raise ParameterError("these rows are blocks of items; score without --block for items")
    table, notes, criterion = _checked(ratings, criterion)
    table, more = _common(scores, table, without)
    rated, further = _rated(scores, table, raters, seed)
    notes += more + further
    evidence = chosen.observe(rated, Draws(permutations, resamples, seed))
    wanted = tuple(dict.fromkeys(evidence.names(correlations)))
    rows = _rows(evidence, wanted, progress)
    facts = [chosen.signature()]
    if wanted[0] in CORRELATIONS:
        facts.append(f"correlations:{'+'.join(wanted)}")
    facts += [
        f"criterion:{criterion}",
        f"raters:{raters}",
        *([f"without:{'+'.join(without)}"] if without else []),
        f"perm:{permutations}",
        *([f"bs:{resamples}"] if chosen.resampled else []),
        f"seed:{seed}",
        f"ratings:{_hash(rated)}",
        f"version:{__version__}",
    ]
    return Agreement(
        chosen,
        tuple(scores.labels),
        len(rated.systems),
        wanted,
        "|".join(facts),
        {label: each.signature for label, each in scores.measured.items()},
        (*scores.notes, *notes, *evidence.notes),
        tuple(rows),
        evidence,
    )


def _rows(
    evidence: Evidence, wanted: Sequence[str], progress: Callable[[int, int], None] | None
) -> list[tuple[str, str, Row]]:
    evidence.prepare(wanted, progress)
    tasks = [(label, correlation) for label in evidence.labels for correlation in wanted]
    done = 0

    def one(task: tuple[str, str]) -> tuple[str, str, Row]:
        nonlocal done
        row = (*task, evidence.row(*task))
        done += 1
        if progress is not None:
            progress(done, len(tasks))
        return row

    return [*at_once(one, tasks), *evidence.people(wanted)]


def _checked(
    ratings: pl.DataFrame, criterion: str | None
) -> tuple[pl.DataFrame, list[str], str | None]:
    """The ratings of one criterion, what to say of those left out, and the criterion's name."""
    lacking = [name for name in COLUMNS if name not in ratings.columns]
    if lacking:
        raise InputError(
            f"ratings: no column {one_of(lacking)} among {', '.join(ratings.columns) or 'none'}; "
            "read them with rejoinder.read_ratings"
        )
    table = ratings.select(
        *(pl.col(name).cast(pl.String) for name in ("id", "system", "rater", "criterion")),
        pl.col("score").cast(pl.Float64),
    )
    table = table.with_columns(pl.col("rater").fill_null("mean"), pl.col("criterion").fill_null(""))
    criteria = table.get_column("criterion").unique(maintain_order=True).to_list()
    if criterion is None and len(criteria) > 1:
        raise ParameterError(
            f"the ratings have several criteria; choose {one_of(criteria)} with --criterion "
            "(criterion=)"
        )
    if criterion is not None and criterion not in criteria:
        raise ParameterError(f"criterion={criterion!r} is unknown; choose {one_of(criteria)}")
    if criterion is not None:
        table = table.filter(pl.col("criterion") == criterion)
    infinite = table.filter(pl.col("score").is_infinite())
    if infinite.height:
        row = infinite.row(0, named=True)
        raise InputError(
            f"ratings: {row['score']} of '{row['system']}' at id '{row['id']}'; a rating is a finite "
            "number, or empty where it is missing"
        )
    given = table.filter(pl.col("score").is_not_null() & pl.col("score").is_not_nan())
    missing = table.height - given.height
    twice = given.filter(pl.struct("id", "system", "rater").is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        raise InputError(
            f"ratings: '{row['rater']}' rates '{row['system']}' at id '{row['id']}' more than once "
            f"({twice.height} such ratings); keep one of them, or tell the raters apart"
        )
    name = criterion if criterion is not None else (criteria[0] if criteria else None)
    return given, [f"ratings: {missing} empty scores left out"] if missing else [], name or None


def _common(
    scores: Scores, table: pl.DataFrame, without: Sequence[str]
) -> tuple[pl.DataFrame, list[str]]:
    """The ratings of replies that are scored by every metric, and what to say of the others."""
    for system in without:
        scores.place(system)
    notes = []
    if not table.height:
        raise InputError("ratings: not a single one; expected a row for each rating")
    rated = table.get_column("system").unique(maintain_order=True).to_list()
    strangers = [name for name in rated if name not in scores.names]
    if len(strangers) == len(rated):
        raise InputError(
            f"ratings: of {one_of(rated[:5])}, none of which is scored; the scores are of "
            f"{one_of(scores.names)}; name systems alike in both"
        )
    for name in strangers:
        number = table.filter(pl.col("system") == name).height
        notes.append(f"ratings: {number} of '{name}' left out: no such system is scored")
    if without:
        notes.append(f"left out as asked: {', '.join(without)}")
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
        items = table.filter(~pl.col("id").is_in(ids.implode())).get_column("id").n_unique()
        notes.append(f"ratings: {number} of {items} items left out that are not scored")
    usable = _usable(scores)
    kept = known.filter(pl.col("id").is_in(ids.filter(pl.Series(usable)).implode()))
    if not kept.height:
        raise InputError("ratings: no rated item can be scored by every metric; drop a metric")
    lost = known.get_column("id").n_unique() - kept.get_column("id").n_unique()
    if lost:
        notes.append(
            f"{lost} rated items left out for all metrics alike: at least one cannot score them"
        )
    absent = set(scores.names) - set(without) - set(kept.get_column("system"))
    notes += [f"'{name}' has no rating" for name in scores.names if name in absent]
    return kept, notes


def _usable(scores: Scores) -> np.ndarray:
    """Which items every metric can score: bool [n]."""
    return np.logical_and.reduce([each.usable for each in scores.measured.values()])


def _rated(scores: Scores, table: pl.DataFrame, how: str, seed: int) -> tuple[Rated, list[str]]:
    """Joins ratings and rows; the systems and items are those that have a rating."""
    present = set(table.get_column("system"))
    systems = tuple(name for name in scores.names if name in present)
    items = scores.items.get_column("id")
    picked = items.is_in(table.get_column("id").implode()).to_numpy()
    ids = items.filter(pl.Series(picked)).to_list()
    raters = sorted(set(table.get_column("rater")))
    place = {kind: {name: i for i, name in enumerate(names)} for kind, names in
             (("system", systems), ("id", ids), ("rater", raters))}  # fmt: skip
    system, item, rater = (
        table.get_column(kind).replace_strict(place[kind], return_dtype=pl.Int64).to_numpy()
        for kind in ("system", "id", "rater")
    )
    replies, where = np.unique(system * len(ids) + item, return_inverse=True)
    matrix = np.full((replies.size, len(raters)), np.nan)
    matrix[where, rater] = table.get_column("score").to_numpy()
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
        picked_rows = _of_systems(each.rows.pick(picked[each.usable]), rows)
        subjects[label] = Subject(picked_rows, metric, 1.0 if metric.higher_is_better else -1.0)
        if not metric.higher_is_better:
            notes.append(f"{label}: lower is better, so its sign is turned around")
    subjects[RANDOM] = _random(len(systems), len(ids), seed)
    rated = Rated(
        systems,
        tuple(ids),
        subjects,
        replies // len(ids),
        replies % len(ids),
        matrix,
        human.values,
        how == "mean",
    )
    return rated, notes


def _of_systems(rows: Rows, systems: list[int]) -> Rows:
    if isinstance(rows, Matrix):
        picked = rows.values[systems].transpose(1, 0, 2)
        return rows_of(picked.reshape(-1, rows.width), len(systems))
    return BagMatrix(rows.codes, rows.vocabulary, rows.first[systems], rows.last[systems])


class _Mean:
    """The random baseline's metric: a mean over replies."""

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 2] to float64 [...]."""
        return mean(totals)


def _random(systems: int, items: int, seed: int) -> Subject:
    """Replies scored by one seeded normal draw."""
    drawn = np.random.default_rng([seed, 1]).standard_normal(items * systems)
    return Subject(rows_of(mean_rows(drawn), systems), cast(Metric, _Mean()))


def _hash(rated: Rated) -> str:
    digest = hashlib.sha256("\n".join((*rated.systems, *rated.ids)).encode())
    for each in (rated.system, rated.item, rated.matrix):
        digest.update(np.ascontiguousarray(each).tobytes())
    return digest.hexdigest()[:8]
