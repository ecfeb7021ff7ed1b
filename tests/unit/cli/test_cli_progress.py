"""What a log says of a long run: what is being done, and how much of it."""

import re
import time

import pytest

pytest.importorskip("torch")
pytest.importorskip("gensim")
pytest.importorskip("transformers")

import chat_server
import tiny_language_models as tiny
from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress
from shared_data import EXAMPLES, SYSTEMS, TESTSET

CORPUS = str(EXAMPLES / "corpus.txt")
SIZES = ("vocabulary=150", "layers=1", "width=32", "epochs=2", "tokens=300")
SMALL = [word for each in SIZES for word in ("--set", each)]
SETTINGS = ["vocabulary=120", "layers=1", "width=16", "epochs=2", "dropout=0,0.3"]


@pytest.fixture(scope="module")
def responder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("responder") / "model"
    assert run(["train", "responder", CORPUS, "-o", str(folder), *SMALL, "--json"]) == 0
    return str(folder)


@pytest.fixture(scope="module")
def language_model(tmp_path_factory):
    return str(tiny.save(tmp_path_factory.mktemp("gpt2") / "gpt2"))


@pytest.fixture
def log(monkeypatch, tmp_path, capfd):
    """Runs a verb with standard error in a file, which is written to at each of its first steps."""
    monkeypatch.setattr(progress, "PATIENCE", 0.005)
    monkeypatch.setattr(progress, "PACE", {True: 0.005, False: 0.005})
    monkeypatch.setattr(progress, "SLOWER", 0.0)
    noted = progress.Progress.__call__
    waits = iter([0.03] * 40)

    def slowly(tick, done, total):
        noted(tick, done, total)
        time.sleep(next(waits, 0))

    monkeypatch.setattr(progress.Progress, "__call__", slowly)

    def call(*arguments):
        path = tmp_path / "log"
        with path.open("w") as file:
            monkeypatch.setattr("sys.stderr", file)
            status = run([str(each) for each in arguments])
        monkeypatch.undo()
        text = path.read_text()
        assert status == 0, text
        return text

    return call


def verb(name, tmp_path, models):
    out = tmp_path / "out"
    if name == "train ruber":
        sizes = ["--size", "paper", "--set", "seeds=2", "--set", "epochs=2"]
        return ["train", "ruber", CORPUS, "-o", out, *sizes]
    if name == "train responder":
        return ["train", "responder", CORPUS, "-o", out, *SMALL]
    if name == "sweep":
        settings = [word for each in SETTINGS for word in ("--set", each)]
        more = [
            "--reply-metric",
            "bleu",
            "--set",
            "beam=1",
            "--set",
            "prune=none",
            "--resamples",
            "0",
        ]
        return ["sweep", CORPUS, "--testset", TESTSET, "-o", out, *settings, *more]
    if name == "respond":
        return [
            "respond",
            models["responder"],
            TESTSET,
            "-o",
            tmp_path / "r.jsonl",
            "--set",
            "beam=1",
        ]
    if name == "mark":
        rubric = ["--rubric", EXAMPLES / "rubric.toml", "-o", tmp_path / "m.csv"]
        return ["mark", TESTSET, *SYSTEMS, "--model", chat_server.process(), *rubric]
    return ["ruq", models["language_model"], TESTSET, "--resamples", "0"]


SAID = {
    "train ruber": r"training paper-2 \(scorer 2 of 2\): epoch \d of 2, step \d of \d, loss .*, \d+%",
    "train responder": r"training: epoch 1 of 2, step \d+ of \d+, loss \d+\.\d+, \d+%",
    "sweep": r"sweeping: trial 2 of 2, 2 epochs: epoch \d of 2, step \d+ of \d+, loss .*, \d+%",
    "respond": r"replying: \d+ of 66 messages, \d+%",
    "mark": r"asking: \d+ of 198 questions, \d+%",
    "ruq": r"measuring likelihoods: \d+ of 66 prompts, \d+%",
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name == "sweep")) for name in SAID],
)
def test_a_log_says_what_is_done_and_how_much(name, log, tmp_path, responder, language_model):
    models = {"responder": responder, "language_model": language_model}
    text = log(*verb(name, tmp_path, models))
    lines = [line for line in text.splitlines() if line.startswith("rejoinder: ")]
    said = [
        line for line in lines if re.fullmatch(rf"rejoinder: {SAID[name]} \(\d+ s so far\)", line)
    ]
    assert said, text
    shares = [int(re.findall(r"(\d+)%", line)[-1]) for line in said]
    assert shares == sorted(shares)  # of the whole run
    assert "\r" not in text


def test_a_log_of_hours_has_a_line_every_few_minutes(monkeypatch):
    # 15 s at first; after an hour a twentieth of it, 180 s; never more than 300 s.
    waited = []

    class Over:
        def wait(self, seconds):
            waited.append(seconds)
            clock[0] += seconds
            return clock[0] > 10 * 3600

    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    tick = progress.Progress("training")
    tick.over, tick.started = Over(), 0.0
    tick._watch()
    assert waited[:3] == [progress.PATIENCE, 15.0, 15.0]
    assert waited[-1] == 300
    assert max(waited) == 300
    assert len(waited) < 240
