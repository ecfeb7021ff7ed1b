"""Exact match against lm-evaluation-harness (plain) and torchmetrics (SQuAD's form)."""

import random
import warnings

import pytest

from rejoinder.metrics import ExactMatch

WORDS = [
    "The",
    "the",
    "a",
    "an",
    "Ant",
    "ant",
    "nine",
    "Nine",
    "9.0",
    "-5",
    "5",
    "it's",
    "its",
    "?",
    "É",
    "é",
]


def texts(number, seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.choice([0, 1, 1, 2]))) for _ in range(number)]


def test_plain_is_that_of_the_harness():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        harness = pytest.importorskip("lm_eval.api.metrics")
    replies, references = texts(400, 1), texts(400, 2)
    expected = harness.exact_match_hf_evaluate(predictions=replies, references=references)
    score = ExactMatch().corpus(replies, [[each] for each in references])
    assert 0 < score.value == pytest.approx(float(expected["exact_match"]), abs=1e-12)


def test_squad_is_that_of_torchmetrics():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        squad = pytest.importorskip("torchmetrics.functional.text").squad
    replies, references = texts(400, 1), [texts(3, seed) for seed in range(400)]
    places = [str(place) for place in range(400)]
    predictions = [
        {"prediction_text": text, "id": place} for text, place in zip(replies, places, strict=True)
    ]
    targets = [
        {"answers": {"answer_start": [0] * 3, "text": own}, "id": place}
        for own, place in zip(references, places, strict=True)
    ]
    expected = float(squad(predictions, targets)["exact_match"]) / 100
    score = ExactMatch("squad").corpus(replies, references)
    assert 0 < score.value == pytest.approx(expected, abs=1e-6)
