"""Every interval of people and judges through every shape of `simulations/shapes.py`.

``python -m simulations.shaped PART [WORDS ...] --runs 400`` prints the cells of a part, such as
``shapes_raters``, whose name has one of the words.

What is measured is what the commands compute: the functions that they call, with their decisions whether
there is an interval at all. An interval that is not given is counted apart: it is no hit and no miss.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import polars as pl

from rejoinder.errors import InputError
from rejoinder.human_evaluation.by_people.estimates import unpaired_difference
from rejoinder.human_evaluation.preference_criterion import PreferenceCriterion
from rejoinder.human_evaluation.rater_effects import RaterEffects, RaterRule
from rejoinder.human_evaluation.rater_exclusion import SummaryOptions
from rejoinder.human_evaluation.rating_criterion import PASS_FAIL, _mean_interval
from rejoinder.kernels.arrays import Floats, Indices
from rejoinder.meta_evaluation.evidence import Draws
from rejoinder.meta_evaluation.pairwise import ReplyPairs
from rejoinder.meta_evaluation.with_people.estimates import CORRECTED, PEOPLE, errors, estimates
from rejoinder.meta_evaluation.with_people.refusals import check_not_fitted
from rejoinder.meta_evaluation.with_people.replies import RepliesWithRatings
from rejoinder.statistics.alpha import alpha_interval, krippendorff_alpha
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.confidence_sequence import FIRST_LOOK, at_any_time
from rejoinder.statistics.judge_errors import judge_errors
from rejoinder.statistics.judge_panel import independent_judges
from rejoinder.statistics.prediction_powered import corrected_mean
from rejoinder.statistics.rater_variance import scope
from rejoinder.statistics.rating_matrix import mean_ratings
from simulations.shapes import (
    DIFFERENCES,
    ITEMS,
    PAIRS,
    RATED,
    RATERS,
    SHAPES,
    Shape,
    Study,
    Truth,
    rated_items,
)
from simulations.study import COVERAGE, LEVEL, Row, SimulationStudy


class Ends(NamedTuple):
    """An interval beside what it must hold, or a p-value where there is nothing to find.

    Args:
        what: The interval, as the page calls it.
        low: NaN where none is given.
        high: NaN too.
        truth: What it must hold.
    """

    what: str
    low: float
    high: float
    truth: float


class Cell(NamedTuple):
    """One shape at one size.

    Args:
        kind: A name of `KINDS`: what is measured.
        name: The shape.
        shape: The same.
        rated: How many items, or clusters, are rated.
        items: How many have marks.
    """

    kind: str
    name: str
    shape: Shape
    rated: int
    items: int

    @property
    def size(self) -> str:
        """How the page calls the size."""
        rated = f"{self.rated} clusters" if self.shape.clusters != "none" else f"{self.rated}"
        return f"{rated} of {self.items:,}" if self.items else rated

    def rows(self, runs: int, seed: int) -> list[Row]:
        """A row for each interval, and for each test."""
        name = zlib.crc32(f"{self.kind} {self.name} {self.size}".encode())
        rng = np.random.default_rng([seed, name])
        tally: dict[str, list[int]] = {}
        for _ in range(runs):
            for what, low, high, truth in KINDS[self.kind](self, rng):
                counts = tally.setdefault(what, [0, 0])
                counts[0] += low <= truth <= high
                counts[1] += low == low
        return [
            Row(
                what,
                self.name,
                self.size,
                LEVEL if what.startswith("test") else COVERAGE,
                given - hits if what.startswith("test") else hits,
                given,
                runs - given,
            )
            for what, (hits, given) in tally.items()
        ]


# -- ratings and compare --ratings


def compared(
    cell: Cell, rng: np.random.Generator, rater_effects: RaterEffects | None = None
) -> Iterator[Ends]:
    """A system's mean, the pair's difference by people, corrected and by the judge, and its error."""
    study = cell.shape.draw(rng, cell.rated, cell.items)
    study, truth, null = _without_difference(cell.shape, study)
    replies = replies_of(study, cell.shape, rater_effects)
    group = study.cluster[study.rated] if study.clustered else None
    given = study.ratings[np.isfinite(study.ratings)]
    ends = PASS_FAIL if np.isin(given, PASS_FAIL).all() else None
    yield _of_system(replies.ratings[0, study.rated], group, ends, study.here[0])
    try:
        check_not_fitted(replies, {"judge": ""}, _TABLE)
        table, *_ = estimates(replies, [(0, 1)], 1)
        marks = study.marks[:, replies.rated]
        scale = (float(marks.min()), float(marks.max()))
        error, _ = errors(replies, [(0, 1)], _TABLE, scale, 1)
    except InputError:
        table, error = _NONE, _NONE
    by = {row["by"]: row for row in table.iter_rows(named=True)}
    off = _of_these(replies, study, truth)
    for label, what in ((PEOPLE, "people"), (CORRECTED, "corrected")):
        low, high, p = (by.get(label, {}).get(key, np.nan) for key in ("low", "high", "p"))
        yield Ends(what, low, high, truth.difference + off)
        if null and not off:
            yield Ends(f"test, {what}", LEVEL + 0 * p, np.inf, p)
    judge = by.get("judge", {})
    yield Ends("judge alone", judge.get("low", np.nan), judge.get("high", np.nan), truth.judged)
    row = error.row(0, named=True) if error.height else {}
    yield Ends("judge's error", row.get("low", np.nan), row.get("high", np.nan), truth.error - off)


def _of_these(replies: RepliesWithRatings, study: Study, truth: Truth) -> float:
    """By how much these raters' difference is off that of very many, where it is said to be theirs alone."""
    single = replies.single_of(0, 1)
    if single is None:
        return 0.0
    items = int(study.rated.sum())
    alone = scope(single.shares(np.full(items, 1 / items)), single.random) == "these raters"
    return float(study.alike[0] - study.alike[1]) - truth.difference if alone else 0.0


def replies_of(
    study: Study, shape: Shape, rater_effects: RaterEffects | None = None
) -> RepliesWithRatings:
    """The arrays that `compare --ratings` makes of its tables."""
    systems, items, raters = study.ratings.shape
    return RepliesWithRatings(
        systems=tuple("ab"[:systems]),
        labels=tuple(f"judge{j or ''}" for j in range(len(study.marks))),
        values=study.marks,
        ratings=mean_ratings(study.ratings.reshape(-1, raters)).reshape(systems, items),
        single=study.ratings if raters > 1 else None,
        probabilities=None,
        group=study.cluster,
        groups_are="clusters" if study.clustered else "items",
        scale=DIFFERENCES[shape.differences].scale,
        rule=RaterRule.of(rater_effects, [f"r{r}" for r in range(raters)]),
    )


def _without_difference(shape: Shape, study: Study) -> tuple[Study, Truth, bool]:
    """The study with as good a system 0 as the other, where ratings are no grades: tests must not err."""
    truth = shape.truth()
    if DIFFERENCES[shape.differences].noise != "normal":
        return study, truth, False
    off = np.array([truth.difference, 0.0])
    study = study._replace(
        ratings=study.ratings - off[:, None, None], here=study.here - off, alike=study.alike - off
    )
    return study, truth._replace(means=truth.means - off), True


def _of_system(
    values: Floats, group: Indices | None, ends: tuple[float, float] | None, truth: float
) -> Ends:
    groups = None if group is None else Groups.of(group, group.size)
    interval = _mean_interval(values, groups, SummaryOptions(), ends)
    return Ends("a system's mean", interval.low, interval.high, truth)


_TABLE = pl.DataFrame({"score": [0.0, 1.0]})
_NONE = pl.DataFrame(schema={"by": pl.String})


# -- compare --ratings --anytime

LAST_LOOK, GROWTH = 200, 1.15


def looks() -> list[int]:
    """The numbers of ratings at which a study is looked at: each 15% more than the last one."""
    at = [float(FIRST_LOOK)]
    while at[-1] * GROWTH < LAST_LOOK:
        at.append(at[-1] * GROWTH)
    return sorted({round(each) for each in (*at, LAST_LOOK)})


def watched(cell: Cell, rng: np.random.Generator) -> Iterator[Ends]:
    """Whether every look's interval holds the truth: it is one interval, of the whole study."""
    study = cell.shape.draw(rng, cell.rated, cell.items)
    truth = cell.shape.truth().difference
    replies = replies_of(study, cell.shape)
    order = rng.permutation(cell.rated)  # clusters differ in size, and come in any order
    turn = np.full(int(study.cluster[-1]) + 1, cell.rated)
    turn[: cell.rated] = order
    turn = turn[study.cluster]
    labels, predictions = replies.labels_of(0, 1), replies.predictions_of(0, 1)[0]
    held = {"people": True, "corrected": True}
    for look in looks():
        known = np.where(turn < look, labels, np.nan)
        for what, weight in (("people", 0.0), ("corrected", None)):
            if held[what]:
                room = replies.room(0, 1)
                mean = corrected_mean(known, predictions, study.cluster, weight=weight, room=room)
                each = at_any_time(mean).interval
                held[what] = not (each.low > truth or each.high < truth)
    for what, hit in held.items():
        yield Ends(f"--anytime, {what}", 0.0, 1.0, 0.0 if hit else np.inf)


# -- judge

SYSTEMS = 3


def judged(cell: Cell, rng: np.random.Generator) -> Iterator[Ends]:
    """Everything that `judge` says of one judge of three systems."""
    many = rated_items(cell.shape.clusters, cell.rated)
    panel = cell.shape.judge == "linear" and cell.shape.differences == "normal"
    study = cell.shape.draw(rng, cell.rated, many, SYSTEMS, judges=3 if panel else 1)
    truth = cell.shape.truth(SYSTEMS)
    system, item = np.nonzero(np.isfinite(study.ratings).any(axis=2))
    ratings, group = study.ratings[system, item], study.cluster[item]
    each = [judge_errors(ratings, marks[system, item], system, group) for marks in study.marks]
    found = each[0]
    here = float(truth.marks.mean() - study.alike.mean())
    reliability = cell.shape.reliability(study.narrower, SYSTEMS)
    within = truth.correlation * np.sqrt(reliability)
    slope = truth.slope if found.calibration == "slope" else np.nan
    errors = truth._replace(means=study.alike).errors
    for what, estimate, value in (
        ("severity", found.severity, here),
        ("slope", found.slope, slope),
        ("r within", found.within, within),
        ("r corrected", found.corrected, truth.correlation),
        ("reliability", found.reliability, reliability),
        ("first system's error", found.systems[0], errors[0]),
        ("another's error", found.systems[1], errors[1]),
    ):
        if value == value:
            yield Ends(what, estimate.low, estimate.high, value)
    errors_of = np.stack([one.errors for one in each], axis=1)
    if panel and np.isfinite(errors_of).all():
        number = independent_judges(errors_of, found.noise, group, found.noise_left_out)
        yield Ends("panel of 3", number.low, number.high, cell.shape.panel(3, study.alike))
        if RATERS[cell.shape.raters].lean:
            yield Ends("panel of 3, other raters", number.low, number.high, 3.0)
    if study.narrower:
        anyone = cell.shape.reliability(0.0, SYSTEMS)
        yield Ends("reliability, other raters", *found.reliability[1:3], anyone)


# -- preferences, agreement


def preferred(cell: Cell, rng: np.random.Generator) -> Iterator[Ends]:
    """Rates of wins, and points, where each rater prefers the reply that the rater rates higher."""
    many = rated_items(cell.shape.clusters, cell.rated)
    study = cell.shape.draw(rng, cell.rated, many)
    winner, item = _winners(study)
    options = SimpleNamespace(options=SimpleNamespace(clusters=study.clustered))
    share = PreferenceCriterion._share_interval
    wins, points = _preferences(replace(cell.shape, clusters="none"))
    group = study.cluster[item]
    for what, values, truth in (
        ("win rate", (winner > 0).astype(np.float64), wins),
        ("points", (1 + winner) / 2, points),
    ):
        interval = share(options, values, group)  # type: ignore[arg-type]
        yield Ends(what, interval.low, interval.high, truth)


def _winners(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """Which system each rater prefers (1, 0, -1), and for which item."""
    apart = study.ratings[0] - study.ratings[1]
    item, rater = np.nonzero(np.isfinite(apart))
    return np.sign(apart[item, rater]), item


POPULATION = 200_000


@cache
def _preferences(shape: Shape) -> tuple[float, float]:
    """The share of wins, and of points, of very many items."""
    rng = np.random.default_rng(2)
    winner, _ = _winners(shape.draw(rng, POPULATION, POPULATION))
    return float((winner > 0).mean()), float((1 + winner).mean() / 2)


def unpaired(cell: Cell, rng: np.random.Generator) -> Iterator[Ends]:
    """The difference of two systems' mean ratings that are rated on different items."""
    many = rated_items(cell.shape.clusters, 2 * cell.rated)
    study = cell.shape.draw(rng, 2 * cell.rated, many)
    replies = replies_of(study, cell.shape)
    own = np.stack([study.cluster % 2 == side for side in (0, 1)])
    single = None if replies.single is None else np.where(own[..., None], replies.single, np.nan)
    replies = replace(replies, ratings=np.where(own, replies.ratings, np.nan), single=single)
    mean = unpaired_difference(replies, 0, 1)
    truth = cell.shape.truth().difference + _of_these(replies, study, cell.shape.truth())
    yield Ends("unpaired difference", mean.interval.low, mean.interval.high, truth)


def ordered(cell: Cell, rng: np.random.Generator) -> Iterator[Ends]:
    """The share of pairs of replies that a judge orders as people do, of those that people decide."""
    many = rated_items(cell.shape.clusters, cell.rated)
    study = cell.shape.draw(rng, cell.rated, many, SYSTEMS)
    shares = _right(study)
    pairs = ReplyPairs.__new__(ReplyPairs)
    pairs.of_context, pairs.groups_are = study.cluster, "contexts"
    pairs.draws = Draws(0, 1000, 1)
    interval = pairs._interval(shares, share=True)
    truth = _accuracy(replace(cell.shape, clusters="none"))
    yield Ends("decided accuracy", interval.low, interval.high, truth)


def _right(study: Study) -> Floats:
    """By context the share of decided pairs that the judge orders as people do: float64 [n]."""
    a, b = np.triu_indices(SYSTEMS, 1)
    p, f = study.ratings.mean(axis=2), study.marks[0]
    people, judge = np.sign(p[a] - p[b]), np.sign(f[a] - f[b])
    decided = (people != 0).sum(axis=0)
    right = ((people == judge) & (people != 0)).sum(axis=0)
    return np.where(decided > 0, right / np.maximum(1, decided), np.nan)


@cache
def _accuracy(shape: Shape) -> float:
    """The mean share of very many contexts."""
    rng = np.random.default_rng(4)
    return float(np.nanmean(_right(shape.draw(rng, POPULATION, POPULATION, SYSTEMS))))


def agreed(cell: Cell, rng: np.random.Generator) -> Iterator[Ends]:
    """Krippendorff's alpha of the rated replies, over items."""
    many = rated_items(cell.shape.clusters, cell.rated)
    study = cell.shape.draw(rng, cell.rated, many)
    matrix = study.ratings.reshape(-1, study.ratings.shape[2])
    groups = np.tile(study.cluster, len(study.ratings))
    interval = alpha_interval(matrix, "interval", groups)
    yield Ends("alpha", interval.low, interval.high, _alpha(replace(cell.shape, clusters="none")))


@cache
def _alpha(shape: Shape) -> float:
    """The alpha of very many replies."""
    rng = np.random.default_rng(3)
    values = []
    for _ in range(10):
        ratings = shape.draw(rng, 10_000, 10_000).ratings
        values.append(krippendorff_alpha(ratings.reshape(-1, ratings.shape[2]), "interval"))
    return float(np.mean(values))


KINDS: Mapping[str, Callable[[Cell, np.random.Generator], Iterator[Ends]]] = {
    "compared": compared,
    "random": partial(compared, rater_effects="random"),
    "watched": watched,
    "judged": judged,
    "preferred": preferred,
    "unpaired": unpaired,
    "ordered": ordered,
    "agreed": agreed,
}
"""What is measured."""


# -- the table

CONTEXTS = (20, 40, 120)
"""How many contexts `judge` is tried on; clusters are as many as elsewhere."""


def _of_people(names: list[str], everything: Mapping[str, Shape] = SHAPES) -> list[Cell]:
    """The cells of `compare --ratings`: of 5,000 items too, where the judge or the items are the shape."""
    cells = []
    for name in names:
        shape = everything[name]
        sizes = ITEMS if shape.raters == "one" or name in PAIRS else ITEMS[:1]
        cells += [Cell("compared", name, shape, rated, items) for items in sizes for rated in RATED]
    return cells


def _of_raters(kind: str, names: list[str], everything: Mapping[str, Shape]) -> list[Cell]:
    """Cells of what needs several raters of a reply."""
    cells = []
    for name in names:
        shape = everything[name]
        if shape.raters == "one":
            shape = replace(shape, raters="alike")
        sizes = CONTEXTS if shape.clusters == "none" and kind == "judged" else RATED
        cells += [Cell(kind, name, shape, rated, 0) for rated in sizes]
    return cells


_RATERS = [name for name, shape in SHAPES.items() if shape.raters != "one"]
_CLUSTERS = [name for name in SHAPES if name.startswith("clusters")]
_DIFFERENCES = ["plain", *(name for name in DIFFERENCES if name in SHAPES)]
_JUDGES = [name for name, shape in SHAPES.items() if shape.judge != "linear"]
_LINEAR = [name for name, shape in PAIRS.items() if shape.judge in ("linear", "biased")]
_WATCHED = {
    **{name: SHAPES[name] for name in _DIFFERENCES},
    "clusters: geometric": SHAPES["clusters: geometric"],
    **{name: shape for name, shape in PAIRS.items() if shape.raters == "one"},
}

CELLS: dict[str, list[Cell]] = {
    "shapes_raters": [
        *_of_people(_RATERS),
        *(Cell("random", "few, 3, random", SHAPES["few, 3"], rated, ITEMS[0]) for rated in RATED),
    ],
    "shapes_clusters": _of_people(_CLUSTERS),
    "shapes_differences": _of_people(_DIFFERENCES),
    "shapes_judges": _of_people(_JUDGES),
    "shapes_pairs": _of_people(list(PAIRS), PAIRS),
    "shapes_anytime": [
        Cell("watched", name, shape, LAST_LOOK, 5000 if shape.clusters != "none" else 500)
        for name, shape in _WATCHED.items()
        if shape.clusters != "one half"
    ],
    "shapes_judge": [
        *_of_raters("judged", _RATERS, SHAPES),
        *_of_raters("judged", [*_CLUSTERS, *_DIFFERENCES[1:], "biased judge"], SHAPES),
        *_of_raters("judged", _LINEAR, PAIRS),
    ],
    **{
        f"shapes_{part}": [
            *_of_raters(kind, ["severity", *_CLUSTERS, *_DIFFERENCES], SHAPES),
            *_of_raters(kind, _LINEAR[2:4], PAIRS),
        ]
        for part, kind in (
            ("preferences", "preferred"),
            ("accuracy", "ordered"),
            ("different_items", "unpaired"),
            ("agreement", "agreed"),
        )
    },
}
"""By part of the page its cells."""


# -- cells that a sentence answers


class Answer(NamedTuple):
    """Cells whose intervals do not hold, of which a sentence beside the number says so.

    Args:
        part: The part of the page.
        what: The intervals.
        names: The shapes.
        rated: How many are rated: these, and fewer.
        sentence: Words of the sentence, as they stand in the source.
    """

    part: str
    what: tuple[str, ...]
    names: tuple[str, ...]
    rated: int
    sentence: str


SKEWED = "the differences are strongly skewed, and the interval reaches further to that side. With 10 rated"
UNSEEN = "the differences vary little beside the scale from"
RANKED = "since ratings follow them more closely than the differences. With 20 rated"
MEAN_SKEWED = "are strongly skewed, and fewer than"
RATINGS_SKEWED = "people's ratings are strongly skewed: intervals of correlations, of the slope"
ONE_CLUSTER = "intervals depend on it more than on any other"
THESE_RATERS = (
    "Intervals hold for these raters; others may favour another system, or be less reliable"
)

FEW_REPEATS = "that the raters' noise is hardly known: of 100 such studies"

BOTH = ("corrected", "people")
WITH_ERROR = (*BOTH, "judge's error")
WITH_TESTS = (*BOTH, "test, corrected", "test, people")
RARE = ("failures in 1 of 20", "failures in 1 of 10")

ANSWERS: tuple[Answer, ...] = (
    Answer("shapes_differences", WITH_ERROR, ("failures in 1 of 20", "ties"), 20, UNSEEN),
    Answer("shapes_differences", BOTH, ("failures in 1 of 10",), 10, UNSEEN),
    Answer("shapes_differences", ("people",), ("failures in 1 of 10",), 40, UNSEEN),
    Answer("shapes_differences", WITH_TESTS, ("lognormal",), 20, SKEWED),
    Answer(
        "shapes_judges", ("corrected", "judge's error"), ("agreeing judge, pass/fail",), 40, UNSEEN
    ),
    Answer("shapes_judges", WITH_ERROR, ("agreeing judge, ties",), 40, UNSEEN),
    Answer("shapes_judges", ("judge's error",), ("exponential judge",), 40, SKEWED),
    Answer("shapes_judges", ("corrected", "test, corrected"), ("exponential judge",), 20, RANKED),
    Answer("shapes_pairs", WITH_ERROR, ("geometric clusters x rare failures",), 10, UNSEEN),
    Answer("shapes_pairs", WITH_ERROR, ("few raters x ties",), 40, UNSEEN),
    Answer(
        "shapes_pairs", ("a system's mean",), ("one half cluster x pass/fail",), 20, ONE_CLUSTER
    ),
    Answer("shapes_pairs", WITH_TESTS, ("nonlinear judge x lognormal",), 20, SKEWED),
    Answer("shapes_pairs", ("test, corrected",), ("nonlinear judge x lognormal",), 40, SKEWED),
    Answer("shapes_pairs", ("a system's mean",), ("nonlinear judge x lognormal",), 20, MEAN_SKEWED),
    Answer("shapes_differences", ("a system's mean",), ("lognormal", *RARE), 20, MEAN_SKEWED),
    Answer("shapes_differences", ("a system's mean",), ("failures in 1 of 10",), 40, MEAN_SKEWED),
    Answer(
        "shapes_different_items", ("unpaired difference",), ("lognormal", *RARE), 20, MEAN_SKEWED
    ),
    Answer("shapes_agreement", ("alpha",), ("lognormal", *RARE), 40, MEAN_SKEWED),
    Answer(
        "shapes_judge",
        ("slope", "r corrected"),
        ("clusters: one half", "one half cluster x pass/fail"),
        20,
        ONE_CLUSTER,
    ),
    Answer(
        "shapes_judge",
        ("panel of 3, other raters", "reliability, other raters"),
        ("few, 2", "few, 3", "few raters x ties"),
        120,
        THESE_RATERS,
    ),
    Answer("shapes_judge", ("panel of 3",), ("uneven",), 40, FEW_REPEATS),
    Answer("shapes_judge", ("r corrected",), ("uneven",), 20, FEW_REPEATS),
    Answer(
        "shapes_judge",
        ("r corrected", "r within", "reliability"),
        ("lognormal",),
        40,
        RATINGS_SKEWED,
    ),
)
"""Cells that a sentence answers."""

AGAIN: tuple[Answer, ...] = (
    Answer("shapes_judges", ("test, corrected",), ("absolute judge",), 20, ""),
    Answer("shapes_agreement", ("alpha",), ("pass/fail",), 20, ""),
)
"""Cells just beyond the limits: 4,000 further runs (seed 7) had 0.975, 0.0605 and 0.976."""


def answered(part: str, row: Row, answers: tuple[Answer, ...] = (*ANSWERS, *AGAIN)) -> bool:
    """Whether a row is among these cells."""
    rated = int(row.size.split()[0])
    return any(
        part == each.part
        and row.what in each.what
        and row.setting in each.names
        and rated <= each.rated
        for each in answers
    )


# -- the sections of the page

READ = """
Each row is a shape at a size: so many items (or whole clusters) are rated, of so many that have marks. In the
table stands the share of runs in which an interval holds the truth (it should in 0.95), or a test finds a
difference where there is none (it should in at most 0.05), with its Monte-Carlo error. A run in which no
interval is given is no hit and no miss: `of 1987` says that so many runs have one, `none` that no run has.
Of cells outside 0.93 to 0.97 by more than two errors, `ANSWERS` in simulations/shaped.py lists those of
which a note of the command says so, at most one cell in ten, and `AGAIN` three that lie just beyond, with
their share in further runs.
"""

PAIR = """
`a system's mean` is the interval of `ratings`, for the people who rated; `people` and `corrected` are those
of `compare --ratings`, for other people from four raters with names on, and otherwise for these; `judge
alone` is that of the judge's marks of all items, `judge's error` that of the judge's difference less
people's.
"""

TITLES: dict[str, tuple[str, str]] = {
    "shapes_raters": (
        "Shapes of raters (`ratings`, `compare --ratings`)",
        """
`alike`: three raters. `severity`: three raters with constant differences of -1, 0 and 1. `tied`: each
system is rated by one, two or five people of its own, whose severity varies by 1. `dominant`: one of four
raters gives 80 of 100 ratings; raters favour a system by 0.4 (standard deviation). `uneven`: one of four
raters rates every reply, another a third of the first system's and a twentieth of the other's; severity
varies by 1, and is taken off the difference for these raters. `few`: two or three raters, who favour a
system by 0.3; `random`: three of them with `--rater-effects random`. Quality varies by
0.94 and single ratings about it by 0.7.
Where one rater gives more than two thirds of a system's ratings (`dominant`) intervals are said to hold for
these raters, and that is what is counted; where different people rate the two systems then, there is none.
""" + PAIR,
    ),
    "shapes_clusters": (
        "Shapes of clusters (`ratings`, `compare --ratings`)",
        """
Half of the variance is common to a cluster, and whole clusters are rated. `equal`: 5 items each. `one
half`: one cluster has half of the rated items, the others 2 each. `geometric`: sizes grow from 1 to 20 by a
constant factor.
Where one cluster has more than a third of the items and many small clusters have the rest, the intervals of
`judge alone` and `a system's mean` use the variance between all clusters, each counted once. The jackknife
takes the deviation of the large cluster for the standard error of a mean that has the same error: its
intervals contained the truth in .979 to .986 of runs with 5,000 items, in .933 to .949 with 500. The new
variance assumes that large clusters vary as small ones do. If the standard deviation of the large cluster is
twice that of the others, about .87 of intervals contain the truth.
""" + PAIR,
    ),
    "shapes_differences": (
        "Shapes of differences (`ratings`, `compare --ratings`)",
        """
`failures in 1 of 20`, and `of 10`: a system that equals the other, but fails in so many replies by 3, where
replies otherwise differ by 0.4 (standard deviation). `lognormal`: differences are lognormal. `ties`:
grades, equal in about two of three items. `pass/fail`: 1 or 0.
""" + PAIR,
    ),
    "shapes_judges": (
        "Shapes of judges (`compare --ratings`)",
        """
`biased`: the judge favours a system by 0.6. `agreeing`: it says what the person says, but overlooks 4 of
100 replies of one system. `exponential`, `absolute`, `both tails`: its difference is the exponential or the
absolute value of the difference in quality, or 1 where that is beyond 1.5.
""" + PAIR,
    ),
    "shapes_pairs": (
        "Six pairs of shapes (`ratings`, `compare --ratings`)",
        """
Two of the shapes above at once: severity and a biased judge, raters tied to a system (two each) and a
biased judge, geometric clusters and failures in 1 of 10, a cluster of one half and pass/fail, few raters
(three) and ties, a nonlinear judge (`absolute`) and lognormal differences.
""" + PAIR,
    ),
    "shapes_anytime": (
        "Shapes under many looks (`compare --ratings --anytime`)",
        f"""
The interval is looked at from the {FIRST_LOOK}th rated item (or cluster) to the {LAST_LOOK}th, each time
that their number has grown by 15 of 100. A run counts as a hit where the intervals of all looks hold the
truth: they should in 0.95 of the runs or more, since they allow for any number of further looks.
""",
    ),
    "shapes_judge": (
        "Shapes under `judge`",
        """
Three systems; three raters where the shape names none. `first system's error` is the error in favour of the
system that a biased judge favours, `another's error` that of another; `panel of 3` is the number of
independent judges that three with independent errors are worth. `severity`, the errors, the reliability and
the panel are beside the people who rated, which is what the command says of them; the other columns are for
very many raters. Where raters favour systems two columns more have the panel and, with grades, the
reliability beside very many raters: the command claims neither, and says so. With one rating for each reply
(`tied, 1 a system`, `dominant`) a slope is said not to be corrected for the raters' noise, and is not
counted.
""",
    ),
    "shapes_preferences": (
        "Shapes under `preferences`",
        """
Three raters prefer the reply that each rates higher. `points` count a tie as half a win.
""",
    ),
    "shapes_accuracy": (
        "Shapes under pairwise accuracy (`correlate --protocol pairwise`)",
        """
The share of pairs of three systems' replies to a context that a judge orders as three people do, of the
pairs that people decide.
""",
    ),
    "shapes_different_items": (
        "Shapes under different items (`ratings`)",
        """
The difference of two systems' mean ratings where each is rated on items (or clusters) of its own, as many as
the row says.
""",
    ),
    "shapes_agreement": (
        "Shapes under Krippendorff's alpha (`ratings`)",
        """
Alpha (interval) of three raters over the replies of two systems; items, or clusters, are left out in turn.
""",
    ),
}  # fmt: skip


FIRST = next(iter(TITLES))
AS_THE_FIRST = f"""
The table is read as that of "{TITLES[FIRST][0]}".
"""


def rows_of(part: str) -> Callable[[int, int], Iterator[Row]]:
    """What makes the rows of a part, from the number of runs and a seed."""

    def rows(runs: int, seed: int) -> Iterator[Row]:
        for cell in CELLS[part]:
            yield from cell.rows(runs, seed)

    return rows


STUDIES = {
    part: SimulationStudy(
        title,
        f"{text.strip()}\n{READ if part == FIRST else AS_THE_FIRST}",
        rows_of(part),
        wide=True,
    )
    for part, (title, text) in TITLES.items()
}
"""By part its study."""


def main() -> None:
    """Prints some cells, one in a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=CELLS)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for cell in CELLS[given.part]:
        if not given.words or any(word in cell.name for word in given.words):
            rows = cell.rows(given.runs, given.seed)
            shares = [f"{row.what} {row.share:.3f} of {row.runs}" for row in rows]
            print(f"{cell.name}, {cell.size}: {'; '.join(shares)}", flush=True)


if __name__ == "__main__":
    main()
