"""Paired tests against naive loops, against sacreBLEU's, and where they have nothing to find."""

import math

import numpy as np
import polars as pl
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

from random_text import corpus
from rejoinder import TestSet, compare, score
from rejoinder.errors import ParameterError
from rejoinder.metrics import BLEU
from rejoinder.metrics.engine.resampling import bootstrap_counts, draws, permutation_swaps
from rejoinder.statistics.holm import holm
from rejoinder.statistics.power import detectable
from shared_data import streams

HYPOTHESES, REFERENCES = corpus(seed=21, n=60)
METRIC = BLEU(order=2, smoothing="exp")


def scores_of(resamples=300, **systems):
    testset = TestSet.from_lists(REFERENCES)
    rows = [
        (name, item, text)
        for name, replies in systems.items()
        for item, text in zip(testset.ids, replies, strict=True)
    ]
    answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(testset, answers, [METRIC], resamples=resamples)


CUT = [text[: -(len(text) // 3)] if text else text for text in HYPOTHESES]
SWAPPED = [HYPOTHESES[i ^ 1] if i % 5 == 0 else HYPOTHESES[i] for i in range(60)]


def test_equal_systems_tie():
    row = scores_of(a=HYPOTHESES, b=HYPOTHESES).compare(permutations=99).row(0, named=True)
    assert row["difference"] == 0
    # Every resample gives 0: that shows no spread, not certainty.
    assert all(math.isnan(row[each]) for each in ("low", "high", "detectable"))
    assert row["p_bootstrap"] == row["p_randomization"] == row["p_randomization_holm"] == 1
    assert (row["wins"], row["ties"], row["losses"]) == (0, 60, 0)


def test_the_public_call_gives_the_table_and_what_json_prints():
    scores = scores_of(a=HYPOTHESES, b=CUT)
    comparison = compare(scores, "a", "b", permutations=99)
    assert comparison.table.equals(scores.compare("a", "b", permutations=99))
    printed = comparison.as_json()
    assert list(printed) == ["comparisons", "signatures", "notes"]
    assert printed["comparisons"] == comparison.table.to_dicts()
    assert printed["signatures"]["BLEU-2"] == scores.measured["BLEU-2"].signature
    with pytest.raises(
        ParameterError, match=r"scores is DataFrame, .*rejoinder\.compare\(scores\)"
    ):
        compare(comparison.table)  # pyright: ignore


def test_a_pair_the_other_way_round_is_its_mirror():
    scores = scores_of(a=HYPOTHESES, b=CUT)
    there = scores.compare("a", "b", permutations=99).row(0, named=True)
    back = scores.compare("b", "a", permutations=99).row(0, named=True)
    assert there["difference"] == -back["difference"]
    assert there["low"] == pytest.approx(-back["high"])
    assert (there["wins"], there["losses"]) == (back["losses"], back["wins"])
    for p in ("p_bootstrap", "p_randomization"):
        assert there[p] == back[p]


def test_the_system_named_stands_where_it_is_named():
    scores = scores_of(a=HYPOTHESES, b=CUT, c=SWAPPED)
    first, second = (scores.compare(**named, permutations=99) for named in ({"a": "b"}, {"b": "b"}))
    assert first.select("a", "b").rows() == [("b", "a"), ("b", "c")]
    assert second.select("a", "b").rows() == [("a", "b"), ("c", "b")]
    assert second["difference"].to_list() == (-first["difference"]).to_list()
    assert compare(scores, b="b", worse_by=0.1).table.select("a", "b").rows() == [
        ("a", "b"),
        ("c", "b"),
    ]


def test_both_tests_are_the_naive_loops():
    scores = scores_of(a=HYPOTHESES, b=SWAPPED, resamples=200)
    row = scores.compare("a", "b", permutations=150).row(0, named=True)
    a, b = scores.measured["BLEU-2"].rows.values
    observed = float(METRIC.score(a.sum(axis=0)) - METRIC.score(b.sum(axis=0)))
    drawn = draws(60, 200, np.random.default_rng(12345))
    differences = np.array(
        [METRIC.score(a[i].sum(axis=0)) - METRIC.score(b[i].sum(axis=0)) for i in drawn]
    )
    far = np.abs(differences - differences.mean()) >= abs(observed) - 1e-12
    assert row["p_bootstrap"] == (far.sum() + 1) / 201
    # The jackknife over the 60 items, by a loop: sqrt(59 / 60 times the sum of squares).
    left_out = np.array(
        [
            METRIC.score(np.delete(a, i, 0).sum(0)) - METRIC.score(np.delete(b, i, 0).sum(0))
            for i in range(60)
        ]
    )
    error = math.sqrt(59 / 60 * ((left_out - left_out.mean()) ** 2).sum())
    assert row["detectable"] == pytest.approx(detectable(error, 60, pilot=60))
    # t of 59 degrees of freedom: 2.000995 (table).
    assert row["low"] == pytest.approx(observed - 2.000995 * error, abs=1e-6)
    assert row["high"] == pytest.approx(observed + 2.000995 * error, abs=1e-6)
    (swaps,) = permutation_swaps(60, 150, np.random.default_rng(12345))
    reached = 0
    for mask in swaps.masks().astype(bool)[:, :, None]:
        one = METRIC.score(np.where(mask, b, a).sum(axis=0))
        two = METRIC.score(np.where(mask, a, b).sum(axis=0))
        reached += abs(one - two) >= abs(observed) - 1e-12
    assert row["p_randomization"] == (reached + 1) / 151


@pytest.mark.parametrize(("kind", "column"), [("bs", "p_bootstrap"), ("ar", "p_randomization")])
def test_p_values_agree_with_sacrebleus(kind, column):
    # Other draws, the same distribution: with 4,000 of them p has a standard error below 0.008.
    scorer = sacrebleu.BLEU(max_ngram_order=2, references=streams(REFERENCES))
    systems = [("a", HYPOTHESES), ("b", SWAPPED), ("c", CUT)]
    _, results = PairedTest(systems, {"BLEU": scorer}, None, kind, 4000)()
    table = scores_of(resamples=4000, **dict(systems)).compare("a", permutations=4000)
    for result, row in zip(results["BLEU"][1:], table.iter_rows(named=True), strict=True):
        assert row["value_b"] == pytest.approx(result.score / 100, abs=1e-12)
        assert row[column] == pytest.approx(result.p_value, abs=0.04)


def test_every_pair_and_holms_correction():
    table = scores_of(a=HYPOTHESES, b=CUT, c=SWAPPED).compare(permutations=199)
    assert list(zip(table["a"], table["b"], strict=True)) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert table["p_bootstrap_holm"].to_list() == holm(table["p_bootstrap"].to_numpy()).tolist()


def test_what_cannot_be_compared_is_told():
    scores = scores_of(a=HYPOTHESES, b=CUT)
    with pytest.raises(ParameterError, match="system 'z' is unknown; choose 'a' or 'b'"):
        scores.compare("a", "z")
    with pytest.raises(ParameterError, match="with itself"):
        scores.compare("a", "a")
    with pytest.raises(ParameterError, match="one system alone"):
        scores_of(a=HYPOTHESES).compare()
    with pytest.raises(ParameterError, match="needs resamples"):
        scores_of(a=HYPOTHESES, b=CUT, resamples=0).compare()


def test_a_true_difference_shows_and_none_does_not():
    # 5% level: of 40 comparisons of systems that differ by chance alone, few may look clear.
    rng = np.random.default_rng(9)
    found = 0
    for _ in range(40):
        heads = rng.random(60) < 0.5
        a = [h if head else s for h, s, head in zip(HYPOTHESES, SWAPPED, heads, strict=True)]
        b = [s if head else h for h, s, head in zip(HYPOTHESES, SWAPPED, heads, strict=True)]
        found += scores_of(a=a, b=b).compare(permutations=199)["p_randomization"][0] < 0.05
    assert found <= 6  # P(more than 6 of 40 at 5%) is below 0.5%
    assert scores_of(a=HYPOTHESES, b=CUT).compare(permutations=199)["p_randomization"][0] < 0.05


def test_one_item_says_nothing_of_others():
    testset = TestSet.from_lists([["yes please"]])
    answers = pl.DataFrame({"system": ["a", "b"], "id": ["1", "1"], "text": ["yes please", "no"]})
    scores = score(testset, answers, [METRIC])
    assert scores.systems()["low"].is_nan().all()
    row = scores.compare().row(0, named=True)
    assert row["difference"] == 1
    undefined = ("low", "high", "p_bootstrap", "p_bootstrap_holm", "p_randomization", "detectable")
    assert all(np.isnan(row[name]) for name in undefined)


def few(n, **systems):
    testset = TestSet.from_lists(REFERENCES[:n])
    rows = [
        (name, i, t)
        for name, texts in systems.items()
        for i, t in zip(testset.ids, texts, strict=False)
    ]
    answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(testset, answers, [METRIC]).compare().row(0, named=True)


def test_few_items_are_swapped_one_and_all():
    # 2 of the 2^n swaps, none and all, differ as much as the replies do: no p can be smaller.
    row = few(5, a=["yes no maybe"] * 5, b=[""] * 5)
    assert row["p_randomization"] in [k / 32 for k in range(2, 33)]
    assert np.isnan(row["detectable"])  # 2/32 is above 5%
    row = few(8, a=HYPOTHESES, b=CUT)
    assert row["p_randomization"] in [k / 256 for k in range(2, 257)]
    assert row["detectable"] > 0


def test_a_clear_lead_survives_many_pairs():
    systems = {f"s{k}": CUT[k:] + CUT[:k] for k in range(14)}
    table = scores_of(best=HYPOTHESES, **systems).leads()
    row = table.row(0, named=True)
    assert (row["a"], row["n"]) == ("best", 60)
    # 105 pairs: with 1,000 trials no corrected p could fall below 0.105.
    assert row["p"] < 0.05


def test_an_undefined_difference_has_no_p():
    # No reply of "a" has three words: its distinct-3 is undefined, and so is what is made of it.
    testset = TestSet.from_lists([["x"]] * 8)
    rows = [("a", i, "yes") for i in testset.ids] + [("b", i, f"yes I do {i}") for i in testset.ids]
    answers = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    row = score(testset, answers, ["distinct:order=3"]).compare().row(0, named=True)
    for name in ("difference", "p_bootstrap", "p_randomization", "p_randomization_holm"):
        assert np.isnan(row[name]), name


def test_draws_are_fair():
    counts = np.concatenate(list(bootstrap_counts(20, 2000, np.random.default_rng(4))))
    assert counts.shape == (2000, 20)
    assert (counts.sum(axis=1) == 20).all()
    # A count is binomial(20, 1/20): mean 1, variance 0.95; its mean of 2,000 errs by 0.022.
    assert abs(counts.mean(axis=0) - 1).max() < 0.1
    assert counts.var() == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize("items", [1023, 1024, 3004])
def test_two_systems_on_as_many_items_as_people_have(items):
    # 2 / 2.0**1024 is beyond a float64: two systems on 1,024 items ended in an OverflowError.
    testset = TestSet.from_lists([["yes"]] * items)
    replies = [(system, str(i + 1), word) for system, word in SYSTEMS for i in range(items)]
    table = score(testset, pl.DataFrame(replies, ["system", "id", "text"], orient="row"), ["bleu"])
    assert table.compare("good", "bad").item(0, "n") == items


SYSTEMS = (("good", "yes"), ("bad", "no"))
