"""Reference coverage above chance: what earns nothing, what counts, and its terms by hand."""

import numpy as np
import polars as pl
import pytest

from rejoinder import TestSet, variety
from rejoinder.diversity.coverage import above_chance, cyclic_partners

WORDS = (
    "harbour ferry winter lamp paper stone river music green window bread horse cloud train".split()
)


def world(systems, prompts=24, weights=None):
    """A test set of two references a prompt, each of words of its own, and samples of systems.

    Args:
        systems: By name a function from the references of a prompt and a generator to its samples.
        prompts: How many.
        weights: Of the two references.
    """
    rng = np.random.default_rng(3)
    references = [[" ".join(rng.choice(WORDS, 5)) for _ in range(2)] for _ in range(prompts)]
    rows = [
        (name, str(i + 1), str(k), text)
        for name, say in systems.items()
        for i, two in enumerate(references)
        for k, text in enumerate(say(two, rng))
    ]
    replies = pl.DataFrame(rows, schema=["system", "id", "sample", "text"], orient="row")
    return replies, TestSet.from_lists(references, weights and [weights] * prompts)


def values(result, measure="coverage chrF"):
    return dict(result.systems.filter(measure=measure).select("system", "value").iter_rows())


def nearly(text):
    """The text with its last word changed: near, and no copy."""
    return " ".join([*text.split()[:-1], "indeed"])


def anything(_, rng):
    return [" ".join(rng.choice(WORDS, 5)) for _ in range(2)]


def test_noise_and_constants_earn_nothing_and_copies_count_once():
    replies, testset = world(
        {
            "good": lambda two, _: [nearly(two[0]), nearly(two[1])],
            "one": lambda two, _: [nearly(two[0])] * 2,
            "constant": lambda *_: ["the ferry in winter"] * 2,
            "random": anything,
        },
        prompts=31,
    )
    both, single = (variety(replies, testset, samples=k, permutations=0) for k in (2, 1))
    covered = values(both)
    assert covered["good"] > 0.4
    assert covered["constant"] == pytest.approx(0, abs=1e-12) or abs(covered["constant"]) < 0.01
    interval = both.systems.filter(measure="coverage chrF", system="random").row(0, named=True)
    assert interval["low"] < 0 < interval["high"]
    # Of two equal samples one reaches what both reach.
    assert covered["one"] == pytest.approx(values(single)["one"], abs=1e-12)
    assert covered["one"] < covered["good"] < 2.2 * covered["one"]


def test_bad_references_are_a_number_of_their_own():
    replies, testset = world(
        {"good": lambda two, _: [nearly(two[0])] * 2, "bad": lambda two, _: [nearly(two[1])] * 2},
        weights=[1.0, -0.5],
    )
    result = variety(replies, testset, permutations=0)
    good, bad = values(result), values(result, "bad coverage chrF")
    assert good["good"] > 0.4 > 0.1 > abs(good["bad"])
    assert bad["bad"] > 0.4 > 0.1 > abs(bad["good"])
    less = values(result, "good less bad coverage chrF")
    assert less["good"] == pytest.approx(good["good"] - bad["good"], abs=1e-12)
    # The normaliser is the weight itself: half of the weight everywhere changes nothing.
    halved = TestSet(testset.contexts, testset.references.with_columns(pl.col("weight") / 2))
    assert values(variety(replies, halved, permutations=0)) == pytest.approx(good, abs=1e-12)


def test_references_that_repeat_a_reply_are_left_out_and_counted():
    replies, testset = world({"copy": lambda two, _: [two[0].upper(), "yes"], "other": anything})
    result = variety(replies, testset, permutations=0)
    assert any("copy: 24 references that repeat a reply" in each for each in result.notes)
    assert abs(values(result)["copy"]) < 0.1
    replies, testset = world({"copy": lambda two, _: two})
    result = variety(replies, testset, permutations=0)
    assert (
        "copy: 24 prompts without a reference that counts for the coverage left out of it"
        in result.notes
    )
    assert not values(result)


def test_terms_are_own_less_the_fit_of_samples_and_references():
    rng = np.random.default_rng(0)
    table = rng.random((9, 9))  # samples of i beside references of j
    clusters = np.array([0, 0, 0, 0, 1, 2, 3, 4, 5])
    partners = cyclic_partners(9, clusters, rng)
    reached = np.take_along_axis(table, np.maximum(partners, 0), 1)
    terms = above_chance(reached, partners)
    i, k = np.nonzero(partners[:, 1:] >= 0)
    j = partners[:, 1:][i, k]
    design = np.hstack([np.eye(9)[i], np.eye(9)[j]])
    fit = np.linalg.lstsq(design, table[i, j], rcond=None)[0]
    assert terms == pytest.approx(np.diag(table) - fit[:9] - fit[9:], abs=1e-6)
    # All prompts compared equally often: the mean is that of own less the one of others.
    partners = (np.arange(9)[:, None] + np.arange(4)) % 9
    terms = above_chance(np.take_along_axis(table, partners, 1), partners)
    others = np.mean([table[i, partners[i, 1:]] for i in range(9)])
    assert terms.mean() == pytest.approx(np.diag(table).mean() - others, abs=1e-12)


def test_a_cluster_whose_references_are_near_to_all_earns_nothing_by_that():
    rng = np.random.default_rng(1)
    clusters = np.maximum(np.arange(40) - 20, 0)
    partners = cyclic_partners(40, clusters, rng)
    near = rng.normal(size=40) + 5.0 * (clusters == 0)
    values = np.where(partners >= 0, near[partners] + rng.normal(size=40)[:, None], 0.0)
    assert above_chance(values, partners) == pytest.approx(0, abs=1e-4)


def test_prompts_of_one_cluster_are_no_chance():
    clusters = np.array([0, 0, 1, 1, 2])
    partners = cyclic_partners(5, clusters, np.random.default_rng(1))
    assert partners[:, 0].tolist() == [0, 1, 2, 3, 4]
    for i, row in enumerate(partners.tolist()):
        others = [j for j in row[1:] if j >= 0]
        assert sorted(others) == [j for j in range(5) if clusters[j] != clusters[i]]
