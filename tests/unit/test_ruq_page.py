"""The examples of docs/ruq.md, with two tiny models in place of the reader's."""

import re
import shlex

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiny_language_models as tiny
from rejoinder.cli import app
from rejoinder.cli.terminal import progress
from rejoinder.cli.verbs.ruq import ruq
from shared_data import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "ruq.md").read_text(encoding="utf-8")


TUNED = "responses/tuned.jsonl"
ITEMS = 24
"""Of the examples: two tiny models need a second for them."""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    for seed, name in enumerate(("base", "tuned")):
        tiny.save(folder / "models" / name, "gpt2", seed, window=256)
    for source, name in (("testset.jsonl", "testset.jsonl"), (TUNED, "outputs.jsonl")):
        lines = (EXAMPLES / source).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:ITEMS]), encoding="utf-8")
    (folder / "generic.txt").write_text("# Deutsch\nKeine Ahnung.\n", encoding="utf-8")
    return folder


def test_commands_run(made, monkeypatch, capfd):
    monkeypatch.chdir(made)
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    if "ruq" not in app.app.commands:
        monkeypatch.setitem(app.app.commands, "ruq", ruq)
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    assert len(lines) > 6
    for line in lines:
        assert app.run(shlex.split(line)[1:]) == 0, (line, capfd.readouterr().err)


def test_python_runs(made, monkeypatch):
    monkeypatch.chdir(made)
    for block in blocks("py"):
        exec(compile(block, "docs/ruq.md", "exec"), {})
