"""docs/commands.md has every verb and option, docs/responders.md every setting, as they are declared."""

import re
import sys
from collections import Counter

import pytest

from command_line import commands, verbs
from rejoinder.cli.declarations import settings_of
from shared_data import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import commands as pages  # docs/commands.py

SHARED = ("--json", "--quiet", "--ledger")
"""Options that mean the same on every verb that prints a result: whoever has read one knows it on all
verbs, so that each counts once."""

BEFORE = 455
"""So many options the verbs other than `LATER` have together, at most: each is one more thing to find, read
and test."""

LATER = {
    "tune": 14,
    "rerank": 17,
    "variety": 13,
    "recipe systems2015": 10,
    "merge": 1,
    "runs": 9,
    "verify": 4,
}
"""By verb of a task that the others do not do, how many options of its own it has, at most."""

WIDER = {
    "--claim": 4,
    "--anonymous": 4,
    "--registered": 4,
    "--card": 3,
    "--expires": 1,
    "--register": 1,
    "--fix": 1,
    "--shard": 7,
    "--engine": 7,
    "--design": 3,
    "--reliability": 1,
    "--spread": 1,
    "--pool": 1,
    "--rho": 1,
    "--per-rating": 1,
    "--looks-every": 1,
    "--systems": 1,
    "--goal": 1,
    "--kind": 2,
    "--at": 3,
    "--passing": 3,
}
"""By option of a later task how many verbs other than `LATER` have it, at most: claims of a result (score,
compare, correlate, judge), a judge's card (judge; score, compare, mark), registrations and designs of
ratings (plan, compare), work in shards (seven verbs), the kind of replying system (sweep, train), and what k
samples reach (score, compare, report). A task that needs no words of its own on these verbs adds none."""

OTHERWISE = {
    (
        "plan",
        "--correlation",
    ): "kendall-c depends on the number of different values in a sample, so that no "
    "scale is known on which it could be planned",
    ("plan", "--design"): "it asks for a design, and the other verbs read the one that it saved",
}
"""By verb and option of a name that takes other values elsewhere: why."""


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
    own = {verb: [each for each in found if each not in SHARED] for verb, found in by_verb.items()}
    assert {verb: len(own[verb]) for verb in LATER if len(own[verb]) > LATER[verb]} == {}
    counts = Counter(option for verb in own if verb not in LATER for option in own[verb])
    wider = {option: counts.pop(option) for option in WIDER}
    print(f"{counts.total()} options of {len(counts)} names, {wider}")
    assert {option: count for option, count in wider.items() if count > WIDER[option]} == {}
    assert counts.total() + len(SHARED) <= BEFORE


def test_options_of_one_name_take_the_same_values_on_every_verb():
    taken: dict[str, dict[str, list[str]]] = {}
    for verb in verbs():
        for option in pages.options(commands()[verb]):
            kind = next(
                (each for each in ("integer", "float") if option.type.name.startswith(each)), "text"
            )
            choices = getattr(option.type, "choices", None)
            values = str((choices or kind, option.is_flag, option.nargs))
            if (verb, option.opts[0]) not in OTHERWISE:
                taken.setdefault(option.opts[0], {}).setdefault(values, []).append(verb)
    assert len(taken) > 130
    assert {name: by_values for name, by_values in taken.items() if len(by_values) > 1} == {}
