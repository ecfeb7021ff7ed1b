"""Clusters of unequal size: the jackknife over clusters, its degrees of freedom, and their coverage."""

import math

import numpy as np
import polars as pl
import pytest

from rejoinder import Scores, TestSet, ratings
from rejoinder.human_evaluation.by_people.compare import compare_by_people
from rejoinder.statistics.clusters import (
    Groups,
    dominated_variance,
    freedom_of,
    influences,
    mean_variance,
)
from rejoinder.statistics.intervals import large_group
from rejoinder.statistics.judge_errors import judge_errors
from rejoinder.statistics.mean_difference import paired_difference, unpaired_influence
from rejoinder.statistics.prediction_powered import corrected_mean
from rejoinder.statistics.proportions import mean_on_scale
from rejoinder.statistics.skewed_mean import t_inference
from rejoinder.statistics.student import t_quantile

SIZES = {
    "none": lambda g: np.ones(g, dtype=int),
    "equal": lambda g: np.full(g, 5),
    "one half": lambda g: np.append(np.full(g - 1, 2), 2 * (g - 1)),
    "geometric": lambda g: np.rint(np.geomspace(1, 20, g)).astype(int),
}


def unpaired_difference(a, b, *groups):
    found = unpaired_influence(a, b, *groups)
    value = float(a.mean() - b.mean())
    return t_inference(value, found.influence, found.df, found.reason, sizes=found.sizes)


def test_the_degrees_of_freedom():
    # Shares 1/2, 1/4, 1/4: (2^(-4/3) + 2 * 4^(-4/3))^-3 - 1.
    expected = (2 ** (-4 / 3) + 2 * 4 ** (-4 / 3)) ** -3 - 1
    assert freedom_of(np.array([2, 1, 1])) == pytest.approx(expected, rel=1e-12)
    assert freedom_of(np.array([0.5, 0, 0.25, 0.25])) == pytest.approx(expected, rel=1e-12)
    for groups in (1, 7, 100):
        assert freedom_of(np.full(groups, 3)) == groups - 1


def test_one_cluster_of_nearly_all_items_leaves_one_degree_of_freedom():
    # With less, Student's t would be 10^150, and Wilson's interval of so few items divides by 0.
    sizes = np.array([10_000, 1, 1, 1])
    values, code = drawn(sizes, 0.5, np.random.default_rng(2))
    assert freedom_of(sizes) == 1
    interval = paired_difference(values, code).interval
    assert interval.high - interval.low < 20
    passes = mean_on_scale((values > 0) * 1.0, 1.0, (0, 1), Groups.of(code, code.size))
    assert passes is not None
    assert 0 < passes.low < passes.high < 1


def test_the_code_of_a_group_is_its_rank():
    assert Groups.of(np.array(["b", "a", "b", "c"]), 4).code.tolist() == [1, 0, 1, 2]


def test_influences_are_means_without_a_cluster():
    y, group = np.array([1.0, 4.0, 2.0, 8.0, 5.0]), np.array([0, 0, 1, 3, 3])
    each = influences((y - 4) / 5, group, 4)
    without = np.array([y[group != g].mean() for g in (0, 1, 3)])
    expected = math.sqrt(2 / 3) * (4 - without)
    assert each == pytest.approx([expected[0], expected[1], 0.0, expected[2]])
    assert np.isnan(influences(y, np.zeros(5, dtype=int), 1)).all()
    assert math.isnan(mean_variance(y, Groups.of(np.zeros(5), 5)))


def test_a_system_in_one_cluster_has_no_difference_with_an_interval():
    a, b = np.arange(4.0), np.arange(6.0)
    result = unpaired_difference(a, b, np.zeros(4), np.arange(6))
    assert result.interval.reason == "all items of one of the systems are in one cluster"
    assert math.isnan(result.p)


def test_each_item_its_own_cluster_has_welchs_error():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=200), 2 * rng.normal(size=90)
    apart = unpaired_difference(a, b, np.arange(200), np.arange(200, 290)).interval
    welch = unpaired_difference(a, b).interval
    assert apart.high - apart.low == pytest.approx(welch.high - welch.low, rel=0.01)


def drawn(sizes, alike, rng):
    code = np.repeat(np.arange(sizes.size), sizes)
    shared = math.sqrt(alike) * rng.normal(size=sizes.size)[code]
    return shared + math.sqrt(1 - alike) * rng.normal(size=code.size), code


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("clusters", [10, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "alike",
    [pytest.param(0.0, marks=pytest.mark.slow), 0.3, pytest.param(0.7, marks=pytest.mark.slow)],
)
def test_intervals_of_a_mean_cover(shape, clusters, alike):
    rng = np.random.default_rng([5, clusters])
    sizes, runs, hits = SIZES[shape](clusters), 600, 0
    for _ in range(runs):
        low, high, *_ = vars(paired_difference(*drawn(sizes, alike, rng)).interval).values()
        hits += low <= 0 <= high
    # Within .93 to .97, and three Monte-Carlo errors of .009.
    assert 0.903 <= hits / runs <= 0.997


def dominated(values, code):
    return dominated_variance(values, Groups.of(code, code.size))


def test_the_variance_of_a_mean_that_one_cluster_decides():
    values, code = drawn(SIZES["one half"](61), 0.9, np.random.default_rng(3))
    groups = [values[code == each] for each in range(61)]
    means = np.array([each.mean() for each in groups])
    within = np.array([each.var(ddof=1) / each.size for each in groups])
    shares = np.array([each.size / code.size for each in groups]) ** 2
    terms = 61 / 60 * (means - means.mean()) ** 2 - within
    expected = terms.mean() * shares.sum() + (shares * within).sum()
    df = 2 * (expected / (shares.sum() * terms.std(ddof=1))) ** 2 * 61
    assert dominated(values, code) == pytest.approx((expected, min(60, df)), rel=1e-12)


def test_single_items_vary_as_those_of_the_other_clusters_do():
    sizes = np.append(np.ones(200, dtype=int), [3, 300])
    values, code = drawn(sizes, 0.9, np.random.default_rng(3))
    within = np.array([values[code == each].var(ddof=1) for each in (200, 201)])
    within = np.append(np.full(200, within.mean()), within) / sizes
    means = np.array([values[code == each].mean() for each in range(202)])
    shares = (sizes / code.size) ** 2
    between = means.var(ddof=1) - within.mean()
    expected = between * shares.sum() + (shares * within).sum()
    assert dominated(values, code)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("shape", "clusters", "alike"),
    [
        pytest.param("equal", 100, 0.9, id="no large cluster"),
        pytest.param("geometric", 100, 0.9, id="many large clusters"),
        pytest.param("one half", 10, 0.9, id="few small clusters"),
        pytest.param("one half", 61, 0.0, id="how alike items are is not known"),
    ],
)
def test_where_the_jackknife_stays(shape, clusters, alike):
    rng = np.random.default_rng(3)
    assert dominated(*drawn(SIZES[shape](clusters), alike, rng)) is None


def test_a_cluster_that_differs_in_kind_leaves_the_jackknife():
    values, code = drawn(SIZES["one half"](61), 0.9, np.random.default_rng(3))
    for off, given in ((1.0, True), (4.0, False)):  # standard deviations
        values[code == 60] += off - values[code == 60].mean()
        assert (dominated(values, code) is not None) == given
    assert dominated(np.ones(code.size), code) is None


@pytest.mark.parametrize(
    ("sd_ratio", "coverage"), [(1, 0.96), pytest.param(2, 0.87, marks=pytest.mark.slow)]
)
def test_one_cluster_beside_many(sd_ratio, coverage):
    # The jackknife holds the truth in .985; where the large cluster's standard deviation is twice that of
    # the others, in .99.
    rng, hits, runs = np.random.default_rng(4), 0, 2000
    sizes = SIZES["one half"](601)
    for _ in range(runs):
        values, code = drawn(sizes, 0.5, rng)
        values[code == 600] += math.sqrt((sd_ratio**2 - 1) * 0.5) * rng.normal()
        interval = paired_difference(values, code).interval
        hits += interval.low <= 0 <= interval.high
    assert hits / runs == pytest.approx(coverage, abs=0.02)


@pytest.mark.parametrize("shape", ["one half", "geometric"])
def test_intervals_of_a_corrected_mean_cover(shape):
    rng = np.random.default_rng(8)
    sizes, runs, hits = SIZES[shape](20), 400, 0
    for _ in range(runs):
        labels, code = drawn(sizes, 0.5, rng)
        others, more = drawn(SIZES["geometric"](20), 0.5, rng)
        marks = np.append(labels, others) + rng.normal(size=labels.size + others.size)
        labels = np.append(labels, np.full(others.size, np.nan))
        interval = corrected_mean(labels, marks, np.append(code, code.max() + 1 + more)).interval
        hits += interval.low <= 0 <= interval.high
    assert 0.90 <= hits / runs <= 0.995


def test_a_note_where_one_cluster_is_more_than_a_third():
    assert large_group(np.array([2, 2, 2])) == large_group(np.array([4, 4, 2, 2])) == []
    (note,) = large_group(np.array([5, 4, 2, 2]), "rated items")
    assert note.startswith("one cluster holds 38% of the rated items: intervals depend on it")
    assert large_group(np.array([5, 4, 2])) == []  # there is no interval


def test_scores_and_ratings_have_the_note():
    users = ["a"] * 8 + list("bcdefgh")
    ids = [f"c{i}" for i in range(15)]
    marks = pl.DataFrame({"system": ["s"] * 15, "id": ids, "judge": np.arange(15.0)})
    contexts = pl.DataFrame({"id": ids, "context": [["hello"]] * 15, "user": users})
    testset = TestSet(contexts, pl.DataFrame({"id": ids, "text": ["hi"] * 15}))
    scores = Scores.from_segments(marks, testset, cluster="user")
    words = "one cluster holds 53% of the items"
    assert any(note.startswith(words) for note in scores.notes)
    assert not any("one cluster" in note for note in scores.clustered("none").notes)
    rows = {"system": ["s"] * 15, "id": ids, "rater": "ann", "criterion": "good", "score": 1.0}
    rated = pl.DataFrame(rows).with_columns(score=pl.int_range(15) % 5 + 1.0, user=pl.Series(users))
    assert any(words in note for note in ratings(rated, cluster="user").notes)
    other = rated.with_columns(system=pl.lit("t"), score=6 - pl.col("score"))
    compared = compare_by_people(pl.concat([rated, other]), cluster="user")
    (note,) = (each for each in compared.notes if "cluster holds" in each)
    assert note.startswith("one cluster holds 53% of the rated items")


def test_what_ratings_are_worth_follows_their_interval():
    sizes = np.append(np.full(60, 2), 120)
    values, code = drawn(sizes, 0.9, np.random.default_rng(3))
    ids = [f"c{i}" for i in range(240)]
    rows = {"system": "s", "id": ids, "rater": "ann", "criterion": "good", "score": values}
    users = pl.Series([f"u{each}" for each in code])
    found = ratings(pl.DataFrame(rows).with_columns(user=users), cluster="user")
    (row,) = found.systems.to_dicts()
    t = t_quantile(0.95, dominated(values, code).df)
    variance = ((row["high"] - row["low"]) / 2 / t) ** 2
    assert row["design_effect"] == pytest.approx(variance / (values.var(ddof=1) / 240))
    worth = round(240 / row["design_effect"])
    assert worth < 10
    assert any(f"worth about {worth} independent ones" in note for note in found.notes)


def test_a_large_cluster_is_no_skewness():
    # Its deviation is most of the error, as one failure in many items is; but the truth lies on the side of
    # the other clusters, and the interval reached 2.9 times as far on this one.
    rng = np.random.default_rng(6)
    values, group = rng.normal(size=80), np.append(np.repeat(np.arange(20), 2), np.full(40, 20))
    values[40:] += 3
    mean, interval, _ = paired_difference(values, group)
    of_people = corrected_mean(values, values, group, weight=0.0)
    ratings, system = values[:, None], np.zeros(80, dtype=int)
    severity = judge_errors(ratings, rng.normal(size=80), system, group).severity
    for value, found in ((mean, interval), (mean, of_people.interval), (severity.value, severity)):
        assert found.high - value == pytest.approx(value - found.low)
