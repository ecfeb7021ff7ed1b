"""Two tests of two systems: is one more varied, and do they say the same?"""

import numpy as np
import polars as pl
import pytest

from rejoinder import variety
from rejoinder.diversity.sameness import _splits, more_varied

WORDS = np.array(
    "harbour ferry winter lamp paper stone river music green window bread horse".split()
)


def samples(systems, prompts=40, number=4, seed=1):
    """Samples of systems: each function is handed the prompt, the sample and a generator."""
    rng = np.random.default_rng(seed)
    rows = [
        (name, str(i), str(k), say(i, k, rng))
        for name, say in systems.items()
        for i in range(prompts)
        for k in range(number)
    ]
    return pl.DataFrame(rows, schema=["system", "id", "sample", "text"], orient="row")


def spoken(rng, words=6):
    return " ".join(rng.choice(WORDS, words))


def about(i, rng):
    """Of three words of the prompt."""
    own = np.random.default_rng(i).choice(WORDS, 3)
    return " ".join(rng.choice(own, 5))


def pair(systems, **given):
    return variety(samples(systems), permutations=500, **given).pairs.row(0, named=True)


def test_systems_that_say_the_same_are_not_told_apart():
    found = pair({"a": lambda i, k, rng: about(i, rng), "b": lambda i, k, rng: about(i, rng)})
    assert found["p_same"] > 0.05
    assert found["p"] > 0.05
    assert found["gap_low"] < 0 < found["gap_high"]


def test_systems_that_are_as_varied_and_say_other_things_differ_in_the_second_test_alone():
    found = pair({"a": lambda i, k, rng: about(i, rng), "b": lambda i, k, rng: about(i + 99, rng)})
    assert found["p_same"] == pytest.approx(1 / 501)
    assert found["gap_low"] > 0
    assert found["p"] > 0.05


def test_the_more_varied_system_is_found():
    found = pair({"a": lambda i, k, rng: spoken(rng), "b": lambda i, k, rng: "the same as ever"})
    assert found["p"] == pytest.approx(1 / 501)
    assert found["low"] > 1
    assert found["p_holm"] == found["p"]


def test_splits_are_means_within_and_between_parts():
    rng = np.random.default_rng(0)
    half = rng.random((3, 5, 5))
    alike = half + half.transpose(0, 2, 1)
    within, between = _splits(alike, 2, 3)
    assert within.shape == (3, 10)
    # The first split: samples 0 and 1, and 2, 3, 4.
    second = (alike[:, 2, 3] + alike[:, 2, 4] + alike[:, 3, 4]) / 3
    assert within[:, 0] == pytest.approx((alike[:, 0, 1] + second) / 2)
    assert between[:, 0] == pytest.approx(alike[:, :2, 2:].mean(axis=(1, 2)))


def test_flips_are_of_whole_clusters():
    # Two clusters whose differences all point one way: of four flips half reach.
    a, b = np.ones(8), np.zeros(8)
    found, n = more_varied(a, b, np.repeat([0, 1], 4), 999, np.random.default_rng(0))
    assert n == 8
    assert found.p > 0.4


def test_a_pair_that_shares_no_prompt_has_no_test():
    table = samples({"a": lambda i, k, rng: spoken(rng), "b": lambda i, k, rng: spoken(rng)}, 6)
    apart = table.with_columns(
        id=pl.when(pl.col("system") == "a").then("id").otherwise(pl.col("id") + "b")
    )
    found = variety(apart).pairs.row(0, named=True)
    assert found["n"] == 0
    assert found["p"] is None
    assert found["gap"] is None
