"""``--set NAME=VALUE``: settings that are seldom changed."""

import pytest

from command_line import commands, verbs
from rejoinder.cli.declarations import settings_of
from rejoinder.files.provenance import read_record
from shared_data import EXAMPLES

CORPUS, TESTSET = EXAMPLES / "corpus.txt", EXAMPLES / "testset.jsonl"
VECTORS = ["train", "vectors", CORPUS, "-o", "v"]
MINE = ["mine", CORPUS, TESTSET, "-o", "m.csv"]
WITH_SETTINGS = [verb for verb in verbs() if settings_of(commands()[verb])]


@pytest.mark.parametrize("verb", WITH_SETTINGS)
def test_help_lists_every_setting_with_its_meaning(verb, command):
    status, out, err = command(*verb.split(), "--set", "help")
    assert (status, err) == (0, "")
    for setting in settings_of(commands()[verb]):
        assert setting.name_of_setting in out
        assert (setting.help or "").split()[0] in out


def test_help_lists_the_settings_of_models_too(command):
    _, out, _ = command("sweep", "--set", "help")
    assert "train_prompts" in out
    assert "label_smoothing" in out
    assert "--preset tiny, small and paper" in out


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--set", "k2=1"], "--set 'k2=1': expected NAME=VALUE with NAME 'response_weight', "),
        (["--set", "k1"], "--set 'k1': expected NAME=VALUE with NAME"),
        (["--set", "b=2"], "--set b=2; expected a number from 0 to 1"),
        (["--k1", "2"], "No such option '--k1'. Did you mean '--set k1'?"),
        (["--set", "k1=many"], "Invalid value for '--set k1': 'many' is not a valid float."),
        (["--set"], "Option '--set' requires an argument."),
    ],
)
def test_what_is_no_setting_is_refused(words, error, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, _, err = command(*MINE, *words)
    assert status == 2
    assert error in err


def test_a_record_repeats_the_settings(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["--set=min-count=1", "--set", " width =4", "--set", "epochs=1"]
    status, out, _ = command(*VECTORS, *words)
    assert status == 0
    assert "4 numbers each" in out
    record = read_record("v")
    assert record is not None
    assert record["command"][-6:] == [
        "--set",
        "min_count=1",
        "--set",
        "width=4",
        "--set",
        "epochs=1",
    ]
