"""The size ladder: every verb, from one item to three thousand, ends in a result or one message.

No test had two systems and more than 1,023 items, and 2 ** 1024 is no float. What a size breaks is
not foreseen, so every verb climbs them; tests/slow/test_ladder.py has the whole product of items and
systems, up to 100,000 items, with the installed command.
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
LARGE = (1_024, 3_004)
REJOINDER = Path(sys.executable).with_name("rejoinder")


def rungs(entry):
    """The sizes that the default part has time for; tests/slow/test_ladder.py has all others.

    Few items with two systems, one item with one, nine with 16, and with one system 3,004 items, or
    2 ** 10 where a verb takes its time.
    """
    for items in SMALL:
        yield items, 1 if entry.alone else 2
    if not entry.alone:
        yield SMALL[0], 1
        yield SMALL[-1], 16
    yield max((size for size in LARGE if size <= entry.most), default=LARGE[0]), 1


def cells():
    """Every verb on every rung of the default part, each once."""
    for verb, entry in LADDER.items():
        if isinstance(entry, Entry):
            for items, systems in dict.fromkeys(rungs(entry)):
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
    # One item and nine are tried for people and for machines, two to four in turn; of large rungs and
    # of 16 systems the JSON, which says how many items counted: test_cli_narrow.py shows 16 to people.
    both = items in (SMALL[0], SMALL[-1]) and systems < 16
    faces = (False, True) if both else (items != 3,)
    for as_json in faces:
        if as_json or len(faces) == 1:  # figures of a page are rendered for people at both ends
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
    rung = Rung(folder, SMALL[-1], entry.installed)
    line = next(iter(entry.lines(rung)))
    words = [str(each) for each in (REJOINDER, *verb.split(), *line.words)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    # On a busy machine a sign of life stands on standard error; check() refuses warnings there.
    assert check(verb, entry, rung, line, done.returncode, done.stdout, done.stderr, False)
