"""Correlates metrics with human ratings under a protocol."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rejoinder._version import __version__
from rejoinder.document.parts import AS_USUAL, GAP, Document, View, lines, reasons, signed
from rejoinder.errors import ParameterError, one_of
from rejoinder.human_evaluation.grades import Scale
from rejoinder.messages import Argument
from rejoinder.meta_evaluation.dialogue_level import turn_ratings
from rejoinder.meta_evaluation.evidence import CorrelationRow, Draws, Evidence, Rated, at_once
from rejoinder.meta_evaluation.matching import match
from rejoinder.meta_evaluation.protocols import Protocol, protocol_named
from rejoinder.meta_evaluation.turn_level import Observations
from rejoinder.progress import Progress, advance
from rejoinder.result import Basis, PlottedResult, with_basis
from rejoinder.scoring.clusters import clustered
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.scores import Scores
from rejoinder.statistics.conventions import check_choice
from rejoinder.statistics.correlation import CORRELATIONS, correlation_named
from rejoinder.statistics.draws import check_draws, check_permutations
from rejoinder.statistics.rating_matrix import rater_groups
from rejoinder.tables.checks.arguments import expect, strings
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import taken
from rejoinder.tables.item_clusters import cluster_note
from rejoinder.tables.types import Ratings

DEFAULT_CORRELATIONS = ("pearson", "spearman", "kendall-b")


@dataclass(frozen=True, repr=False)
class Agreement(PlottedResult):
    """How far every metric agrees with human ratings.

    Attributes:
        protocol: What one observation is.
        labels: The metrics.
        systems: How many systems are rated.
        correlations: The coefficients (for ``pairwise``: the accuracies).
        signature: Protocol, coefficients, criterion, aggregation, draws, seed, the ratings' hash and
            the version.
        signatures: Of each metric.
        notes: Notes: what was left out, and how values are to be read.
    """

    protocol: Protocol
    labels: tuple[str, ...]
    systems: int
    correlations: tuple[str, ...]
    signature: str
    signatures: dict[str, str]
    notes: tuple[str, ...]
    _rows: tuple[tuple[str, str, CorrelationRow], ...] = field(repr=False)
    _evidence: Evidence = field(repr=False)
    _basis: Basis | None = field(default=None, repr=False, compare=False)

    @property
    def groups_are(self) -> str:
        """What is resampled and permuted as a whole at turn level: contexts, clusters, conversations."""
        return self._evidence.drawn if isinstance(self._evidence, Observations) else "contexts"

    def table(self) -> pl.DataFrame:
        """Every metric under every coefficient.

        Returns:
            ``metric``, ``correlation``, ``value``, ``low`` and ``high`` (95%), ``p`` (permutation),
            ``n`` (observations) and ``reason`` (why one of them is NaN, else null). After the
            metrics the row ``random`` (replies scored by a seeded normal draw) and, at turn level
            with several raters, ``human (avg)`` and ``human (max)``. Lower-is-better metrics are
            turned around: above 0 always means agreement. The protocols ``unit`` (the spread over
            assignments) and ``pairwise`` (epsilon, chance) append columns of their own.

            At turn level with several systems ``value``, ``low`` and ``high`` are of the replies of
            all systems, pooled, and ``p`` is NaN: differences between systems would count as
            evidence. ``within``, ``within_low``, ``within_high``, ``within_p`` and
            ``within_reason`` are the mean over systems of each system's own coefficient, its
            interval and its test. ``pooled_p`` is the test of the pooled value all the same.
        """
        more = _blank(row.more for _, _, row in self._rows)
        rows = [
            {
                "metric": label,
                "correlation": correlation,
                **row.columns(),
                **(more | dict(row.more)),
            }
            for label, correlation, row in self._rows
        ]
        return pl.DataFrame(rows, schema_overrides=_types(("value", "low", "high", "p", *more)))

    def within(self, correlation: str | None = None) -> pl.DataFrame:
        """The agreement within each system, which differences between systems do not inflate.

        Pooled over systems, a metric that tells people's replies from machines' looks good even if
        it cannot tell one machine's good reply from its bad one.

        Args:
            correlation: A coefficient; None takes every one that was asked for.

        Returns:
            ``metric``, ``correlation``, ``system`` (each, then ``mean``: the mean over systems whose
            correlation is defined), ``value``, ``low``, ``high`` (of a system the bootstrap over
            contexts, of the mean the jackknife), ``p`` (permutation of contexts inside systems),
            ``n``, ``reason``.

        Raises:
            ParameterError: The protocol is not ``turn``, or there is no such coefficient.
        """
        names = self.correlations if correlation is None else (correlation,)
        for each in names:
            if each not in self.correlations:
                correlation_named(each)
        rows = [row for each in names for row in self._evidence.within(each)]
        return pl.DataFrame(rows, schema_overrides=_types(("value", "low", "high", "p")))

    def comparisons(self, correlation: str | None = None) -> pl.DataFrame:
        """Every pair of metrics on the same observations.

        Three looks at one difference. The interval is of the difference itself. The paired
        permutation swaps two metrics' scores (standardised or ranked) group by group and assumes
        least; under ``unit`` it swaps the scores of whole systems. Williams' t takes the
        observations for independent: with several replies to a context it is too sure, for Kendall
        far too timid, and under ``unit`` there is none.

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
        check_choice(names, correlation=chosen)
        self._evidence.prepare([chosen])
        pairs = list(combinations(self.labels, 2))
        differences = at_once(lambda pair: self._evidence.pair(*pair, chosen), pairs)
        more = _blank(each.more for each in differences)
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
                **(more | dict(each.more)),
            }
            for (a, b), each in zip(pairs, differences, strict=True)
        ]
        return pl.DataFrame(rows, schema_overrides=_types(("p", *more)))

    def document(self, view: View = AS_USUAL, comparisons: pl.DataFrame | None = None) -> Document:
        """How far every metric agrees with people, and below it metrics in pairs.

        Args:
            view: What was asked of the showing.
            comparisons: The table of ``comparisons()``; None for none.
        """
        from rejoinder.meta_evaluation import correlate_tables as tables

        rows, groups = self.table(), self.groups_are
        shown = tables.agreement(rows, self.labels, self.systems, self.protocol, groups)
        if comparisons is not None:
            shown += [GAP, *tables.comparisons(comparisons, self.protocol.name, groups)]
        shown += [*reasons(tables.expected(rows)), *lines(self.notes, "note"), GAP]
        return [*shown, *signed({"signature": self.signature}), *signed(self.signatures)]

    def as_json(
        self, comparisons: pl.DataFrame | None = None, files: Iterable[Path] = ()
    ) -> dict[str, Any]:
        """The object that ``rejoinder correlate --json`` prints.

        Args:
            comparisons: The table of ``comparisons()``, which ``--compare`` asks for.
            files: The pictures that were written.
        """
        within = self.protocol.within and self.systems > 1
        return {
            "agreement": self.table().to_dicts(),
            "within": self.within().to_dicts() if within else [],
            "comparisons": [] if comparisons is None else comparisons.to_dicts(),
            "signature": self.signature,
            "signatures": self.signatures,
            "notes": self.notes,
            "files": [str(path) for path in files],
        }

    def observations(self) -> pl.DataFrame:
        """One row for each observation: what it is, its group, ``human``, a column for each metric.

        Of the protocol ``unit`` these are the units of the first assignment.
        """
        return self._evidence.observations()


@with_basis("scores", "ratings")
def correlate(
    scores: Scores | Frame,
    ratings: Frame | Ratings,
    protocol: str | Protocol = "turn",
    *,
    correlations: Sequence[str] = DEFAULT_CORRELATIONS,
    criterion: str | None = None,
    raters: str = "mean",
    without: Sequence[str] = (),
    scale: Scale | None = None,
    cluster: str | None = None,
    permutations: int = 1000,
    resamples: int = 1000,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Agreement:
    """Correlates every metric with human ratings of the same replies.

    Args:
        scores: What was measured, fresh or loaded.
        ratings: The table of ``read_ratings`` (or pandas'): ``id``, ``system``, ``rater``, ``criterion``,
            ``score``; where ratings belong to pairs of systems, also ``against``, the system beside
            which the reply was rated. The protocol ``unit`` keeps each pair's own ratings; under
            any other a rater's scores of one reply in several pairs are averaged.
        protocol: ``"turn"``, ``"dialogue"``, ``"unit"``, ``"system"``, ``"pairwise"``, ``"soft"``, or
            one of ``Turn``, ``Dialogue``, ``Unit``, ``System``, ``Pairwise`` and ``Soft`` with
            parameters of its own.
        correlations: Of ``pearson``, ``spearman``, ``kendall-b``, ``kendall-c``; ``pairwise`` has
            accuracies instead.
        criterion: Which criterion, where there are several.
        raters: How the ratings of a reply become one number: ``mean``, ``median``, or ``z`` (each
            rater's ratings standardised, then averaged).
        without: Systems to leave out, people for instance.
        scale: The worst and the best grade that could be given; None: outliers are noted.
        cluster: A column of the contexts: whole clusters of items with the same value there are
            resampled, left out, swapped and permuted (under ``turn``, ``pairwise`` and ``soft``). None
            takes what the scores were measured with; ``none`` takes every item as independent.
        permutations: Of the tests; 0 for none.
        resamples: Of the bootstrap; 0 for none.
        seed: Of every draw.
        progress: Called with how many rows of the table are done, and of how many.

    Raises:
        InputError: The ratings are not the table, rate a reply twice by one rater, are off the scale,
            or have no system or no item in common with the scores.
        ParameterError: A parameter is unknown, there are several criteria and none is named, or the
            scores are blocks of items.

    >>> from rejoinder import TestSet, score
    >>> testset = TestSet.from_lists([["yes please"], ["at nine"], ["no"]])
    >>> replies = [("a", "1", "yes"), ("a", "2", "at nine"), ("a", "3", "oh")]
    >>> replies = pl.DataFrame(replies, schema=["system", "id", "text"], orient="row")
    >>> rated = [(i, "a", "mean", "overall", s) for i, s in [("1", 4.0), ("2", 5.0), ("3", 1.0)]]
    >>> columns = ["id", "system", "rater", "criterion", "score"]
    >>> rated = pl.DataFrame(rated, schema=columns, orient="row")
    >>> result = correlate(score(testset, replies, ["rougeL"]), rated, correlations=["kendall-b"])
    >>> result.table().row(0)[:3]
    ('ROUGE-L', 'kendall-b', 1.0)
    """
    chosen = protocol_named(protocol)
    scores = scores_of(scores, Scores, "rejoinder.correlate(scores, ratings)")
    without = strings(without, "without", "systems")
    correlations = strings(correlations, "correlations", "coefficients")
    _check_names(correlations, raters, criterion)
    check_draws(resamples, seed)
    check_permutations(permutations)
    scores.need_items()
    if cluster is not None and not chosen.clustered:
        raise ParameterError(
            Argument("cluster", cluster),
            f" has no effect under the protocol '{chosen.name}', whose intervals and "
            "tests are over systems; leave it out",
        )
    if cluster is not None or chosen.of_dialogues:
        scores = clustered(scores, cluster)
    given = taken(Ratings, ratings)
    if chosen.of_dialogues:
        given = turn_ratings(given, scores)
    rated, notes, criterion = match(
        scores, given, criterion, raters, without, seed, scale, chosen.in_pairs
    )
    if groups := int(rater_groups(rated.matrix).max(initial=0)):
        notes.append(
            f"the raters fall into {groups + 1} groups that rated no reply in common: a more severe group "
            "makes its replies look worse, which the correlations do not correct"
        )
    in_clusters = chosen.clustered and rated.cluster is not None
    if in_clusters and not chosen.of_dialogues:
        notes.append(cluster_note(rated.group, scores.cluster))
    evidence = chosen.observe(rated, Draws(permutations, resamples, seed))
    names = tuple(dict.fromkeys(evidence.names(correlations)))
    rows = _rows(evidence, names, progress)
    facts = [chosen.signature()]
    if names[0] in CORRELATIONS:
        facts.append(f"correlations:{'+'.join(names)}")
    facts += [
        f"criterion:{criterion}",
        f"raters:{raters}",
        *(["rater_effects:random"] if evidence.over_raters else []),
        *([f"without:{'+'.join(without)}"] if without else []),
        *([f"cluster:{scores.cluster}"] if in_clusters else []),
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
        names,
        "|".join(facts),
        {label: each.signature for label, each in scores.measured.items()},
        (*notes, *evidence.notes),
        tuple(rows),
        evidence,
    )


def _check_names(correlations: Sequence[str], raters: str, criterion: str | None) -> None:
    """Checks the names of coefficients, and that the others are names.

    Raises:
        ParameterError: A coefficient is unknown, or there is none; another one is no text.
    """
    expect(raters, str, "raters", "a name")
    if criterion is not None:
        expect(criterion, str, "criterion", "a name")
    if not correlations:
        raise ParameterError(f"correlations: none; choose of {one_of(CORRELATIONS)}")
    for name in correlations:
        correlation_named(name)


def _blank(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """All additional columns of some rows, without a value."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: None if name.endswith("reason") else float("nan") for name in names}


def _types(columns: Iterable[str]) -> dict[str, Any]:
    """The types of columns that may be empty, and of ``reason``."""
    reasons = {name: pl.String for name in (*columns, "reason") if name.endswith("reason")}
    return {**dict.fromkeys(columns, pl.Float64), **reasons}


def _rows(
    evidence: Evidence, names: Sequence[str], progress: Progress | None
) -> list[tuple[str, str, CorrelationRow]]:
    evidence.prepare(names, progress)
    tasks = [(label, correlation) for label in evidence.labels for correlation in names]
    advance(progress, 0, len(tasks))
    rows = at_once(lambda task: (*task, evidence.row(*task)), tasks, progress)
    return [*rows, *evidence.people(names)]


def _hash(rated: Rated) -> str:
    digest = hashlib.sha256("\n".join((*rated.systems, *rated.ids)).encode())
    paired = [] if rated.paired is None else [rated.paired]
    for each in (rated.system, rated.item, rated.matrix, *paired):
        digest.update(np.ascontiguousarray(each).tobytes())
    return digest.hexdigest()[:8]
