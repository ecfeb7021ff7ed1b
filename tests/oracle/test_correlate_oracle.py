"""Published correlations with people, through the whole of ``correlate``."""

import csv
import json

import polars as pl
import pytest

from rejoinder import TestSet, correlate, score
from rejoinder.errors import MissingExtraError
from rejoinder.metrics.bleu import BLEU
from rejoinder.metrics.meteor import METEOR
from rejoinder.metrics.meteor_scorer import command
from rejoinder.metrics.rouge import ROUGE
from shared_data import shared

METRICS = {
    **{f"Bleu_{n}": BLEU(order=n, tokenizer="none", smoothing="caption") for n in (1, 2, 3, 4)},
    "ROUGE_L": ROUGE("L", form="caption"),
    "METEOR": METEOR(),
}
SPOKEN = {"pearson": "pearson", "spearman": "spearman", "kendall-b": "kendall"}
RATINGS = ["id", "system", "rater", "criterion", "score"]


def rows():
    path = shared("data", "dailydialog-multiref", "mturk_rating_processed_output.csv")
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def available():
    try:
        command("en", normalize=True)
    except MissingExtraError:
        return {name: metric for name, metric in METRICS.items() if name != "METEOR"}
    return METRICS


@pytest.mark.java
@pytest.mark.parametrize("kind", ["single", "multi"])
def test_the_published_turn_level_correlations(kind):
    expected = json.loads(
        shared("oracles", "human-correlation-dailydialog-multiref.json").read_text()
    )[kind]
    table = rows()
    assert len(table) == 500
    # Which reply is whose does not matter here: one system, each row an item of its own.
    references = [
        [row["prevgt"]] if kind == "single" else row["all_references"].split("\t") for row in table
    ]
    testset = TestSet.from_lists(references)
    replies = [("all", id, row["response"]) for id, row in zip(testset.ids, table, strict=True)]
    rated = [
        (id, "all", "mean", "overall", float(row["human_average_rating"]))
        for id, row in zip(testset.ids, table, strict=True)
    ]
    metrics = available()
    scores = score(
        testset,
        pl.DataFrame(replies, schema=["system", "id", "text"], orient="row"),
        list(metrics.values()),
    )
    told = correlate(
        scores, pl.DataFrame(rated, schema=RATINGS, orient="row"), permutations=0, resamples=0
    )
    labels = dict(zip(told.labels, metrics, strict=True))
    compared = 0
    for row in told.table().iter_rows(named=True):
        if row["metric"] in labels:
            figure = expected[labels[row["metric"]]][SPOKEN[row["correlation"]]]
            assert row["value"] == pytest.approx(figure, abs=5e-5), row
            assert (row["n"], row["reason"]) == (500, None)
            compared += 1
    assert compared == 3 * len(metrics)
    assert len(metrics) == 6 or pytest.skip("without METEOR: 30 of the 36 figures agree")
