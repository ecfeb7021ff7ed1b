"""The size ladder: every verb, from one item to twenty thousand, ends in a result or one message.

No test had two systems and more than 1,023 items, and 2 ** 1024 is no float. What a size breaks is
not foreseen, so every verb climbs all of them. tests/slow/test_ladder.py has the rest of the product.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import verbs
from ladder_check import check
from ladder_data import Rung
from ladder_verbs import LADDER, Absent, Entry

SMALL = (1, 2, 3, 4, 9)
LARGE = (1_023, 1_024, 3_004, 20_000)
SYSTEMS = (1, 2, 16)
AWKWARD = 1_024
REJOINDER = Path(sys.executable).with_name("rejoinder")


def cells():
    """Every verb on every rung that the default part has time for."""
    for verb, entry in LADDER.items():
        if isinstance(entry, Absent):
            continue
        for items in SMALL + LARGE:
            for systems in SYSTEMS[:1] if entry.alone else SYSTEMS:
                # In the slow part: 16 systems on both sides of 2 ** 10, and the largest size alone.
                largest_alone = (items, systems) == (LARGE[-1], 1) and not entry.alone
                if (items, systems) == (1_023, 16) or largest_alone:
                    continue
                if items * systems <= entry.most:
                    yield verb, items, systems


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("ladder")
    yield path
    shutil.rmtree(path)


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_has_its_ladder(verb):
    assert verb in LADDER, f"{verb}: give it an entry in tests/ladder_verbs.py"


def test_the_ladder_has_no_verb_that_is_gone():
    assert set(LADDER) == set(verbs())
    assert all(each.why for each in LADDER.values() if isinstance(each, Absent))


@pytest.mark.parametrize(("verb", "items", "systems"), list(cells()))
def test_a_result_or_one_message(verb, items, systems, command, folder, request):
    entry = LADDER[verb]
    assert isinstance(entry, Entry)
    for name in entry.needs:
        pytest.importorskip(name)
    rung = Rung(folder, items, systems)
    # Small rungs are tried for people and for machines; of large ones, which take seconds, every
    # second one for people. The JSON of the others says how many items counted.
    faces = (False, True) if items in SMALL else (items in (1_023, 3_004) and systems == 1,)
    for as_json in faces:
        if as_json and False in faces:  # the figures of a page were rendered for people
            request.getfixturevalue("unrendered")
        for line in entry.lines(rung):
            words = [*verb.split(), *line.words, *(["--json"] if as_json else [])]
            check(verb, entry, rung, line, *command(*words), as_json)


@pytest.mark.parametrize(
    "verb", [name for name, each in LADDER.items() if isinstance(each, Entry) and each.installed]
)
def test_the_installed_command(verb, folder):
    if not REJOINDER.exists():
        pytest.skip("the command is not installed beside this Python")
    entry = LADDER[verb]
    assert isinstance(entry, Entry)
    rung = Rung(folder, AWKWARD, entry.installed)
    line = next(iter(entry.lines(rung)))
    words = [str(each) for each in (REJOINDER, *verb.split(), *line.words)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    # On a busy machine a sign of life stands on standard error; check() refuses warnings there.
    assert check(verb, entry, rung, line, done.returncode, done.stdout, done.stderr, False)
