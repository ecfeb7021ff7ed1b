"""The protocols under which metrics are held against people: what one observation is.

A protocol is a small object whose parameters stand in the signature. It turns rated replies into
evidence: observations, and what follows from them for each metric and coefficient.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.agreement import intervals, testing
from rejoinder.agreement.correlation import correlation_named, reason_undefined
from rejoinder.agreement.groups import Groups
from rejoinder.agreement.intervals import Interval, percentiles
from rejoinder.agreement.pairwise import best_epsilon, decided_accuracy, pairwise_accuracy
from rejoinder.agreement.raters import human_correlations
from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.metrics.base import cores
from rejoinder.metrics.rows import Rows

if TYPE_CHECKING:
    from rejoinder.metrics.base import Metric

T = TypeVar("T")
R = TypeVar("R")

# Of 7 systems drawn with replacement, 8% of the resamples hold 3 distinct ones or fewer, whose
# correlation is near 1 or -1 whatever the metric; of 8 systems 2% do.
LEAST_SYSTEMS = 8

ACCURACIES = ("accuracy", "decided")
"""What the pairwise protocol tells of a metric: ties counted as answers, and decided pairs alone."""


class Draws(NamedTuple):
    """How much is drawn: permutations and resamples (0 for none), and the seed of both."""

    permutations: int
    resamples: int
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        """A fresh generator: every metric and coefficient sees the same draws."""
        return np.random.default_rng(self.seed)


class Row(NamedTuple):
    """What is known of one metric under one coefficient.

    Args:
        value: The coefficient.
        n: Observations.
        low: Lower end of its 95% interval.
        high: Upper end.
        p: Of the permutation test.
        reason: Why one of these is NaN; None where none is, or none was asked for.
        more: Further columns of the protocol's own.
    """

    value: float
    n: int
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    reason: str | None = None
    more: Mapping[str, float] = {}


class Pair(NamedTuple):
    """One metric's agreement with people less another's: as `Row`, and Williams' test."""

    value_a: float
    value_b: float
    n: int
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    williams: testing.Williams = testing.Williams(math.nan, math.nan)
    reason: str | None = None


@dataclass(frozen=True)
class Subject:
    """What is held against people: a metric's rows of every system and item.

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
        human: float64 [r], the ratings of each brought down to one.
        mean: Whether that one is their mean.
    """

    systems: tuple[str, ...]
    ids: tuple[str, ...]
    subjects: dict[str, Subject]
    system: Indices
    item: Indices
    matrix: Floats
    human: Floats
    mean: bool

    @property
    def grid(self) -> Floats:
        """The rating of every system on every item: float64 [S, n], NaN where nobody rated."""
        grid = np.full((len(self.systems), len(self.ids)), np.nan)
        grid[self.system, self.item] = self.human
        return grid

    @property
    def segments(self) -> dict[str, Floats]:
        """The score of each rated reply by itself, by label: float64 [r]."""
        return {label: x.segments[self.system, self.item] for label, x in self.subjects.items()}


class Evidence(ABC):
    """What a protocol observed."""

    labels: list[str]
    notes: list[str]

    @abstractmethod
    def names(self, correlations: Sequence[str]) -> Sequence[str]:
        """The coefficients that can be told, of those wanted."""

    @abstractmethod
    def row(self, label: str, correlation: str) -> Row:
        """One metric under one coefficient."""

    @abstractmethod
    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """Two metrics against each other."""

    @abstractmethod
    def observations(self) -> pl.DataFrame:
        """One row for each observation."""

    def people(self, correlations: Sequence[str]) -> list[tuple[str, str, Row]]:
        """Rows of people against people: label, coefficient, row."""
        return []

    def within(self, correlation: str) -> list[dict[str, Any]]:
        """The agreement within each system, and its mean over systems."""
        raise ParameterError(
            "within systems: only the protocol 'turn' has several observations of one"
        )

    def prepare(  # noqa: B027 - most have nothing to prepare
        self, correlations: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Does what many rows share, once."""


class Protocol(ABC):
    """What one observation is."""

    name: ClassVar[str]
    spread: ClassVar[str] = ""
    """What a table of this protocol has to say of its intervals."""
    resampled: ClassVar[bool] = True
    """Whether intervals are drawn."""

    @abstractmethod
    def signature(self) -> str:
        """Name and parameters, in the style of the metrics' signatures."""

    @abstractmethod
    def observe(self, rated: Rated, draws: Draws) -> Evidence:
        """Makes observations of rated replies."""


@dataclass(frozen=True)
class Turn(Protocol):
    """One observation for each rated reply: its score by itself against its rating.

    (Liu et al. 2016; Tao et al. 2018; Gupta et al. 2019.) Replies to one context are drawn together.

    Args:
        resample_raters: Draw raters as well as contexts for the intervals.
    """

    name: ClassVar[str] = "turn"
    resample_raters: bool = False

    def signature(self) -> str:
        """The protocol in a signature."""
        return f"protocol:turn{'|resample_raters:yes' if self.resample_raters else ''}"

    def observe(self, rated: Rated, draws: Draws) -> Replies:
        """One observation for each rated reply.

        Raises:
            ParameterError: Raters are to be drawn, but the ratings are not their mean.
        """
        if self.resample_raters and not rated.mean:
            raise ParameterError(
                "resample_raters averages the drawn raters; do it with raters='mean'"
            )
        return Replies(rated, draws, self.resample_raters)


@dataclass(frozen=True)
class System(Protocol):
    """One observation for each system: its corpus score on its rated items against its mean rating.

    Systems are what is drawn, so few of them give no interval.
    """

    name: ClassVar[str] = "system"

    def signature(self) -> str:
        """The protocol in a signature."""
        return "protocol:system"

    def observe(self, rated: Rated, draws: Draws) -> Observed:
        """One observation for each system."""
        present = ~np.isnan(rated.grid)
        scores = {label: each.corpora(present) for label, each in rated.subjects.items()}
        number = np.bincount(rated.system, minlength=len(rated.systems))
        human = np.bincount(rated.system, rated.human, len(rated.systems)) / number
        systems = np.arange(len(rated.systems))
        keys = pl.DataFrame({"system": list(rated.systems), "items": number, "group": systems})
        told = Observed(scores, human, systems, keys, draws, "systems", LEAST_SYSTEMS)
        if len(set(number.tolist())) > 1 or not (present == present[0]).all():
            told.notes.append(
                "systems are rated on different items, which may be harder or easier: their scores "
                "and ratings are not strictly comparable"
            )
        return told


@dataclass(frozen=True)
class Pairwise(Protocol):
    """One observation for each pair of replies to a context: does the metric order them as people?

    (WMT's accuracy with ties: Deutsch, Foster and Freitag 2023.)

    Args:
        epsilon: Scores that differ by no more are a tie; ``"best"`` finds the one that serves each
            metric best.
    """

    name: ClassVar[str] = "pairwise"
    epsilon: float | Literal["best"] = 0.0

    def __post_init__(self) -> None:
        known = self.epsilon == "best" if isinstance(self.epsilon, str) else self.epsilon >= 0
        if not known:
            raise ParameterError(f"epsilon={self.epsilon!r} must be 0 or more, or 'best'")

    def signature(self) -> str:
        """The protocol in a signature."""
        return f"protocol:pairwise|epsilon:{self.epsilon}"

    def observe(self, rated: Rated, draws: Draws) -> Ordered:
        """Pairs of rated replies to one context."""
        return Ordered(rated, self.epsilon, draws)


@dataclass(frozen=True)
class Unit(Protocol):
    """One observation for each unit of items of a pair of systems (Galley et al. 2015, section 5).

    The metric's difference between the two systems on the unit's items, as a corpus, against the
    difference of their mean ratings.

    Args:
        size: How many items are a unit: M.
        assignments: How many random assignments of items to units are averaged.
    """

    name: ClassVar[str] = "unit"
    spread: ClassVar[str] = (
        "intervals: Fisher's at the number of units, as if these were independent; they share items "
        "and systems"
    )
    resampled: ClassVar[bool] = False
    size: int = 100
    assignments: int = 1000

    def __post_init__(self) -> None:
        for name in ("size", "assignments"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ParameterError(f"{name}={value!r} must be a whole number of at least 1")

    def signature(self) -> str:
        """The protocol in a signature."""
        return f"protocol:unit|size:{self.size}|assignments:{self.assignments}"

    def observe(self, rated: Rated, draws: Draws) -> Evidence:
        """Units of items of every pair of systems."""
        from rejoinder.scoring.units import Units

        return Units(rated, self.size, self.assignments, draws)


PROTOCOLS: dict[str, type[Turn | Unit | System | Pairwise]] = {
    "turn": Turn,
    "unit": Unit,
    "system": System,
    "pairwise": Pairwise,
}


def protocol_named(protocol: str | Protocol) -> Protocol:
    """A protocol by its name, with its defaults; a protocol stays what it is.

    Raises:
        ParameterError: There is none of that name.

    >>> protocol_named("unit")
    Unit(size=100, assignments=1000)
    """
    if isinstance(protocol, Protocol):
        return protocol
    if protocol not in PROTOCOLS:
        raise ParameterError(f"protocol={protocol!r} is unknown; choose {one_of(PROTOCOLS)}")
    return PROTOCOLS[protocol]()


def threshold(text: str) -> float | Literal["best"]:
    """Reads the epsilon of `Pairwise`.

    Raises:
        ParameterError: It is neither a number nor ``best``.
    """
    if text == "best":
        return "best"
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"epsilon={text!r} must be 0 or more, or 'best'") from None


def check_names(protocol: Protocol, correlations: Sequence[str]) -> None:
    """Raises a ParameterError for coefficients wanted of a protocol that has none."""
    if correlations and isinstance(protocol, Pairwise):
        raise ParameterError("the protocol 'pairwise' tells accuracies: do without --correlation")


class Observed(Evidence):
    """Observations of one number from each metric and one from people.

    Args:
        scores: By label, float64 [N].
        human: float64 [N].
        groups: [N], what is drawn together.
        keys: What identifies each observation, its group last.
        draws: How much is drawn.
        drawn: What the groups are called.
        least: With fewer groups there is no interval; 0 leaves it to the bootstrap.
        raters: float64 [N, raters] where raters are to be drawn too.
    """

    def __init__(
        self,
        scores: dict[str, Floats],
        human: Floats,
        groups: Indices,
        keys: pl.DataFrame,
        draws: Draws,
        drawn: str,
        least: int = 0,
        raters: Floats | None = None,
    ) -> None:
        self.scores, self.human, self.groups, self.keys = scores, human, groups, keys
        self.draws, self.drawn, self.least, self.raters = draws, drawn, least, raters
        self.labels = list(scores)
        self.notes: list[str] = []
        self.resampled: dict[tuple[str, str], Floats] = {}

    def names(self, correlations: Sequence[str]) -> Sequence[str]:
        """All of them."""
        return correlations

    def row(self, label: str, correlation: str) -> Row:
        """Value, cluster bootstrap and permutation test."""
        x, y = self.scores[label], self.human
        value = float(correlation_named(correlation)(x, y))
        reason = undefined(x, y)
        if reason:
            return Row(math.nan, y.size, reason=reason)
        interval = self._interval(label, correlation)
        p = math.nan
        if self.draws.permutations:
            p = float(
                testing.permutation_p(
                    x, y, correlation, self.draws.permutations, self.draws.rng, self.groups
                )
            )
        return Row(value, y.size, interval.low, interval.high, p, no_interval(interval))

    def _interval(self, label: str, correlation: str) -> Interval:
        too_few = self._too_few()
        if too_few or not self.draws.resamples:
            return Interval(math.nan, math.nan, reason=too_few)
        if self.raters is None:
            return percentiles(self._resampled(label, correlation))
        return intervals.bootstrap_over_raters(
            self.scores[label],
            self.raters,
            correlation,
            self.groups,
            self.draws.resamples,
            self.draws.rng,
        )

    def _too_few(self) -> str | None:
        number = np.unique(self.groups).size
        least = max(self.least, intervals.LEAST_GROUPS)
        return f"fewer than {least} {self.drawn} to resample" if number < least else None

    def _resampled(self, label: str, correlation: str) -> Floats:
        key = label, correlation
        if key not in self.resampled:
            self.resampled[key] = intervals.resampled(
                self.scores[label],
                self.human,
                correlation,
                self.groups,
                self.draws.resamples,
                self.draws.rng,
            )
        return self.resampled[key]

    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """The difference resample by resample, the paired permutation, and Williams' test."""
        x1, x2, y = self.scores[a], self.scores[b], self.human
        measure = correlation_named(correlation)
        r12, r13, r23 = (float(r) for r in (measure(x1, y), measure(x2, y), measure(x1, x2)))
        reason = undefined(x1, y) or undefined(x2, y)
        if reason:
            return Pair(r12, r13, y.size, reason=reason)
        too_few = self._too_few()
        interval = Interval(math.nan, math.nan, reason=too_few)
        if self.draws.resamples and not too_few:
            drawn = self._resampled(a, correlation) - self._resampled(b, correlation)
            interval = percentiles(drawn)
        p = math.nan
        if self.draws.permutations:
            p = testing.paired_permutation(
                x1, x2, y, correlation, self.draws.permutations, self.draws.rng, self.groups
            ).p
        williams = testing.williams(r12, r13, r23, y.size)
        ends = interval.low, interval.high
        return Pair(r12, r13, y.size, *ends, p, williams, no_interval(interval))

    def observations(self) -> pl.DataFrame:
        """The keys, ``human``, and a column for each metric."""
        return self.keys.with_columns(
            pl.Series("human", self.human),
            *(pl.Series(label, values) for label, values in self.scores.items()),
        )


class Replies(Observed):
    """Turn-level observations, which single raters and single systems have too."""

    def __init__(self, rated: Rated, draws: Draws, resample_raters: bool) -> None:
        super().__init__(
            rated.segments,
            rated.human,
            rated.item,
            _reply_keys(rated),
            draws,
            "contexts",
            raters=rated.matrix if resample_raters else None,
        )
        self.rated = rated

    def people(self, correlations: Sequence[str]) -> list[tuple[str, str, Row]]:
        """Each rater against the mean of the others, where there are several."""
        matrix = self.rated.matrix
        if matrix.shape[1] < 2:
            return []
        rows = []
        for correlation in correlations:
            told = human_correlations(matrix, correlation)
            for label, value in (("human (avg)", told.average), ("human (max)", told.maximum)):
                n = int(((~np.isnan(matrix)).sum(axis=1) > 1).sum())
                reason = told.reason or "single raters against the others: no interval, no test"
                rows.append((label, correlation, Row(value, n, reason=reason)))
        return rows

    def within(self, correlation: str) -> list[dict[str, Any]]:
        """Each system by itself, then the mean of those that are defined.

        Where all systems are rated on the same contexts, the mean's interval draws these contexts
        for all systems at once.
        """
        places = [np.flatnonzero(self.rated.system == s) for s in range(len(self.rated.systems))]
        contexts = [self.groups[each] for each in places]
        alike = all(np.array_equal(contexts[0], each) for each in contexts)
        tasks = [(label, each) for label in self.labels for each in places]

        def one(task: tuple[str, Indices]) -> tuple[Row, Floats]:
            label, place = task
            part = Observed(
                {label: self.scores[label][place]},
                self.human[place],
                self.groups[place],
                self.keys[place],
                self.draws._replace(permutations=0),
                self.drawn,
            )
            row = part.row(label, correlation)
            return row, part.resampled.get((label, correlation), np.empty(0))

        done = at_once(one, tasks)
        rows = []
        for start, label in enumerate(self.labels):
            of_label = done[start * len(places) : (start + 1) * len(places)]
            rows += [
                within_row(label, correlation, system, row)
                for system, (row, _) in zip(self.rated.systems, of_label, strict=True)
            ]
            rows.append(within_row(label, correlation, "mean", _mean(of_label, alike)))
        return rows


def within_row(label: str, correlation: str, system: str, row: Row) -> dict[str, Any]:
    """A row of the table of agreement within systems."""
    return {
        "metric": label,
        "correlation": correlation,
        "system": system,
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "n": row.n,
        "reason": row.reason,
    }


def _mean(rows: Sequence[tuple[Row, Floats]], alike: bool) -> Row:
    """The mean over the systems that have a correlation; their resamples share the contexts."""
    defined = [(row, drawn) for row, drawn in rows if not math.isnan(row.value)]
    n = sum(row.n for row, _ in defined)
    if not defined:
        return Row(math.nan, n, reason="undefined within every system")
    value = float(np.mean([row.value for row, _ in defined]))
    left = len(rows) - len(defined)
    words = [f"undefined within {left} of {len(rows)} systems, left out"] if left else []
    interval = Interval(math.nan, math.nan)
    if not alike:
        interval = Interval(math.nan, math.nan, reason="systems are rated on different contexts")
    elif all(drawn.size for _, drawn in defined):
        interval = percentiles(np.mean([drawn for _, drawn in defined], axis=0))
    words += [told for told in [no_interval(interval)] if told]
    return Row(value, n, interval.low, interval.high, reason="; ".join(words) or None)


class Ordered(Evidence):
    """Pairs of replies to a context, ordered by people and by metrics.

    Args:
        rated: Scores and ratings.
        epsilon: Scores no further apart tie.
        draws: How much is drawn.
    """

    def __init__(self, rated: Rated, epsilon: float | Literal["best"], draws: Draws) -> None:
        self.scores, self.rated, self.draws = rated.segments, rated, draws
        self.labels = list(rated.subjects)
        self.human, self.groups = rated.human, rated.item
        sizes = np.bincount(self.groups)
        self.several = np.flatnonzero(sizes > 1)
        self.left, self.right = _pairs_within(self.groups)
        self.notes: list[str] = []
        alone = int((sizes == 1).sum())
        if alone:
            self.notes.append(f"pairwise: {alone} contexts left out that have a single rated reply")
        ties = int((self.human[self.left] == self.human[self.right]).sum())
        self.notes.append(f"pairwise: people rate {ties} of {self.left.size} pairs alike")
        self.epsilon = {label: self._epsilon(label, epsilon) for label in self.labels}

    def _epsilon(self, label: str, epsilon: float | Literal["best"]) -> float:
        if isinstance(epsilon, str):
            return best_epsilon(self.scores[label], self.human, self.groups)
        return epsilon

    def names(self, correlations: Sequence[str]) -> Sequence[str]:
        """Accuracies stand in the place of coefficients."""
        return ACCURACIES

    def row(self, label: str, correlation: str) -> Row:
        """Accuracy, bootstrap over contexts, and a permutation test."""
        x, y = self.scores[label], self.human
        epsilon = self.epsilon[label]
        more = {"epsilon": epsilon if correlation == "accuracy" else 0.0}
        reason = self._reason(x)
        if reason:
            return Row(math.nan, self.left.size, reason=reason, more=more)
        if correlation == "accuracy":
            told = pairwise_accuracy(x, y, self.groups, epsilon)
        else:
            told = decided_accuracy(x, y, self.groups)
        if not told.pairs:
            return Row(math.nan, 0, reason="people rate all pairs alike", more=more)
        each = self._by_context(label, y, correlation)
        interval = self._interval(each)
        p = self._p(label, correlation) if self.draws.permutations else math.nan
        ends = interval.low, interval.high
        return Row(told.accuracy, told.pairs, *ends, p, no_interval(interval), more)

    def _reason(self, x: Floats) -> str | None:
        if not self.left.size:
            return "no context has two rated replies"
        missing = int(np.isnan(x).sum())
        return f"{missing} of {x.size} replies have no score of their own" if missing else None

    def _interval(self, each: Floats) -> Interval:
        """Of the mean over contexts, float64 [contexts], those without a pair being NaN."""
        each = each[~np.isnan(each)]
        if each.size < intervals.LEAST_GROUPS:
            reason = f"fewer than {intervals.LEAST_GROUPS} contexts to resample"
            return Interval(math.nan, math.nan, reason=reason)
        if not self.draws.resamples:
            return Interval(math.nan, math.nan)
        drawn = self.draws.rng.integers(0, each.size, size=(self.draws.resamples, each.size))
        return percentiles(each[drawn].mean(axis=1))

    def _counted(self, y: Floats, correlation: str) -> NDArray[np.bool_]:
        """Which pairs count, bool [..., p]: all, or those that people decided."""
        decided = y[..., self.left] != y[..., self.right]
        return np.ones_like(decided) if correlation == "accuracy" else decided

    def _by_context(self, label: str, y: Floats, correlation: str) -> Floats:
        """The accuracy in each context that has a pair: float64 [..., contexts] of y [..., r]."""
        dx = self.scores[label][self.left] - self.scores[label][self.right]
        if correlation == "accuracy":
            dx = np.where(np.abs(dx) <= self.epsilon[label], 0.0, dx)
        counted = self._counted(y, correlation)
        right = counted & (np.sign(dx) == np.sign(y[..., self.left] - y[..., self.right]))
        number = np.add.reduceat(counted.astype(np.float64), self._starts, axis=-1)
        total = np.add.reduceat(right.astype(np.float64), self._starts, axis=-1)
        return np.where(number > 0, total, np.nan) / np.maximum(number, 1.0)

    @cached_property
    def _starts(self) -> Indices:
        """Where the pairs of each context begin."""
        of_pair = self.groups[self.left]
        return np.flatnonzero(np.diff(of_pair, prepend=-1))

    def _p(self, label: str, correlation: str) -> float:
        """How often ratings that changed places agree as far from chance as the real ones.

        Chance is the mean over the permutations: with ties it is not one half.
        """
        observed = np.nanmean(self._by_context(label, self.human, correlation))
        width = max(1, 4 * self.left.size // self.human.size)
        groups = Groups.of(self.groups, self.human.size)
        chance = np.concatenate(
            [
                np.nanmean(self._by_context(label, self.human[drawn], correlation), axis=1)
                for drawn in groups.permuted(self.draws.permutations, self.draws.rng, width)
            ]
        )
        far = np.abs(chance - chance.mean()) >= abs(observed - chance.mean()) - testing.NOISE
        return float((far.sum() + 1) / (self.draws.permutations + 1))

    def pair(self, a: str, b: str, correlation: str) -> Pair:
        """The difference of accuracies: bootstrap over contexts, and contexts' signs turned."""
        reason = self._reason(self.scores[a]) or self._reason(self.scores[b])
        if reason:
            return Pair(math.nan, math.nan, self.left.size, reason=reason)
        first, second = (self._by_context(label, self.human, correlation) for label in (a, b))
        counted = self._counted(self.human, correlation)
        kept = ~np.isnan(first)
        if not kept.any():
            return Pair(math.nan, math.nan, 0, reason="people rate all pairs alike")
        first, second = first[kept], second[kept]
        interval = self._interval(first - second)
        p = math.nan
        if self.draws.permutations:
            coins = 2.0 * self.draws.rng.integers(0, 2, (self.draws.permutations, first.size)) - 1
            again = coins @ (first - second) / first.size
            far = np.abs(again) >= abs((first - second).mean()) - testing.NOISE
            p = float((far.sum() + 1) / (self.draws.permutations + 1))
        values, ends = (float(first.mean()), float(second.mean())), (interval.low, interval.high)
        n = int(counted.sum())
        return Pair(*values, n, *ends, p, reason=no_interval(interval))

    def observations(self) -> pl.DataFrame:
        """A row for each pair: ``system_a``, ``system_b``, ``id``, ``group``, and differences."""
        systems = np.array(self.rated.systems, dtype=object)
        ids = np.array(self.rated.ids, dtype=object)
        i, j = self.left, self.right
        return pl.DataFrame(
            {
                "system_a": pl.Series(systems[self.rated.system[i]], dtype=pl.String),
                "system_b": pl.Series(systems[self.rated.system[j]], dtype=pl.String),
                "id": pl.Series(ids[self.groups[i]], dtype=pl.String),
                "group": self.groups[i],
                "human": self.human[i] - self.human[j],
                **{label: x[i] - x[j] for label, x in self.scores.items()},
            }
        )


def _pairs_within(groups: Indices) -> tuple[Indices, Indices]:
    """All pairs of observations of one group, group after group."""
    order = np.argsort(groups, kind="stable")
    left, right = [], []
    for members in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        i, j = np.triu_indices(members.size, 1)
        left.append(members[i])
        right.append(members[j])
    return np.concatenate(left), np.concatenate(right)


def _reply_keys(rated: Rated) -> pl.DataFrame:
    systems = np.array(rated.systems, dtype=object)[rated.system]
    ids = np.array(rated.ids, dtype=object)[rated.item]
    return pl.DataFrame(
        {
            "system": pl.Series(systems, dtype=pl.String),
            "id": pl.Series(ids, dtype=pl.String),
            "group": rated.item,
        }
    )


def undefined(x: Floats, y: Floats) -> str | None:
    """Why a correlation with people is undefined; None where it is not."""
    reason = reason_undefined(x, y)
    missing = int(np.isnan(x).sum())
    if reason == "a metric score is missing":
        return f"{missing} of {x.size} observations have no score of their own"
    return reason


def no_interval(interval: Interval) -> str | None:
    """The reason of a missing interval, as the table tells it."""
    return f"no interval: {interval.reason}" if interval.reason else None


def at_once(function: Callable[[T], R], tasks: Iterable[T]) -> list[R]:
    """Does tasks on all cores, and returns their results in order."""
    tasks = list(tasks)
    if cores() == 1 or len(tasks) < 2:
        return [function(task) for task in tasks]
    with ThreadPoolExecutor(cores(), thread_name_prefix="rejoinder") as pool:
        return list(pool.map(function, tasks))
