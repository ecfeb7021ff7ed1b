"""Our metrics as a module of Hugging Face's ``evaluate``."""

from __future__ import annotations

import doctest
import json
import math
import re
import sys
import threading
import warnings
from importlib.util import find_spec

import pytest

import rejoinder
from rejoinder.errors import InputError, MissingExtraError, ParameterError

pytestmark = pytest.mark.skipif(find_spec("evaluate") is None, reason="evaluate is not installed")

REPLIES = ["yes i do", "at nine i think", "no", "i am not sure", "so so", "see you there"]
REFERENCES = [
    ["yes", "yes i do indeed"], ["at nine"], ["no way", "no"], ["sure"], ["so and so"], ["see you"],
]  # fmt: skip
WEIGHTS = [[1.0, -0.5], [0.7], [0.2, 1.0], [0.9], [0.4], [0.8]]
METRICS = ["deltableu", "bleu:order=4,smoothing=exp", "chrf", "distinct"]


def table(resamples=0):
    testset = rejoinder.TestSet.from_lists(REFERENCES, weights=WEIGHTS)
    rows = [
        {"system": "predictions", "id": str(i), "text": text}
        for i, text in enumerate(REPLIES, start=1)
    ]
    return rejoinder.score(testset, rows, METRICS, resamples=resamples)


@pytest.fixture
def scores():
    """The module's class; it imports evaluate, which takes seconds, where a test asks for it."""
    from rejoinder.bridges.evaluate import RejoinderScores

    return RejoinderScores


@pytest.fixture
def module(scores, tmp_path):
    return scores(cache_dir=str(tmp_path))


def test_the_example(scores):
    result = doctest.testmod(sys.modules[scores.__module__])
    assert (result.failed, result.attempted) == (0, 2)


def test_the_numbers_are_those_of_score(module):
    for begin in (0, 2, 4):
        module.add_batch(
            predictions=REPLIES[begin : begin + 2], references=REFERENCES[begin : begin + 2]
        )
    results = module.compute(metrics=METRICS, weights=WEIGHTS)
    expected = table().systems()
    assert results == dict(zip(expected["metric"], expected["value"], strict=True))


def test_intervals_and_details(module):
    results = module.compute(
        predictions=REPLIES, references=REFERENCES, metrics=METRICS, weights=WEIGHTS,
        intervals=True, details=True,
    )  # fmt: skip
    scores = table(resamples=1000)
    for row in scores.systems().iter_rows(named=True):
        label = row["metric"]
        ends = (results[f"{label}_low"], results[f"{label}_high"])
        assert ends == pytest.approx((row["low"], row["high"]), nan_ok=True)
        assert results["signatures"][label] == row["signature"]
    assert results["notes"] == list(scores.notes)
    json.dumps(results)


def test_a_single_reference_and_the_default_metrics(module):
    results = module.compute(predictions=["so so", "no"], references=["so it is", "no"])
    assert set(results) == {"BLEU-2", "sBLEU-2", "ROUGE-L", "distinct-1", "length"}
    # Matches: one "so" and "no"; totals 2 + 1; lengths 3 against 4.
    one = module.compute(
        predictions=["so so", "no"], references=["so it is", "no"], metrics="bleu:order=1"
    )
    assert one == {"BLEU-1": pytest.approx(2 / 3 * math.exp(1 - 4 / 3))}


def test_a_file_of_one_line_is_loaded_by_its_path(tmp_path, monkeypatch):
    import evaluate

    # It copies the file into its cache.
    monkeypatch.setattr("evaluate.config.HF_MODULES_CACHE", str(tmp_path / "modules"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = tmp_path / "rejoinder_scores.py"
    file.write_text("from rejoinder.bridges.evaluate import RejoinderScores\n")
    module = evaluate.load(str(file), keep_in_memory=True)
    results = module.compute(predictions=["no no"], references=[["no"]], metrics=["bleu:order=1"])
    assert results == {"BLEU-1": 0.5}


def test_two_processes_are_scored_together(tmp_path, scores):
    shared = {"num_process": 2, "experiment_id": "two", "cache_dir": str(tmp_path)}
    second = scores(process_id=1, **shared)
    first = scores(process_id=0, **shared)

    def work():
        second.add_batch(predictions=REPLIES[3:], references=REFERENCES[3:])
        assert second.compute() is None

    other = threading.Thread(target=work)
    other.start()
    first.add_batch(predictions=REPLIES[:3], references=REFERENCES[:3])
    results = first.compute(metrics=["bleu", "distinct"])
    other.join()
    testset = rejoinder.TestSet.from_lists(REFERENCES)
    rows = [
        {"system": "predictions", "id": str(i), "text": text}
        for i, text in enumerate(REPLIES, start=1)
    ]
    expected = rejoinder.score(testset, rows, ["bleu", "distinct"], resamples=0).systems()
    assert results == dict(zip(expected["metric"], expected["value"], strict=True))


def test_notes_are_warnings_without_details(module):
    with pytest.warns(UserWarning, match="1 empty reply, scored as such"):
        module.compute(predictions=["", "no"], references=[["yes"], ["no"]], metrics=["bleu"])


def test_wrong_input_is_named(module):
    with pytest.raises(InputError, match=r"predictions\[1\]: None; expected a text"):
        module.compute(predictions=["no", None], references=[["yes"], ["no"]])
    with pytest.raises(InputError, match=r"weights"):
        module.compute(predictions=["no"], references=[["no"]], weights=[[1.0, 1.0]])
    with pytest.raises(ParameterError, match="did you mean 'bleu'"):
        module.compute(predictions=["no"], references=[["no"]], metrics=["blue"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"references": [["no"], []]},
         "BLEU-2: item 'predictions[1]' has no reference (1 of 2 items); leave such items out with "
         "drop_unusable=True, which says how many"),
        ({"weights": [[1.0], [3.0]]}, "weight 3 outside [-1, 1] at id 'predictions[1]'"),
        ({"contexts": [["hi"]]}, "contexts: 1 for 2 lists of references"),
        ({"metrics": "bleu,chrf"}, "give each by itself: metrics=['bleu', 'chrf']"),
        ({"metrics": ["f1"]}, "several are given one by one: metrics=['bleu:order=4', 'chrf']"),
        ({"metrics": []}, "no metric is wanted"),
        ({"references": [["no"]]}, "predictions: 2 texts, references: 1 entry; expected an entry for"),
        ({"references": None}, "references: not given; give predictions= and references= together"),
        ({"predictions": "no"}, "predictions: a single text; expected a list"),
    ],
)  # fmt: skip
def test_messages_name_the_arguments_of_compute_and_no_option(module, given, message):
    usual = {"predictions": ["no", "yes"], "references": [["no"], ["yes"]], "metrics": ["bleu"]}
    with pytest.raises((InputError, ParameterError), match=re.escape(message)) as caught:
        module.compute(**usual | given)
    assert not re.search(r"(?<!\w)--?[a-z]|External", str(caught.value))


@pytest.mark.parametrize("given", [{}, {"predictions": [], "references": []}])
def test_no_reply_at_all_is_an_error_that_says_so(module, given):
    with pytest.raises(InputError, match="predictions: no reply; give compute the lists"):
        module.compute(metrics=["bleu"], **given)


def test_a_batch_without_replies_adds_nothing(module):
    module.add_batch(predictions=[], references=[])
    module.add_batch(predictions=["no no"], references=[["no"]])
    results = module.compute(predictions=[], references=[], metrics=["bleu:order=1"])
    assert results == {"BLEU-1": 0.5}


def test_a_reply_that_is_a_reference_is_noted_without_a_remedy_that_compute_lacks(module):
    text = "no , not on this track"
    with pytest.warns(UserWarning, match="high by construction") as caught:
        module.compute(predictions=[text], references=[[text]], metrics=["bleu"])
    (warning,) = caught
    assert str(warning.message) == (
        "'predictions' gives a reference of the very item in 1 of 1 item with references: its scores "
        "are high by construction"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = {"predictions": ["no"], "references": [["no"]], "metrics": ["bleu"]}
        assert "without" not in module.compute(**given, details=True)["notes"][0]


def test_without_evaluate_the_remedy_is_said(monkeypatch, scores):
    monkeypatch.delitem(sys.modules, "rejoinder.bridges.evaluate")
    monkeypatch.delitem(sys.modules, "rejoinder.bridges.reply_rows")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="run: pip install evaluate"):
        import rejoinder.bridges.evaluate  # noqa: F401
