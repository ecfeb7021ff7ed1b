"""What a protocol observed, and what follows from it for each metric and coefficient.

Every protocol turns `Rated` replies into an `Evidence` of its own, which tells a `CorrelationRow` for each
metric and a `Pair` for each two of them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.errors import InputError, ParameterError
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.kernels.cores import cores
from rejoinder.messages import counted
from rejoinder.metrics.engine.rows import Rows
from rejoinder.metrics.means import mean
from rejoinder.progress import Progress, advance
from rejoinder.statistics import significance
from rejoinder.statistics.correlation import reason_undefined
from rejoinder.statistics.intervals import Interval

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric

T = TypeVar("T")
R = TypeVar("R")

TWO = "2 observations: any coefficient of two points is 1, -1 or undefined"


class Evidence(ABC):
    """What a protocol observed."""

    labels: list[str]
    notes: list[str]
    over_raters: bool = False
    """Whether intervals hold for other raters too."""

    def names(self, correlations: Sequence[str]) -> Sequence[str]:
        """The requested coefficients that are defined: all, where a protocol has no others."""
        return correlations

    @abstractmethod
    def row(self, label: str, correlation: str) -> CorrelationRow:
        """One metric under one coefficient."""

    @abstractmethod
    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """Two metrics against each other."""

    @abstractmethod
    def observations(self) -> pl.DataFrame:
        """One row for each observation."""

    def people(self, correlations: Sequence[str]) -> list[tuple[str, str, CorrelationRow]]:
        """Rows of people against people: label, coefficient, row."""
        return []

    def within(self, correlation: str) -> list[dict[str, Any]]:
        """The agreement within each system, and its mean over systems.

        Raises:
            ParameterError: The protocol has one observation of each system.
        """
        raise ParameterError(
            "within systems: only the protocol 'turn' has several observations of one"
        )

    def prepare(  # noqa: B027 - most have nothing to prepare
        self, correlations: Sequence[str], progress: Progress | None = None
    ) -> None:
        """Does what many rows share, once."""


class CorrelationRow(NamedTuple):
    """What is known of one metric under one coefficient.

    Args:
        value: The coefficient.
        n: Observations.
        low: Lower end of its 95% interval.
        high: Upper end.
        p: Of the permutation test.
        reason: Why one of these is NaN; None where none is, or none was asked for.
        more: Additional columns of the protocol's own: numbers, and reasons by a name that ends so.
    """

    value: float
    n: int
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    reason: str | None = None
    more: Mapping[str, float | str | None] = {}

    def columns(self) -> dict[str, Any]:
        """The columns that every table of agreement has."""
        names = "value", "low", "high", "p", "n", "reason"
        return {name: getattr(self, name) for name in names}


class Pair(NamedTuple):
    """One metric's agreement with people less another's: as `CorrelationRow`, and Williams' test."""

    value_a: float
    value_b: float
    n: int
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    williams: significance.Williams = significance.Williams(math.nan, math.nan)
    reason: str | None = None
    more: Mapping[str, float | str | None] = {}


class Draws(NamedTuple):
    """How much is drawn: permutations and resamples (0 for none), and the seed of both."""

    permutations: int
    resamples: int
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        """A fresh generator: every metric and coefficient sees the same draws."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True)
class Rated:
    """Scores and ratings of the same replies.

    Attributes:
        systems: The rated systems [S].
        ids: The items [n].
        subjects: By label, the metrics and the random baseline.
        system: int64 [r], of each rated reply.
        item: int64 [r].
        matrix: float64 [r, raters], NaN where missing.
        human: The ratings of each brought down to one (float64 [r]).
        mean: Whether that one is their mean.
        paired: float64 [S, S, n], where ratings belong to pairs of systems: the rating of the first
            system's reply beside the second's, NaN where there is none. None where they do not.
        cluster: The cluster of each item (int64 [n]); None where every item is independent.
        clusters: The names of the clusters, by number.
        contexts: What items are called in notes.
        raters: The names of the raters, by column of ``matrix``.
    """

    systems: tuple[str, ...]
    ids: tuple[str, ...]
    subjects: dict[str, Subject]
    system: Indices
    item: Indices
    matrix: Floats
    human: Floats
    mean: bool
    paired: Floats | None = None
    cluster: Indices | None = None
    clusters: tuple[str, ...] = ()
    contexts: str = "contexts"
    raters: tuple[str, ...] = ()

    @property
    def grid(self) -> Floats:
        """The rating of every system on every item: float64 [S, n], NaN where nobody rated."""
        grid = np.full((len(self.systems), len(self.ids)), np.nan)
        grid[self.system, self.item] = self.human
        return grid

    def ratings_of(self, system: str) -> Floats:
        """The single ratings of a system's replies: float64 [n, raters], NaN where there is none."""
        of_system = self.system == self.systems.index(system)
        ratings = np.full((len(self.ids), self.matrix.shape[1]), np.nan)
        ratings[self.item[of_system]] = self.matrix[of_system]
        return ratings

    @property
    def group(self) -> Indices:
        """What is resampled and permuted as a whole: int64 [r], the cluster or else the item."""
        return self.item if self.cluster is None else self.cluster[self.item]

    @property
    def groups_are(self) -> str:
        """What these groups are called."""
        return self.contexts if self.cluster is None else "clusters"

    @property
    def segments(self) -> dict[str, Floats]:
        """The score of each rated reply by itself, by label: float64 [r]."""
        return {label: x.segments[self.system, self.item] for label, x in self.subjects.items()}

    def scored(self) -> tuple[Rated, list[str]]:
        """The replies that have a score of their own under every metric, and what to say of others.

        Distinct-1 of an empty reply is undefined. Were it left out under that metric alone, metrics
        would be compared with people on different replies. A metric that scores fewer than half of
        the replies by themselves takes none away from the others: it is undefined, and says why.

        Raises:
            InputError: No reply is left.
        """
        missing = {label: np.isnan(each) for label, each in self.segments.items()}
        lacking = [label for label, each in missing.items() if 0 < each.sum() <= each.size / 2]
        if not lacking:
            return self, []
        lost = np.logical_or.reduce([missing[label] for label in lacking])
        note = (
            f"{int(lost.sum())} of {lost.size} rated replies left out for all metrics alike: no score "
            f"of their own under {', '.join(lacking)}"
        )
        if lost.all():
            raise InputError(f"{note}; none is left: measure with fewer metrics")
        names = "system", "item", "matrix", "human"
        return replace(self, **{name: getattr(self, name)[~lost] for name in names}), [note]


@dataclass(frozen=True)
class Subject:
    """What is compared with human ratings: a metric's rows of every system and item.

    Attributes:
        rows: [S, n].
        metric: What scores sums of rows.
        sign: -1 for a metric whose lower scores are better: all scores here are turned around.
    """

    rows: Rows
    metric: Metric
    sign: float = 1.0

    def score(self, totals: Floats) -> Floats:
        """The scores of summed rows, higher is better: float64 [..., k] to [...]."""
        return self.sign * self.metric.score(totals)

    @cached_property
    def segments(self) -> Floats:
        """The score of every reply by itself: float64 [S, n]."""
        return self.sign * self.rows.segments(self.metric)

    def corpora(self, rated: NDArray[np.bool_]) -> Floats:
        """The corpus score of each system on its own items, bool [S, n]: float64 [S]."""
        counts = rated.astype(np.float64)
        if (rated == rated[0]).all():
            return self.score(self.rows.totals(counts[:1])[:, 0])
        totals = [self.rows.totals(counts[s : s + 1])[s, 0] for s in range(len(counts))]
        return self.score(np.stack(totals))


class MeanOfReplies:
    """What scores sums of rows as a mean over replies: of the random baseline, and of dialogues."""

    def score(self, totals: Floats) -> Floats:
        """float64 [..., 2] to float64 [...]."""
        return mean(totals)


def undefined(x: Floats, y: Floats) -> str | None:
    """Why a correlation with people is undefined, or says nothing; None where it is neither."""
    if x.size == 2:
        return TWO
    reason = reason_undefined(x, y)
    missing = int(np.isnan(x).sum())
    if reason == "a metric score is missing":
        have = "has no score of its own" if x.size == 1 else "have no score of their own"
        return f"{missing} of {counted(x.size, 'observation')} {have}"
    return reason


def no_interval(interval: Interval, *others: str | None) -> str | None:
    """The reason of a missing interval, as the table tells it, and other reasons after it."""
    reason = f"no interval: {interval.reason}" if interval.reason else None
    return "; ".join(filter(None, [reason, *others])) or None


def texts_at(texts: Sequence[str], places: Indices) -> pl.Series:
    """The texts at these places, such as the names of the systems of the observations."""
    return pl.Series(np.array(texts, dtype=object)[places], dtype=pl.String)


def at_once(
    function: Callable[[T], R], tasks: Iterable[T], progress: Progress | None = None
) -> list[R]:
    """Does tasks on all cores, tells how many are done, and returns their results in order.

    Args:
        function: Does one task.
        tasks: What it is called with.
        progress: Called with how many tasks are done, and of how many; None: nobody asks.
    """
    tasks, done = list(tasks), 0

    def one(task: T) -> R:
        nonlocal done
        result = function(task)
        done += 1
        advance(progress, done, len(tasks))
        return result

    if cores() == 1 or len(tasks) < 2:
        return [one(task) for task in tasks]
    with ThreadPoolExecutor(cores(), thread_name_prefix="rejoinder") as pool:
        # Messages that a task makes are worded as here: a thread has no context of its own.
        contexts = [copy_context() for _ in tasks]
        return list(pool.map(lambda context, task: context.run(one, task), contexts, tasks))
