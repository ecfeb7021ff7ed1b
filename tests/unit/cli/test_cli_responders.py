"""``rejoinder filter``, ``rejoinder train responder`` and ``rejoinder respond`` as a user meets them."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from command_line import notes_of
from rejoinder.corpora.pairs import adjacent_pairs
from rejoinder.tables.responses import check_responses, read_responses
from rejoinder.tables.testset import read_testset
from shared_data import EXAMPLES

TESTSET = EXAMPLES / "testset.jsonl"
SETTINGS = ("vocabulary=150", "layers=1", "width=32", "epochs=2", "tokens=300", "pairs=0")
SMALL = [word for each in SETTINGS for word in ("--set", each)]


@pytest.fixture
def corpus(tmp_path):
    """Dialogues of our own in DailyDialog's format: "Yes." answers everything, the rest one thing."""
    lines = []
    for number in range(40):
        lines.append(f"Is room {number} free ? __eou__ Yes . __eou__")
        lines.append(f"Where is room {number} ? __eou__ Behind room {number + 1} . __eou__")
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_filter_drops_and_lists(command, corpus, tmp_path):
    out = tmp_path / "kept.jsonl"
    status, told, err = command("filter", corpus, "-o", out, "--show", 3)
    assert (status, notes_of(err)) == (0, "")
    assert "40 of 80 pairs dropped (50.0%): entropy of the target above 1.0 bits" in told
    # 40 messages, each once: log2 40 = 5.32 bits.
    assert any(
        line.replace("│", "").split() == ["Yes", ".", "target", "5.32", "40"]
        for line in told.splitlines()
    )
    kept = adjacent_pairs(read_testset(out))
    assert len(kept) == 40
    assert "Yes ." not in kept.targets


def test_filter_as_json(command, corpus, tmp_path):
    out = tmp_path / "kept.jsonl"
    status, told, _ = command("filter", corpus, "-o", out, "--side", "source", "--json")
    told = json.loads(told)
    assert status == 0
    assert (told["pairs"], told["kept"], told["dropped"]) == (80, 80, 0)
    assert told["clusters"] == {"source": 80, "target": 41}
    assert told["parameters"]["threshold"] == 1.0


def test_filter_compares_plain_writing_on_request(command, tmp_path):
    path, out = tmp_path / "c.txt", tmp_path / "kept.jsonl"
    path.write_text(
        "A ? __eou__ It ’ s . __eou__\nB ? __eou__ It's . __eou__\nC ? __eou__ No __eou__\n"
    )
    dropped = [
        json.loads(command("filter", path, "-o", out, "--threshold", 0.5, "--json", *more)[1])[
            "dropped"
        ]
        for more in ([], ["--detokenize"])
    ]
    assert dropped == [0, 2]
    assert adjacent_pairs(read_testset(out)).sources == ["C ?"]  # written as it was


def test_filter_by_vectors(command, corpus, tmp_path):
    # One cluster of sources: whatever a target is said to is one thing, and has no entropy.
    np.save(tmp_path / "s.npy", np.zeros((80, 2)))
    np.save(tmp_path / "t.npy", np.arange(80.0)[:, None])
    vectors = ["--sentence-vectors", tmp_path / "s.npy", tmp_path / "t.npy"]
    out = tmp_path / "kept.jsonl"
    status, told, _ = command("filter", corpus, "-o", out, *vectors, "--clusters", 1, "--json")
    assert (status, json.loads(told)["dropped"]) == (0, 0)


def test_filter_by_arrays_that_cannot_be_relied_on(command, corpus, tmp_path):
    path, out = tmp_path / "s.npy", tmp_path / "kept.jsonl"
    whole = np.zeros((80, 2))
    for values, words in (
        (np.full((80, 2), np.nan), "not finite"),
        (np.full((80, 2), "a"), "expected numbers"),
        (whole.astype(object), "not a NumPy array file"),  # pickled: never read
    ):
        np.save(path, values)
        status, _, err = command(
            "filter", corpus, "-o", out, "--sentence-vectors", path, path, "--clusters", 2
        )
        assert (status, words in err, out.exists()) == (2, True, False), err
    np.save(path, whole)
    # A header that asks for 10^18 numbers, which the file does not hold.
    path.write_bytes(
        path.read_bytes().replace(
            b"(80, 2), }" + b" " * 32, b"(80, 1" + b"0" * 16 + b"), }" + b" " * 18
        )
    )
    status, _, err = command(
        "filter", corpus, "-o", out, "--sentence-vectors", path, path, "--clusters", 2
    )
    assert (status, "not a NumPy array file" in err) == (2, True), err


def test_filter_s_mistakes(command, corpus, tmp_path):
    out = tmp_path / "kept.jsonl"
    np.save(tmp_path / "s.npy", np.zeros((3, 2)))
    few = ["--sentence-vectors", tmp_path / "s.npy", tmp_path / "s.npy"]
    for arguments, words in (
        (["--threshold", "-1"], "threshold"),
        (["--clusters", 3], "go together"),
        ([*few, "--clusters", 2, "--seed", -1], "--seed -1"),
        ([*few, "--clusters", 2], "a row for each of 80 pairs"),
        (["--sentence-vectors", corpus, corpus, "--clusters", 2], "not a NumPy array file"),
    ):
        status, _, err = command("filter", corpus, "-o", out, *arguments)
        assert status == 2
        assert words in err
        assert not out.exists()
    status, _, err = command("filter", corpus, "-o", corpus)
    assert (status, "that is an input" in err) == (2, True)


def test_train_then_respond(command, corpus, tmp_path):
    pytest.importorskip("torch")
    folder, out = tmp_path / "model", tmp_path / "tuned.jsonl"
    status, told, err = command("train", "responder", corpus, "-o", folder, *SMALL, "--detokenize")
    assert (status, notes_of(err)) == (0, "")
    assert "best so far" in told
    assert "4 pairs held out of the corpus" in told
    status, told, err = command("respond", folder, TESTSET, "-o", out, "--set", "beam=2", "--json")
    assert (status, notes_of(err)) == (0, "")
    told = json.loads(told)
    testset = read_testset(TESTSET)
    assert (told["system"], told["replies"]) == ("model", len(testset))
    check_responses(read_responses(out), testset)
    status, told, _ = command("train", "responder", corpus, "-o", folder, *SMALL, "--detokenize")
    assert "finished before" in told


@pytest.mark.parametrize("kind", ["transformer", "gru"])
def test_replies_are_searched_with_the_beam_that_is_asked_for(command, corpus, tmp_path, kind):
    pytest.importorskip("torch")
    from rejoinder.responders.seq2seq.trained import TrainedResponder

    folder = tmp_path / "model"
    command("train", "responder", corpus, "-o", folder, *SMALL, "--kind", kind)
    few = tmp_path / "few.jsonl"
    few.write_text("".join(TESTSET.read_text("utf-8").splitlines(keepends=True)[:8]), "utf-8")
    responder, testset = TrainedResponder.load(folder), read_testset(few)
    messages = testset.contexts["context"].list.last().to_list()
    texts = {}
    for beam in (1, 4):
        out = tmp_path / f"beam-{beam}.jsonl"
        status, _, err = command("respond", folder, few, "-o", out, "--set", f"beam={beam}")
        assert (status, notes_of(err)) == (0, "")
        texts[beam] = read_responses(out)["text"].to_list()
        assert texts[beam] == responder.respond(messages, beam)
    assert texts[1] != texts[4]  # a model of two epochs does not find its likeliest reply greedily


def test_train_as_json_and_leaving_out(command, corpus, tmp_path):
    pytest.importorskip("torch")
    test = tmp_path / "test.txt"
    test.write_text("Is room 3 free? __eou__ yes __eou__\n")
    status, told, err = command(
        "train", "responder", corpus, "-o", tmp_path / "m", *SMALL, "--kind", "gru",
        "--exclude", test, "--set", "updates=2", "--json",
    )  # fmt: skip
    assert (status, notes_of(err)) == (0, "")
    told = json.loads(told)
    assert told["kind"] == "gru-responder"
    assert told["notes"][0] == "1 pair of 80 left out that also stand in the other corpus"
    assert told["log"][-1]["updates"] == 2


@pytest.mark.parametrize("system", ["random", "retrieval"])
def test_replies_from_a_corpus(command, corpus, tmp_path, system):
    out = tmp_path / "replies.jsonl"
    status, told, err = command("respond", system, TESTSET, "-o", out, "--corpus", corpus)
    assert (status, notes_of(err)) == (0, "")
    assert told.startswith(f"{system}: ")
    replies = read_responses(out)
    check_responses(replies, read_testset(TESTSET))
    assert set(replies["text"]) <= set(adjacent_pairs(read_testset(corpus)).targets)


def test_the_test_set_s_own_replies_are_left_out(command, tmp_path):
    out = tmp_path / "replies.jsonl"
    status, _, err = command("respond", "retrieval", TESTSET, "-o", out, "--corpus", TESTSET)
    assert status == 2
    assert "same file" in err or "test set's own" in err


def test_respond_s_mistakes(command, corpus, tmp_path):
    out = tmp_path / "r.jsonl"
    for arguments, words in (
        (["random", TESTSET, "-o", out], "needs --corpus"),
        ([tmp_path / "none", TESTSET, "-o", out], "no such folder"),
        ([tmp_path, TESTSET, "-o", out, "--corpus", corpus], "only random and retrieval"),
        (["random", TESTSET, "-o", out, "--corpus", corpus, "--set", "beam=0"], "--set beam"),
        (["random", TESTSET, "-o", out, "--corpus", corpus, "--scorer", tmp_path], "--scorer"),
        (["random", TESTSET, "-o", tmp_path / "r.doc", "--corpus", corpus], "suffix"),
        (["random", TESTSET, "-o", out, "--corpus", corpus, "--seed", -1], "--seed -1"),
        (["retrieval", TESTSET, "-o", out, "--corpus", corpus, "--candidates", 0], "--candidates"),
    ):
        status, _, err = command("respond", *arguments)
        assert status == 2, arguments
        assert words in err
    assert not out.exists()


def test_help_needs_no_torch():
    # The imports of these verbs alone; the whole command is timed elsewhere.
    code = (
        "import sys, rejoinder.cli.verbs.filter\n"
        "import rejoinder.cli.verbs.train_responder, rejoinder.cli.verbs.respond\n"
        "assert not {'torch', 'transformers', 'polars', 'numpy'} & set(sys.modules)"
    )
    started = os.times()
    subprocess.run([sys.executable, "-c", code], check=True)
    assert os.times().children_user - started.children_user < 20  # however busy the machine is
