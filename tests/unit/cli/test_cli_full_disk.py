"""On a full disk the result is printed all the same, and what was there stays whole.

The verbs and options are taken from the command line itself: a new one that has no entry fails.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource")

import full_disk
from command_line import written


def test_every_option_that_writes_stands_here():
    assert set(written()) == {
        *full_disk.RESULTS,
        *full_disk.FOLDERS,
        *full_disk.ELSEWHERE,
    }


def trials(folder, part):
    """What every verb did, by its name: in a process of its own, which has a limit of its own."""
    tests = str(Path(full_disk.__file__).parent)
    path = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, full_disk.__file__, str(folder), part],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    found = dict(map(json.loads, done.stdout.splitlines()))
    return {name: full_disk.Trial(*each) for name, each in found.items()}


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    return trials(tmp_path_factory.mktemp("full"), "short")


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    for needed in ("torch", "gensim", "matplotlib"):
        pytest.importorskip(needed)
    return trials(tmp_path_factory.mktemp("full"), "long")


@pytest.mark.parametrize("name", [" ".join(each) for each in full_disk.names(long=False)])
def test_the_result_is_printed_and_what_was_there_stays(short, name):
    check(short[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", [" ".join(each) for each in full_disk.names(long=True)])
def test_the_result_is_printed_where_no_picture_could_be_drawn(long, name):
    check(long[name])


@pytest.mark.slow
def test_a_folder_on_a_full_disk_is_one_message_and_goes_on_with_room(tmp_path):
    for needed in ("torch", "gensim", "transformers"):
        pytest.importorskip(needed)
    found = trials(tmp_path, "folders")
    assert len(found) == len(full_disk.FOLDERS) * len(full_disk.ROOMS)
    for name, trial in found.items():
        if trial.status == 0:
            continue
        assert (trial.status, trial.out) == (2, ""), name
        messages = [each for each in trial.err.splitlines() if " note: " not in f" {each}"]
        assert len(messages) == 1, (name, trial.err)
        assert re.search("File too large; (choose|name) another", messages[0]), name
        assert trial.whole, (name, trial.before)
    assert sum(trial.status == 2 for trial in found.values()) >= len(full_disk.FOLDERS)


def check(trial):
    """One message, the same result as before, and nothing else changed."""
    assert trial.status == 2
    messages = [each for each in trial.err.splitlines() if not each.startswith("note: ")]
    assert len(messages) == 1, trial.err
    assert messages[0].startswith("rejoinder: ")
    assert "File too large" in messages[0]
    assert messages[0].endswith("choose another place")
    assert trial.whole
    if trial.before.startswith("{"):
        before, after = (json.loads(each) for each in (trial.before, trial.out))
        for each in (before, after):
            each.pop("file", None)
        assert after.pop("written", None) is None  # convert names what it wrote
        before.pop("written", None)
        assert before == after
        return
    assert shown(trial.out) == shown(trial.before) != []


def shown(text):
    """What was printed, word by word, without what pictures cannot show, and where files were to go."""
    lines = [each for each in text.splitlines() if not each.startswith("note: figure")]
    return [re.sub(r"\S+/(?=a\.\w+)", "", word) for line in lines for word in line.split()]
