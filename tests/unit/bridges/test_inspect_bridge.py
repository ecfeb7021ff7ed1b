"""What the scorer of inspect_ai computes, without inspect_ai; with it: ``tests/peers``."""

from __future__ import annotations

import json
import math
from importlib.util import find_spec

import pytest

import rejoinder
from rejoinder.bridges.inspect_ai import corpus_values, labels_of, sample_values, scorer
from rejoinder.bridges.inspect_scores import write_precomputed
from rejoinder.errors import InputError, MissingExtraError, ParameterError
from rejoinder.scoring.score import score

REPLIES = ["yes i do", "at nine i think", "no", "i am not sure", "so so", "see you there"]
REFERENCES = [
    ["yes", "yes i do indeed"], ["at nine"], ["no way", "no"], ["sure"], ["so and so"], ["see you"],
]  # fmt: skip
WEIGHTS = [[1.0, -0.5], [0.7], [0.2, 1.0], [0.9], [0.4], [0.8]]
METRICS = ["deltableu", "bleu:order=4,smoothing=exp", "chrf", "rougeL"]


def scored(systems=("a",)):
    testset = rejoinder.TestSet.from_lists(REFERENCES, weights=WEIGHTS)
    rows = [
        {"system": system, "id": str(i), "text": text}
        for system in systems
        for i, text in enumerate(REPLIES, start=1)
    ]
    return score(testset, rows, METRICS)


def test_rows_of_samples_give_the_score_and_the_interval_of_all():
    labels = labels_of(METRICS)
    rows = {}
    values = {}
    for i, (reply, references, weights) in enumerate(
        zip(REPLIES, REFERENCES, WEIGHTS, strict=True)
    ):
        values[str(i + 1)], rows[i] = sample_values(labels, reply, references, weights)
    scores = scored()
    segments = scores.segments()
    for row in scores.systems().iter_rows(named=True):
        label = row["metric"]
        # A log keeps numbers as JSON, to the last digit.
        kept = json.loads(json.dumps({i: [each[label]] for i, each in rows.items()}))
        expected = {each: pytest.approx(row[each], rel=1e-12) for each in ("low", "high")}
        expected["score"] = pytest.approx(row["value"], rel=1e-14)
        assert corpus_values(labels[label], kept) == expected
        of_samples = [values[id][label] for id in segments["id"]]
        assert of_samples == pytest.approx(segments[label].to_list(), rel=1e-14)


def test_epochs_are_averaged_within_a_sample():
    # Sample 1: "no" and "yes", one of two right; sample 2: "no", twice. Matches 0.5 + 1 of 1 + 1.
    labels = labels_of("bleu:order=1")
    rows = {
        id: [sample_values(labels, reply, [reference])[1]["BLEU-1"] for reply in replies]
        for id, replies, reference in (("1", ("no", "yes"), "yes"), ("2", ("no", "no"), "no"))
    }
    assert corpus_values("bleu:order=1", rows)["score"] == 0.75
    assert math.isnan(corpus_values("bleu:order=1", rows)["low"])


def test_a_sample_without_a_target_has_no_value():
    values, rows = sample_values(labels_of(["bleu", "length"]), "yes i do", [])
    assert math.isnan(values["BLEU-2"])
    assert values["length"] == 3
    assert rows["BLEU-2"] == []
    assert math.isnan(corpus_values("bleu", {"1": []})["score"])


def test_metrics_that_a_log_cannot_keep_are_refused():
    with pytest.raises(ParameterError, match="expected names of metrics"):
        labels_of([rejoinder.metrics.BLEU()])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="'chrf' is named twice"):
        labels_of(["chrf", "chrf", "chrf"])
    with pytest.raises(ParameterError, match="all replies of a system at once"):
        labels_of(["distinct"])
    assert list(labels_of(["bleu", "bleu:smoothing=exp"])) == [
        "BLEU-2",
        "BLEU-2 (bleu:smoothing=exp)",
    ]


def test_weights_that_do_not_fit_are_named():
    with pytest.raises(InputError, match="weights"):
        sample_values(labels_of("deltableu"), "yes", ["yes", "no"], [1.0])


@pytest.mark.skipif(find_spec("inspect_ai") is not None, reason="inspect_ai is installed")
def test_without_inspect_ai_the_remedy_is_said():
    with pytest.raises(MissingExtraError, match="run: pip install inspect-ai"):
        scorer("bleu")


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_precomputed_scores_are_records_with_id_and_value(tmp_path, suffix):
    scores, path = scored(), tmp_path / f"chrf{suffix}"
    assert write_precomputed(scores, path, metric="chrF") == 6
    text = path.read_text()
    records = json.loads(text) if suffix == ".json" else list(map(json.loads, text.splitlines()))
    segments = scores.segments()
    assert [each["id"] for each in records] == segments["id"].to_list()
    assert [each["value"] for each in records] == segments["chrF"].to_list()
    assert records[0]["metadata"]["signature"].startswith("chrf|")
    # They come in again as they went out.
    again = rejoinder.read_scores(path)
    assert again["value"].to_list() == segments["chrF"].to_list()


def test_replies_without_a_value_have_no_record(tmp_path):
    testset = rejoinder.TestSet.from_lists([["yes"], []])
    rows = [{"system": "a", "id": id, "text": "yes"} for id in ("1", "2")]
    scores = score(testset, rows, ["bleu:order=1"], drop_unusable=True)
    assert write_precomputed(scores, tmp_path / "a.json") == 1
    (record,) = json.loads((tmp_path / "a.json").read_text())
    assert (record["id"], record["value"]) == ("1", 1.0)


def test_one_system_and_one_metric_are_named(tmp_path):
    scores = scored(("a", "b"))
    with pytest.raises(ParameterError, match="system: there are several; name one of 'a' or 'b'"):
        write_precomputed(scores, tmp_path / "a.json", metric="chrF")
    with pytest.raises(ParameterError, match="metric: got 'chrf'; name one of"):
        write_precomputed(scores, tmp_path / "a.json", system="a", metric="chrf")
    with pytest.raises(InputError, match=r"got the suffix '\.csv', expected '\.json' or '\.jsonl'"):
        write_precomputed(scores, tmp_path / "a.csv", system="a", metric="chrF")
    assert list(tmp_path.iterdir()) == []
