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
    status, out, err = command(*WORDS, "--json")
    assert (status, out) == (0, plain)
    assert "--digits" not in err  # no use beside --json
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
        ("a = " + "[" * 5000, "rejoinder.toml: not TOML that can be read: nested too deeply"),
        ("seed = " + "9" * 5000, "rejoinder.toml: not TOML: Exceeds the limit"),
        ('metrics = ["stranger:M"]', "on the command line: --metric stranger:M"),
        (
            'metrics = ["bleu", "ruber:model=there"]',
            "on the command line: --metric ruber:model=there",
        ),
        ('metrics = ["Average"]', "metrics of Rejoinder that need no model and no other file"),
    ],
)
def test_what_cannot_be_used_is_refused_and_help_is_not(command, folder, text, words):
    (folder / "rejoinder.toml").write_text(text)
    status, out, err = command(*WORDS)
    assert (status, out) == (2, "")
    assert words in err
    assert command("--help")[0] == command("score", "--help")[0] == 0
    assert command("metrics", "--json")[0] == 0
    assert "toml" not in command("filter", "absent.txt", "-o", "out.txt")[2]


def test_a_module_that_a_file_names_is_not_imported(command, folder, monkeypatch):
    (folder / "stranger.py").write_text("open('was-run', 'w')\n")
    monkeypatch.syspath_prepend(str(folder))
    (folder / "rejoinder.toml").write_text('metrics = ["stranger:M"]')
    assert command(*WORDS)[0] == 2
    assert not (folder / "was-run").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool]\nrejoinder = 3", "pyproject.toml: rejoinder: got 3; expected a table"),
        ("tool = 1 # rejoinder", "pyproject.toml: tool: got 1; expected a table"),
        ("[tool]\nrejoinder.seed = 1", "note: pyproject.toml: --seed 1"),
        ("[ tool . rejoinder ]\nseed = 1", "note: pyproject.toml: --seed 1"),
        ("[project]\ndependencies = ['rejoinder']", ""),
    ],
)
def test_a_table_is_found_however_it_is_written(command, folder, text, words):
    (folder / "pyproject.toml").write_text(text)
    err = command(*WORDS)[2]
    assert words in err
    assert words or "pyproject" not in err


def test_two_files_of_defaults_are_refused(command, folder):
    (folder / "rejoinder.toml").write_text("seed = 1")
    (folder / "pyproject.toml").write_text("[tool.rejoinder]\nseed = 1")
    assert "keep one of the two" in command(*WORDS)[2]
    (folder / "pyproject.toml").write_text("[tool.black]\nbroken =")
    assert command(*WORDS)[0] == 0


KEPT = ["kept.parquet"]
JUDGE = str(EXAMPLES / "judge.csv")
TEXTS = [TESTSET, *SYSTEMS]


@pytest.mark.parametrize(
    ("words", "used"),
    [
        (["compare", "--ratings", RATINGS], "--digits 2 --seed 7 --rater-effects fixed"),
        (["compare", *TEXTS, "--resamples", "100"], "--metric length --digits 2 --seed 7"),
        (["compare", *KEPT], "--digits 2"),
        (["compare", *KEPT, "--json"], ""),
        (["score", *KEPT, "--segments"], ""),
        (["score", *TEXTS, "--explain", "c001"], ""),
        (["score", "--scores", JUDGE, "--resamples", "100"], "--digits 2 --seed 7"),
        (["ratings", RATINGS], ""),
        (["correlate", *TEXTS, "--ratings", RATINGS], "--metric length --seed 7 --rater-effects fixed"),
        (
            ["correlate", *KEPT, "--ratings", RATINGS, "--protocol", "system"],
            "--seed 7",
        ),
    ],
)  # fmt: skip
def test_only_what_a_command_can_use_is_given_and_can_be_typed_elsewhere(
    command, folder, words, used
):
    if "kept.parquet" in words:
        assert command(*WORDS, "-m", "chrf", "--save", "kept.parquet")[0] == 0
    (folder / "rejoinder.toml").write_text(OWN)
    status, out, err = command(*words)
    assert status == 0, err
    notes = [line for line in err.splitlines() if "rejoinder.toml" in line]
    assert sorted(" ".join(notes).split()) == sorted(
        f"note: rejoinder.toml: {used}".split() if used else []
    )
    (folder / "rejoinder.toml").unlink()
    assert command(*words, *used.split())[:2] == (0, out)


def test_an_error_about_a_default_names_the_file(command, folder):
    (folder / "one.csv").write_text(
        "id,system,rater,score\n"
        + "".join(
            f"{i},{s},ann,{(i * k) % 5 + 1}\n" for i in range(12) for k, s in ((2, "a"), (3, "b"))
        )
    )
    (folder / "rejoinder.toml").write_text('rater_effects = "random"')
    status, _, err = command("compare", "--ratings", "one.csv")
    assert status == 2
    assert "--rater-effects random stands in rejoinder.toml" in err
