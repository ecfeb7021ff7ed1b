"""``rejoinder train ruber``, and what the other verbs do with its model."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("gensim")

import tiny_ruber
from command_line import notes_of
from killed_workers import run_or_kill
from rejoinder.cli import engines
from rejoinder.cli.app import run
from shared_data import EXAMPLES, SYSTEMS, TESTSET

RATINGS = str(EXAMPLES / "ratings.csv")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return written(tmp_path_factory.mktemp("corpus"), tiny_ruber.dialogues())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Trained on the examples' own contexts and references."""
    path = tmp_path_factory.mktemp("model") / "ruber"
    assert (
        run(["train", "ruber", TESTSET, "-o", str(path), "--set", "seeds=1", "--set", "epochs=1"])
        == 0
    )
    return str(path)


def written(path, talks):
    lines = [
        {"id": str(i), "context": context, "references": [{"text": reply}]}
        for i, (context, reply) in enumerate(
            (talk[:i], talk[i]) for talk in talks for i in range(1, len(talk))
        )
    ]
    file = path / "corpus.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return str(file)


def test_training_reports_what_it_reached(command, corpus, tmp_path):
    train = ("train", "ruber", corpus, "--size", "paper", "--set", "seeds=2", "--set", "epochs=1")
    status, out, err = command(*train, "-o", tmp_path / "one")
    assert (status, notes_of(err)) == (0, "")
    assert "paper-1" in out
    assert "paper-2" in out
    assert f"-m ruber:model={tmp_path / 'one'}" in out
    status, out, err = command(*train, "-o", tmp_path / "two", "--json")
    assert (status, notes_of(err)) == (0, "")
    told = json.loads(out)
    assert [each["member"] for each in told["members"]] == ["paper-1", "paper-2"]
    assert f"hash {told['hash']}" in command(*train, "-o", tmp_path / "three")[1]  # the same again
    assert set(told["bounds"]) == {"unreferenced", "pooled"}


@pytest.fixture
def train(corpus, tmp_path, monkeypatch):
    """The words of a training of two scorers, in a folder beside that of the training in parts."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    for folder in ("whole", "cut"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "cut")
    return f"train ruber {corpus} -o m --json --size paper --set seeds=2 --set epochs=1".split()


def test_shards_of_scorers_give_the_training_without(command, train, monkeypatch):
    for shard in ("2/3", "3/3", "1/3"):  # the last one has none
        status, told, err = command(*train, "--shard", shard)
        assert (status, told) == (0, ""), err
    assert {each.name for each in Path("m.work").iterdir()} == {"paper-1", "paper-2"}
    parts = json.loads(command(*train)[1])
    went_on, *notes = parts["notes"]
    assert went_on.endswith("m.work: paper-1 was finished, paper-2 was finished")
    monkeypatch.chdir("../whole")
    whole = json.loads(command(*train)[1])
    assert {**parts, "notes": notes} == whole  # with the hash of the folder


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local:2", "ray"])
def test_scorers_on_an_engine_whose_workers_are_killed(command, train, monkeypatch, engine):
    if engine == "ray":
        pytest.importorskip("ray", reason="Ray is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # of workers
    monkeypatch.setattr(engines, "run_command", run_or_kill)
    told = command(*train, "--engine", engine)
    assert len(list(Path("deaths").iterdir())) == 5
    monkeypatch.chdir("../whole")
    assert told[:2] == command(*train)[:2]


def test_the_sets_excluded_are_counted(command, corpus, tmp_path):
    shared = written(tmp_path, tiny_ruber.dialogues()[:2])
    train = ("train", "ruber", corpus, "--set", "seeds=1", "--set", "epochs=1", "-o")
    status, out, _ = command(*train, tmp_path / "m", "--exclude", shared)
    assert status == 0
    assert "2 of 36 conversations" in out.replace("\n", " ")
    status, out, _ = command(*train, tmp_path / "m", "--exclude", shared)
    assert status == 0
    assert "finished before; nothing was done" in out
    status, _, err = command(*train, tmp_path / "m")
    assert status == 2
    assert "holds a finished model of another run: corpus without what is excluded was" in err
    status, _, err = command(*train, tmp_path / "n", "--exclude", corpus)
    assert status == 2
    assert "train on another corpus" in err


def test_trained_vectors_are_never_replaced(command, corpus, tmp_path):
    train = (
        "train",
        "vectors",
        corpus,
        "--set",
        "min_count=1",
        "-o",
        tmp_path / "vectors",
        "--set",
    )
    assert command(*train, "width=8")[0] == 0
    before = (tmp_path / "vectors" / "config.json").read_bytes()
    status, out, err = command(*train, "width=9")
    assert (status, out) == (2, "")
    assert "holds a finished model of another run: width was 8, is 9" in err
    assert (tmp_path / "vectors" / "config.json").read_bytes() == before
    status, out, err = command(*train, "width=8")
    assert (status, "nothing was done" in err) == (0, True)
    assert "8 numbers each" in out
    told = json.loads(command(*train, "width=8", "--json")[1])
    assert told["notes"] == ["this model was finished before; nothing was done"]
    assert (tmp_path / "vectors" / "config.json").read_bytes() == before


@pytest.mark.parametrize("scale", ["training", "scored"])
def test_the_other_verbs(command, folder, scale):
    metric = f"ruber:model={folder},scale={scale}"
    status, out, err = command("score", TESTSET, *SYSTEMS, "-m", metric, "--json")
    assert (status, notes_of(err)) == (0, "")
    if scale == "scored":
        assert "write scale=" in out
    for verb in (("compare",), ("correlate", "--ratings", RATINGS), ("audit",)):
        status, out, err = command(verb[0], TESTSET, *SYSTEMS, *verb[1:], "-m", metric)
        assert (status, notes_of(err)) == (0, ""), verb
        assert "RUBER" in out


def test_explaining_shows_words_and_both_halves(command, folder):
    explain = ("--explain", "c001", "--system", "tuned")
    score = ("score", TESTSET, *SYSTEMS, "-m", f"ruber:model={folder}", *explain)
    status, out, err = command(*score)
    assert (status, notes_of(err)) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("tuned on c001: RUBER arithmetic = ")
    made_of = r"made of s_R (\d+\.\d) and s_U (\d+\.\d), each on its scale"
    (halves,) = re.findall(made_of, out)
    whole = float(re.findall(r"= (\d+\.\d) \(x100\)", lines[0])[0])
    assert whole == pytest.approx(sum(map(float, halves)) / 2, abs=0.11)  # each is rounded
    told = json.loads(command(*score, "--json")[1])[0]["likeness"]
    nearest = told["nearest"]
    assert told["similarities"][nearest] == max(told["similarities"])
    assert f"reference {nearest + 1} counts: the nearest" in out
    # "I did, two seats by the window. The beds had gone already.": what there are vectors for.
    words = [each["word"] for each in told["words"]]
    assert words[:2] == ["i", "did"]
    assert sum(each["adds"] for each in told["words"]) == pytest.approx(max(told["similarities"]))
    assert sum(each["sets"] for each in told["words"]) == pytest.approx(1)
    table = lines[next(i for i, line in enumerate(lines) if line.startswith("word ")) + 2 :]
    rows = [re.split(r" +│ +", line.strip()) for line in table[: len(words)]]
    assert rows == [
        [each["word"], f"{100 * each['sets']:.0f}%", f"{100 * each['adds']:+.1f}"]
        for each in told["words"]
    ]


@pytest.mark.parametrize(
    ("talks", "status", "said"),
    [
        (tiny_ruber.dialogues()[::15], 0, "score with -m"),
        (tiny_ruber.dialogues()[:1], 0, "score with -m"),
        ([["a", "b"]], 2, "expected conversations"),
        ([["a", "b"], ["c", "d"]], 2, "2 utterances with 2 words, and none of them stands there 2"),
    ],
)
def test_little_corpora(command, tmp_path, talks, status, said):
    train = ("train", "ruber", written(tmp_path, talks), "-o", tmp_path / "m", "--set", "seeds=1")
    found, out, err = command(*train, "--set", "epochs=1")
    assert found == status
    assert said in out + err
    assert "Traceback" not in err
    assert (tmp_path / "m").exists() == (status == 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--size", "encoder"), "--encoder"),
        (("--size", "encoder", "--encoder", "/no/such/place"), "encoder '/no/such/place'"),
        (("--set", "seeds=0"), "must be 1 or more"),
        (("--set", "epochs=0"), "must be 1 or more"),
        (("--set", "language=klingon"), "choose"),
    ],
)
def test_a_users_error_is_one_message(command, corpus, tmp_path, options, said):
    status, out, err = command("train", "ruber", corpus, "-o", tmp_path / "m", *options)
    assert (status, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
    assert not (tmp_path / "m").exists()


def test_a_models_folder_that_is_none(command, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("no model\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    for name, said in (
        ("none", "there is no such folder; expected that of a model of 'rejoinder train ruber'"),
        ("other", "no model of Rejoinder's: config.json is missing, cut, or has no entry"),
        ("empty", "no folder with a model in it"),
    ):
        path = tmp_path / name
        status, out, err = command("score", TESTSET, *SYSTEMS, "-m", f"ruber:model={path}")
        assert (status, out) == (2, ""), name
        assert err.startswith(f"rejoinder: {path}: {said}")
        assert len(err.splitlines()) == 1, name
