"""The scorer in evaluations of inspect_ai, by a Python that REJOINDER_INSPECT_PYTHON names.

It has inspect_ai and Rejoinder: a log's numbers are those of ``rejoinder.score`` on that log.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

import rejoinder
from rejoinder.bridges.inspect_scores import write_precomputed

SCRIPT = Path(__file__).with_name("inspect_evaluation.py")
METRICS = ["bleu:order=2", "bleu:order=4,smoothing=exp", "chrf", "length"]


@pytest.fixture(scope="module")
def python():
    named = os.environ.get("REJOINDER_INSPECT_PYTHON")
    if not named:
        pytest.skip("REJOINDER_INSPECT_PYTHON names no Python with inspect_ai and rejoinder")
    return named


def printed(python, *words):
    command = [python, str(SCRIPT), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def scored(log, names=METRICS):
    return rejoinder.score(
        rejoinder.read_testset(log), rejoinder.read_responses(log), names, drop_unusable=True
    )


@pytest.mark.parametrize("epochs", [1, 2])
def test_a_log_has_the_numbers_of_score(python, tmp_path, epochs):
    # Both epochs have the same replies, and a sample counts once.
    result = printed(python, tmp_path, epochs)
    assert set(result["values"]) == {"deltaBLEU-2", "BLEU-2", "BLEU-4", "chrF", "length"}
    for row in scored(result["location"]).systems().iter_rows(named=True):
        values = result["values"][row["metric"]]
        expected = {f"corpus_{key}": row[key] for key in ("low", "high")}
        expected["corpus_score"] = row["value"]
        assert values == {key: pytest.approx(value, rel=1e-12) for key, value in expected.items()}


def test_the_scorer_is_found_by_its_name(python, tmp_path):
    log = printed(python, tmp_path, 1)["location"]
    values = printed(python, "--again", log)["values"]
    (row,) = scored(log, ["rougeL"]).systems().iter_rows(named=True)
    assert values["ROUGE-L"]["corpus_score"] == pytest.approx(row["value"], rel=1e-12)


def test_scores_go_out_as_precomputed_scores_and_come_in_again(python, tmp_path):
    log = printed(python, tmp_path, 1)["location"]
    scores = scored(log, ["chrf"])
    write_precomputed(scores, tmp_path / "chrf.jsonl")
    values = printed(python, "--precomputed", log, tmp_path / "chrf.jsonl")["values"]
    segments = {row["id"]: row["chrF"] for row in scores.segments().to_dicts()}
    usable = [value for value in segments.values() if value == value]
    mean = values["precomputed_scores"]["accuracy"]
    assert mean == pytest.approx(sum(usable) / len(usable))
    table = rejoinder.read_scores(log)
    table = table.filter(name="precomputed_scores").drop_nulls("value")
    assert dict(zip(table["id"], table["value"], strict=True)) == {
        id: value for id, value in segments.items() if value == value
    }
