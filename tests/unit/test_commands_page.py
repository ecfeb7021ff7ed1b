"""docs/commands.md has every verb and option, docs/responders.md every setting, as they are declared."""

import re
import sys

import pytest

from command_line import commands, verbs
from rejoinder.cli.declarations import settings_of
from shared_data import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import commands as pages  # docs/commands.py

MOST = 582
"""So many options all verbs have together, at most: each is one more thing to find, read and test."""

LATER = ("tune", "rerank", "variety", "recipe systems2015")
BEFORE = 520
"""So many options the verbs other than `LATER` have together, at most."""


@pytest.mark.parametrize("name", pages.PAGES)
def test_a_page_is_as_the_declarations_are(name):
    page = (ROOT / "docs" / name).read_text("utf-8")
    assert page == pages.made(name), "run: python docs/commands.py"


def test_every_option_stands_in_the_page():
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    there = set(re.findall(r"`(--?[A-Za-z][\w-]*)`", page))
    for verb in verbs():
        for option in pages.options(commands()[verb]):
            assert set(option.opts) <= there, (verb, option.opts)
        for setting in settings_of(commands()[verb]):
            assert f"| `{setting.opts[0]}` |" in page, (verb, setting.opts)


def test_verbs_have_no_more_options_than_a_reader_bears():
    by_verb = {
        verb: [option.opts[0] for option in pages.options(commands()[verb])] for verb in verbs()
    }
    every = [option for options in by_verb.values() for option in options]
    print(f"{len(every)} options of {len(set(every))} names in {len(verbs())} verbs")
    assert len(every) <= MOST
    assert sum(len(by_verb[verb]) for verb in by_verb if verb not in LATER) <= BEFORE
