"""Every verb that writes, killed at twenty moments and repeated, and twice at once.

The verbs and options are taken from the command line itself.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fcntl")
pytest.importorskip("torch")
pytest.importorskip("gensim")
pytest.importorskip("transformers")

import killed_commands
from command_line import written
from full_disk import SAME_TABLES
from killed_commands import KILLS, LEFT, PAIRS, Kill, Pair

pytestmark = pytest.mark.slow

WRITTEN = [each for each in written() if each not in {(verb, "--tables") for verb in SAME_TABLES}]

RESUMED = {
    ("ruq", "--work"),
    ("mark", "--work"),
    ("respond", "--work"),
    ("train ruber", "--output"),
    ("train responder", "--output"),
    ("sweep", "--output"),
    ("recipe khayrallah2021", "--output"),
}
"""Those that go on where they were, keep others from their folder, and leave nothing behind."""

DONE = ("holds a finished model", "this model was finished before")


def told(folder, verb, option, *how):
    tests = str(Path(killed_commands.__file__).parent)
    path = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, killed_commands.__file__, str(folder), verb, option, *how],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return list(map(json.loads, done.stdout.splitlines()))


def messages(err):
    """What is said on standard error, without notes and the files written."""
    silent = ("note: ", "rejoinder: note: ", "Wrote ")
    return [line for line in err.splitlines() if not line.startswith(silent)]


@pytest.mark.parametrize(("verb", "option"), WRITTEN)
def test_twenty_kills_change_nothing(verb, option, tmp_path):
    found = [Kill(*each) for each in told(tmp_path, verb, option)]
    assert len(found) == KILLS
    for kill in found:
        # One that was killed between its last file and its end had done its work.
        done = any(each in kill.err for each in DONE)
        assert done or (kill.status, messages(kill.err)) == (0, []), kill
        assert kill.same, kill
        assert (verb, option) not in RESUMED or not kill.left, kill
        assert all(LEFT.fullmatch(name) for name in kill.left), kill


@pytest.mark.parametrize(("verb", "option"), WRITTEN)
def test_twice_at_once_leaves_one_whole_result(verb, option, tmp_path):
    found = [Pair(*each) for each in told(tmp_path, verb, option, "twice")]
    assert len(found) == PAIRS
    for pair in found:
        assert 0 in pair.statuses, pair
        for status, err in zip(pair.statuses, pair.errs, strict=True):
            assert status in (0, 2), pair
            assert len(messages(err)) == (1 if status else 0), pair
            if status:
                assert "another run writes to this f" in err or any(each in err for each in DONE)
        assert pair.same, pair
        assert pair.left == [], pair
