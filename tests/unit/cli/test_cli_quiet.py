"""``--quiet``: no notes and no progress on standard error; errors and results stay."""

import pytest

from command_line import commands, verbs
from rejoinder.cli.terminal import progress
from rejoinder.cli.verb_group import quiet
from shared_data import SYSTEMS, TESTSET


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_can_be_quiet(verb):
    assert commands()[verb].params.count(quiet) == 1


def test_notes_and_progress_are_silent_and_errors_are_not(command, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    words = ["score", TESTSET, *SYSTEMS, "--save", tmp_path / "kept.parquet"]
    command(*words)
    _, out, err = command(*words)
    assert "will be replaced" in err
    assert "rejoinder: " in err
    assert command(*words, "--quiet") == (0, out, "")
    assert command(*words, "-q") == (0, out, "")
    status, out, err = command("score", TESTSET, "none.jsonl", "--quiet")
    assert (status, out) == (2, "")
    assert "none.jsonl" in err


def test_logged_warnings_are_notes(command, tmp_path):
    """The log is as loud after a quiet command as before it."""
    import logging

    level = logging.getLogger("rejoinder").level
    command("metrics", "--quiet")
    assert logging.getLogger("rejoinder").level == level
