"""Sweeps of any metrics: the unit size, the threshold and the order."""

import polars as pl
import pytest

from rejoinder import correlate, read_ratings, read_responses, read_testset, score
from rejoinder.meta_evaluation.protocols import Unit
from rejoinder.meta_evaluation.sweep import SweepSettings, sweep_parameters, sweep_sizes
from rejoinder.metrics import BLEU, ROUGE, DeltaBLEU, DistinctN
from rejoinder.metrics.length import Length
from rejoinder.tables.testset import TestSet
from shared_data import EXAMPLES

SYSTEMS = ("generic", "retrieval", "tuned")


@pytest.fixture(scope="module")
def texts():
    testset = read_testset(EXAMPLES / "testset.jsonl")
    paths = [EXAMPLES / "responses" / f"{name}.jsonl" for name in SYSTEMS]
    return testset, read_responses(*paths, ids=testset.ids)


@pytest.fixture(scope="module")
def held():
    return SweepSettings(read_ratings(EXAMPLES / "ratings.csv"), Unit(11, 20), "kendall-b")


def names(points, panel):
    return points.filter(pl.col("panel") == panel)["metric"].unique(maintain_order=True).to_list()


def test_the_users_size_is_the_users_table(texts, held):
    scores = score(*texts, ["bleu:order=4", "distinct", "length"], resamples=0)
    told = sweep_sizes(scores, held)
    table = correlate(
        scores, held.ratings, held.unit, correlations=["kendall-b"], permutations=0, resamples=0
    ).table()
    at_11 = told.points.filter(pl.col("x") == 11)
    for name in ("BLEU-4", "distinct-1", "length"):
        expected = table.filter(pl.col("metric") == name).select("value", "low", "high", "n")
        found = at_11.filter(pl.col("metric") == name).select("value", "low", "high", "n")
        assert found.rows()[0] == pytest.approx(expected.rows()[0], abs=1e-12, nan_ok=True)
    # Bags are not measured item by item, which is said.
    assert names(told.points.filter(pl.col("x") == 1), "size") == ["BLEU-4", "length"]
    assert any(note.startswith("figure: distinct-1: no units of fewer") for note in told.notes)


def test_only_bags_have_no_smallest_unit(texts, held):
    told = sweep_sizes(score(*texts, ["distinct"], resamples=0), held)
    assert told.points["x"].unique().to_list() == [10.0, 11.0]


def test_metrics_are_swept_along_the_parameters_that_they_have(texts, held):
    metrics = [BLEU(order=2), BLEU(order=4), DeltaBLEU(), DistinctN(), ROUGE(variant="L"), Length()]
    told = sweep_parameters(*texts, metrics, held).points
    assert names(told, "threshold") == ["BLEU-2", "BLEU-4", "deltaBLEU-2", "ROUGE-L"]
    # BLEU-2 and BLEU-4 are one once their order is swept.
    assert names(told, "order") == ["BLEU-N", "deltaBLEU-N", "distinct-N"]
    # At the least threshold all references count, and order 4 is BLEU-4's own.
    least = told.filter((pl.col("panel") == "threshold") & (pl.col("x") == -1))
    own = told.filter((pl.col("panel") == "order") & (pl.col("x") == 4))
    value = {"least": least.filter(pl.col("metric") == "BLEU-4")["value"].item(),
             "own": own.filter(pl.col("metric") == "BLEU-N")["value"].item()}  # fmt: skip
    assert value["least"] == pytest.approx(value["own"], abs=1e-12)


def test_without_weights_there_is_no_threshold(texts, held):
    testset, replies = texts
    bare = testset.references.with_columns(pl.lit(None, pl.Float64).alias("weight"))
    told = sweep_parameters(TestSet(testset.contexts, bare), replies, [BLEU(), Length()], held)
    assert told.points["panel"].unique().to_list() == ["order"]
    nothing = sweep_parameters(TestSet(testset.contexts, bare), replies, [Length()], held)
    assert nothing.points.is_empty()
