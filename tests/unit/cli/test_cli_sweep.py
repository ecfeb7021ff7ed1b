"""``rejoinder sweep`` on the command line."""

import pytest

from rejoinder.cli import progress
from rejoinder.cli.app import run
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
