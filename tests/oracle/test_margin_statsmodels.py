"""Equivalence and non-inferiority within a margin against statsmodels' two one-sided tests."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lazily import lazily
from rejoinder import Scores
from rejoinder.errors import ParameterError

weightstats = lazily("statsmodels.stats.weightstats")

RNG = np.random.default_rng(4)
QUALITY = RNG.normal(size=30)
VALUES = {
    name: QUALITY + shift + RNG.normal(size=30) for name, shift in (("a", 0.2), ("b", 0), ("c", -2))
}


def scores_of(values, **options):
    rows = [
        (name, str(i), x) for name, each in values.items() for i, x in enumerate(each) if x == x
    ]
    return Scores.from_segments(
        pl.DataFrame(rows, ["system", "id", "judge"], orient="row"), **options
    )


@pytest.mark.parametrize("margin", [0.3, 0.8, 2.5])
@pytest.mark.parametrize("lower", [(), ("judge",)])
def test_paired(margin, lower):
    table = scores_of(VALUES, lower=lower).compare(margin=margin, permutations=99)
    for row in table.iter_rows(named=True):
        a, b = VALUES[row["a"]], VALUES[row["b"]]
        p, above, below = weightstats().ttost_paired(a, b, -margin, margin)
        assert row["p_equivalence"] == pytest.approx(p, rel=1e-9)
        assert row["p_noninferiority"] == pytest.approx((below if lower else above)[1], rel=1e-9)
        assert row["margin"] == margin
        low, high = stats.ttest_rel(a, b).confidence_interval(0.9)
        assert (row["p_equivalence"] <= 0.05) == (-margin <= low and high <= margin)


@pytest.mark.parametrize("worse_by", [0.0, 0.3, 2.5])
@pytest.mark.parametrize("lower", [(), ("judge",)])
def test_worse_than_a_baseline(worse_by, lower):
    table = scores_of(VALUES, lower=lower).compare(b="b", worse_by=worse_by, permutations=99)
    assert table["a"].to_list() == ["a", "c"]
    assert set(table["b"]) == {"b"}
    sign = -1 if lower else 1
    for row in table.iter_rows(named=True):
        gained = sign * (VALUES[row["a"]] - VALUES["b"])
        for name, alternative in (("p_worse", "less"), ("p_not_worse", "greater")):
            p = stats.ttest_1samp(gained, -worse_by, alternative=alternative).pvalue
            assert row[name] == pytest.approx(p, rel=1e-9)
            other = table.filter(pl.col("a") != row["a"]).item(0, name)
            holm = min(1, max(2 * min(p, other), p))
            assert row[f"{name}_holm"] == pytest.approx(holm, rel=1e-9)
        expected = "worse" if row["p_worse_holm"] < 0.05 else "not clear"
        assert row["verdict"] == ("not worse" if row["p_not_worse_holm"] < 0.05 else expected)


def test_unpaired():
    values = {"a": VALUES["a"].copy(), "b": VALUES["b"].copy()}
    values["a"][20:], values["b"][:20] = np.nan, np.nan
    row = scores_of(values, missing="pairwise").compare(margin=1.0).row(0, named=True)
    p, above, _ = weightstats().ttost_ind(
        VALUES["a"][:20], VALUES["b"][20:], -1.0, 1.0, usevar="unequal"
    )
    assert row["paired"] is False
    assert row["p_equivalence"] == row["p_equivalence_holm"] == pytest.approx(p, rel=1e-9)
    assert row["p_noninferiority"] == pytest.approx(above[1], rel=1e-9)


def test_holm_is_over_the_pairs():
    table = scores_of(VALUES).compare(margin=1.5, permutations=99)
    p = np.sort(table["p_noninferiority"].to_numpy())
    expected = np.minimum(1, np.maximum.accumulate(p * [3, 2, 1]))
    assert np.sort(table["p_noninferiority_holm"].to_numpy()) == pytest.approx(expected)


def test_without_an_interval_there_is_no_test():
    same = scores_of({"a": np.arange(8.0), "b": np.arange(8.0)}).compare(margin=1.0)
    few = scores_of({"a": np.arange(3.0), "b": np.array([2.0, 0, 1])}).compare(margin=1.0)
    for table in (same, few):
        assert table.select("p_equivalence", "p_noninferiority").row(0) != (0, 0)
        assert np.isnan(table.select("p_equivalence", "p_noninferiority").row(0)).all()
    assert "margin" not in scores_of(VALUES).compare(permutations=9).columns


@pytest.mark.parametrize("margin", [0, -1, float("nan"), float("inf")])
def test_a_margin_is_above_zero(margin):
    with pytest.raises(ParameterError, match="must be above 0"):
        scores_of(VALUES).compare(margin=margin)
