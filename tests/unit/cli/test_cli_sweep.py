"""``rejoinder sweep`` on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import notes_of
from killed_workers import run_or_kill
from rejoinder.cli import engines
from rejoinder.metrics import meteor_scorer
from shared_data import EXAMPLES
from tiny_sweep import files

pytestmark = pytest.mark.usefixtures("short_replies")
CORPUS, TESTSET = str(EXAMPLES / "corpus.txt"), str(EXAMPLES / "testset.jsonl")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "no setting has two values"),
        (["--set", "size=1"], "--set 'size=1'"),
        (["--grid", "paper", "--sampler", "grid", "--trials", "3"], "a grid has all its settings"),
        (["--grid", "paper", "--sampler", "random"], "needs --trials"),
        (["--set", "dropout=0,0.1", "--set", "beam=0"], "--set beam"),
    ],
)
def test_mistakes_are_one_message(command, more, words, tmp_path):
    out = tmp_path / "s"
    status, _, err = command("sweep", CORPUS, "--testset", TESTSET, "-o", out, *more)
    assert status == 2
    assert words in err
    assert err.count("\n") == 1
    assert not out.exists()


def test_optuna_without_java(command, tmp_path, monkeypatch):
    pytest.importorskip("optuna")
    pytest.importorskip("torch")
    monkeypatch.setattr(meteor_scorer, "_scorers", {})
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "s"
    words = ["sweep", CORPUS, "--testset", TESTSET, "-o", out, "--set", "dropout=0,0.3"]
    for fixed in ("vocabulary=120", "layers=1", "width=16", "epochs=2"):
        words += ["--set", fixed]
    words += ["--sampler", "optuna", "--trials", "3", "--set", "beam=1", "--resamples", "100"]
    status, told, err = command(*words, "--json", "--draw")
    assert status == 0
    said = "note: scored by BLEU in place of METEOR: METEOR runs in Java, and there is no 'java'"
    assert said in err
    told = json.loads(told)
    assert told["parameters"]["metric"].startswith("BLEU")
    assert any(f"note: {note}" in err for note in told["notes"])
    assert len(told["figures"]) == 4
    status, people, _ = command(*words)
    assert status == 0
    assert "Optuna's asynchronous successive halving" in people
    assert "BLEU in place of METEOR" in people
    status, _, err = command(*words, "--reply-metric", "meteor")
    assert status == 2
    assert "no 'java' on the PATH" in err


def test_replies_are_searched_with_the_beam_that_is_asked_for(command, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from rejoinder.responders.seq2seq.trained import TrainedResponder

    beams = []

    def respond(self, messages, beam=10, length_penalty=1.0, progress=None):
        beams.append(beam)
        return ["Yes."] * len(messages)

    monkeypatch.setattr(TrainedResponder, "respond", respond)
    words = ["sweep", CORPUS, "--testset", TESTSET, "-o", tmp_path / "s", "--set", "dropout=0,0.3"]
    for fixed in ("vocabulary=120", "layers=1", "width=16", "epochs=1"):
        words += ["--set", fixed]
    words += [
        "--set",
        "train_prompts=4",
        "--reply-metric",
        "bleu",
        "--resamples",
        "0",
        "--set",
        "beam=3",
    ]
    status, _, err = command(*words)
    assert (status, notes_of(err)) == (0, "")
    assert beams == [3, 3]  # two trials


SETTINGS = (
    "dropout=0,0.3 learning-rate=1e-2,1e-4 vocabulary=120 layers=1 width=16 epochs=2 first_epochs=1"
)
SWEEP = [
    "sweep",
    CORPUS,
    "--testset",
    TESTSET,
    "-o",
    "s",
    "--reply-metric",
    "bleu",
    "--resamples",
    "100",
]
SWEEP += [word for each in f"{SETTINGS} train_prompts=4 beam=1".split() for word in ("--set", each)]
OPTUNA = ["--sampler", "optuna", "--trials", "5", "--set", "proposals=3"]


@pytest.fixture(params=[pytest.param("grid", marks=pytest.mark.slow), "optuna"])
def words(request):
    """Optuna's sweep has rungs as the grid has, and rounds of proposals too."""
    pytest.importorskip("torch")
    if request.param == "grid":
        return SWEEP
    pytest.importorskip("optuna")
    return [*SWEEP, *OPTUNA]


@pytest.fixture
def cut(tmp_path, monkeypatch):
    """The folder of a sweep that is computed in parts, which is the current one."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    for folder in ("whole", "cut"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "cut")
    return tmp_path / "cut/s"


def test_shards_of_trials_give_the_sweep_without(command, words, cut, monkeypatch):
    for _ in range(4):  # the rungs of all trials, or those of three of Optuna's and then of two
        for shard in ("2/3", "1/3", "3/3"):
            status, told, err = command(*words, "--shard", shard)
            assert (status, told) == (0, ""), err
            assert f"s: shard {shard} is computed" in err
    assert not (cut / "results.json").exists()
    steps = {each: each.stat().st_mtime_ns for each in cut.glob("trials/*/*.json")}
    told = command(*words, "--json")
    assert {each: each.stat().st_mtime_ns for each in cut.glob("trials/*/*.json")} == steps
    monkeypatch.chdir("../whole")
    assert command(*words, "--json") == told
    assert files(cut) == files(Path("s"))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local:2", "ray"])
def test_trials_on_an_engine_whose_workers_are_killed(command, words, cut, monkeypatch, engine):
    if engine == "ray":
        pytest.importorskip("ray", reason="Ray is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # of workers
    monkeypatch.setattr(engines, "run_command", run_or_kill)
    status, told, err = command(*words, "--json", "--engine", engine)
    assert status == 0, err
    assert len(list(Path("deaths").iterdir())) == 5
    plain = [sys.executable, "-m", "rejoinder", *words, "--json"]
    monkeypatch.chdir("../whole")
    assert subprocess.run(plain, capture_output=True, check=True, text=True).stdout == told
    for path, content in files(Path("s")).items():  # records name the engine
        assert path.endswith("provenance.json") or files(cut)[path] == content
