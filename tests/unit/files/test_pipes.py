"""Pipes in the place of files: read once, and looked into as often as a file."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from rejoinder import read_ratings, read_responses, read_testset
from rejoinder.errors import InputError
from rejoinder.files import pipes

ITEM = {"id": "c1", "context": ["Hi"], "references": ["Hello."]}
REPLY = {"system": "bot", "id": "c1", "text": "Hey."}


def writer(path, content, wait=0.0):
    """Writes into a named pipe from another thread, in two parts."""

    def write():
        data = content if isinstance(content, bytes) else (json.dumps(content) + "\n").encode()
        with open(path, "wb", buffering=0) as pipe:
            time.sleep(wait)
            pipe.write(data[:3])
            pipe.write(data[3:])

    thread = threading.Thread(target=write)
    thread.start()
    return thread


@pytest.fixture
def pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("wait", [0.0, 0.7])
def test_a_pipe_is_read_like_the_file(pipe, tmp_path, wait):
    """The second writer begins later than a pipe without a writer is waited for."""
    (tmp_path / "file.jsonl").write_text(json.dumps(ITEM) + "\n")
    thread = writer(pipe, ITEM, wait)
    made = read_testset(pipe)
    thread.join()
    file = read_testset(tmp_path / "file.jsonl")
    assert made.contexts.equals(file.contexts)
    assert made.references.equals(file.references)


def test_a_pipe_is_read_anew_each_time_and_kept_where_nothing_more_comes(pipe, monkeypatch):
    monkeypatch.setattr(pipes, "PATIENCE", 0.05)
    for text in ("Hey.", "Ho."):
        thread = writer(pipe, REPLY | {"text": text})
        assert read_responses(pipe)["text"].to_list() == [text]
        thread.join()
    assert read_responses(pipe)["text"].to_list() == ["Ho."]


def test_other_formats_come_through_a_pipe(pipe):
    messages = {
        "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    }
    thread = writer(pipe, messages)
    assert read_testset(pipe).references["text"].to_list() == ["Ho"]
    thread.join()
    thread = writer(pipe, b"id,system,rater,score\nc1,bot,ann,4\n")
    assert read_ratings(pipe, format="csv")["score"].to_list() == [4.0]
    thread.join()


def test_a_pipe_from_which_nothing_comes(pipe, monkeypatch):
    monkeypatch.setattr(pipes, "PATIENCE", 0.05)
    with pytest.raises(InputError, match="a pipe from which nothing comes"):
        read_testset(pipe)


def test_process_substitution_and_standard_input(tmp_path):
    (tmp_path / "t.jsonl").write_text(json.dumps(ITEM) + "\n")
    (tmp_path / "r.jsonl").write_text(json.dumps(REPLY) + "\n")
    command = (
        f'"{sys.executable}" -m rejoinder score <(cat t.jsonl) /dev/stdin -m bleu --resamples 0 --json'
        " < <(cat r.jsonl)"
    )
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["systems"][0]["system"] == "bot"


def test_systems_of_pipes_without_names_are_called_pipe(tmp_path):
    """The shell numbers them, now 62 and now 63."""
    (tmp_path / "t.jsonl").write_text(json.dumps(ITEM) + "\n")
    for name, text in (("a", "Hello."), ("b", "No.")):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": "c1", "text": text}) + "\n")
    command = (
        f'"{sys.executable}" -m rejoinder score <(cat t.jsonl) <(cat a.jsonl) <(cat b.jsonl) -m bleu '
        "--resamples 0 --json"
    )
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    values = {row["system"]: row["value"] for row in json.loads(done.stdout)["systems"]}
    assert set(values) == {"pipe", "pipe 2"}
    assert values["pipe"] > values["pipe 2"]


def test_scores_from_a_pipe_without_a_name_are_those_of_pipe(tmp_path):
    (tmp_path / "s.csv").write_text("id,quality\nc1,0.5\nc2,0.7\n")
    program = (
        "import sys, rejoinder; table = rejoinder.read_scores(sys.argv[1], format='csv'); "
        "print(table['system'].unique().item())"
    )
    command = f'"{sys.executable}" -c "{program}" <(cat s.csv)'
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == "pipe", done.stderr


@pytest.mark.parametrize("verb", ["compare PIPE", "correlate PIPE --ratings r.csv"])
def test_kept_scores_are_not_read_from_a_pipe_and_that_is_said(pipe, tmp_path, capfd, verb):
    from rejoinder.cli.app import run

    (tmp_path / "r.csv").write_text("id,system,rater,score\nc1,bot,ann,4\n")
    words: list[str] = [
        {"PIPE": str(pipe), "r.csv": str(tmp_path / "r.csv")}.get(w, w) for w in verb.split()
    ]
    assert run(words) == 2
    err = capfd.readouterr().err
    assert "no such file" not in err
    assert "a pipe or device; kept scores are read from a file" in err
