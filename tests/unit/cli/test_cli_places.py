"""Every verb that writes, without rights and through links: one message, or the very same files.

The verbs and options are those of ``full_disk.py``, which has all of the command line.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("resource")

from test_cli_full_disk import shown

import full_disk
import places


def visits(part):
    """What every verb did in every place, by both names: in a process that may become nobody."""
    tests = str(Path(places.__file__).parent)
    path = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:  # those of pytest are closed to others
        done = subprocess.run(
            [sys.executable, places.__file__, folder, part],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
        )
    assert done.returncode == 0, done.stderr
    found = map(json.loads, done.stdout.splitlines())
    return {name: places.Visit(*each) for name, each in found}


@pytest.fixture(scope="module", params=["turns", pytest.param("short", marks=pytest.mark.slow)])
def short(request):
    """What the short verbs did: each in the place whose turn it is, and under ``slow`` in every place."""
    found = visits(request.param)
    verbs = full_disk.names(long=False)
    assert len(found) == len(verbs) * (1 if request.param == "turns" else len(places.PLACES))
    return found


@pytest.fixture(scope="module", params=["long", "folders"])
def long(request):
    for needed in ("torch", "gensim", "matplotlib", "transformers"):
        pytest.importorskip(needed)
    return request.param, visits(request.param)


@pytest.mark.parametrize("place", [each.__name__ for each in places.PLACES])
def test_files(short, place):
    found = {name: each for name, each in short.items() if name.endswith(f" {place}")}
    assert found
    for name, visit in found.items():
        CHECKS[place](name, visit)


@pytest.mark.slow
@pytest.mark.parametrize("place", [each.__name__ for each in places.PLACES])
def test_pictures_trainings_and_runs(long, place):
    part, all_found = long
    found = {name: each for name, each in all_found.items() if name.endswith(f" {place}")}
    expected = full_disk.names(long=True) if part == "long" else full_disk.FOLDERS
    assert len(found) == len(expected)
    for name, visit in found.items():
        if part == "folders" and place == "rights_lost":
            refused(name, visit)  # where the folder is the result there is none to print
        else:
            CHECKS[place](name, visit)


def refused(name, visit):
    """One message before the work, and nothing changed."""
    assert (visit.status, visit.out) == (2, ""), (name, visit)
    one_message(name, visit)


def printed(name, visit):
    """The same result as elsewhere, one message after it, and nothing changed."""
    assert visit.status == 2, (name, visit)
    one_message(name, visit)
    assert shown(visit.out) == shown(visit.before) != [], name


def one_message(name, visit):
    messages = [each for each in visit.err.splitlines() if not each.startswith("note: ")]
    assert len(messages) == 1, (name, visit.err)
    assert messages[0].startswith("rejoinder: "), name
    assert "another" in messages[0], name
    assert any(why in messages[0] for why in ("written to", "Permission denied")), messages[0]
    assert visit.whole, name


def written(name, visit):
    """The link is one still, behind it stands what the command writes elsewhere, and no more."""
    assert visit.status == 0, (name, visit)
    assert visit.whole, name


CHECKS = {
    "no_rights": refused,
    "rights_lost": printed,
    "link": written,
    "dangling_link": written,
}
