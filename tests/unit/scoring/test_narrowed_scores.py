"""Scores of some metrics, systems and items alone: as if nothing else had been measured."""

import json
from typing import Any

import numpy as np
import pytest

import rejoinder
from rejoinder.errors import ParameterError
from shared_data import SYSTEMS, TESTSET


@pytest.fixture(scope="module")
def texts():
    testset = rejoinder.read_testset(TESTSET)
    return testset, rejoinder.read_responses(*SYSTEMS, ids=testset.ids)


@pytest.fixture(scope="module")
def kept(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "scores.parquet"
    testset, replies = texts
    rejoinder.score(testset, replies, ["bleu", "chrf", "distinct"], resamples=100).save(path)
    return path


def test_narrowed_scores_are_those_of_a_measuring_of_nothing_else(kept, texts):
    testset, replies = texts
    ids = testset.ids[:20]
    narrowed = rejoinder.load_scores(kept).select(
        ids, metrics=["chrf", "distinct"], systems=["tuned"]
    )
    some = replies.filter(system="tuned").join(testset.select(ids).contexts, on="id", how="semi")
    anew = rejoinder.score(testset.select(ids), some, ["chrf", "distinct"], resamples=100)
    columns = ["metric", "system", "value", "low", "high", "n"]
    assert narrowed.systems().select(columns).equals(anew.systems().select(columns))


def test_what_was_not_measured_is_refused(kept):
    scores = rejoinder.load_scores(kept)
    assert scores.select(metrics=["BLEU-2"]).labels == ["BLEU-2"]
    refused: list[tuple[dict[str, Any], str]] = [
        (
            {"metrics": ["bleu:lowercase=true"]},
            "'bleu:lowercase=true' was not measured; choose 'BLEU-2'",
        ),
        ({"systems": ["other"]}, "system 'other' is unknown"),
        ({"items": ["c999"]}, "'c999' is no id"),
        ({"items": "c001"}, "expected a list of ids"),
        ({"items": {f"c9{i}9" for i in range(10)}}, "'c909' is no id"),
        ({"items": []}, "items: got an empty list; name one or more ids"),
        ({"items": np.array(["c999"])}, "'c999' is no id"),
        ({"items": np.array([0, 1])}, "an entry of items is int, expected a string"),
        ({"items": np.array([True])}, r"a mask of shape \(1,\); expected bool \[66\]"),
        ({"systems": []}, "systems: got an empty list"),
        ({"systems": {"zoe", "ann", "bob"}}, "system 'ann' is unknown"),
        ({"metrics": []}, r"metrics: got \[\]; expected a list of metrics"),
        ({"metrics": "chrf"}, "metrics: got 'chrf'; expected a list of metrics"),
    ]
    for given, words in refused:
        with pytest.raises(ParameterError, match=words):
            scores.select(**given)


def test_an_array_of_ids_is_a_list_and_one_of_bool_a_mask(kept):
    scores = rejoinder.load_scores(kept)
    ids = scores.items["id"][:3]
    mask = np.arange(66) < 3
    for given in (ids.to_numpy(), np.array(ids.to_list()), mask):
        assert scores.select(given).items["id"].equals(ids)
        assert scores.select(given, metrics=["chrf"]).items["id"].equals(ids)


def test_the_command_line_narrows_kept_scores(kept, command):
    words = ["-m", "chrf", "--without", "generic", "--only", "topic=travel"]
    printed = json.loads(command("compare", kept, *words, "--json")[1])
    (row,) = printed["comparisons"]
    assert (row["metric"], row["n"]) == ("chrF", 11)
    assert "--only topic=travel: 11 of 66 items" in printed["notes"]
    few = json.loads(command("score", kept, "--only", "id=c001", "--json")[1])
    assert "1 item: no interval; it takes 4 or more" in few["notes"]
    measured = command("compare", TESTSET, *SYSTEMS, *words, "--resamples", "100", "--json")[1]
    anew = json.loads(measured)["comparisons"]
    assert anew[0]["difference"] == pytest.approx(row["difference"], rel=1e-12)
    for wrong, words in (
        (["--only", "topic"], "expected COLUMN=VALUE"),
        (["--only", "subject=x"], "no column 'subject'; choose 'id' or 'topic'"),
        (["--only", "topic=none"], "no item has these values"),
        (["--without", "nobody"], "system 'nobody' is unknown"),
    ):
        status, _, err = command("score", str(kept), *wrong)
        assert status == 2
        assert words in err


def test_not_every_kept_system_can_be_left_out(kept, command):
    names = rejoinder.load_scores(kept).names
    words = [word for name in names for word in ("--without", name)]
    status, _, err = command("score", kept, *words)
    assert status == 2
    assert "no system is left of" in err
