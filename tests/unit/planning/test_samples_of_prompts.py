"""More prompts or more samples: the variance of a difference in two parts, and the best use of a cost."""

import math

import numpy as np
import polars as pl
import pytest

from rejoinder import Scores, plan
from rejoinder.errors import ParameterError


def pilot(n=200, k=4, between=1.0, within=3.0, seed=1):
    """Two systems: true differences of a variance between prompts, samples of one within them each."""
    rng = np.random.default_rng(seed)
    prompts, apart = 5 * rng.normal(size=n), math.sqrt(between) * rng.normal(size=n) + 1
    rows = [
        (
            name,
            str(i),
            "mark",
            prompts[i] + apart[i] * (name == "a") + math.sqrt(within) * rng.normal(),
            str(s),
        )
        for name in "ab"
        for i in range(n)
        for s in range(k)
    ]
    columns = ["system", "id", "name", "value", "sample"]
    return Scores.from_segments(pl.DataFrame(rows, schema=columns, orient="row"), resamples=0)


def test_the_parts_are_found_and_the_errors_follow():
    rows = plan(pilot(n=3000)).samples
    # A standard error of about sqrt(2 / 3000) (B + W / k) = 0.065 of the first.
    assert rows["between"][0] == pytest.approx(1.0, abs=0.2)
    assert rows["within"][0] == pytest.approx(6.0, rel=0.05)
    for row in rows.iter_rows(named=True):
        assert row["items"] == math.floor(3000 * 5 / (1 + row["samples"]) + 1e-9)
        error = math.sqrt((row["between"] + row["within"] / row["samples"]) / row["items"])
        assert row["error"] == pytest.approx(error)
    (now,) = rows.filter(samples=4)["ratio"].to_list()
    assert now == pytest.approx(1.0)
    part = 1.0 + 6.0 / 4
    assert rows["twice_samples"][0] == pytest.approx(math.sqrt((1 + 6 / 8) / part), abs=0.03)


def test_the_best_number_of_samples_depends_on_the_costs():
    scores = pilot(n=3000)
    # sqrt(W C / (B c)) = sqrt(6), sqrt(60) and sqrt(0.6).
    for costs, least, most in ((None, 2, 3), ((10, 1), 7, 9), ((1, 10), 1, 1), ((0, 1), 1, 1)):
        (best,) = plan(scores, costs=costs).samples.filter("best")["samples"].to_list()
        assert least <= best <= most
    assert plan(scores, costs=(10, 1)).parameters["costs"] == [10, 1]


def test_the_sentence_says_which_narrows_more():
    text = str(plan(pilot()).to_markdown())
    assert "twice as many prompts make the interval of the difference 0.71 times as wide" in text
    assert "prompts, and samples of each, for the pilot's cost" in text


def test_costs_need_samples_and_are_positive():
    single = pilot(k=1)
    assert plan(single).samples.is_empty()
    with pytest.raises(ParameterError, match="no metric scored several samples"):
        plan(single, costs=(1, 1))
    with pytest.raises(ParameterError, match="a prompt costs 0 or more"):
        plan(pilot(n=20), costs=(1, 0))


def test_of_many_pairs_it_is_said_which_difference_is_to_be_shown_and_at_which_level():
    rows = [
        (name, str(i), "mark", float(np.random.default_rng([i, ord(name)]).normal()))
        for name in "abcd"
        for i in range(20)
    ]
    frame = pl.DataFrame(rows, ["system", "id", "name", "value"], orient="row")
    scores = Scores.from_segments(frame, resamples=0)
    given = plan(scores, every_pair=True, difference=2.0, alpha=0.01, resamples=100).to_markdown()
    assert "enough to show a difference of 2.00 at the 1% level with 80% power in" in given
    own = plan(scores, every_pair=True, resamples=100).to_markdown()
    assert "enough to show its own difference at the 5% level with 80% power in" in own


def test_a_system_with_one_sample_of_each_prompt_is_left_out_with_a_reason():
    three = pl.DataFrame(
        [
            (name, str(i), "mark", float(v), str(k))
            for name, number in (("a", 4), ("b", 4), ("c", 1))
            for i in range(40)
            for k, v in enumerate(np.random.default_rng([i, ord(name)]).normal(size=number))
        ],
        schema=["system", "id", "name", "value", "sample"],
        orient="row",
    )
    planned = plan(Scores.from_segments(three, resamples=0), every_pair=True)
    assert planned.samples.select("a", "b").unique().rows() == [("a", "b")]
    (note,) = (each for each in planned.notes if "pairs with" in each)
    assert note == (
        "mark: more prompts or more samples: pairs with c left out: how samples vary is unknown where no "
        "prompt has two of them"
    )
