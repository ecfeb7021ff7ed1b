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


def tried():
    """Every case; of an option the default part has what people see, as its row looks at the JSON."""
    for case in CASES.values():
        whole = [pytest.mark.slow] * (case.slow or case.option)
        yield pytest.param(case, False, id=str(case), marks=whole)
        if case.option and not case.slow:
            yield pytest.param(case, True, id=f"{case} for people")


@pytest.mark.parametrize(("case", "alone"), [*tried()])
def test_a_command_gives_what_it_gave(case, alone, goldens):
    made = goldens.text(case, alone)
    kept = case.path.read_bytes().decode() if case.path.exists() else ""
    if alone:
        command = made.partition("\n")[0]
        kept = kept.partition(f"\n{command} --json\n")[0]
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
