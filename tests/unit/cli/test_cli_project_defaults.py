"""The defaults of a project: a file in the working folder, which acts in the open."""

import json

import pytest

from rejoinder.files.provenance import read_record
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")
WORDS = ["score", TESTSET, *SYSTEMS, "--resamples", "100"]
OWN = 'seed = 7\ndigits = 2\nmetrics = ["length"]\nrater_effects = "fixed"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text"),
    [("rejoinder.toml", OWN), ("pyproject.toml", f"[tool.other]\na = 1\n[tool.rejoinder]\n{OWN}")],
)
def test_they_act_as_the_options_and_are_printed_in_one_line(command, folder, name, text):
    words = ["--seed", "7", "--metric", "length"]
    plain = command(*WORDS, *words, "--json")[1]
    shown = command(*WORDS, *words, "--digits", "2")[1]
    assert plain != command(*WORDS, "--json")[1]
    (folder / name).write_text(text)
    status, out, err = command(*WORDS, "--json")  # --digits has no use here, and is no error
    assert (status, out) == (0, plain)
    assert f"note: {name}: --metric length" in err
    assert " --seed 7" in err
    assert command(*WORDS)[1] == shown
    assert "note: pyproject" not in command(*WORDS, "-q")[2]


def test_the_command_line_comes_first(command, folder):
    asked = [*WORDS, "-m", "chrf", "--seed", "3", "--json"]
    before = command(*asked)
    (folder / "rejoinder.toml").write_text(OWN.replace("digits = 2\n", ""))
    assert command(*asked)[:2] == before[:2]
    assert "--seed" not in command(*asked)[2]


def test_a_record_has_what_the_file_gave(command, folder):
    (folder / "rejoinder.toml").write_text(OWN)
    assert command(*WORDS, "--save", "kept.parquet")[0] == 0
    record = read_record(folder / "kept.parquet")
    assert record is not None
    words = " ".join(record["command"])
    assert "--metric length" in words
    assert "--seed 7" in words


def test_kept_scores_and_scores_of_others_take_no_metric_of_the_file(command, folder):
    assert command(*WORDS, "-m", "chrf", "--save", "kept.parquet")[0] == 0
    (folder / "rejoinder.toml").write_text(OWN)
    status, out, _ = command("score", "kept.parquet", "--json")
    assert (status, {each["metric"] for each in json.loads(out)["systems"]}) == (0, {"chrF"})
    judge = ["score", "--scores", str(EXAMPLES / "judge.csv"), "--json"]
    assert {each["metric"] for each in json.loads(command(*judge)[1])["systems"]} == {"judge"}


def test_the_rule_on_raters_is_a_default_too(command, folder):
    words = ["preferences", str(EXAMPLES / "preferences.csv"), "--resamples", "100", "--json"]
    fixed, usual = command(*words, "--rater-effects", "fixed")[1], command(*words)[1]
    (folder / "rejoinder.toml").write_text('rater_effects = "fixed"\n')
    assert command(*words)[1] == fixed != usual


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sed = 7", "no setting 'sed' (meant 'seed'?); expected 'seed', 'digits'"),
        ("seed = -1", "seed: got -1; expected a whole number, 0 or more"),
        ("digits = 13", "digits: got 13; expected a whole number from 0 to 12"),
        ('metrics = "bleu"', "metrics: got 'bleu'; expected a list"),
        ('rater_effects = "some"', "expected 'random' or 'fixed'"),
        ("seed = ", "rejoinder.toml: not TOML"),
    ],
)
def test_what_cannot_be_used_is_refused_and_help_is_not(command, folder, text, words):
    (folder / "rejoinder.toml").write_text(text)
    status, out, err = command(*WORDS)
    assert (status, out) == (2, "")
    assert words in err
    assert command("--help")[0] == 0


def test_two_files_of_defaults_are_refused(command, folder):
    (folder / "rejoinder.toml").write_text("seed = 1")
    (folder / "pyproject.toml").write_text("[tool.rejoinder]\nseed = 1")
    assert "keep one of the two" in command(*WORDS)[2]
    (folder / "pyproject.toml").write_text("[tool.black]\nbroken =")
    assert command(*WORDS)[0] == 0
