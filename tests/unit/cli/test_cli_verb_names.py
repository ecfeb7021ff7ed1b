"""Names of verbs: those of other tools, misspelt ones, ``help``, and the list by task."""

import pytest

from command_line import commands
from rejoinder.cli.app import VERBS
from rejoinder.cli.verb_group import OTHER_NAMES
from shared_data import SYSTEMS, TESTSET

WORDS = [TESTSET, *SYSTEMS, "-m", "length", "--resamples", "100", "--json"]


def test_every_verb_stands_under_one_task(command):
    names = [name for each in VERBS.values() for name in each]
    assert len(names) == len(set(names))
    assert set(names) == {path for path in commands() if " " not in path}
    out = command("--help")[1]
    assert all(f"{task}:\n" in out for task in VERBS)


def test_other_names_are_no_verbs_and_lead_to_verbs():
    assert not set(OTHER_NAMES) & set(commands())
    assert {verb for each in OTHER_NAMES.values() for verb in each} <= set(commands())


@pytest.mark.parametrize(("name", "verb"), [("evaluate", "score"), ("Significance", "compare")])
def test_a_name_of_other_tools_runs_the_verb_and_says_so(command, name, verb):
    status, out, err = command(name, *WORDS)
    assert (status, out) == (0, command(verb, *WORDS)[1])
    assert f"note: '{name}' is 'rejoinder {verb}'" in err
    assert f"'{name}' is" not in command(name, *WORDS, "-q")[2]


@pytest.mark.parametrize(
    ("name", "verbs"),
    [
        ("agreement", ["ratings", "correlate"]),
        ("llm-judge", ["mark", "judge"]),
        ("view", ["look", "report"]),
        ("rate", ["annotate", "ratings"]),
    ],
)
def test_a_name_with_two_meanings_is_refused_with_both(command, name, verbs):
    status, out, err = command(name, TESTSET)
    assert (status, out) == (2, "")
    assert all(f"'{verb}': " in err for verb in verbs)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["scor"], "No such command 'scor'. Did you mean 'score'?"),
        (["train", "rubr"], "No such command 'rubr'. Did you mean 'ruber'?"),
        ([TESTSET], f"'rejoinder look {TESTSET}' says which can use it"),
        (["help", "scor"], "Did you mean 'score'?"),
        (["respond", "retreival", TESTSET, "-o", "r.csv"], "did you mean 'retrieval'?"),
    ],
)
def test_an_unknown_verb_gets_a_remedy(command, words, remedy):
    status, out, err = command(*words)
    assert (status, out) == (2, "")
    assert remedy in err


@pytest.mark.parametrize("verb", ["", "score", "train ruber"])
def test_help_is_a_word_too(command, verb):
    assert command("help", *verb.split()) == command(*verb.split(), "--help")
