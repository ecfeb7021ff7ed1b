"""The measured rows of all systems under every metric: what comparisons and files are made from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, counted
from rejoinder.metrics.base import Metric
from rejoinder.metrics.contract import Part
from rejoinder.metrics.engine.jackknife import LEAST_ITEMS, enough_items, score_intervals
from rejoinder.metrics.engine.resampling import BLOCK, bootstrap_counts, narrow
from rejoinder.metrics.engine.rows import Matrix, Rows, codes_of
from rejoinder.progress import steps
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.intervals import large_group
from rejoinder.statistics.proportions import share_size

if TYPE_CHECKING:
    import polars as pl

    from rejoinder.scoring.saved_metrics import KeptRows

M = TypeVar("M", bound="Measurements")

FEW_ITEMS = 10
"""Intervals over fewer items than this have a note that calls them rough."""


@dataclass(frozen=True)
class Measured:
    """What one metric measured.

    Attributes:
        metric: The metric.
        rows: The rows of all systems, of the items that the metric could score.
        usable: bool [n], which items these are.
        signature: Everything that is needed to produce the numbers again.
        items: How many items the rows sum up; None where each row is one.
        clusters: The clusters of these items; None where every item is independent.
        answered: bool [S, height], which of these items each system answered; None where all did. The
            rows of others are zero, and add nothing to a sum.
        samples: The `nested_variance.moments` of the samples of each prompt, float64 [height, S, 6]; None
            where each system gave one reply to each.
    """

    metric: Metric
    rows: Rows
    usable: np.ndarray
    signature: str
    items: int | None = None
    clusters: Groups | None = None
    answered: np.ndarray | None = None
    samples: Matrix | None = None

    def scores(self) -> Floats:
        """The score of every system: float64 [S]; NaN without any item."""
        return np.where(self.counts > 0, self.metric.score(self.rows.sums()), np.nan)

    @property
    def counts(self) -> Indices:
        """How many items count for each system: int64 [S]."""
        if self.answered is None:
            return np.full(self.rows.systems, self.n)
        return self.answered.sum(axis=1)

    @property
    def replies(self) -> Indices:
        """How many replies of each system count, all samples of its items: int64 [S]."""
        if self.samples is None:
            return self.counts
        return self.samples.items[..., 0].sum(axis=0).astype(np.int64)

    @cached_property
    def units(self) -> Rows:
        """What is resampled, left out and swapped: the rows, or their sums by cluster."""
        return self.rows if self.clusters is None else self.rows.summed(self.clusters)

    @property
    def size(self) -> int:
        """How many units there are: clusters, or else rows."""
        return self.height if self.clusters is None else len(self.clusters)

    @property
    def has_interval(self) -> bool:
        """Whether there are units enough for an interval: of a share, any items that count once each."""
        alone = self.clusters is None and self.samples is None
        return enough_items(self.metric, self.size, alone)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of an error over the units; NaN for fewer than 4."""
        if self.size < LEAST_ITEMS:
            return math.nan
        return self.size - 1.0 if self.clusters is None else self.clusters.freedom

    @property
    def height(self) -> int:
        """How many rows a system has."""
        return int(self.usable.sum())

    def interval_sizes(self) -> Floats | None:
        """How many passes and failures a share is worth, float64 [S]; None where that is its items.

        Of clustered items, and where an item is a part of a pass because it has several samples; see
        `proportions.share_size`.
        """
        if not self.metric.share or (self.clusters is None and self.samples is None):
            return None
        low, high = self.metric.ends
        shares = (self.rows.segments(self.metric) - low) / (high - low)
        groups = self.clusters or Groups.of(None, self.height)
        return np.array([share_size(values, groups) for values in shares])

    @property
    def n(self) -> int:
        """How many items count."""
        return self.height if self.items is None else self.items


@dataclass(frozen=True)
class Measurements:
    """The rows that every metric measured, of the same systems and items, with the resamples of them.

    Values are in each metric's own range (0 to 1 for the BLEU family). Nothing here holds a text.

    Attributes:
        names: The systems, in the order of the responses.
        items: The table of items: ``id`` and the scalar columns of the contexts (topic, ...).
        measured: By label (``deltaBLEU-2``).
        notes: What was dropped or filled in, the most important first; shown beside every table.
        resamples: Number of resamples of the paired bootstrap; 0 for neither intervals nor tests.
        seed: Random seed.
        references: The fewest and the most references of an item.
        blocks: Whether a row sums up many items (``blocks.score_parquet``); a
            question about single items is then an error.
        cluster: The column of ``items`` whose equal values make a cluster; empty where every item is
            independent (``clusters.clustered``).
        exact: Whether rates have Clopper and Pearson's interval in place of Wilson's (``with_exact``).
        unknown_metrics: By label the rows of metrics whose class is not known here (``load_scores``).
    """

    names: tuple[str, ...]
    items: pl.DataFrame
    measured: dict[str, Measured]
    notes: tuple[str, ...] = ()
    resamples: int = 1000
    seed: int = 12345
    references: tuple[int, int] = (0, 0)
    blocks: bool = False
    cluster: str = ""
    exact: bool = False
    unknown_metrics: Mapping[str, KeptRows] = field(default_factory=dict, repr=False, compare=False)
    _draws: dict[bytes, list[Floats]] = field(default_factory=dict, repr=False, compare=False)
    _resampled: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)
    _left_out: dict[str, Floats] = field(default_factory=dict, repr=False, compare=False)

    @property
    def labels(self) -> list[str]:
        """The labels of the metrics, as the tables head them."""
        return list(self.measured)

    def resampled(self, label: str) -> Floats:
        """The score of every system in every bootstrap resample: float64 [S, resamples]."""
        if label not in self._resampled:
            labels = self._drawn_with(label)
            scores: dict[str, list[Floats]] = {each: [] for each in labels}
            for counts in steps(self._counts(self.measured[label]), self.resamples, len):
                for each in labels:
                    units, metric = self.measured[each].units, self.measured[each].metric
                    for part in narrow(counts, units):
                        scores[each].append(metric.score(units.totals(part)))
            for each, parts in scores.items():
                self._resampled[each] = np.concatenate(parts, axis=1)
        return self._resampled[label]

    def _drawn_with(self, label: str) -> list[str]:
        """The metrics that take the same resamples in one pass: of sums, and of the same items."""
        each = self.measured[label]
        if not each.metric.summable or each.size * self.resamples <= BLOCK:
            return [label]
        return [label] + [
            other
            for other, one in self.measured.items()
            if other != label
            and one.metric.summable
            and one.answered is None
            and np.array_equal(one.usable, each.usable)
        ]

    def left_out(self, label: str) -> Floats:
        """The score of every system with each unit left out: float64 [S, size]."""
        if label not in self._left_out:
            each = self.measured[label]
            self._left_out[label] = each.units.left_out(each.metric)
        return self._left_out[label]

    def _counts(self, measured: Measured) -> Iterable[Floats]:
        """The multiplicities of the units, drawn alike for all metrics that score the same items.

        Kept where they fit one block, drawn anew otherwise.
        """
        key = measured.usable.tobytes()
        if key not in self._draws:
            rng = np.random.default_rng(self.seed)
            blocks = bootstrap_counts(measured.size, self.resamples, rng)
            first = next(blocks)
            if len(first) < self.resamples:
                return chain([first], blocks)
            self._draws[key] = [first]
        return self._draws[key]

    def of(self, label: str, systems: Sequence[int]) -> Self:
        """One metric of some systems, on the items that all of these answered."""
        each = self.measured[label]
        selected = np.ones(each.height, dtype=np.bool_)
        if each.answered is not None:
            selected = np.logical_and.reduce(each.answered[list(systems)])
        usable = each.usable.copy()
        usable[each.usable] = selected
        rows = each.rows.pick(selected).of(systems)
        clusters = clusters_of(self.items, self.cluster, usable)
        samples = each.samples and each.samples.pick(selected).of(systems)
        measured = replace(
            each, rows=rows, usable=usable, clusters=clusters, answered=None, samples=samples
        )
        names = tuple(self.names[s] for s in systems)
        return replace(
            self, names=names, measured={label: measured}, _draws={}, _resampled={}, _left_out={}
        )

    def need_items(self) -> None:
        """Raises a ParameterError where each row is the sum of a block of items."""
        if self.blocks:
            raise ParameterError(
                f"these rows are blocks of items; score without {Argument('block')} for items"
            )

    def place(self, system: str) -> int:
        """The index of a system.

        Raises:
            ParameterError: There is no such system.
        """
        if system not in self.names:
            raise ParameterError(f"system '{system}' is unknown; choose {one_of(self.names)}")
        return self.names.index(system)


def system_columns(
    names: Sequence[str],
    label: str,
    measured: Measured,
    resamples: int,
    left_out: Callable[[], Floats],
    exact: bool = False,
) -> dict[str, list[Any]]:
    """The columns of ``Scores.systems`` of one metric, in the order of the systems.

    Args:
        names: The systems, which all answered the same items.
        label: The metric.
        measured: What it measured.
        resamples: 0 for no interval.
        left_out: Returns the score of every system with each unit left out: float64 [S, size].
        exact: As for ``Measurements``.
    """
    values = measured.scores()
    lows = highs = np.full(values.size, np.nan)
    if resamples and measured.has_interval:
        worth = measured.interval_sizes()
        lows, highs = score_intervals(
            measured.metric, values, left_out(), worth, measured.freedom, exact
        )
    return {
        "metric": [label] * values.size,
        "system": list(names),
        "value": values.tolist(),
        "low": lows.tolist(),
        "high": highs.tolist(),
        "n": [measured.n] * values.size,
        "signature": [measured.signature] * values.size,
    }


def parts_of(
    names: Sequence[str], measured: Mapping[str, Measured]
) -> dict[str, dict[str, dict[str, Part]]]:
    """What each value is made of, by metric and system: precisions, penalty, lengths, sums."""
    return {
        label: {
            system: each.metric.parts(totals)
            for system, totals in zip(names, each.rows.sums(), strict=True)
        }
        for label, each in measured.items()
    }


def best_first(values: Floats, metric: Metric) -> list[int]:
    """The places of these values, the best one first, undefined ones last."""
    key = -values if metric.higher_is_better else values
    return np.argsort(np.where(np.isnan(key), np.inf, key), kind="stable").tolist()


def clusters_of(items: pl.DataFrame, column: str, usable: np.ndarray) -> Groups | None:
    """The clusters of the items that a metric could score (bool [n]), in the order of their first items.

    None without a column.

    Args:
        items: The items with their columns.
        column: The column of the clusters; may be empty.
        usable: The items that the metric could score.
    """
    if not column or not usable.any():
        return None
    from rejoinder.tables.item_clusters import cluster_labels

    labels = cluster_labels(items, column).rank("dense").to_numpy()
    return Groups.of(codes_of(labels[usable]), int(usable.sum()))


def with_word(signature: str, key: str, value: str) -> str:
    """The signature with the word ``key:value`` before those of the interval; without any if empty.

    >>> with_word("bleu|missing:drop|ci:jackknife-t|bs:1000", "missing", "pairwise")
    'bleu|missing:pairwise|ci:jackknife-t|bs:1000'
    """
    words = [word for word in signature.split("|") if not word.startswith(f"{key}:")]
    if value:
        place = next((k for k, word in enumerate(words) if word.startswith(("ci:", "bs:"))), None)
        words.insert(len(words) if place is None else place, f"{key}:{value}")
    return "|".join(words)


def with_exact(scores: M) -> M:
    """The same scores, of which rates have Clopper and Pearson's exact interval.

    Raises:
        ParameterError: No metric is a rate, or there are no intervals.
    """
    if not scores.resamples:
        raise ParameterError(
            Argument("exact"), ": there are no intervals without resamples; leave it out"
        )
    if not any(each.metric.share for each in scores.measured.values()):
        raise ParameterError(
            Argument("exact"),
            f": none of {one_of(scores.labels)} is a rate, of which every value is 0 or 1; leave it out",
        )
    measured = {
        label: replace(each, signature=with_word(each.signature, "ci", "clopper-pearson"))
        if each.metric.share
        else each
        for label, each in scores.measured.items()
    }
    return replace(scores, measured=measured, exact=True)


def few_items(measured: Mapping[str, Measured]) -> list[str]:
    """Notes on intervals where items or clusters are few, or one cluster is large.

    There is none below 4 (but of rates of items that count once each), and a warning below 10.
    """
    numbers: dict[tuple[str, bool], list[str]] = {}
    for label, each in measured.items():
        if each.size < FEW_ITEMS:
            unit = "item" if each.clusters is None else "cluster"
            numbers.setdefault((counted(each.size, unit), each.has_interval), []).append(label)
    notes = []
    for (number, has_interval), labels in numbers.items():
        start = "" if len(labels) == len(measured) else f"{', '.join(labels)}: "
        if not has_interval:
            notes.append(f"{start}{number}: no interval; it takes {LEAST_ITEMS} or more")
        else:
            notes.append(
                f"{start}{number} alone: intervals of so few are rough; do not rely on them"
            )
    for each in measured.values():
        notes += [] if each.clusters is None else large_group(each.clusters.size)
    return list(dict.fromkeys(notes))
