"""Explanations add up to the rows that they explain."""

import numpy as np
import polars as pl
import pytest

from random_text import corpus
from rejoinder import TestSet, load_scores, score
from rejoinder.batches.batch import Batch
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import BLEU, DeltaBLEU
from rejoinder.scoring.explain import explain

METRICS = [
    BLEU(order=3),
    BLEU(order=2, tokenizer="char", lowercase=True),
    DeltaBLEU(order=3),
    DeltaBLEU(order=2, reading="authors-code", tokenizer="none"),
]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature())
def test_contributions_sum_to_the_kernels_rows(metric):
    hypotheses, references = corpus(seed=5, n=150)
    rng = np.random.default_rng(5)
    weights = [np.round(rng.uniform(-1, 1, len(few)), 1).tolist() for few in references]
    for values in weights:
        values[0] = max(0.3, values[0])
    rows = metric.statistics(Batch.from_lists(hypotheses, references, weights))
    for i, hypothesis in enumerate(hypotheses):
        told = metric.contributions(hypothesis, references[i], weights[i])
        for n in range(1, metric.order + 1):
            of_order = [each for each in told if each.order == n]
            adds, of = rows[i, 1 + n], rows[i, 1 + metric.order + n]
            assert sum(each.adds for each in of_order) == pytest.approx(adds, abs=1e-9)
            assert sum(each.of for each in of_order) == pytest.approx(of, abs=1e-9)
            for each in of_order:
                assert (each.reference is None) == (not each.holders)
                if each.reference is not None:
                    weighted = metric.name == "deltableu"
                    assert each.weight == (weights[i][each.reference] if weighted else 1.0)


def one_item(weights=(0.9, -0.7)):
    testset = TestSet.from_lists([["i love thunder", "the weather is cool"]], [list(weights)])
    responses = pl.DataFrame({"system": ["s"], "id": ["1"], "text": ["i love cool weather"]})
    return testset, responses


def test_a_match_in_a_bad_reference_alone_costs():
    told = explain(*one_item(), "1", "s", DeltaBLEU(order=1))
    adds = {each.ngram: (each.adds, each.reference) for each in told.contributions}
    assert adds == {"i": (0.9, 0), "love": (0.9, 0), "cool": (-0.7, 1), "weather": (-0.7, 1)}
    assert told.weights == [0.9, -0.7]
    # (0.9 + 0.9 - 0.7 - 0.7) / (4 * 0.9); the reply is as long as the closest reference.
    assert told.value == pytest.approx(0.4 / 3.6)


def test_the_rule_for_references_is_kept():
    told = explain(*one_item(), "1", "s", "bleu:order=1,references=w>=0.5")
    assert told.references == ["i love thunder"]
    assert told.value == pytest.approx(0.5)


def test_what_cannot_be_explained_is_told():
    testset, responses = one_item()
    with pytest.raises(ParameterError, match="no item with the id '9'"):
        explain(testset, responses, "9", "s", "bleu")
    with pytest.raises(ParameterError, match="system 'z' is unknown; choose 's'"):
        explain(testset, responses, "1", "z", "bleu")
    with pytest.raises(
        ParameterError, match="cannot be explained; choose 'deltableu', 'bleu', 'pooled'"
    ):
        explain(testset, responses, "1", "s", "chrf")
    with pytest.raises(InputError, match="item '1' has no reference of positive weight"):
        explain(*one_item((-0.1, -0.7)), "1", "s", "deltableu")
    with pytest.raises(InputError, match="has no reference under the rule"):
        explain(testset, responses, "1", "s", "bleu:references=w>=1")


def test_scores_explain_an_item_under_every_metric_that_can():
    testset = TestSet.from_lists([["at nine", "not yet"], ["yes"]])
    rows = pl.DataFrame({"system": ["a", "a", "b", "b"], "id": [1, 2] * 2, "text": ["at nine"] * 4})
    scores = score(testset, rows, ["bleu:order=1", "deltableu:order=1", "length"], resamples=0)
    explained = scores.explain("1")
    assert [(each.label, each.system) for each in explained] == [
        ("BLEU-1", "a"), ("BLEU-1", "b"), ("deltaBLEU-1", "a"), ("deltaBLEU-1", "b"),
    ]  # fmt: skip
    assert explained.as_json() == [each.as_json() for each in explained]
    (one,) = scores.explain("2", "b", "BLEU-1")
    assert (one.value, one.references, len(one.contributions)) == (0.0, ["yes"], 2)
    (other,) = scores.explain("2", "b", "bleu:order=2")
    assert other.label == "BLEU-2"
    for bad, words in (
        (("9",), "no item with the id '9'"),
        (("1", "c"), "'c'"),
        (("1", None, "length"), "metric 'length' cannot be explained"),
    ):
        with pytest.raises(ParameterError, match=words):
            scores.explain(*bad)
    with pytest.raises(ParameterError, match="none of 'length' can be explained"):
        score(testset, rows, ["length"], resamples=0).explain("1")


def test_loaded_scores_hold_no_text_and_take_them(tmp_path):
    testset = TestSet.from_lists([["at nine"], ["yes"]])
    rows = pl.DataFrame({"system": ["a"] * 2, "id": ["1", "2"], "text": ["at nine", "yes"]})
    scores = score(testset, rows, ["bleu"], resamples=0)
    scores.save(tmp_path / "kept.parquet")
    loaded = load_scores(tmp_path / "kept.parquet")
    with pytest.raises(ParameterError, match="these scores hold no texts; give them"):
        loaded.explain("1")
    given = loaded.explain("1", testset=testset, responses=rows.to_pandas())
    assert given.as_json() == scores.explain("1").as_json()


@pytest.fixture
def three():
    """Scores of one system on three items, under BLEU-2 and BLEU-4."""
    testset = TestSet.from_lists([["at nine"], ["no idea"], ["yes please"]])
    rows = pl.DataFrame({"system": "a", "id": ["1", "2", "3"], "text": ["at nine", "no", "yes"]})
    return score(testset, rows, ["bleu", "bleu:order=4", "rougeL"], resamples=0)


def test_an_id_is_a_text(three):
    with pytest.raises(ParameterError, match=r"id is int, expected .*scores\.explain\('3'\)"):
        three.explain(3)


def test_results_in_a_terminal_say_how_they_are_read(three):
    assert repr(three.explain("3", metric="bleu")).endswith("see .to_markdown())")


@pytest.mark.parametrize(
    ("name", "label"), [("rougel", "ROUGE-L"), ("ROUGE", "ROUGE-L"), ("bleu4", "BLEU-4")]
)
def test_figures_are_asked_for_by_the_beginning_of_a_name(three, name, label):
    pytest.importorskip("matplotlib")
    axes = three.plot(name).axes[0]
    assert label in f"{axes.get_title()} {axes.get_xlabel()} {axes.get_ylabel()}"


@pytest.mark.parametrize("name", ["bleu", "chrf", "", "-"])  # two begin so, or none
def test_a_figure_of_no_metric_or_of_several_is_none(three, name):
    with pytest.raises(ParameterError, match="choose 'BLEU-2', 'BLEU-4' or 'ROUGE-L'"):
        three.plot(name)
