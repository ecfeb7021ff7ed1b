"""The record of a file that a program in Python wrote."""

import json
from types import SimpleNamespace

import pytest

import rejoinder
from rejoinder.errors import InputError
from rejoinder.files.provenance import read_record
from rejoinder.files.recording import write_provenance
from shared_data import EXAMPLES, TESTSET


def test_a_program_writes_the_record_that_the_command_writes(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    corpus = EXAMPLES / "corpus.txt"
    assert command("mine", corpus, TESTSET, "-o", "a.jsonl")[0] == 0
    (tmp_path / "b.jsonl").write_bytes((tmp_path / "a.jsonl").read_bytes())
    conversations = rejoinder.read_testset(corpus)
    mined = rejoinder.mine(conversations, rejoinder.read_testset(TESTSET))
    words = ["rejoinder", "mine", "corpus.txt"]
    read = {"CORPUS": corpus, "TESTSET": [TESTSET]}
    write_provenance("b.jsonl", read, words, result=mined, rows=mined.table.height)
    by_command, by_program = read_record("a.jsonl"), read_record("b.jsonl")
    assert by_command is not None
    assert by_program is not None
    assert by_program["command"] == words
    different = ("command", "file", "kind")
    assert {name: each for name, each in by_command.items() if name not in different} == {
        name: each for name, each in by_program.items() if name not in different
    }


def test_no_secret_comes_into_the_record(tmp_path):
    (tmp_path / "a").write_text("a")
    result = SimpleNamespace(
        signature="judge|https://u:pw@example.org/v1", notes=["api_key=12345678", 3]
    )
    write_provenance(tmp_path / "a", {}, ["run", "--token=geheim"], result=result)
    text = json.dumps(read_record(tmp_path / "a"))
    assert not any(secret in text for secret in ("u:pw", "12345678", "geheim"))
    assert str(tmp_path) not in text


@pytest.mark.parametrize("missing", ["made", "read"])
def test_a_file_that_is_not_there_is_refused(tmp_path, missing):
    for name in {"made", "read"} - {missing}:
        (tmp_path / name).write_text("x")
    with pytest.raises(InputError, match=f"{missing}: no such file"):
        write_provenance(tmp_path / "made", {"corpus": tmp_path / "read"}, ["run"])
