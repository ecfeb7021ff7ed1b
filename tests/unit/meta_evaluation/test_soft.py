"""The protocol 'soft': naive loops over swapped corpora, and where there is little to say."""

from itertools import combinations, product

import numpy as np
import polars as pl
import pytest

from rejoinder import TestSet, correlate, score
from rejoinder.errors import ParameterError
from rejoinder.figures.album import album
from rejoinder.meta_evaluation.matching import match
from rejoinder.meta_evaluation.protocols import Soft
from rejoinder.metrics import BLEU

REFERENCES = ["yes we can", "no not yet", "at nine", "see you there", "well done", "it is late"]
REPLIES = {
    "good": ["yes we can", "not yet", "at nine then", "see you", "well done", "late"],
    "fair": ["we can", "no", "nine", "you there", "done well", "it was late"],
    "poor": ["i do not know", "no no", "nine", "so", "see", "is"],
    "dull": ["yes"] * 6,
}
MARKS = {"good": [5, 4, 5, 4, 4, 3], "fair": [4, 2, 4, 4, 3, 4], "poor": [1, 2, 2, 1, 2, 1],
         "dull": [3, 1, 2, 3, 1, 2]}  # fmt: skip
METRICS = ["bleu:order=1", "length", "distinct"]


def measured(replies=REPLIES, metrics=METRICS):
    testset = TestSet.from_lists([[each] for each in REFERENCES])
    rows = [
        (system, id, text)
        for system, texts in replies.items()
        for id, text in zip(testset.ids, texts, strict=True)
    ]
    frame = pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")
    return score(testset, frame, list(metrics), resamples=0)


def rated(marks=MARKS):
    rows = [
        (str(i + 1), system, "mean", "overall", float(mark))
        for system, given in marks.items()
        for i, mark in enumerate(given)
        if mark is not None
    ]
    columns = ["id", "system", "rater", "criterion", "score"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def naive_p(value, a, b):
    """The share of all swaps with a larger difference, equal ones by half."""
    observed, above = value(a) - value(b), 0.0
    swaps = list(product((False, True), repeat=len(a)))
    for swap in swaps:
        first = [y if s else x for s, x, y in zip(swap, a, b, strict=True)]
        second = [x if s else y for s, x, y in zip(swap, a, b, strict=True)]
        drawn = value(first) - value(second)
        above += 0.5 if abs(drawn - observed) < 1e-12 else drawn > observed
    return above / len(swaps)


def test_every_swap_of_a_small_corpus_is_tried():
    agreement = correlate(measured(), rated(), "soft", permutations=100)
    seen = agreement.observations()
    pairs = list(combinations(REPLIES, 2))
    assert list(zip(seen["system_a"], seen["system_b"], strict=True)) == pairs
    values = {
        "human": (np.mean, MARKS),
        "BLEU-1": (
            lambda texts: BLEU(order=1).corpus(texts, [[each] for each in REFERENCES]).value,
            REPLIES,
        ),
        "distinct-1": (
            lambda texts: (
                len({w for t in texts for w in t.split()}) / sum(len(t.split()) for t in texts)
            ),
            REPLIES,
        ),
    }
    for name, (value, given) in values.items():
        expected = [naive_p(value, given[a], given[b]) for a, b in pairs]
        assert seen[name].to_list() == pytest.approx(expected), name
    human = seen["human"].to_numpy()
    for row in agreement.table().iter_rows(named=True):
        accuracy = 1 - np.abs(human - seen[row["metric"]].to_numpy()).mean()
        assert row["value"] == pytest.approx(accuracy)
        assert (row["correlation"], row["n"]) == ("soft", 6)
        assert row["low"] <= row["value"] <= row["high"]


def test_the_order_of_systems_does_not_matter():
    turned = dict(reversed(REPLIES.items()))
    first = correlate(measured(), rated(), "soft", permutations=100).table()
    other = correlate(measured(turned), rated(), "soft", permutations=100).table()
    for column in ("value", "low", "high"):
        ours, theirs = first[column][:3].to_list(), other[column][:3].to_list()
        assert ours == pytest.approx(theirs), column


def test_a_metric_that_says_what_people_say_is_as_sure_as_they_are():
    # Replies as long as their rating: people and the metric 'length' see the same numbers.
    same = {name: [" ".join("x" * mark) for mark in marks] for name, marks in MARKS.items()}
    agreement = correlate(measured(same, ["length"]), rated(), "soft", permutations=100)
    row = agreement.table().row(0, named=True)
    assert row["value"] == 1
    assert "no interval: it is 0 or 1" in row["reason"]
    assert row["chance"] < 1
    # Of 4 systems only orders that are as close to the truth reach it.
    assert 0 < row["p"] < 0.2


def test_permutations_give_the_p_values_and_the_seed_draws_them():
    none = correlate(measured(), rated(), "soft", permutations=0)
    assert none.table()["value"].is_nan().all()
    assert "give permutations=" in none.table()["reason"][0]
    assert none.observations()["human"].is_nan().all()
    few = [
        correlate(measured(), rated(), Soft(), permutations=20, seed=seed).table()["value"][0]
        for seed in (1, 1, 2)
    ]
    assert few[0] == few[1] != few[2]


def test_systems_on_different_items_share_some_pairs():
    marks = MARKS | {"dull": [3, 1, 2, None, None, None], "poor": [None, None, 2, 1, 2, 1]}
    agreement = correlate(measured(), rated(marks), "soft", permutations=100)
    seen = agreement.observations()
    items = dict(
        zip(zip(seen["system_a"], seen["system_b"], strict=True), seen["items"], strict=True)
    )
    assert items == {("good", "fair"): 6, ("good", "poor"): 4, ("good", "dull"): 3,
                     ("fair", "poor"): 4, ("fair", "dull"): 3}  # fmt: skip
    assert any("1 of 6 pairs of systems left out" in note for note in agreement.notes)
    assert agreement.table()["reason"].str.contains("rated on different items").all()
    part = [slice(2, 6), slice(2, 6)]
    p = naive_p(np.mean, MARKS["good"][part[0]], MARKS["poor"][part[1]])
    assert seen["human"][1] == pytest.approx(p)


def test_what_cannot_be_compared_is_an_error():
    one = {"good": REPLIES["good"]}
    with pytest.raises(ParameterError, match="one rated system"):
        correlate(measured(one), rated({"good": MARKS["good"]}), "soft")
    apart = {"good": [5, None], "fair": [None, 4]}
    with pytest.raises(ParameterError, match="no two systems"):
        correlate(measured(), rated(apart), "soft")


def test_two_metrics_differ_by_the_difference_of_their_accuracies():
    agreement = correlate(measured(), rated(), "soft", permutations=100)
    table = agreement.table()
    row = agreement.comparisons().row(0, named=True)
    assert row["difference"] == pytest.approx(table["value"][0] - table["value"][1])
    assert row["low"] <= row["difference"] <= row["high"]
    # Of 4 systems, of which one keeps its scores, there are 8 exchanges.
    assert row["p"] in [k / 8 for k in range(1, 9)]
    assert "with 4 systems no p can be below 0.125" in row["reason"]


def test_the_test_of_two_metrics_exchanges_whole_systems_scores():
    agreement = correlate(measured(), rated(), "soft", permutations=100)
    scores = measured().segments()
    means = scores.group_by("id", maintain_order=True).agg(pl.col("length").mean().alias("mean"))
    length = scores.join(means, on="id", maintain_order="left").select(
        (pl.col("length") - pl.col("mean")).alias("length"), "system"
    )
    length = length["length"].to_numpy().reshape(4, 6)
    # distinct-1 is no mean: what a reply adds is the jackknife's pseudo-value.
    words = [[text.split() for text in texts] for texts in REPLIES.values()]

    def distinct(texts):
        return len({w for t in texts for w in t}) / sum(len(t) for t in texts)

    pseudo = np.array([
        [6 * distinct(t) - 5 * distinct(t[:i] + t[i + 1 :]) for i in range(6)] for t in words
    ])  # fmt: skip
    pseudo = pseudo - pseudo.mean(axis=0)
    one, other = (x / np.sqrt((x**2).mean()) for x in (length, pseudo))
    human = agreement.observations()["human"].to_numpy()

    def accuracy(values):
        pairs = combinations(values, 2)
        return 1 - np.mean([abs(h - naive_p(np.mean, list(a), list(b)))
                            for h, (a, b) in zip(human, pairs, strict=True)])  # fmt: skip

    apart = []
    for coins in product((False, True), repeat=3):
        swap = np.array([False, *coins])[:, None]
        apart.append(accuracy(np.where(swap, other, one)) - accuracy(np.where(swap, one, other)))
    expected = np.mean(np.abs(apart) >= abs(apart[0]) - 1e-12)
    row = next(
        each for each in agreement.comparisons().to_dicts()
        if {each["a"], each["b"]} == {"length", "distinct-1"}
    )  # fmt: skip
    assert row["p"] == pytest.approx(expected)


def test_the_figure_shows_the_p_values_of_each_pair(tmp_path, monkeypatch, unrendered):
    from rejoinder.figures import album as module

    scores, agreement = measured(), correlate(measured(), rated(), "soft", permutations=100)
    drawn, scatter = [], module.scatter
    monkeypatch.setattr(module, "scatter", lambda cloud: drawn.append(cloud) or scatter(cloud))
    album(agreement, match(scores, rated(), None, "mean", (), 12345)[0], tmp_path)
    seen = agreement.observations()
    for cloud in drawn:
        assert cloud.x.tolist() == seen["human"].to_list()
        assert cloud.y.tolist() == seen[cloud.name].to_list()
        assert cloud.x_name == "p that A is better, by ratings"
    assert [cloud.name for cloud in drawn] == list(scores.labels)
