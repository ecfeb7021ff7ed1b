"""A path with line ends and escape sequences is one line of plain text in messages and notes."""

import json
import logging

import pytest

from rejoinder import read_ratings, read_testset
from rejoinder.cli.app import run

NAME = "a\nnote: b\x1b[31m\u202ec"
SHOWN = r"a\nnote: b\x1b[31m\u202ec"


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        (".jsonl", "{"),
        (".jsonl", '{"id": 1, "id": 2}'),
        (".csv", "id\n"),
        (".parquet", "x"),
        ("", "x"),
    ],
)
def test_a_message_is_one_line(tmp_path, capsys, suffix, content):
    path = tmp_path / (NAME + suffix)
    path.write_text(content)
    assert run(["score", str(path), str(tmp_path / "bot.jsonl")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert SHOWN in said
    assert not {"\x1b", "\u202e"} & set(said)


CHAT = [{"role": role, "content": "Hi"} for role in ("system", "user", "assistant")]
NOTES = [
    (read_ratings, ".csv", "id,system,rater,score\n1,a,r,3\n2,a,r,4\n3,a,r,\n"),
    (read_testset, ".jsonl", json.dumps({"messages": CHAT, "tools": [1]})),
    (read_testset, ".txt", "Hi\r\nHo\r\n"),
]


@pytest.mark.parametrize(("read", "suffix", "content"), NOTES, ids=["ratings", "chat", "text"])
def test_what_a_reader_logs_is_one_line(tmp_path, caplog, read, suffix, content):
    path = tmp_path / (NAME + suffix)
    path.write_bytes(content.encode())
    with caplog.at_level(logging.WARNING, "rejoinder"):
        read(path)
    assert caplog.messages
    for each in caplog.messages:
        assert SHOWN in each
        assert not {"\n", "\x1b", "\u202e"} & set(each)
