"""Kept scores that are older than a parameter of their metric still say what they said."""

import json

import numpy as np
import polars as pl
import pytest

from rejoinder import TestSet, load_scores, score
from rejoinder.metrics import registry
from rejoinder.metrics.delta_bleu import DeltaBLEU
from rejoinder.metrics.rouge import ROUGE
from rejoinder.metrics.settings import settings_of

TESTSET = TestSet.from_lists(
    [["a b c", "a d"], ["e f"], ["g h"], ["i"]], [[1.0, -0.5], [0.7], [1.0], [0.3]]
)
RESPONSES = pl.DataFrame(
    {"system": ["s"] * 4, "id": TESTSET.ids, "text": ["a b d", "e x", "y h", "i"]}
)


def without(path, parameters, columns=()):
    """Writes a kept file as it was before some parameters and columns existed."""
    metadata = json.loads(pl.read_parquet_metadata(path)["rejoinder"])
    for each in metadata["metrics"].values():
        for name in parameters:
            del each["parameters"][name]
    table = pl.read_parquet(path)
    dropped = [name for name in table.columns if name.rpartition(".")[2] in columns]
    assert len(dropped) == len(columns)
    table.drop(dropped).write_parquet(path, metadata={"rejoinder": json.dumps(metadata)})


@pytest.mark.parametrize("name", [name for name in registry.METRICS if name != "meteor"])
def test_every_younger_parameter_is_one_of_the_metrics_own(name):
    metric = registry.metric(name)
    for key, each in settings_of(type(metric)).items():
        if each.before is not ...:
            assert getattr(type(metric).restored({}), key) == each.before


def test_delta_bleu_by_the_authors_code_was_not_smoothed(tmp_path):
    path = tmp_path / "s.parquet"
    metric = DeltaBLEU(order=4, reading="authors-code", smoothing="none")
    scores = score(TESTSET, RESPONSES, [metric], resamples=0)
    scores.save(path)
    without(path, ["smoothing", "smoothing_value"])
    loaded = load_scores(path)
    assert loaded.systems().equals(scores.systems(), null_equal=True)
    assert loaded.systems()["value"].to_list() == [0.0]  # no 4-gram matches


@pytest.mark.parametrize("variant", ["1", "2", "L"])
def test_rouge_had_neither_precision_nor_recall(tmp_path, variant):
    path = tmp_path / "s.parquet"
    scores = score(TESTSET, RESPONSES, [ROUGE(variant)], resamples=50)
    scores.save(path)
    without(path, ["measure"], ["precision", "recall"])
    loaded = load_scores(path)
    figures = ["metric", "system", "value", "low", "high", "n"]
    assert loaded.systems()[figures].equals(scores.systems()[figures], null_equal=True)
    assert loaded.segments().equals(scores.segments(), null_equal=True)
    (parts,) = loaded.parts()[f"ROUGE-{variant}"].values()
    assert parts["f"] == scores.systems()["value"][0]
    assert np.isnan(parts["precision"])
    assert np.isnan(parts["recall"])
