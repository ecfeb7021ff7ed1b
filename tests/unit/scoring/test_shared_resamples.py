"""Metrics of the same items take the same resamples in one pass, and score what they score alone."""

import numpy as np
import polars as pl
import pytest

from rejoinder import Scores
from rejoinder.scoring import measurements


def values(names, lacking=None):
    rng, ids = np.random.default_rng(3), [str(i) for i in range(40)]
    table = pl.concat(
        pl.DataFrame({"system": s, "id": ids, "name": name, "value": rng.random(40)})
        for name in names
        for s in ("a", "b")
    )
    return table.filter(~((pl.col("name") == lacking) & (pl.col("id") == "39")))


@pytest.mark.parametrize("missing", ["drop", "pairwise"])
def test_the_same_as_one_metric_by_itself(monkeypatch, missing):
    monkeypatch.setattr(measurements, "BLOCK", 100)
    table = values("xyz", lacking="x")
    together = Scores.from_segments(table, missing=missing)
    whole = together.compare()
    for name in "xyz":
        alone = Scores.from_segments(table.filter(pl.col("name") == name), missing=missing)
        one = alone.compare()
        assert whole.filter(pl.col("metric") == name).select(one.columns).equals(one)


def test_a_pass_is_over_metrics_of_the_same_items(monkeypatch):
    monkeypatch.setattr(measurements, "BLOCK", 100)
    scores = Scores.from_segments(values("xyz", lacking="x"), missing="drop")
    scores.resampled("y")
    assert sorted(scores._resampled) == ["y", "z"]
