"""The Scores table: the measured rows of all systems, and every question they answer."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Self

import numpy as np
import polars as pl

from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import ParameterError, one_of
from rejoinder.messages import Argument, counted, quoted
from rejoinder.metrics import registry
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS
from rejoinder.metrics.external import externals
from rejoinder.result import Basis, PlottedResult
from rejoinder.scoring.clusters import clustered, design_effects, with_notes_of
from rejoinder.scoring.compare import compare, leads
from rejoinder.scoring.example_items import differing_items, worst_replies
from rejoinder.scoring.explain import can_explain, explain
from rejoinder.scoring.explanation import Explanations
from rejoinder.scoring.external import from_values
from rejoinder.scoring.measurements import (
    Measured,
    Measurements,
    best_first,
    clusters_of,
    parts_of,
    system_columns,
    with_exact,
)
from rejoinder.scoring.samples import sometimes
from rejoinder.scoring.saved_metrics import Given
from rejoinder.scoring.store import load, save
from rejoinder.tables.checks.arguments import expect, strings
from rejoinder.tables.external_scores import SegmentScores
from rejoinder.tables.frames import Frame
from rejoinder.tables.in_memory import ResponsesLike, taken
from rejoinder.tables.item_clusters import cluster_columns
from rejoinder.tables.responses import MissingOrPairwise
from rejoinder.tables.selection import pairs_of
from rejoinder.tables.testset import TestSet, TestSetLike
from rejoinder.tables.types import Responses
from rejoinder.visible import visible

RESERVED = {
    "metric", "system", "value", "low", "high", "n", "signature", "place", "clusters", "design_effect",
    "n_samples",
}  # fmt: skip
"""Names that a column of the contexts cannot have in a table of scores."""
MOST_LABELS = 8
"""So many metrics are named in the short text of scores."""


@dataclass(frozen=True, repr=False)
class Scores(Measurements, PlottedResult):
    """Systems, items, and what every metric measured of them.

    Values are in each metric's own range (0 to 1 for the BLEU family). For the attributes see
    ``Measurements``. Scores that ``rejoinder.score`` made know their texts, for ``explain``; what
    ``save`` writes holds none.
    """

    _texts: tuple[TestSet, Responses] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        items = counted(self.items.height, "block" if self.blocks else "item")
        labels = [visible(label) for label in self.labels[:MOST_LABELS]]
        if more := len(self.labels) - len(labels):
            labels.append(f"{more} more")
        return (
            f"Scores({counted(len(self.names), 'system')}, {items}; {', '.join(labels)}; "
            "see .systems(), .compare(), .segments())"
        )

    @classmethod
    def from_segments(
        cls,
        segments: Frame,
        testset: TestSetLike | None = None,
        *,
        lower: Sequence[str] = (),
        bounds: Mapping[str, tuple[float, float]] | None = None,
        missing: MissingOrPairwise = "error",
        cluster: str | None = None,
        resamples: int = 1000,
        seed: int = 12345,
        rates: Sequence[str] = (),
        at: Sequence[int] = (),
        passing: float | Mapping[str, float] | None = None,
    ) -> Self:
        """The scores that other tools gave the replies, without texts.

        Args:
            segments: The table of ``read_scores``, or a frame of Polars or pandas: ``system``, ``id`` and
                a column of numbers for each metric (as ``segments()`` returns), or ``name`` and
                ``value``.
            testset: The items and their columns (topic, conversation), for ``by`` and ``cluster``;
                None takes the ids of the table.
            lower: The metrics of which lower values are better.
            bounds: By metric the least and the greatest value; see ``External``.
            rates: The metrics whose mean is a share of replies; see ``External``.
            missing: A reply without a value is an ``error``; or ``drop`` its item for all systems; or,
                ``pairwise``, score every system on the items that it has a value for.
            cluster: As for ``score``: a column of the test set or, where that has none of this name, of
                ``segments``.
            resamples: As for ``score``.
            seed: As for ``score``.
            at: As for ``score``, of the column ``sample``.
            passing: As for ``score``.

        Raises:
            InputError: The table breaks its rules, or a value is missing.
            ParameterError: ``lower`` or ``bounds`` name a metric that the table does not hold.

        >>> rows = {"system": ["a", "a"], "id": ["1", "2"], "judge": [4, 5]}
        >>> Scores.from_segments(pl.DataFrame(rows)).systems()["value"].to_list()
        [4.5]
        """
        table = taken(SegmentScores, segments, keep=cluster_columns(cluster))
        metrics = externals(table, lower, bounds, rates)
        facts: dict[str, Any] = {
            "missing": missing, "cluster": cluster, "at": at, "passing": passing
        }  # fmt: skip
        return cls(**vars(from_values(metrics, testset, resamples=resamples, seed=seed, **facts)))

    def systems(self) -> pl.DataFrame:
        """Every system under every metric.

        Returns:
            One row for each, best first within a metric: ``metric``, ``system``, ``value``, ``low``
            and ``high`` (95% interval over items, see `jackknife.score_intervals`; NaN with
            ``resamples=0`` and for fewer than 4 items), ``n``, ``signature``. Where items have
            clusters, the interval is over clusters, and there are ``clusters``, their number, and
            ``design_effect``, by how much they multiply the variance. Where prompts have several samples,
            ``n`` counts prompts and ``n_samples`` replies.
        """
        tables = [self._systems(label, each) for label, each in self.measured.items()]
        table = pl.concat(tables, how="diagonal") if tables else pl.DataFrame()
        if "n_samples" not in table.columns:
            return table
        return table.with_columns(pl.col("n_samples").fill_null(pl.col("n")))

    def _systems(self, label: str, measured: Measured) -> pl.DataFrame:
        table = self._numbers(label, measured)
        return table[best_first(table.get_column("value").to_numpy(), measured.metric)]

    def _numbers(self, label: str, measured: Measured) -> pl.DataFrame:
        """The rows of ``systems`` of one metric, in the order of the systems."""
        if measured.answered is not None:
            alone = [self.of(label, [s]) for s in range(len(self.names))]
            return pl.concat([each._numbers(label, each.measured[label]) for each in alone])
        columns = system_columns(
            self.names, label, measured, self.resamples, partial(self.left_out, label), self.exact
        )
        # Lists: of an array Polars asks whether it is masked, and imports numpy.ma for that.
        numbers = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        table = pl.DataFrame(columns, schema_overrides=numbers)
        if measured.samples is not None:
            table = table.with_columns(n_samples=pl.Series(measured.replies))
        if self.cluster:
            effects = np.full(table.height, np.nan)
            if self.resamples and measured.size >= LEAST_ITEMS:
                effects = design_effects(self, label)
            table = table.with_columns(
                clusters=pl.lit(measured.size, dtype=pl.Int64), design_effect=pl.Series(effects)
            )
        return table

    def document(self, view: View = AS_USUAL) -> Document:
        """Every system under every metric, the best against the next best, and the signatures."""
        from rejoinder.scoring.score_tables import systems

        # One system alone has no ranks, and says so before anything is shown.
        ranks = self.ranks() if view.ranks else None
        return systems(self, self.systems(), self._leads(), self.sometimes(), ranks, view)

    @property
    def basis(self) -> Basis:
        """The measured rows, for `write_claim`."""
        return Basis("score", {"scores": self})

    def _leads(self) -> pl.DataFrame:
        """The leads, or none where nothing can be tested."""
        several = len(self.names) > 1 and self.resamples > 0
        return self.leads() if several else pl.DataFrame()

    def as_json(self, ranks: bool = False) -> dict[str, Any]:
        """The object that ``rejoinder score --json`` prints, with ``--ranks`` or without."""
        return {
            "systems": self.systems().to_dicts(),
            "parts": self.parts(),
            "leads": self._leads().to_dicts(),
            **({"ranks": self.ranks().to_dicts()} if ranks else {}),
            **({"sometimes": mixed.to_dicts()} if (mixed := self.sometimes()).height else {}),
            "notes": self.notes,
        }

    def sometimes(self) -> pl.DataFrame:
        """The items of which some samples of a system pass and some fail: none is sure either way.

        Returns:
            ``metric``, ``id``, ``system``, ``passed`` and ``samples``, in the order of the metrics and
            items; of metrics with a threshold (``passing``) and of shares.
        """
        return sometimes(self)

    def parts(self) -> dict[str, dict[str, dict[str, Any]]]:
        """What each value is made of, by metric and system: precisions, penalty, lengths, sums."""
        return parts_of(self.names, self.measured)

    def segments(self) -> pl.DataFrame:
        """Every reply by itself.

        Returns:
            One row for each system and item: ``system``, ``id``, and a column for each metric; NaN
            where the metric could not score the item, or the system did not answer it.
        """
        self.need_items()
        n = self.items.height
        table: dict[str, Any] = {
            "system": pl.Series(np.repeat(np.array(self.names, dtype=object), n), dtype=pl.String),
            "id": pl.concat([self.items.get_column("id")] * len(self.names)),
        }
        for label, each in self.measured.items():
            values = np.full((len(self.names), n), np.nan)
            values[:, each.usable] = each.rows.segments(each.metric)
            if each.answered is not None:
                values[:, each.usable] = np.where(each.answered, values[:, each.usable], np.nan)
            table[label] = values.ravel()
        return pl.DataFrame(table)

    def differing_items(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        most: int = 5,
        metric: str | Metric | None = None,
    ) -> pl.DataFrame:
        """The items in which two systems differ most under a metric, with the texts of both replies.

        Args:
            a: A system; None takes the two best, or the best of the others beside ``b``.
            b: Another system; None takes the best of the others.
            most: The number of items, 1 or more.
            metric: A metric that was measured; None takes the first that scores single replies.

        Raises:
            ParameterError: There is no such system or metric, both are the same, there is one alone,
                or there are no texts.
        """
        label, texts = self._examples_of(metric, most)
        best = best_first(self.measured[label].scores(), self.measured[label].metric)
        names = [self.names[place] for place in best]
        pairs_of(self.names, a, b)
        first = a or next(name for name in names if name != b)
        second = b or next(name for name in names if name != first)
        return differing_items(self.segments(), texts, label, (first, second), most)

    def worst_replies(
        self,
        system: str | None = None,
        *,
        most: int = 5,
        metric: str | Metric | None = None,
    ) -> pl.DataFrame:
        """The replies of a system that a metric scores worst, with their texts, the worst first.

        Args:
            system: A system; None: each of them.
            most: The number of replies of a system, 1 or more.
            metric: A metric that was measured; None takes the first that scores single replies.

        Raises:
            ParameterError: There is no such system or metric, or there are no texts.

        >>> from rejoinder import score
        >>> scores = score([["at nine"], ["no thanks"]], {"bot": ["at nine", "at nine"]}, ["bleu"])
        >>> scores.worst_replies(most=1).select("metric", "system", "id", "value", "reply").row(0)
        ('BLEU-2', 'bot', '2', 0.0, 'at nine')
        """
        label, texts = self._examples_of(metric, most)
        names = self.names if system is None else [self.names[self.place(system)]]
        higher = self.measured[label].metric.higher_is_better
        values = self.segments().select("system", "id", value=label)
        rows = worst_replies(values, texts, names, most, highest=not higher)
        return rows.select(pl.lit(label).alias("metric"), pl.all())

    def _examples_of(
        self, metric: str | Metric | None, most: int
    ) -> tuple[str, tuple[TestSet, Responses]]:
        """The metric by which examples are chosen, None for the first that scores single replies; and texts.

        Raises:
            ParameterError: There is none, fewer than 1 is asked for, or there are no texts.
        """
        if not isinstance(most, int) or most < 1:
            raise ParameterError(f"most={most!r}; expected a number of items, 1 or more")
        if self._texts is None:
            raise ParameterError(
                "these scores hold no texts; score the test set and the replies to see items"
            )
        able = [label for label, each in self.measured.items() if each.metric.summable]
        if metric is None and not able:
            raise ParameterError(f"none of {one_of(self.labels)} scores single replies")
        return able[0] if metric is None else self._label(metric), self._texts

    def explain(
        self,
        id: str,
        system: str | None = None,
        metric: str | Metric | None = None,
        *,
        testset: TestSetLike | None = None,
        responses: ResponsesLike | None = None,
    ) -> Explanations:
        """Says what made the scores of an item: n-grams and references, or the nearest words.

        Args:
            id: The item.
            system: One system; None takes all.
            metric: A metric by its label or its name; None takes every measured one that can be
                explained.
            testset: The contexts and references of scores that do not know their texts, such as
                loaded ones.
            responses: The replies of these.

        Returns:
            A sequence of ``Explanation``, for each metric and system, which a notebook shows as tables.

        Raises:
            ParameterError: Item, system or metric are unknown, no metric can be explained, or the scores
                do not know their texts and none are given.
            InputError: The item cannot be scored.

        >>> from rejoinder import TestSet, score
        >>> testset = TestSet.from_lists([["at nine", "not yet"]])
        >>> rows = pl.DataFrame({"system": ["a"], "id": ["1"], "text": ["at nine"]})
        >>> (one,) = score(testset, rows, ["bleu:order=1", "length"]).explain("1")
        >>> one.label, one.value, [each.ngram for each in one.contributions]
        ('BLEU-1', 1.0, ['at', 'nine'])
        """
        if testset is None and responses is None and self._texts is not None:
            testset, responses = self._texts
        if testset is None or responses is None:
            raise ParameterError(
                "these scores hold no texts; give them: scores.explain(id, testset=testset, "
                "responses=responses)"
            )
        expect(id, str, "id", "the id of an item, a text: scores.explain('3')")
        if system is not None:
            self.place(system)
        testset = TestSet.of(testset)
        replies = taken(Responses, responses, testset.ids)
        results = [
            explain(testset, replies, id, name, each)
            for each in self._explained(metric)
            for name in (self.names if system is None else (system,))
        ]
        return Explanations(tuple(results))

    def _explained(self, metric: str | Metric | None) -> list[str | Metric]:
        """The metrics to explain: the one that is named, or all that can be."""
        if metric is not None:
            if isinstance(metric, str) and metric in self.measured:
                return [self.measured[metric].metric]
            return [metric]
        able = [each.metric for each in self.measured.values() if can_explain(each.metric)]
        if not able:
            raise ParameterError(
                f"none of {one_of(self.labels)} can be explained; name a metric that can, for example ",
                Argument("metric", "bleu"),
            )
        return [*able]

    def by(self, column: str) -> pl.DataFrame:
        """Every system under every metric, for each value of a column of the contexts.

        Returns:
            ``column`` (called ``group`` where a column of ``systems()`` has its name; null for the items
            without a value), then the columns of ``systems()``. A metric without a single item to score in
            a group has ``n`` 0 and NaN.

        Raises:
            ParameterError: The contexts have no such column.
        """
        self.need_items()
        choices = [name for name in self.items.columns if name != "id"]
        if column not in choices:
            remedy = f"choose {one_of(choices)}" if choices else "they have none besides id"
            raise ParameterError(
                Argument("by", column), f": the contexts have no column '{column}'; {remedy}"
            )
        tables, systems = [], np.ones(len(self.names), dtype=bool)
        group = "group" if column in RESERVED else column
        values = self.items.get_column(column)
        if values.dtype == pl.String:
            values = values.set(values.str.strip_chars() == "", None)
        for (value,), members in (
            pl.DataFrame({group: values})
            .with_row_index(" place")
            .group_by(group, maintain_order=True)
        ):
            selected = np.zeros(self.items.height, dtype=bool)
            selected[members.get_column(" place").to_numpy()] = True
            table = self._select(selected, systems, self.measured).systems()
            name = pl.lit(value, dtype=self.items.schema[column])
            tables.append(table.select(name.alias(group), pl.all()))
        return pl.concat(tables)

    def select(
        self,
        items: np.ndarray | Sequence[str] | None = None,
        *,
        metrics: Sequence[str | Metric] | None = None,
        systems: Sequence[str] | None = None,
    ) -> Self:
        """The scores of some items, metrics or systems alone.

        Args:
            items: Ids, or an array bool [n]; None: all.
            metrics: Metrics that were measured, as for ``score`` or as tables head them; None: all.
            systems: Names; None: all. Their order stays.

        Raises:
            ParameterError: There is no such item, metric or system, none is named, or rows are blocks of
                items.

        >>> from rejoinder import score
        >>> both = score([["hi"], ["no"]], {"a": ["hi", "no"], "b": ["yes", "no"]}, ["bleu"])
        >>> both.select(["1"], systems=["b"])
        Scores(1 system, 1 item; BLEU-2; see .systems(), .compare(), .segments())
        """
        selected = np.ones(self.items.height, dtype=bool)
        if isinstance(items, np.ndarray) and items.dtype == bool:
            if items.shape != selected.shape:
                raise ParameterError(
                    f"items: a mask of shape {items.shape}; expected bool [{self.items.height}], one for "
                    "each item"
                )
            selected = items
        elif items is not None:
            self.need_items()
            listed = items.tolist() if isinstance(items, np.ndarray) else items
            ids = self.items.get_column("id")
            chosen = _named(listed, "items", "ids")
            for id in sorted(set(chosen).difference(ids)):
                raise ParameterError(f"items: {quoted(id)} is no id of these scores")
            selected = ids.is_in(list(chosen)).to_numpy()
        names = self.names if systems is None else sorted(_named(systems, "systems", "systems"))
        places = [self.place(name) for name in names]
        labels = self.labels
        if metrics is not None:
            if isinstance(metrics, str) or not metrics:
                raise ParameterError(f"metrics: got {metrics!r}; expected a list of metrics")
            labels = [self._label(each) for each in metrics]
        measured = {label: self.measured[label] for label in labels}
        chosen = self._select(selected, np.isin(range(len(self.names)), places), measured)
        return chosen if selected.all() else with_notes_of(chosen, self)

    def _label(self, metric: str | Metric) -> str:
        """The label of a metric that was measured."""
        if isinstance(metric, str) and metric in self.measured:
            return metric
        (resolved,) = registry.metrics([metric]).values()
        for label, each in self.measured.items():
            if each.metric == resolved:
                return label
        name = metric if isinstance(metric, str) else resolved.label
        raise ParameterError(
            f"metric {quoted(name)} was not measured; choose {one_of(self.labels)}, or measure anew"
        )

    def _select(self, items: np.ndarray, systems: np.ndarray, of: Mapping[str, Measured]) -> Self:
        """The same of items (bool [n]), systems (bool [S]) and metrics."""
        selected = self.items.filter(pl.Series(items))
        several = [int(place) for place in np.flatnonzero(systems)]

        def narrowed(each: Measured) -> Measured:
            inside = items[each.usable]
            rows = each.rows if inside.all() else each.rows.pick(inside)
            return replace(
                each,
                rows=rows if systems.all() else rows.of(several),
                usable=each.usable[items],
                clusters=clusters_of(selected, self.cluster, each.usable[items]),
                answered=None if each.answered is None else each.answered[systems][:, inside],
                samples=each.samples and each.samples.pick(inside).of(several),
            )

        measured = {label: narrowed(each) for label, each in of.items()}
        places = pl.Series(np.outer(systems, items).ravel())
        unknown_metrics = {
            label: replace(each, rows=each.rows.filter(places))
            for label, each in self.unknown_metrics.items()
            if len(of) == len(self.measured)
        }
        return replace(
            self,
            names=tuple(self.names[place] for place in several),
            items=selected,
            measured=measured,
            unknown_metrics=unknown_metrics,
            _draws={},
            _resampled={},
            _left_out={},
        )

    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        permutations: int | None = None,
        cluster: str | None = None,
        margin: float | None = None,
        worse_by: float | None = None,
    ) -> pl.DataFrame:
        """Compares pairs of systems on the same items; see ``rejoinder.compare``."""
        return compare(
            self, a, b, permutations=permutations, cluster=cluster, margin=margin, worse_by=worse_by
        ).table

    def clustered(self, cluster: str) -> Self:
        """The same scores with intervals and tests over the clusters of a column of the contexts.

        ``none`` takes every item as independent; see ``clusters.clustered``.
        """
        return clustered(self, cluster)

    def with_exact_rates(self) -> Self:
        """The same scores, of which rates have Clopper and Pearson's exact interval, not Wilson's.

        It covers at least 95%, and is wider: of 20 of 20 [.832, 1] in place of [.839, 1].

        Raises:
            ParameterError: No metric is a rate, or there are no intervals.
        """
        return with_exact(self)

    def leads(self) -> pl.DataFrame:
        """The best system under every metric against the next best; see ``compare.leads``."""
        return leads(self)

    def ranks(self) -> pl.DataFrame:
        """The range of ranks of every system under every metric; see ``ranks.rank_ranges``."""
        return compare(self).ranks()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows, without any text, to a Parquet file; see ``store.save``."""
        expect(path, (str, os.PathLike), "path", "the name of a file, such as 'scores.parquet'")
        save(self, path)


def _named(given: Sequence[str], name: str, of: str) -> tuple[str, ...]:
    """A list of names that is not empty."""
    names = strings(given, name, of)
    if not names:
        raise ParameterError(
            f"{name}: got an empty list; name one or more {of}, or leave {name} out"
        )
    return names


def load_scores(path: str | os.PathLike[str], metrics: Given = ()) -> Scores:
    """Loads what ``Scores.save`` wrote: intervals and comparisons need no text.

    Args:
        path: Of the file.
        metrics: Metrics of your own that were measured, or their classes: ``[MyMetric()]``. Without
            them their rows are kept and a note names them; a mean of rows (``MeanMetric``) is
            scored even so.

    Raises:
        InputError: The file is not there, is none that ``save`` wrote, or holds only metrics whose
            classes are not known here.
        ParameterError: The file does not hold one of ``metrics``, or with other parameters.
    """
    return Scores(**vars(load(path, metrics)))
