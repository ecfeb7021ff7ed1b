"""Every option without a meaning is one message and status 2, as docs/errors.md promises."""

import re
from pathlib import Path

import pytest

from bad_input_cases import verb_row
from bad_verbs import FILES, VERB_CASES
from rejoinder.cli.terminal import progress

ERRORS = (Path(__file__).parents[3] / "docs" / "errors.md").read_text()


@pytest.mark.parametrize("case", VERB_CASES, ids=lambda case: case.command)
def test_status_2_and_one_message(case, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    message = case.message(tmp_path)
    assert re.search(case.expected, message), message
    assert "\n" not in message
    assert verb_row(case, message) in ERRORS, "run: python tests/bad_input_cases.py"
    left = {path.name for path in tmp_path.iterdir()} - {*FILES, "rejoinder.toml"}
    assert not left, left


def test_the_page_lists_these_commands_and_no_others():
    section = ERRORS.split("## Options")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([^`]+)`", section, re.MULTILINE) == [c.cell for c in VERB_CASES]
