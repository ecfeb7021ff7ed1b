"""Rates: scores and ratings of pass and fail have Wilson's interval, and none leaves its scale."""

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder import External, Scores
from rejoinder.errors import InputError, ParameterError
from rejoinder.human_evaluation.rater_exclusion import SummaryOptions
from rejoinder.human_evaluation.rating_criterion import _mean_interval
from rejoinder.human_evaluation.rating_summary import ratings
from rejoinder.statistics.clusters import Groups, interval_size
from rejoinder.statistics.mean_difference import mean_inference
from rejoinder.statistics.proportions import mean_on_scale, share_size, wilson
from rejoinder.statistics.student import t_quantile
from rejoinder.tables.write import write_scores

ALL, SOME = (0.839, 1.0), (0.640, 0.948)
"""Wilson's interval of 20 of 20 and of 17 of 20."""


def reach_of(values, groups=None):
    mean, interval, _ = mean_inference(values, groups or Groups.of(None, values.size))
    return max(mean - interval.low, interval.high - mean)


def table(values, name="pass"):
    ids = [f"c{i}" for i in range(len(values))]
    return pl.DataFrame(
        {"system": ["a"] * len(ids), "id": ids, name: [float(each) for each in values]}
    )


def ends(scores):
    return scores.systems().select("low", "high").row(0)


@pytest.mark.parametrize(("passed", "expected"), [(20, ALL), (17, SOME)])
@pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 5)])
def test_a_score_of_passes_has_wilsons_interval(passed, expected, low, high, tmp_path):
    values = np.where(np.arange(20) < passed, high, low)
    bounds = {"pass": (low, high)} if high == 5 else None
    scores = Scores.from_segments(table(values), bounds=bounds)
    expected = tuple(low + (high - low) * end for end in expected)
    assert ends(scores) == pytest.approx(expected, abs=5e-4 * (high - low))
    assert "ci:wilson" in scores.systems()["signature"][0]
    scores.save(tmp_path / "kept.parquet")
    kept = rejoinder.load_scores(tmp_path / "kept.parquet")
    assert ends(kept) == ends(scores)


@pytest.mark.parametrize(
    ("passed", "low", "exact"), [(1, 0.206549, 0.025), (2, 0.342380, 0.158114)]
)
def test_one_pass_and_two_have_an_interval(passed, low, exact):
    # statsmodels: proportion_confint(n, n, method="wilson") and ("beta").
    scores = Scores.from_segments(table([1.0] * passed))
    assert ends(scores) == pytest.approx((low, 1), abs=1e-6)
    assert ends(scores.with_exact_rates())[0] == pytest.approx(exact, abs=1e-6)
    assert not any("no interval" in note for note in scores.notes)


def test_a_graded_score_is_no_share():
    scores = Scores.from_segments(table([0, 0.5, 1, 1, 1, 1]))
    assert not scores.measured["pass"].metric.share
    assert "ci:jackknife-t" in scores.systems()["signature"][0]


@pytest.mark.parametrize("name", ["name", None])
def test_a_column_of_kinds_declares_a_rate(name, tmp_path):
    values = [1.0] * 19 + [0.5]
    frame = table(values).with_columns(kind=pl.lit(" Rate"))
    if name:
        frame = frame.rename({"pass": "value"}).with_columns(pl.lit("pass").alias(name))
    frame.write_csv(tmp_path / "pass.csv")
    read = rejoinder.read_scores(tmp_path / "pass.csv")
    assert read["kind"].unique().to_list() == ["rate"]
    write_scores(read, tmp_path / "again.csv")
    expected = ends(Scores.from_segments(table(values), rates=["pass"]))
    for given in (frame, read, rejoinder.read_scores(tmp_path / "again.csv")):
        assert ends(Scores.from_segments(given)) == expected
    assert External("pass", frame).share


def test_a_column_of_kinds_that_says_other_things_is_no_kind_of_score():
    frame = table([0, 0.5, 1, 1]).with_columns(kind=pl.Series(["how", "why", "how", None]))
    scores = Scores.from_segments(frame)
    assert not scores.measured["pass"].metric.share
    some = frame.with_columns(kind=pl.Series(["rate", "rate", "rate", None]))
    with pytest.raises(
        InputError, match="some rows of 'pass' have the kind 'rate' and some have none"
    ):
        Scores.from_segments(some)


def test_a_declared_rate_counts_a_value_between_as_a_part_of_a_pass():
    values = [1.0] * 19 + [0.5]
    scores = Scores.from_segments(table(values), rates=["pass"])
    expected = wilson(0.975, 20)
    assert ends(scores) == pytest.approx((expected.low, expected.high))
    by_hand = External("pass", table(values), kind="rate")
    assert (by_hand.share, by_hand.bounds) == (True, (0.0, 1.0))
    assert "kind:rate" in by_hand.signature()


def test_rates_that_cannot_be():
    weighted = table([0, 1, 1, 0]).with_columns(probability=pl.Series([0.1, 0.5, 0.5, 1.0]))
    with pytest.raises(ParameterError, match="unequal probabilities; leave the kind out"):
        External("pass", weighted, kind="rate")
    assert not External("pass", weighted).share
    with pytest.raises(ParameterError, match=r"outside bounds=\(0, 1\), those of a rate; correct"):
        External("pass", table([1, 2, 3, 4]), kind="rate")
    with pytest.raises(ParameterError, match="rates: no metric is called 'x'"):
        Scores.from_segments(table([0, 1, 1, 1]), rates=["x"])


def rated(values):
    rows = [("a", f"c{i}", "ann", "overall", float(v)) for i, v in enumerate(values)]
    schema = ["system", "id", "rater", "criterion", "score"]
    return pl.DataFrame(rows, schema=schema, orient="row")


@pytest.mark.parametrize(("passed", "expected"), [(20, ALL), (17, SOME)])
def test_ratings_of_pass_and_fail(passed, expected):
    row = ratings(rated(np.arange(20) < passed)).systems.row(0, named=True)
    assert (row["low"], row["high"]) == pytest.approx(expected, abs=5e-4)
    assert row["reason"] is None


def test_ratings_stay_on_a_scale_that_is_known():
    grades = [5] * 17 + [4, 4, 1]
    without = ratings(rated(grades)).systems.row(0, named=True)
    within = ratings(rated(grades), scale=(1, 5)).systems.row(0, named=True)
    assert without["high"] > 5 > within["high"] > within["mean"]
    assert within["low"] <= without["low"]  # which reaches as far already, where grades are skewed
    middle = [3, 4, 2, 5, 3, 3, 4, 2]
    assert ratings(rated(middle)).systems.equals(ratings(rated(middle), scale=(1, 5)).systems)


def test_passes_in_clusters_are_worth_fewer():
    values = np.repeat([1.0, 1.0, 0.0, 1.0, 1.0, 0.0], 5)
    groups = Groups.of(np.repeat(np.arange(6), 5), 30)
    interval = mean_on_scale(values, reach_of(values, groups), (0, 1), groups)
    alone = mean_on_scale(values, reach_of(values), (0, 1))
    assert interval is not None
    assert alone is not None
    assert 0 < interval.low < alone.low < alone.high < interval.high < 1
    even = mean_on_scale(np.ones(30), 0.0, (0, 1), groups)
    assert even is not None
    assert even.low == pytest.approx(wilson(1.0, 6).low, abs=1e-12)


@pytest.mark.parametrize(("p", "least", "most"), [(0.8, 0.93, 0.98), (None, 0.94, 0.98)])
def test_rates_hold_where_one_cluster_has_half_of_the_items(p, least, most):
    """With the jackknife's design effect this held in 99 to 100 of 100."""
    sizes, rng, hits, runs = np.append(np.full(19, 2), 38), np.random.default_rng(4), 0, 1000
    groups = Groups.of(np.repeat(np.arange(20), sizes), 76)
    for _ in range(runs):
        rate = rng.random() if p is None else p
        shared = np.repeat(rng.random(20), sizes)
        values = (np.where(rng.random(76) < 0.5, shared, rng.random(76)) < rate) * 1.0
        interval = wilson(values.mean(), interval_size(values, groups))
        hits += interval.low <= rate <= interval.high
    assert least <= hits / runs <= most


def test_one_cluster_beside_many_small_ones_decides_what_a_rate_is_worth():
    """The variance over clusters, not below Kish's effective number, and t."""
    sizes = np.append(np.full(99, 2), 198)
    groups, n = Groups.of(np.repeat(np.arange(100), sizes), 396), 396
    values = (np.arange(n) % 10 < 9) * 1.0
    values[198:] = np.arange(198) % 10 < 4  # the large one mostly fails
    sums = np.array([(values - values.mean())[groups.code == g].sum() for g in range(100)])
    worth = values.var(ddof=1) / (100 / 99 * (sums**2).sum() / n**2)
    kish = n**2 / (sizes**2).sum()
    expected = max(worth, kish) * (t_quantile(0.95, n - 1) / t_quantile(0.95, kish - 1)) ** 2
    assert interval_size(values, groups, single=True) == pytest.approx(expected, rel=1e-12)
    assert share_size(values, groups) == pytest.approx(expected, rel=1e-12)
    assert interval_size(values, groups) > expected
    passed = share_size(np.ones(n), groups)
    assert passed == pytest.approx(expected / max(worth, kish) * kish, rel=1e-12)
    even = Groups.of(np.repeat(np.arange(99), 4), n)
    assert interval_size(values, even) == share_size(values, even)


@pytest.mark.parametrize("p", [0.05, 0.3, 0.9])
def test_means_near_an_end_cover(p):
    # The mean of three votes of each reply, which vary between replies.
    rng, hits = np.random.default_rng(9), 0
    for _ in range(1000):
        values = rng.binomial(3, rng.beta(2 * p, 2 * (1 - p), 30)) / 3
        reach = reach_of(values)
        interval = mean_on_scale(values, reach, (0, 1))
        low, high = values.mean() - reach, values.mean() + reach
        if interval is not None:
            low, high = interval.low, interval.high
        assert 0 <= low <= high <= 1
        hits += low <= p <= high
    assert hits / 1000 >= 0.92


def test_a_mean_without_spread_between_the_ends_has_no_interval_of_the_scale():
    """All 3 of 1 to 5: neither passes nor failures, and a reach of 0 is no standard error."""
    assert mean_on_scale(np.full(20, 3.0), 0.0, (1, 5)) is None


@pytest.mark.parametrize("ends", [(1.0, 5.0), (0.0, 5.5)])
def test_a_named_scale_keeps_the_interval_of_skewed_grades_on_it_and_no_wider(ends):
    grades = np.array([5.0] * 16 + [4.5, 4.0, 1.0, 1.0])
    free, named = (_mean_interval(grades, None, SummaryOptions(), each) for each in (None, ends))
    assert named.low == pytest.approx(free.low, abs=0.1)
    assert named.high <= ends[1]
    assert named.high == pytest.approx(min(free.high, 5.0), abs=0.25)
