"""Tuned weights: what is fitted and what is held out, means, corrected means, clusters, errors."""

import json

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder import TestSet
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tuning.objectives import MeanOfNumbers

ITEMS = 30
WORDS = ["yes", "no", "maybe", "later", "sure", "fine"]


def world(seed=0, helpful=True):
    """Lists of four candidates, one of which is the reference; ``good`` tells which."""
    rng = np.random.default_rng(seed)
    rows, references = [], []
    for i in range(ITEMS):
        right = rng.integers(4)
        texts = [" ".join(rng.choice(WORDS, 4)) for _ in range(4)]
        references.append([texts[right]])
        for k, text in enumerate(texts):
            good = float(k == right) if helpful else rng.normal()
            rows.append((str(i + 1), str(k), text, good + 0.2 * rng.normal(), rng.normal()))
    names = ["id", "sample", "text", "good", "noise"]
    return pl.DataFrame(rows, schema=names, orient="row"), TestSet.from_lists(references)


def test_the_gain_holds_on_items_not_tuned_on():
    candidates, testset = world()
    tuned = rejoinder.tune(candidates, testset, ["bleu", "chrf"], starts=3)
    first, other = tuned.table.rows(named=True)
    assert (first["metric"], first["tuned"], other["tuned"]) == ("BLEU-2", True, False)
    assert first["low"] > 0.3
    assert first["shown"]
    assert other["shown"]
    assert first["training_gain"] > 0
    assert other["training_gain"] is None
    assert tuned.weights["good"] > 5 * abs(tuned.weights["noise"])
    # All items under the final weights; the candidates of the held-out table are scored as systems.
    chosen = rejoinder.rerank(candidates, testset, ["bleu"], weights=tuned.weights)
    assert chosen.gains["reranked"][0] == pytest.approx(tuned.value, abs=1e-12)
    assert first["held_out"] - first["first"] == pytest.approx(first["gain"])


def test_no_gain_is_shown_where_features_are_noise():
    candidates, testset = world(3, helpful=False)
    tuned = rejoinder.tune(candidates, testset, "chrf", starts=3)
    (row,) = tuned.table.rows(named=True)
    assert not row["shown"]
    assert row["training_gain"] > row["gain"]
    assert "no gain shown" in tuned.to_markdown()
    assert any("partly its own" in note for note in tuned.notes)


def test_a_seed_repeats_and_lower_is_better():
    candidates, testset = world()
    one, two = (rejoinder.tune(candidates, testset, "ter", starts=2, seed=4) for _ in range(2))
    assert one.weights == two.weights
    (row,) = one.table.rows(named=True)
    assert row["held_out"] < row["first"]
    assert row["gain"] > 0


def test_a_mean_of_numbers_is_tuned_and_no_feature():
    candidates, testset = world()
    tuned = rejoinder.tune(candidates, testset, means=["good"], features=["noise"], starts=2)
    assert tuned.table["metric"].to_list() == ["good"]
    beside = rejoinder.tune(candidates, testset, ["bleu"], means=["good"], starts=2)
    assert list(beside.weights) == ["noise"]
    assert beside.table["tuned"].to_list() == [True, False]


def test_a_corrected_mean_is_right_whatever_the_judge_is_worth():
    """The mean of pseudo-values over draws of the rated candidates is that of all ratings."""
    rng = np.random.default_rng(1)
    truth = rng.normal(3, 1, 400)
    frame = pl.DataFrame({"id": [str(i) for i in range(400)], "text": "a", "sample": "0"})
    for judge in (truth + rng.normal(0, 0.5, 400), rng.normal(size=400)):
        means = []
        for _ in range(200):
            people = np.where(rng.random(400) < 0.3, truth, np.nan)
            lists = NBestLists(frame.with_columns(people=people, judge=judge))
            means.append(MeanOfNumbers.of(lists, "people", "judge").values.mean())
        error = np.std(means) / np.sqrt(200)
        assert abs(np.mean(means) - truth.mean()) < 4 * error + 0.005
    exact = MeanOfNumbers.of(NBestLists(frame.with_columns(people=truth)), "people")
    assert np.array_equal(exact.values, truth)


def test_items_without_candidates_and_useless_features_are_counted():
    candidates, testset = world()
    fewer = candidates.filter(pl.col("id") != "3").with_columns(same=pl.lit(2.0))
    tuned = rejoinder.tune(fewer, testset, "bleu", starts=2)
    assert tuned.settings["items"] == ITEMS - 1
    assert any(f"1 item of {ITEMS} without candidates left out" in note for note in tuned.notes)
    assert tuned.weights["same"] == 0
    assert any("it keeps its starting weight" in note for note in tuned.notes)


def test_clusters_stay_together_in_folds():
    candidates, testset = world()
    talks = [None, *(str(i // 6) for i in range(1, ITEMS))]  # the first is a cluster of its own
    grouped = TestSet(
        testset.contexts.with_columns(conversation=pl.Series(talks)), testset.references
    )
    tuned = rejoinder.tune(candidates, grouped, "bleu", starts=2)
    assert tuned.settings["folds"] == 5
    assert "cluster:conversation" in tuned.signatures["BLEU-2"]
    alone = rejoinder.tune(candidates, grouped, "bleu", starts=2, cluster="none")
    assert "cluster" not in alone.signatures["BLEU-2"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"metrics": "distinct"}, "cannot be tuned"),
        ({"folds": 1}, "folds"),
        ({"starts": 0}, "starts"),
        ({"bounds": {"lm": (0, 1)}}, "no feature 'lm'"),
        ({"bounds": {"good": (1, 0)}}, "expected a lower and a higher number"),
        ({"features": ["chrf"]}, "this metric looks at references"),
        ({"means": ["people"]}, "no number of that name"),
    ],
)
def test_what_cannot_be(given, words):
    candidates, testset = world()
    with pytest.raises(ParameterError, match=words):
        rejoinder.tune(candidates, testset, **{"metrics": "bleu", "starts": 2, **given})


def test_a_mean_has_no_infinite_numbers():
    candidates, testset = world()
    odd = candidates.with_columns(good=pl.lit(-float("inf")))
    with pytest.raises(InputError, match="an infinite 'good'"):
        rejoinder.tune(odd, testset, means=["good"], starts=1)


def test_too_few_items():
    candidates, testset = world()
    with pytest.raises(InputError, match="3 items or clusters; expected 4 or more"):
        rejoinder.tune(candidates.head(12), testset, "bleu", starts=1)


@pytest.mark.parametrize("seed", range(6))
def test_tied_features_are_ranked_as_rerank_ranks_them(seed):
    """With whole numbers many candidates are equal: the first of them is taken, in tuning too.

    The value is that of the weights as they are printed, and no feature alone is better.
    """
    rng = np.random.default_rng(seed)
    candidates, testset = world(seed, helpful=seed % 2 == 0)
    names = ["lm", "tm", "length"][: 2 + seed % 2]
    ties = {name: pl.Series(rng.integers(0, 3, candidates.height)) for name in names}
    tied = candidates.drop("good", "noise").with_columns(**ties)
    tuned = rejoinder.tune(tied, testset, "chrf", starts=3)
    written = json.loads(json.dumps(tuned.weights))

    def value(weights):
        return rejoinder.rerank(tied, testset, ["chrf"], weights=weights).gains["reranked"][0]

    assert value(written) == pytest.approx(tuned.value, abs=1e-12)
    for name in names:
        for sign in (1.0, -1.0):
            alone = {each: sign * (each == name) for each in names}
            assert value(alone) <= tuned.value + 1e-12


def test_a_predictor_without_effect_is_noted():
    candidates, testset = world()
    tuned = rejoinder.tune(
        candidates, testset, means=["good"], predictor="noise", features=["noise"], starts=2
    )
    assert any("the predictor 'noise' has no effect" in note for note in tuned.notes)
