"""Ratings and preferences over clusters of items, whole conversations, and items that differ."""

import itertools
import math

import numpy as np
import polars as pl
import pytest

from rejoinder import preferences, ratings, read_preferences, read_ratings
from rejoinder.errors import InputError, ParameterError
from rejoinder.human_evaluation.by_people.compare import compare_by_people
from rejoinder.statistics.head_to_head import flip_test, sign_test
from rejoinder.statistics.intervals import SAME
from rejoinder.statistics.mean_difference import paired_difference, unpaired_influence
from rejoinder.statistics.skewed_mean import t_inference
from rejoinder.tables.schemas import PREFERENCES, RATINGS


def unpaired_difference(a, b, *groups):
    found = unpaired_influence(a, b, *groups)
    value = float(a.mean() - b.mean())
    return t_inference(value, found.influence, found.df, found.reason, sizes=found.sizes)


def rated(conversations=12, turns=1, seed=0, column="conversation"):
    """Two systems rated by three people; each turn of a conversation has the ratings of its first."""
    rng = np.random.default_rng(seed)
    rows = []
    for talk, system in itertools.product(range(conversations), "ab"):
        quality = rng.integers(1, 6)
        scores = np.clip(quality + rng.integers(-1, 2, 3), 1, 5)
        rows += [
            (f"{talk}-{turn}", system, f"r{rater}", "overall", float(score), f"talk {talk}")
            for turn in range(turns)
            for rater, score in enumerate(scores)
        ]
    return pl.DataFrame(rows, schema={**RATINGS, column: pl.String}, orient="row")


def compared(conversations=12, turns=1, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for talk in range(conversations):
        winner = "ab"[rng.random() < 0.35]
        rows += [
            (f"{talk}-{turn}", "x", "y", "ann", "overall", winner, f"talk {talk}")
            for turn in range(turns)
        ]
    return pl.DataFrame(rows, schema={**PREFERENCES, "conversation": pl.String}, orient="row")


def ends(table, *columns):
    return [pytest.approx(row, abs=1e-12) for row in table.select(columns).rows()]


def test_repeated_turns_of_a_conversation_are_no_new_evidence():
    once, often = ratings(rated()), ratings(rated(turns=20))
    assert often.systems.select("mean", "low", "high").rows() == ends(
        once.systems, "mean", "low", "high"
    )
    assert often.systems["design_effect"].to_list() == pytest.approx([20 * 239 / 240 * 12 / 11] * 2)
    assert often.counts["clusters"].to_list() == [12]
    naive = ratings(rated(turns=20), cluster="none").systems
    assert (naive["high"] - naive["low"] < (often.systems["high"] - often.systems["low"]) / 4).all()
    assert any(
        "240 items in 12 clusters of 'conversation', worth about 12 indep" in n for n in often.notes
    )
    assert "|cluster:conversation|" in often.signature


def test_agreement_leaves_out_whole_conversations():
    often = ratings(rated(turns=20)).agreement
    naive = ratings(rated(turns=20), cluster="none").agreement
    for clustered, plain in zip(often.rows(named=True), naive.rows(named=True), strict=True):
        assert clustered["value"] == plain["value"]
        if clustered["measure"] != "kappa":
            assert clustered["high"] - clustered["low"] > 3 * (plain["high"] - plain["low"])


def test_tests_of_preferences_flip_whole_conversations():
    once, often = preferences(compared()), preferences(compared(turns=20))
    assert often.pairs["p"].to_list() == pytest.approx(once.pairs["p"].to_list())
    assert often.pairs["clusters"].to_list() == [12]
    assert often.strengths.select("strength", "low", "high").rows() == [
        pytest.approx(row, abs=1e-9)
        for row in once.strengths.select("strength", "low", "high").rows()
    ]
    width = often.pairs["win_rate_high"] - often.pairs["win_rate_low"]
    assert width.to_list() == pytest.approx(
        (once.pairs["win_rate_high"] - once.pairs["win_rate_low"]).to_list(), rel=0.1
    )
    naive = preferences(compared(turns=20), cluster="none")
    assert naive.pairs["p"].item() < 1e-6 < once.pairs["p"].item()


def test_the_interval_is_statsmodels_clustered_covariance_of_a_constant():
    api = pytest.importorskip("statsmodels.api")
    table = rated(conversations=15, turns=3, seed=4)
    jitter = np.random.default_rng(5).normal(size=table.height)
    table = table.with_columns(pl.col("score") + jitter).filter(pl.Series(jitter > -1.5))
    row = ratings(table).systems.row(0, named=True)
    means = table.filter(system="a").group_by("id", "conversation").agg(pl.col("score").mean())
    _, groups = np.unique(means["conversation"].to_numpy(), return_inverse=True)
    fit = api.OLS(means["score"].to_numpy(), np.ones(means.height)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}, use_t=True
    )
    # statsmodels divides by n - 1 besides: (n - 1) / (n - k) with one constant is 1.
    low, high = fit.conf_int()[0]
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9)


def test_flips_of_groups_by_brute_force():
    rng = np.random.default_rng(2)
    for _ in range(20):
        sums = rng.integers(-4, 5, 9)
        signs = np.array(list(itertools.product((1, -1), repeat=9)))
        p = (np.abs(signs @ sums) >= abs(sums.sum())).mean() if sums.any() else math.nan
        assert flip_test(sums) == pytest.approx(p, nan_ok=True)
    assert flip_test(np.array([1, 1, -1, 1, 0])) == sign_test(3, 1)
    assert math.isnan(flip_test(np.zeros(3, dtype=np.int64)))


def test_systems_rated_on_different_items_are_compared_over_shared_ones():
    stats = pytest.importorskip("scipy.stats")
    table = rated(conversations=20, seed=6).drop("conversation")
    table = table.filter(
        ~((pl.col("system") == "b") & pl.col("id").is_in([f"{i}-0" for i in range(8)]))
    )
    summary = ratings(table)
    row = summary.differences.row(0, named=True)
    means = table.group_by("id", "system").agg(pl.col("score").mean()).pivot("system", index="id")
    both = means.drop_nulls()
    test = stats.ttest_rel(both["a"].to_numpy(), both["b"].to_numpy())
    assert (row["kind"], row["shared"]) == ("paired", 12)
    assert row["p"] == pytest.approx(test.pvalue, abs=1e-12)
    interval = test.confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert summary.as_json()["differences"][0]["shared"] == 12
    assert "differences" not in ratings(rated()).as_json()


def test_systems_without_a_shared_item_have_welchs_interval():
    stats = pytest.importorskip("scipy.stats")
    table = rated(conversations=20, seed=7).drop("conversation")
    early = pl.col("id").is_in([f"{i}-0" for i in range(10)])
    table = table.filter((pl.col("system") == "a") == early)
    row = ratings(table).differences.row(0, named=True)
    means = table.group_by("id", "system").agg(pl.col("score").mean())
    sides = [means.filter(system=s)["score"].to_numpy() for s in "ab"]
    test = stats.ttest_ind(*sides, equal_var=False)
    assert (row["kind"], row["shared"]) == ("unpaired", 0)
    assert row["p"] == pytest.approx(test.pvalue, abs=1e-12)
    assert row["p_holm"] == row["p"]


def test_unpaired_clusters_by_hand():
    # Two conversations hold items of both systems; sums of (x - mean) / n by conversation:
    # a: 1, 3 | 2, 6 -> mean 3; b: 0, 2 | 4, 2 -> mean 2. First: (-2 + 0) / 4 - (-2 + 0) / 4 = 0.
    a, b = np.array([1.0, 3.0, 2.0, 6.0]), np.array([0.0, 2.0, 4.0, 2.0])
    groups = np.array([0, 0, 1, 1])
    result = unpaired_difference(a, b, groups, groups)
    assert result.value == 1
    assert result.interval.reason == "fewer than 4 clusters to resample"
    apart = unpaired_difference(a, b, np.arange(4), np.arange(4, 8))
    # Each item by itself: two independent samples, s_a^2 / 4 + s_b^2 / 4.
    variance = 4 / 3 * (((a - 3) ** 2).sum() + ((b - 2) ** 2).sum()) / 16
    reach = 2.364624 * math.sqrt(variance)  # t of 7 degrees of freedom
    assert apart.interval.high == pytest.approx(1 + reach, abs=1e-5)
    assert paired_difference(np.ones(5)).interval.reason == SAME


@pytest.mark.parametrize(
    ("table", "cluster", "error", "words"),
    [
        (rated(), "user", ParameterError, "the ratings have no column 'user'; got id, system"),
        (rated(), "rater", ParameterError, "'rater' is a column of the ratings themselves"),
        (rated(), 3, ParameterError, "cluster is int, expected the name of a column"),
        (
            rated().with_columns(user=pl.lit(None, pl.String)),
            "user",
            InputError,
            "no value in the column",
        ),
        (rated().with_columns(user="rater"), "user", InputError, "two values in the column 'user'"),
        (
            rated().with_columns(user=pl.lit(" ")),
            "user",
            InputError,
            "no value in the column 'user'",
        ),
    ],
)
def test_a_column_that_names_no_clusters(table, cluster, error, words):
    with pytest.raises(error, match=words):
        ratings(table, cluster=cluster)


def test_sections_and_other_texts_that_look_like_fractions_are_labels():
    labels = pl.col("id").str.replace(r"(\d+)-.*", "1.$1")
    summary = ratings(rated(turns=2).with_columns(section=labels), cluster="section")
    assert summary.counts["clusters"].to_list() == [12]


@pytest.mark.parametrize("measure", [ratings, compare_by_people])
def test_a_frame_without_criteria_keeps_its_clusters(measure):
    table = rated(turns=2, column="user").drop("criterion")
    result = measure(table, cluster="user")
    assert any(" in 12 clusters of 'user'" in each for each in result.notes), result.notes


def test_preferences_of_a_frame_keep_their_clusters():
    table = compared(turns=2).rename({"conversation": "doc"})
    assert preferences(table.drop("criterion", strict=False), cluster="doc").counts.height
    lists = table.with_columns(conversation=pl.lit([["x"]]))
    with pytest.raises(InputError, match="names no clusters"):
        preferences(lists, cluster="conversation")


def test_an_item_without_a_conversation_is_noted():
    table = rated().with_columns(conversation=pl.lit(None, pl.String))
    summary = ratings(table)
    assert "clusters" not in summary.counts.columns
    turns = rated(turns=2)
    some = pl.when(pl.col("id") != "3-1").then("conversation").alias("conversation")
    summary = ratings(turns.with_columns(some))
    assert summary.counts["clusters"].to_list() == [13]
    first = pl.when(pl.int_range(pl.len()) > 0).then("conversation").alias("conversation")
    summary = ratings(turns.with_columns(first))  # other rows say the conversation of that item
    assert summary.counts["clusters"].to_list() == [12]
    summary = ratings(turns.with_columns(some))
    expected = (
        "is empty for item '3-1' (1 of 24 items): each such item is taken as a cluster of its own"
    )
    assert expected in summary.notes[0]


def test_few_clusters_have_no_interval_and_a_reason():
    summary = ratings(rated(conversations=3, turns=5))
    assert summary.systems["reason"].to_list() == ["fewer than 4 clusters to resample"] * 2
    pairs = preferences(compared(conversations=3, turns=5)).pairs.row(0, named=True)
    assert math.isnan(pairs["win_rate_low"])
    assert pairs["reason"] == "fewer than 4 clusters to resample"


def test_files_keep_the_column_of_clusters(tmp_path):
    path = tmp_path / "ratings.csv"
    rated(turns=2, column="user").write_csv(path)
    assert "user" not in read_ratings(path).columns
    table = read_ratings(path, cluster="user")
    assert ratings(table, cluster="user").counts["clusters"].to_list() == [12]
    compared().write_csv(path)
    assert read_preferences(path).columns[-1] == "conversation"


def test_a_conversation_with_a_number_is_no_rater_of_a_wide_table(tmp_path):
    path = tmp_path / "wide.csv"
    rows = [f"{i},{s},{1 + i % 5},{1 + (i + 1) % 5},{i // 2}" for i in range(12) for s in "ab"]
    path.write_text("id,system,ann,ben,conversation\n" + "\n".join(rows))
    table = read_ratings(path)
    assert sorted(set(table["rater"])) == ["ann", "ben"]
    assert ratings(table).counts["clusters"].to_list() == [6]


def test_whole_conversations_are_rated_without_an_id(tmp_path):
    path = tmp_path / "dialogues.csv"
    path.write_text("conversation,system,rater,score\nt1,bot,ann,4\nt1,bot,ben,5\nt2,bot,ann,2\n")
    table = read_ratings(path)
    assert table.columns == list(RATINGS)
    assert table["id"].to_list() == ["t1", "t1", "t2"]
    assert ratings(table).counts["items"].to_list() == [2]
