"""``rejoinder sweep`` on the command line."""

import json

import pytest

from rejoinder.cli import progress
from rejoinder.cli.app import run
from rejoinder.metrics import meteor_scorer
from shared_data import EXAMPLES

CORPUS, TESTSET = str(EXAMPLES / "corpus.txt"), str(EXAMPLES / "testset.jsonl")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "no setting has two values"),
        (["--set", "size=1"], "--set 'size=1'"),
        (["--grid", "paper", "--sampler", "grid", "--trials", "3"], "a grid has all its settings"),
        (["--grid", "paper", "--sampler", "random"], "needs --trials"),
        (["--set", "dropout=0,0.1", "--beam", "0"], "--beam"),
    ],
)
def test_mistakes_are_one_message(more, words, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    out = tmp_path / "s"
    assert run(["sweep", CORPUS, "--testset", TESTSET, "-o", str(out), *more]) == 2
    err = capfd.readouterr().err
    assert words in err
    assert err.count("\n") == 1
    assert not out.exists()


def test_optuna_without_java(tmp_path, capfd, monkeypatch):
    pytest.importorskip("optuna")
    pytest.importorskip("torch")
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    monkeypatch.setattr(meteor_scorer, "_scorers", {})
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "s"
    words = ["sweep", CORPUS, "--testset", TESTSET, "-o", str(out), "--set", "dropout=0,0.3"]
    for fixed in ("vocabulary=120", "layers=1", "width=16", "epochs=2"):
        words += ["--set", fixed]
    words += ["--sampler", "optuna", "--trials", "3", "--beam", "1", "--resamples", "100"]
    assert run([*words, "--json", "--plots"]) == 0
    streams = capfd.readouterr()
    said = "note: scored by BLEU in place of METEOR: METEOR runs in Java, and there is no 'java'"
    assert said in streams.err
    told = json.loads(streams.out)
    assert told["parameters"]["metric"].startswith("BLEU")
    assert any(f"note: {note}" in streams.err for note in told["notes"])
    assert len(told["figures"]) == 4
    assert run(words) == 0
    people = capfd.readouterr().out
    assert "Optuna's asynchronous successive halving" in people
    assert "BLEU in place of METEOR" in people
    assert run([*words, "--metric", "meteor"]) == 2
    assert "no 'java' on the PATH" in capfd.readouterr().err
