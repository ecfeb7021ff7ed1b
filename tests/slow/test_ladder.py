"""The whole size ladder, with 100,000 items, from the installed command; see test_cli_ladder.py."""

import subprocess
import sys
from pathlib import Path

import pytest

from ladder_check import check
from ladder_data import Rung
from ladder_verbs import LADDER, Entry

pytestmark = pytest.mark.slow

SIZES = (1, 2, 3, 4, 9, 1_023, 1_024, 3_004, 20_000, 100_000)
SYSTEMS = (1, 2, 16)
MODELS = 3_004
"""Verbs that ask models take hours beyond this size, and the arithmetic is that of the others."""
REJOINDER = Path(sys.executable).with_name("rejoinder")


def cells():
    """Every verb on every rung."""
    for verb, entry in LADDER.items():
        if isinstance(entry, Entry):
            for items in SIZES:
                if not entry.needs or items <= MODELS:
                    for systems in SYSTEMS[:1] if entry.alone else SYSTEMS:
                        yield verb, items, systems


@pytest.mark.parametrize(("verb", "items", "systems"), list(cells()))
def test_a_result_or_one_message(verb, items, systems, tmp_path):
    entry = LADDER[verb]
    assert isinstance(entry, Entry)
    for name in entry.needs:
        pytest.importorskip(name)
    rung = Rung(tmp_path, items, systems)
    for as_json in (False, True):
        for line in entry.lines(rung):
            words = [REJOINDER, *verb.split(), *line.words, *(["--json"] if as_json else [])]
            done = subprocess.run(
                list(map(str, words)), capture_output=True, text=True, check=False
            )
            check(verb, entry, rung, line, done.returncode, done.stdout, done.stderr, as_json)
