"""Every kind of bad input, through the command line: status 2, one message, no traceback."""

import os
import re
from pathlib import Path

import pytest

from bad_input_cases import CASES, row
from rejoinder.cli.app import run
from rejoinder.cli.terminal import progress

ERRORS = (Path(__file__).parents[3] / "docs" / "errors.md").read_text("utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_status_2_and_one_message(case, tmp_path, capfd, monkeypatch):
    if case.skipped:
        pytest.skip("the superuser may read everything")
    monkeypatch.setattr(progress, "PATIENCE", 1e6)
    status = run(["score", *case.arguments(tmp_path)])
    out, err = capfd.readouterr()
    assert status == 2
    assert out == ""
    assert err.startswith("rejoinder: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert re.search(case.expected, err), err
    message = err.removeprefix("rejoinder: ").rstrip("\n").replace(f"{tmp_path}{os.sep}", "")
    message = message.replace(str(tmp_path), ".")
    assert row(case.id, case.wrong, message) in ERRORS
    left = [path.name for path in tmp_path.rglob("*") if path.name.endswith(".part")]
    assert left == []
