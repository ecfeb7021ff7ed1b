"""Turn-level correlation pooled and within systems on published ratings, beside scipy's own figures."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rejoinder
from shared_data import shared

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall-b": stats.kendalltau}


def grade():
    """GRADE's DailyDialog: two systems on the same 150 contexts."""
    folder = shared("data", "grade-dailydialog")
    tables = rejoinder.read_testset(folder), rejoinder.read_responses(folder)
    return *tables, rejoinder.read_ratings(folder), "error"


def apart():
    """Four systems of DSTC7, none of which shares a context with another, as in GRADE's ConvAI2."""
    folder = shared("data", "dstc7-task2")
    testset = rejoinder.read_testset(folder)
    replies = rejoinder.read_responses(folder / "dstc7-task2-system_responses.tsv", ids=testset.ids)
    ratings = rejoinder.read_ratings(folder / "dstc7-task2-human-eval-per-judge.tsv")
    texts = replies.group_by("system").agg(pl.col("text").n_unique())
    # Without the system that always says the same.
    systems = sorted(texts.filter(pl.col("text") > 100)["system"])[:4]
    counts = testset.references.group_by("id").len()
    ids = [id for id in testset.ids if id in set(counts["id"])]
    own = {name: set(ids[place::4]) for place, name in enumerate(systems)}
    answered = pl.concat(
        replies.filter((pl.col("system") == name) & pl.col("id").is_in(list(mine)))
        for name, mine in own.items()
    )
    return (
        testset.select(ids),
        answered,
        ratings.filter(pl.col("criterion") == "Relevance"),
        "pairwise",
    )


@pytest.mark.parametrize("data", [grade, apart])
@pytest.mark.parametrize("correlation", SCIPY)
def test_pooled_and_within_systems_are_scipys(data, correlation):
    testset, responses, ratings, missing = data()
    scores = rejoinder.score(testset, responses, ["rougeL", "length"], missing=missing, resamples=0)
    result = rejoinder.correlate(
        scores, ratings, "turn", correlations=[correlation], permutations=0, resamples=0
    )
    people = ratings.group_by("system", "id").agg(pl.col("score").mean().alias("human"))
    rows = scores.segments().join(people, on=["system", "id"]).drop_nulls().drop_nans()
    if data is apart:
        assert rows["id"].is_duplicated().sum() == 0
        assert rows.group_by("system").len()["len"].min() > 100
    for label in scores.labels:
        row = result.table().filter(pl.col("metric") == label).row(0, named=True)
        pooled = SCIPY[correlation](rows[label].to_numpy(), rows["human"].to_numpy()).statistic
        each = [
            SCIPY[correlation](part[label].to_numpy(), part["human"].to_numpy()).statistic
            for part in rows.partition_by("system")
        ]
        assert row["n"] == rows.height
        assert row["value"] == pytest.approx(pooled, abs=1e-10)
        assert row["within"] == pytest.approx(np.mean(each), abs=1e-10)
