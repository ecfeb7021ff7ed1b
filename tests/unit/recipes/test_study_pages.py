"""The commands of the studies' pages run on the examples."""

import re
import shlex
import shutil

import pytest

from rejoinder.cli.app import app, run
from rejoinder.cli.terminal import progress
from rejoinder.cli.verbs.weigh import weigh
from shared_data import EXAMPLES, ROOT

PAGES = [
    ROOT / "docs" / "studies" / f"{name}.md"
    for name in ("galley2015-responses", "negative-references", "upsilon-bleu")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_run(page, monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    monkeypatch.setitem(app.commands, "weigh", weigh)
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    assert lines
    for line in lines:
        words = [
            name
            for word in shlex.split(line)[1:]
            for name in (sorted(map(str, tmp_path.glob(word))) if "*" in word else [word])
        ]
        assert run(words) == 0, capfd.readouterr().err


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_code_hold(page):
    text = page.read_text(encoding="utf-8")
    for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        compile(code, page.name, "exec")
    for target in re.findall(
        r"\]\(([^)#]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    ):
        assert (page.parent / target).exists(), target
