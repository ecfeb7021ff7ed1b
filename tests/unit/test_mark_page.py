"""The examples of docs/mark.md and docs/responders.md, with a server on loopback in place of the reader's."""

import re
import shlex
import shutil

import pytest

import chat_server
from rejoinder.cli.app import run
from rejoinder.marking.rubric import Rubric, read_rubric
from shared_data import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "mark.md").read_text(encoding="utf-8")
SERVER = "http://localhost:8000/v1"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


@pytest.fixture
def here(monkeypatch, tmp_path):
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_run(here, unrendered, capfd):
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    assert len(lines) > 5
    for line in lines:
        words = shlex.split(line.replace(SERVER, chat_server.process()))[1:]
        words = [
            name
            for word in words
            for name in (sorted(map(str, here.glob(word))) if "*" in word else [word])
        ]
        assert run(words) == 0, (line, capfd.readouterr().err)


def test_the_command_of_replying_systems_runs(here, capfd):
    page = (ROOT / "docs" / "responders.md").read_text(encoding="utf-8")
    (line,) = re.findall(rf"^rejoinder respond {SERVER} .*$", page, re.M)
    shutil.copy(EXAMPLES / "testset.jsonl", here)
    words = shlex.split(line.replace(SERVER, chat_server.process()))[1:]
    assert run(words) == 0, capfd.readouterr().err


def test_python_runs(here):
    (code,) = blocks("py")
    exec(compile(code.replace(SERVER, chat_server.process()), "docs/mark.md", "exec"), {})


def test_the_rubric_of_the_page_is_one(tmp_path):
    (code,) = blocks("toml")
    (tmp_path / "rubric.toml").write_text(code)
    rubric = read_rubric(tmp_path / "rubric.toml")
    assert rubric.criteria == read_rubric(EXAMPLES / "rubric.toml").criteria


def test_every_setting_stands_on_the_page():
    for name in ("[[criterion]]", *set(vars(Rubric())) - {"criteria"}):
        assert f"`{name}`" in PAGE, name
