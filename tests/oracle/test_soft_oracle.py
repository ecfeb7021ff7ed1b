"""Soft pairwise accuracy of DSTC7's systems, beside the paper's formula in a plain loop."""

import numpy as np
import polars as pl
import pytest

import rejoinder
from shared_data import shared

INDEPENDENT = {"sBLEU-2": 0.662, "ROUGE-L": 0.757, "chrF": 0.793, "length": 0.637}
"""An independent computation, of means of single replies' scores: ten systems, Relevance."""


@pytest.fixture(scope="module")
def agreement():
    folder = shared("data", "dstc7-task2")
    testset = rejoinder.read_testset(folder)
    replies = rejoinder.read_responses(folder / "dstc7-task2-system_responses.tsv", ids=testset.ids)
    ratings = rejoinder.read_ratings(folder / "dstc7-task2-human-eval-per-judge.tsv")
    metrics = ["sbleu", "rougeL", "chrf", "length"]
    scores = rejoinder.score(testset, replies, metrics, drop_unusable=True, resamples=0)
    told = rejoinder.correlate(scores, ratings, "soft", criterion="Relevance", permutations=2000)
    means = (
        ratings.filter(pl.col("criterion") == "Relevance")
        .group_by("system", "id")
        .agg(pl.col("score").mean().alias("human"))
    )
    rows = scores.segments().join(means, on=["system", "id"]).drop_nulls().drop_nans()
    return told, rows, scores.names


def plain(values, trials, seed):
    """P of every pair, as Thompson et al. (2024) compute it: equal differences count in full."""
    rng = np.random.default_rng(seed)
    signs = 2.0 * rng.integers(0, 2, size=(trials, values.shape[1])) - 1
    drawn, sums = signs @ values.T, values.sum(axis=1)
    i, j = np.triu_indices(len(values), 1)
    return ((drawn[:, i] - drawn[:, j]) >= (sums[i] - sums[j]) - 1e-12).mean(axis=0)


def by_system(rows, column, names):
    return rows.pivot(on="system", index="id", values=column).select(names).to_numpy().T


def test_means_of_replies_agree_with_the_published_definition(agreement):
    told, rows, names = agreement
    people = plain(by_system(rows, "human", names), 20_000, 1)
    table = dict(told.table().select("metric", "value").iter_rows())
    for label, independent in INDEPENDENT.items():
        ours = 1 - np.abs(people - plain(by_system(rows, label, names), 20_000, 2)).mean()
        assert ours == pytest.approx(independent, abs=0.003), label
        if label != "chrF":
            assert table[label] == pytest.approx(independent, abs=0.004), label


def test_a_corpus_metric_is_taken_from_its_sums(agreement):
    # chrF of a corpus is no mean of its replies' chrF: .793 is the mean's, .71 the corpus'.
    told, _, _ = agreement
    value = told.table().filter(pl.col("metric") == "chrF")["value"][0]
    assert value == pytest.approx(0.708, abs=0.005)
