"""Systems that answered different items: each alone, two on what both answered, or unpaired."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from random_text import corpus
from rejoinder import Scores, TestSet, load_scores, plan, score
from rejoinder.errors import InputError

HYPOTHESES, REFERENCES = corpus(seed=8, n=40)
CONTEXTS = [[f"turn {i}"] for i in range(40)]
TESTSET = TestSet.from_lists(REFERENCES, contexts=CONTEXTS)
METRICS = ["bleu", "length", "chrf", "distinct"]
ANSWERED = {"a": range(30), "b": range(10, 40), "c": range(30, 40)}
"""a and b share 20 items, b and c 10, a and c none."""


def replies(systems="abc", items=range(40)):
    rows = [
        (name, TESTSET.ids[i], HYPOTHESES[i][k * 4 :] or "no")
        for k, name in enumerate("abc")
        if name in systems
        for i in ANSWERED[name]
        if i in items
    ]
    return pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")


def of_items(items):
    ids = [TESTSET.ids[i] for i in items]
    return of_ids(TESTSET, ids)


def of_ids(testset, ids):
    chosen = pl.col("id").is_in(ids)
    return TestSet(testset.contexts.filter(chosen), testset.references.filter(chosen))


SCORES = score(TESTSET, replies(), METRICS, missing="pairwise", resamples=200)
NUMBERS = ["metric", "system", "value", "low", "high", "n"]


def test_each_system_is_scored_on_what_it_answered():
    for name, items in ANSWERED.items():
        alone = score(of_items(items), replies(name), METRICS, resamples=200).systems()
        mine = SCORES.systems().filter(pl.col("system") == name)
        assert mine.select(NUMBERS).equals(alone.select(NUMBERS))
    assert "|missing:pairwise|" in SCORES.measured["BLEU-2"].signature
    assert SCORES.notes[0].startswith(
        "the systems answered different items (10 to 30 items of 40 each)"
    )


@pytest.mark.parametrize(("pair", "shared"), [("ab", range(10, 30)), ("bc", range(30, 40))])
def test_two_systems_are_compared_on_what_both_answered(pair, shared):
    alone = score(of_items(shared), replies(pair, shared), METRICS, resamples=200)
    expected = alone.compare(permutations=99)
    row = SCORES.compare(*pair, permutations=99)
    assert row.drop("n_a", "n_b", "paired").equals(expected)
    assert row.select("n", "n_a", "n_b", "paired").row(0) == (
        len(shared), len(ANSWERED[pair[0]]), len(ANSWERED[pair[1]]), True,
    )  # fmt: skip


def test_two_systems_that_share_no_item_have_an_unpaired_interval():
    row = SCORES.compare("a", "c").filter(pl.col("metric") == "length").row(0, named=True)
    values = SCORES.segments()
    a, c = (
        values.filter((pl.col("system") == s) & pl.col("length").is_not_nan())["length"].to_numpy()
        for s in "ac"
    )
    expected = stats.ttest_ind(a, c, equal_var=False).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert row["difference"] == pytest.approx(a.mean() - c.mean(), rel=1e-12)
    assert (row["n"], row["n_a"], row["n_b"], row["paired"]) == (0, 30, 10, False)
    assert all(np.isnan(row[name]) for name in ("p_randomization", "p_bootstrap", "detectable"))
    assert row["wins"] is None


def test_holm_corrects_over_the_tested_pairs():
    table = SCORES.compare(permutations=500).filter(pl.col("metric") == "BLEU-2")
    p = table["p_randomization"].to_numpy()
    tested = np.sort(p[~np.isnan(p)])
    corrected = table["p_randomization_holm"].drop_nans().sort().to_list()
    assert corrected == pytest.approx([min(1, 2 * tested[0]), max(2 * tested[0], tested[1])])
    assert SCORES.leads().height > 0


def test_saved_scores_know_who_answered_what(tmp_path):
    SCORES.save(tmp_path / "s.parquet")
    loaded = load_scores(tmp_path / "s.parquet")
    assert loaded.systems().equals(SCORES.systems())
    assert loaded.compare(permutations=99).equals(SCORES.compare(permutations=99))
    assert loaded.segments().equals(SCORES.segments())


def test_clusters_and_groups_of_what_was_answered():
    column = pl.Series("topic", [str(i // 4) for i in range(40)])
    testset = TestSet(TESTSET.contexts.with_columns(column), TESTSET.references)
    options = {"metrics": ["length"], "resamples": 200}
    both = score(testset, replies(), missing="pairwise", cluster="topic", **options)
    own = of_ids(testset, [TESTSET.ids[i] for i in ANSWERED["b"]])
    alone = score(own, replies("b"), cluster="topic", **options).systems()
    mine = both.systems().filter(pl.col("system") == "b")
    assert mine.drop("signature").equals(alone.drop("signature"))
    assert mine["clusters"].item() == 8  # topics 2 (half) to 9
    one = both.by("topic").filter(pl.col("topic") == "2")
    assert dict(one.select("system", "n").iter_rows()) == {"a": 4, "b": 2, "c": 0}


def test_a_plan_takes_the_items_that_two_systems_share():
    ratings = replies().select("id", "system", rater=pl.lit("1"), criterion=pl.lit("x"), score=1.0)
    result = plan(SCORES, ratings, a="a", b="b")
    row = SCORES.compare("a", "b", permutations=10).row(0, named=True)
    planned = result.comparisons.filter(pl.col("subject") == row["metric"])
    assert set(planned["difference"]) == {row["difference"]}


def test_systems_that_answered_all_are_scored_as_usual():
    every = replies("a", range(30))
    expected = score(of_items(range(30)), every, METRICS)
    found = score(of_items(range(30)), every, METRICS, missing="pairwise")
    assert found.systems().equals(expected.systems())
    assert found.notes == expected.notes


def test_a_system_without_a_reply_to_score_is_named():
    references = TESTSET.references.filter(pl.col("id").is_in(TESTSET.ids[:30]))
    testset = TestSet(TESTSET.contexts, references)
    with pytest.raises(InputError, match="no item that 'c' answered can be scored"):
        score(testset, replies(), ["bleu"], missing="pairwise", drop_unusable=True)


def test_values_of_another_tool_for_different_items():
    values = (
        SCORES.segments()
        .select("system", "id", judge="length")
        .filter(pl.col("judge").is_not_nan())
    )
    with pytest.raises(InputError, match="missing='pairwise' scores every system on its own items"):
        Scores.from_segments(values)
    scores = Scores.from_segments(values, missing="pairwise", resamples=200)
    own, expected = scores.systems(), SCORES.systems().filter(pl.col("metric") == "length")
    assert own.select("system", "value", "n").equals(expected.select("system", "value", "n"))
    assert scores.compare("a", "c")["paired"].to_list() == [False]
    assert "missing:pairwise" in own["signature"][0]


def test_a_cluster_with_items_of_both_systems_counts_once():
    # Ten users saw a at two prompts and b at two others: their differences are paired by user.
    user, rng = np.arange(40) % 10, np.random.default_rng(2)
    values = rng.normal(size=10)[user] * 5 + rng.normal(size=40)
    rows = {"system": ["a"] * 20 + ["b"] * 20, "id": TESTSET.ids, "judge": values}
    testset = TestSet(TESTSET.contexts.with_columns(user=user), TESTSET.references)
    scores = Scores.from_segments(pl.DataFrame(rows), testset, missing="pairwise", cluster="user")
    row = scores.compare().row(0, named=True)
    by_user = (values[:10] + values[10:20] - values[20:30] - values[30:]) / 2
    expected = stats.ttest_1samp(by_user, 0).confidence_interval(0.95)
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high), rel=1e-9)
