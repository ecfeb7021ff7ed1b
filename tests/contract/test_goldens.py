"""What every verb says and writes is as its golden (tests/goldens) says."""

from __future__ import annotations

import difflib

import pytest

from goldens.cases import CASES, FOLDER, OPTIONS, WITH_MODELS
from goldens.made import Goldens
from goldens.text import same
from settings import EXEMPT

MOST = 40
"""Lines of a difference that are shown."""


@pytest.fixture(scope="session")
def goldens(tmp_path_factory):
    return Goldens(tmp_path_factory.mktemp("goldens"))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(each, id=str(each), marks=[pytest.mark.slow] * each.slow)
        for each in CASES.values()
    ],
)
def test_a_command_gives_what_it_gave(case, goldens):
    made = goldens.text(case)
    kept = case.path.read_bytes().decode() if case.path.exists() else ""
    if not same(kept, made):
        lines = difflib.unified_diff(
            kept.splitlines(), made.splitlines(), "kept", "now", n=1, lineterm=""
        )
        shown = "\n".join([*lines][:MOST])
        pytest.fail(
            f"{shown}\nas it is to be: python tests/goldens/make.py '{case}'", pytrace=False
        )


def test_every_golden_is_of_a_case():
    assert {*FOLDER.glob("*/*.txt")} == {*CASES}


def test_every_option_of_every_verb_has_a_case():
    cases = [*CASES.values(), *WITH_MODELS]
    given = {(case.verb, name) for case in cases for name in case.options}
    there = {(verb, name) for (verb, _), name in OPTIONS.items()}
    recorded = {(verb, "--ledger") for verb, _ in there}  # with the time of day: tests/unit/ledger
    assert sorted(there - given - recorded - {*EXEMPT}) == []
