"""Which system is better, and how sure that is: paired tests on the same items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rejoinder.document.parts import AS_USUAL, Document, View
from rejoinder.errors import ParameterError, one_of
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.messages import Argument, Call, counted, listed
from rejoinder.metrics.base import Metric
from rejoinder.metrics.engine.jackknife import (
    LEAST_ITEMS,
    difference_errors,
    difference_intervals,
    unpaired_error,
)
from rejoinder.metrics.engine.resampling import all_swaps, permutation_swaps, swapped_differences
from rejoinder.progress import share, steps
from rejoinder.result import Basis, PlottedResult
from rejoinder.scoring.clusters import clustered, difference_design_effects
from rejoinder.scoring.external import scores_of
from rejoinder.scoring.margins import NOT_CLEAR, UNDEFINED, WORSE, Margins, t_tests, with_verdicts
from rejoinder.scoring.measurements import Measured, Measurements
from rejoinder.scoring.ranks import rank_ranges
from rejoinder.scoring.rates import (
    MCNEMAR,
    gate_notes,
    has_mcnemar,
    inference_of,
    mcnemar_columns,
    paired_rates,
    separate_rates,
)
from rejoinder.statistics.clusters import freedom_of
from rejoinder.statistics.conventions import NOISE, is_least_p, p_of_draws
from rejoinder.statistics.draws import MOST_DRAWS
from rejoinder.statistics.holm import holm
from rejoinder.statistics.power import MOST_ENUMERATED, detectable
from rejoinder.tables.selection import pairs_of

if TYPE_CHECKING:
    from rejoinder.human_evaluation.by_people.compare import RatingComparison
    from rejoinder.tables.frames import Frame
    from rejoinder.tables.types import Ratings

NO_MARGINS = Margins()
FEWEST_TRIALS = 10_000  # of a test of one pair
MOST_PAIRS = 45  # of 10 systems: to test them all takes no longer than to measure them


@dataclass(frozen=True, repr=False)
class Comparison(PlottedResult):
    """Pairs of systems under every metric.

    Attributes:
        table: A row for each metric and pair; see ``compare``.
        scores: The measurements that were compared.
        draws: By metric the number of permutations where the test does not try all of them.
        asked: What ``compare`` was asked for besides the scores.
    """

    table: pl.DataFrame
    scores: Measurements
    draws: Mapping[str, int] = field(default_factory=dict)
    asked: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        pairs = self.table.height // max(1, self.table.get_column("metric").n_unique())
        systems = pl.concat([self.table["a"], self.table["b"]]).unique(maintain_order=True)
        return (
            f"Comparison({counted(pairs, 'pair')} of {listed(systems.to_list())}; "
            f"{listed(self.scores.labels)}; see .table, .ranks())"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or taken another way, and what the numbers do not tell."""
        return tuple(self.scores.notes)

    @property
    def measured(self) -> Mapping[str, Measured]:
        """What every metric measured, by label."""
        return self.scores.measured

    @property
    def basis(self) -> Basis:
        """The scores that were compared, and how, for `write_claim`."""
        return Basis("compare", {"scores": self.scores}, self.asked)

    def ranks(self) -> pl.DataFrame:
        """The range of ranks of every system, from the tests of all pairs; see ``rank_ranges``."""
        return rank_ranges(self.scores, self.table)

    def failed(self, unsure: bool = False) -> pl.DataFrame:
        """The rows in which ``a`` is worse than the baseline ``b`` by more than ``worse_by``.

        Those whose difference is undefined are among them.

        Args:
            unsure: Take also those where such a loss is not excluded (the verdict ``not clear``).

        Raises:
            ParameterError: The systems were compared without ``worse_by``.
        """
        if "verdict" not in self.table.columns:
            raise ParameterError(
                "failed() needs a margin: compare again with worse_by, for example "
                "rejoinder.compare(scores, b='old', worse_by=0.01)"
            )
        failing = [WORSE, UNDEFINED, *([NOT_CLEAR] if unsure else [])]
        return self.table.filter(pl.col("verdict").is_in(failing))

    def document(self, view: View = AS_USUAL) -> Document:
        """The systems under every metric, pair by pair, and with ``view.ranks`` their ranks."""
        from rejoinder.scoring.compare_tables import comparison

        ranks = self.ranks() if view.ranks else None
        return comparison(self.scores, self.table, self.draws, ranks, view)

    def as_json(self, ranks: bool = False) -> dict[str, Any]:
        """The object that ``rejoinder compare --json`` prints, with ``--ranks`` or without."""
        return {
            "comparisons": self.table.to_dicts(),
            **({"ranks": self.ranks().to_dicts()} if ranks else {}),
            "signatures": {label: each.signature for label, each in self.measured.items()},
            "notes": self.notes,
        }


@overload
def compare(
    scores: Measurements | Frame, a: str | None = None, b: str | None = None, **settings: Any
) -> Comparison: ...
@overload
def compare(
    scores: None = None,
    a: str | None = None,
    b: str | None = None,
    *,
    ratings: Frame | Ratings,
    **by_people: Any,
) -> RatingComparison: ...
def compare(
    scores: Measurements | Frame | None = None,
    a: str | None = None,
    b: str | None = None,
    *,
    permutations: int | None = None,
    cluster: str | None = None,
    margin: float | None = None,
    worse_by: float | None = None,
    ratings: Frame | Ratings | None = None,
    **by_people: Any,
) -> Comparison | RatingComparison:
    """Compares pairs of systems under every metric, on the same items; or by people's ratings alone.

    Two tests of the same hypothesis, that the two systems score alike. Approximate randomization
    (Riezler and Maxwell 2005) swaps the two systems' replies item by item; where there are no more
    swaps than trials wanted, every one is tried, and p is exact. The paired bootstrap resamples items
    and counts how often the resampled difference, less its mean over the resamples, is at least as
    far from 0 as the difference itself. sacreBLEU's paired bootstrap is another test under this
    name: it takes the absolute value of the difference first and subtracts the mean after that,
    which is one-sided. With few items, or scores that rest on few of them, the bootstrap's p is too
    small: where the two disagree, prefer the first. Both are two-sided, with
    ``p = (c + 1) / (n + 1)`` where draws are random. Holm's correction takes all pairs of a metric
    for one family.

    Args:
        scores: The scores of ``rejoinder.score`` or ``rejoinder.load_scores``.
        a: The first system of a pair; None compares every system with ``b``.
        b: The second system; None compares ``a`` with every other system. Without both, every pair.
        permutations: Number of trials of the randomization test. None takes 10,000, or 100 for each pair
            where that is more, so that a clear difference survives the correction (and 1,000 for
            metrics of bags, whose sums are as wide as a vocabulary).
        cluster: A column of the contexts: whole clusters of items with the same value there are
            resampled and swapped, and the table has their number as ``clusters``, and by how much
            they multiply the variance of the difference as ``design_effect``. None takes what the
            scores were measured with; ``none`` takes every item as independent.
        margin: The largest difference that does not matter, in the metrics' own range (0.01 is one
            point of BLEU). The table then has ``margin`` and, each before and after Holm's correction,
            ``p_equivalence`` (two one-sided t tests: the difference is smaller than the margin) and
            ``p_noninferiority`` (``a`` is not worse than ``b`` by the margin or more).
        worse_by: The largest loss against the baseline ``b`` that is accepted, 0 or above, in the
            metrics' own range. Every pair then is of a system ``a`` and ``b``, and the table has
            ``worse_by``, each before and after Holm's correction ``p_worse`` (one-sided t test, without
            an interval a randomization test: ``a`` is worse by more than that) and ``p_not_worse`` (it
            is not; a t test), and ``verdict``; see `margins.with_verdicts` and ``Comparison.failed``.
        ratings: People's ratings, in the place of scores: the result is that of `compare_by_people`, with its
            tests. With both, ``rejoinder.compare_with_people(scores, ratings)``.
        by_people: With ratings, what else `compare_by_people` takes: ``criterion``, ``without``, ``scale``,
            ``anytime``, ``correction``, ``rater_effects``, ``seed``.

    Returns:
        Its ``table`` has a row for each metric and pair, in the metric's own range:
        ``metric``, ``a``, ``b``; ``difference`` (a - b) with its 95% interval over items ``low``,
        ``high`` (see `jackknife.difference_intervals`); ``p_randomization``, ``p_bootstrap`` and both
        after Holm (``..._holm``); ``value_a``, ``value_b``; ``wins``, ``ties``, ``losses`` of a by the
        scores of single items (null for metrics of bags: a reply's own diversity is nothing that the
        corpus' is made of);
        ``detectable``, the smallest true difference that the randomization test at the 5% level on
        this many items shows with 80% power (see `power.detectable`), NaN for fewer than 8 items;
        ``n``, and where prompts have several samples ``n_samples``, the replies of both systems to these n
        prompts. Below 4 items interval and bootstrap p are NaN, for one item the other p is too.

    Raises:
        ParameterError: A system is unknown, there is no pair, or there are no resamples.

    >>> from rejoinder import TestSet, score
    >>> testset = TestSet.from_lists([["yes please"], ["at nine"], ["not yet"], ["never"]])
    >>> texts = {"a": ["yes please", "at nine", "not yet", "never"], "b": ["no"] * 4}
    >>> rows = [(s, str(i + 1), text) for s in texts for i, text in enumerate(texts[s])]
    >>> replies = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    >>> comparison = compare(score(testset, replies, ["rougeL"]))
    >>> comparison.table.select("difference", "wins", "p_randomization").row(0)
    (1.0, 4, 0.125)
    """
    if ratings is not None:
        of_texts = {"permutations": permutations, "margin": margin, "worse_by": worse_by}
        _check_ratings_alone(scores, of_texts)
        from rejoinder.human_evaluation.by_people.compare import compare_by_people

        return compare_by_people(ratings, a, b, cluster=cluster, **by_people)
    if by_people:
        raise ParameterError(
            Argument(next(iter(by_people))), " has no effect without ratings; leave it out"
        )
    scores = scores_of(scores, Measurements, "rejoinder.compare(scores)")
    if scores.resamples < 1:
        raise ParameterError(
            "a comparison needs resamples; score again with ", Argument("resamples", 1000)
        )
    if permutations is not None and not 1 <= permutations <= MOST_DRAWS:
        raise ParameterError(
            Argument("permutations", permutations), f" must be from 1 to {MOST_DRAWS:,}"
        )
    margins = Margins(margin, worse_by)
    margins.check(scores)
    if worse_by is not None and b is None:
        raise ParameterError(
            Argument("worse_by", worse_by),
            f": no baseline is named; name it with b: {one_of(scores.names)}",
        )
    if cluster is not None:
        scores = clustered(scores, cluster)
    pairs = pairs_of(scores.names, a, b)
    draws = {
        label: permutations or trials(measured, len(pairs))
        for label, measured in scores.measured.items()
    }
    tables = [
        compare_pairs(scores, label, pairs, draws[label], margins)
        for label in steps(draws, len(draws))
    ]
    table = _joined(tables)
    if worse_by is not None:
        table = with_verdicts(table, scores)
        notes = dict.fromkeys((*gate_notes(scores, worse_by), *scores.notes))
        scores = replace(scores, notes=tuple(notes))
    asked = {"a": a, "b": b, "permutations": permutations, "margin": margin, "worse_by": worse_by}
    return Comparison(table, scores, draws, asked)


def _check_ratings_alone(scores: object, given: Mapping[str, object]) -> None:
    """Raises a ParameterError where scores, or what belongs to their tests, stand beside ratings."""
    if scores is not None:
        raise ParameterError(
            Argument("ratings"),
            f" beside scores: {Call('rejoinder.compare_with_people')}(scores, ratings) takes both",
        )
    for name, value in given.items():
        if value is not None:
            raise ParameterError(
                Argument(name, value),
                " has no effect on ratings, whose tests are Student's t; leave it out",
            )


def trials(measured: Measured, pairs: int) -> int:
    """How many permutations a comparison takes by itself; see ``compare``."""
    return max(FEWEST_TRIALS, 100 * pairs) if measured.metric.summable else 1000


def is_upper_limit(measured: Measured, row: Mapping[str, Any], pairs: int) -> bool:
    """Whether none of the permutations that a comparison takes by itself was as extreme as the data.

    The p-values of this row of ``compare`` or ``leads`` are then upper limits, corrected ones too.

    Args:
        measured: The metric as it was measured.
        row: The row.
        pairs: How many pairs of systems were compared.
    """
    return is_least_p(row["p_randomization"], trials(measured, pairs))


def leads(scores: Measurements) -> pl.DataFrame:
    """The best system under every metric that ranks systems, compared with the next best.

    Returns:
        The columns of ``compare``, a row for each metric that needs references: ``a`` the best
        system, ``b`` the next; and ``p``, the randomization test's, corrected over all pairs of
        systems, since the pair was picked by its scores. ``correction`` says how: ``holm``, and
        then p is the one of ``compare``; or, for more than 45 pairs, ``bonferroni``, for
        which the other pairs need not be tested, and which is never less.
    """
    tables = []
    every = list(combinations(range(len(scores.names)), 2))
    families = max(1, len(every))
    for label, measured in scores.measured.items():
        if not measured.metric.ranks:
            continue
        values = measured.scores()
        best_first = -values if measured.metric.higher_is_better else values
        best, second = np.argsort(best_first, kind="stable")[:2]
        lead = int(best), int(second)
        known = families <= MOST_PAIRS
        others = [pair for pair in every if set(pair) != set(lead)] if known else []
        table = compare_pairs(scores, label, [lead, *others], trials(measured, families))
        p = pl.col("p_randomization_holm" if known else "p_randomization")
        corrected = p if known else (p * families).clip(upper_bound=1.0)
        correction = pl.lit("holm" if known else "bonferroni")
        tables.append(table.head(1).with_columns(p=corrected, correction=correction))
    return _joined(tables) if tables else pl.DataFrame()


def compare_pairs(
    scores: Measurements,
    label: str,
    pairs: Sequence[tuple[int, int]],
    permutations: int,
    margins: Margins = NO_MARGINS,
) -> pl.DataFrame:
    """The rows of ``compare`` of one metric, for pairs of systems by their places.

    Holm's correction is over these pairs.

    Args:
        scores: What was measured.
        label: The label of the metric.
        pairs: The pairs of systems, by their places.
        permutations: Number of permutations.
        margins: The margins of the tests.
    """
    measured = scores.measured[label]
    if measured.answered is not None:
        return _on_shared_items(scores, label, pairs, permutations, margins)
    metric, n = measured.metric, measured.size
    a = np.array([pair[0] for pair in pairs])
    b = np.array([pair[1] for pair in pairs])
    values = measured.scores()
    difference = values[a] - values[b]
    # What the resamples take of the time: they are scored of systems, permutations of both in a pair.
    costs = scores.resamples * values.size, 2 * permutations * len(pairs)
    drawing = costs[0] / sum(costs)
    with share(0, drawing):
        resampled = scores.resampled(label)
    resampled_differences = resampled[a] - resampled[b]
    centred = resampled_differences - resampled_differences.mean(axis=1, keepdims=True)
    errors = difference_errors(metric, values, scores.left_out(label), a, b)
    segments = measured.rows.segments(metric)
    better = segments[a] - segments[b]
    rates = paired_rates(measured, better)
    if rates is None:
        low, high = difference_intervals(metric, difference, errors, n, measured.freedom)
        tests = partial(t_tests, difference, errors, measured.freedom)
    else:
        low, high, tests = inference_of(metric, rates)
    reach = np.abs(difference)[:, None] - NOISE
    p_bootstrap = p_of_draws((np.abs(centred) >= reach).sum(axis=1), scores.resamples)
    p_bootstrap[np.isnan(resampled_differences).any(axis=1)] = np.nan
    with share(drawing, 1):
        p_randomization, p_lost = _randomization(
            scores, measured, a, b, difference, permutations, margins.worse_by or 0.0
        )
    if n < LEAST_ITEMS:
        p_bootstrap = np.full(a.size, np.nan)
    if not metric.higher_is_better:
        better = -better
    return pl.DataFrame(
        {
            "metric": [label] * len(pairs),
            "a": [scores.names[i] for i in a],
            "b": [scores.names[i] for i in b],
            "difference": difference,
            "low": low,
            "high": high,
            "p_randomization": p_randomization,
            "p_randomization_holm": holm(p_randomization),
            "p_bootstrap": p_bootstrap,
            "p_bootstrap_holm": holm(p_bootstrap),
            "value_a": values[a],
            "value_b": values[b],
            "wins": _items(metric, better > NOISE),
            "ties": _items(metric, np.abs(better) <= NOISE),
            "losses": _items(metric, better < -NOISE),
            "detectable": [detectable(e, n, pilot=n) for e in errors.tolist()],
            "n": [measured.n] * len(pairs),
            **(
                {}
                if measured.samples is None
                else {"n_samples": measured.replies[a] + measured.replies[b]}
            ),
            **(mcnemar_columns(measured, better) if has_mcnemar(measured) else {}),
            **_cluster_columns(scores, label, pairs),
            **margins.columns(metric, tests, a.size, p_lost),
        }
    )


def _cluster_columns(
    scores: Measurements, label: str, pairs: Sequence[tuple[int, int]]
) -> dict[str, Any]:
    """The columns on clusters; none where every item is independent."""
    if not scores.cluster:
        return {}
    effects = np.full(len(pairs), np.nan)
    if (number := scores.measured[label].size) >= LEAST_ITEMS:
        effects = difference_design_effects(scores, label, pairs)
    return {"clusters": [number] * len(pairs), "design_effect": effects}


def _joined(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all metrics; of one whose systems share all items, both have ``n``, and are paired."""
    table = pl.concat(tables, how="diagonal")
    if "n_samples" in table.columns:
        table = table.with_columns(pl.col("n_samples").fill_null(2 * pl.col("n")))
    if "paired" not in table.columns:
        return table
    numbers = (pl.col(name).cast(pl.Int64).fill_null(pl.col("n")) for name in ("n_a", "n_b"))
    return table.with_columns(*numbers, pl.col("paired").fill_null(True))


def _on_shared_items(
    scores: Measurements,
    label: str,
    pairs: Sequence[tuple[int, int]],
    permutations: int,
    margins: Margins = NO_MARGINS,
) -> pl.DataFrame:
    """As ``compare_pairs``, each pair on the items that both systems answered.

    ``n`` is their number, ``n_a`` and ``n_b`` those that each of the two answered. Where two share
    fewer than 4 items, ``paired`` is false: the difference is that of their own scores, with an
    interval for independent samples and no test.
    """
    tables = []
    counts = scores.measured[label].counts
    for a, b in steps(pairs, len(pairs)):
        shared = scores.of(label, [a, b])
        n = shared.measured[label].height
        paired = n >= LEAST_ITEMS or n == min(counts[a], counts[b]) > 0
        table = (
            compare_pairs(shared, label, [(0, 1)], permutations, margins)
            if paired
            else _unpaired(scores, label, a, b, n, margins)
        )
        tables.append(
            table.with_columns(
                n_a=pl.lit(int(counts[a])), n_b=pl.lit(int(counts[b])), paired=pl.lit(paired)
            )
        )
    table = pl.concat(tables)
    corrected = [name for name in table.columns if name.endswith("_holm")]
    return table.with_columns(
        pl.Series(name, holm(table.get_column(name.removesuffix("_holm")).to_numpy()))
        for name in corrected
    )


def _unpaired(
    scores: Measurements, label: str, a: int, b: int, shared: int, margins: Margins
) -> pl.DataFrame:
    """A row of ``compare`` of two systems' own scores, without paired tests."""
    measured = scores.measured[label]
    metric, values = measured.metric, measured.scores()[[a, b]]
    difference = values[:1] - values[1:]
    error, freedom = _unpaired_error(scores, label, a, b, values)
    rates = separate_rates(*(scores.of(label, [s]).measured[label] for s in (a, b)))
    if rates is None:
        low, high = difference_intervals(
            metric, difference, np.array([error]), LEAST_ITEMS, freedom
        )
        tests = partial(t_tests, difference, np.array([error]), freedom)
    else:
        low, high, tests = inference_of(metric, rates)
    undefined = ["p_randomization", "p_randomization_holm", "p_bootstrap", "p_bootstrap_holm"]
    undefined += MCNEMAR if has_mcnemar(measured) else []
    return pl.DataFrame(
        {
            "metric": [label],
            "a": [scores.names[a]],
            "b": [scores.names[b]],
            "difference": difference,
            "low": low,
            "high": high,
            **{name: [np.nan] for name in undefined},
            "value_a": values[:1],
            "value_b": values[1:],
            **{name: pl.Series([None], dtype=pl.Int64) for name in ("wins", "ties", "losses")},
            "detectable": [np.nan],
            "n": [shared],
            **(
                {}
                if measured.samples is None
                else {"n_samples": measured.replies[[a]] + measured.replies[[b]]}
            ),
            **({"clusters": [0], "design_effect": [np.nan]} if scores.cluster else {}),
            **margins.columns(metric, tests, 1),
        }
    )


def _unpaired_error(
    scores: Measurements, label: str, a: int, b: int, values: Floats
) -> tuple[float, float]:
    """The standard error and the degrees of freedom of the difference of two systems' own scores.

    A cluster may have items of both systems, so it is left out of both at once.
    """
    measured = scores.measured[label]
    if measured.clusters is None or measured.answered is None:
        alone = [scores.of(label, [s]).left_out(label)[0] for s in (a, b)]
        return unpaired_error(measured.metric, values, (alone[0], alone[1]))
    answers: NDArray[np.bool_] = np.logical_or.reduce(measured.answered[[a, b]])
    sizes = measured.clusters.sums(answers.astype(np.float64))
    left_out = scores.left_out(label)[[a, b]][:, sizes > 0]
    pair = np.array([0]), np.array([1])
    error = difference_errors(measured.metric, values, left_out, *pair)
    freedom = freedom_of(sizes) if left_out.shape[1] >= LEAST_ITEMS else np.nan
    return float(error[0]), freedom


def _items(metric: Metric, selected: NDArray[np.bool_]) -> pl.Series:
    """How many items these are, of each pair: bool [pairs, n]; null where items do not add up."""
    if not metric.summable:
        return pl.Series([None] * len(selected), dtype=pl.Int64)
    return pl.Series(selected.sum(axis=1), dtype=pl.Int64)


def _randomization(
    scores: Measurements,
    measured: Measured,
    a: Indices,
    b: Indices,
    difference: Floats,
    limit: int,
    worse_by: float,
) -> Floats:
    """Two p-values of each pair, float64 [2, p]: that the systems differ, that a is worse by more.

    The first is how often swapped replies differ as much as the real ones. For the second, a's score is
    raised by ``worse_by`` in equal parts of all items, which go with the replies: how often a then
    loses as much by swaps. NaN for one item, which says nothing of others.
    """
    rows, n = measured.units, measured.size
    if n < 2:
        return np.full((2, a.size), np.nan)
    exact = n < MOST_ENUMERATED and 1 << n <= limit
    tries = 1 << n if exact else limit
    rng = np.random.default_rng(scores.seed)
    blocks = iter([all_swaps(n)]) if exact else permutation_swaps(n, limit, rng)
    down = -1.0 if measured.metric.higher_is_better else 1.0
    reached, tried = np.zeros((2, a.size)), 0
    reach = np.stack([np.abs(difference), down * difference - worse_by])[..., None] - NOISE
    pairs = np.stack([a, b], axis=1)
    parts = np.ones(n) if measured.clusters is None else measured.clusters.size
    parts = 2 * worse_by * parts / parts.sum()
    trials = swapped_differences(rows, measured.metric.score, pairs, blocks)
    for swaps, apart in steps(trials, tries, lambda each: each[1].shape[1]):
        tried += apart.shape[1]
        raised = worse_by - swaps.masks() @ parts if worse_by else 0.0
        far = np.stack([np.abs(apart), down * apart - raised]) >= reach
        # Where a draw or the difference is undefined, so is p.
        reached += np.where(np.isnan(apart), np.nan, far).sum(axis=2)
    return reached / tried if exact else p_of_draws(reached, tried)
