"""``rejoinder compare --ratings``: people, judges, and judges corrected by people."""

import json

import pytest

from rejoinder.cli.show.people import comparison
from rejoinder.meta_evaluation.with_people.compare import compare_with_people
from rejoinder.scoring.score import score
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset
from shared_data import EXAMPLES, SYSTEMS, TESTSET

READ = [TESTSET, *SYSTEMS]
RATED = ["--ratings", EXAMPLES / "some-ratings.csv"]
JUDGE = ["--scores", EXAMPLES / "judge.csv"]


def test_the_table_of_people(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = command("compare", *READ, *RATED, *JUDGE, "-m", "sbleu", "--ranks")
    assert status == 0
    for words in ("people", "corrected", "24/66", "errors of the judges", "ranks"):
        assert words in out
    shown = " ".join(out.split())
    assert "of 3 pairs, 2 differ significantly by people alone and 3 corrected" in shown
    assert "sBLEU-2 x100; ratings as they were given" in shown
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_what_the_library_gives(command):
    status, out, _ = command("compare", *READ, *RATED, "-m", "sbleu", "--json")
    assert status == 0
    told = json.loads(out)
    scores = score(read_testset(TESTSET), read_responses(*SYSTEMS), ["sbleu"], resamples=0)
    result = compare_with_people(scores, read_ratings(RATED[1]))
    assert told["pairs"] == json.loads(json.dumps(result.pairs.to_dicts()).replace("NaN", "null"))
    assert told["signature"] == result.signature


@pytest.mark.parametrize(
    "option",
    [["--margin", "1"], ["--permutations", "100"], ["--resamples", "100"], ["--all-pairs"]],
)
def test_options_of_the_tests_of_metrics_are_refused(command, option):
    status, _, err = command("compare", *READ, *RATED, *JUDGE, *option)
    assert status == 2
    assert f"{option[0]} has no effect beside --ratings" in err


def test_a_judge_must_be_named(command):
    status, _, err = command("compare", *READ, *RATED)
    assert status == 2
    assert "no judge is named" in err


def test_references_weighed_by_these_ratings_are_refused(command, tmp_path):
    weighed = tmp_path / "weighed.jsonl"
    status, _, err = command("weigh", *READ, *RATED, "-o", weighed)
    assert status == 0, err
    words = ["--drop-unusable", "-m", "deltableu"]
    status, _, err = command("compare", weighed, *SYSTEMS, *RATED, *words)
    assert status == 2
    assert f"{weighed}: was made from {RATED[1]}" in err
    # Without its record nothing tells.
    (tmp_path / "weighed.jsonl.provenance.json").unlink()
    status, _, err = command("compare", weighed, *SYSTEMS, *RATED, *words)
    assert "was made from" not in err


@pytest.mark.parametrize("option", [["--criterion", "x"], ["--scale", "1", "5"]])
def test_options_of_ratings_need_ratings(command, option):
    status, _, err = command("compare", *READ, *JUDGE, *option)
    assert status == 2
    assert f"{option[0]} has no effect without --ratings FILE" in err


@pytest.mark.parametrize(("p", "star"), [(0.0499, "0.05*"), (0.05, "0.05 ")])
def test_a_star_marks_what_is_significant(capsys, monkeypatch, p, star):
    from dataclasses import replace

    import polars as pl

    monkeypatch.setenv("COLUMNS", "200")
    scores = score(read_testset(TESTSET), read_responses(*SYSTEMS), ["sbleu"], resamples=0)
    result = compare_with_people(scores, read_ratings(RATED[1]))
    pairs = result.pairs.with_columns(p_holm=pl.lit(p))
    comparison(replace(result, pairs=pairs), scores)
    out = capsys.readouterr().out
    assert out.count(star) >= pairs.height
