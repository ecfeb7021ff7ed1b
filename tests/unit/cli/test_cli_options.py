"""One name of an option, one meaning, over all verbs."""

import pickle
from collections import defaultdict

import click
import pytest

from command_line import commands, running, verbs
from rejoinder.cli import option_names
from rejoinder.cli.candidate_options import weight_bounds
from rejoinder.cli.option_values import passing
from rejoinder.errors import ParameterError
from rejoinder.messages import Argument, Call, Placeholder
from rejoinder.meta_evaluation import evidence

SIMPLER = {"integer range": "integer", "float range": "float"}


def meaning(option):
    """The first sentence of its help, and what kind of value it takes."""
    kind = "flag" if option.is_flag else SIMPLER.get(option.type.name, option.type.name)
    first = (option.help or "").split(". ")[0].split(" (default")[0].rstrip(".")
    return first, kind, option.nargs


def test_a_name_has_one_meaning():
    meanings = defaultdict(lambda: defaultdict(list))
    for verb in verbs():
        for option in commands()[verb].params:
            if isinstance(option, click.Option):
                for name in option.opts:
                    meanings[name][meaning(option)].append(verb)
    made = meanings["--design"]  # 'plan --design' makes the design that the others follow
    assert [verbs for (_, kind, _), verbs in made.items() if kind == "flag"] == [["plan"]]
    assert len(made) == 2
    several = {name: dict(each) for name, each in meanings.items() if len(each) > 1}
    assert set(several) == {"--design"}


def test_every_option_has_a_help_text_of_whole_sentences():
    for verb in verbs():
        for option in commands()[verb].params:
            if isinstance(option, click.Option):
                assert option.help, (verb, option.name)
                assert option.help[0].isupper(), (verb, option.help)
                assert option.help.endswith("."), (verb, option.help)


@pytest.mark.parametrize(
    ("verb", "part", "python", "option"),
    [
        ("score", Argument("tokenizer"), "tokenizer=", "tokenizer="),  # score has no such option
        ("ratings", Argument("drop", True), "drop=True", "--filter-raters"),
        ("ratings", Argument("cluster", "none"), "cluster='none'", "--cluster none"),
        ("ratings", Argument("scale", (1, 5)), "scale=(1, 5)", "--scale 1 5"),
        ("ratings", Argument("without", ["a", "b c"]), "without=['a', 'b c']", "--without a --without 'b c'"),
        ("ratings", Argument("seed", -1), "seed=-1", "--seed -1"),
        ("compare", Argument("b", "old"), "b='old'", "-b old"),
        ("compare", Argument("worse_by"), "worse_by=", "--fail-if-worse"),
        ("score", Argument("columns", {"text": "a"}), "columns={'text': 'a'}", "--columns text=a"),
        ("score", Argument("work", Placeholder("FOLDER")), "work=FOLDER", "work=FOLDER"),
        ("mark", Argument("work", Placeholder("FOLDER")), "work=FOLDER", "--work FOLDER"),
        ("score", Argument("format", "csv"), "format='csv'", "--format csv"),
        ("score", Argument("missing", "a\x1bb"), "missing='a\\x1bb'", "--missing 'a\\x1bb'"),
        ("plan", Call("Scores.save"), "Scores.save", "rejoinder score --save"),
    ],
)  # fmt: skip
def test_a_message_names_the_argument_in_python_and_the_option_on_the_command_line(
    verb, part, python, option
):
    assert str(part) == python
    with pytest.raises(ParameterError) as python_error:
        raise ParameterError("no: ", part)
    assert str(python_error.value) == f"no: {python}"
    with pytest.raises(ParameterError) as error, running(verb):
        raise ParameterError("no: ", part)
    assert str(error.value) == f"no: {option}"  # made where the option was known


def test_an_error_carries_its_parameter_and_value():
    error = ParameterError(Argument("seed", -1), f" is less than {Argument('resamples', 0)}")
    assert (error.parameter, error.value) == ("seed", -1)
    assert str(error) == "seed=-1 is less than resamples=0"
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.parameter) == (str(error), "seed")
    assert (ParameterError("no").parameter, ParameterError(Argument("a"), "!").value) == (
        None,
        None,
    )


def test_the_command_line_knows_the_call_of_every_command_that_it_names():
    for text in option_names.COMMANDS.values():
        words = text.format("x").replace("'", "").removeprefix("rejoinder ").split()
        if words[0].startswith("--"):  # an option alone, of whichever verb
            continue
        verb = next(" ".join(words[:n]) for n in (2, 1) if " ".join(words[:n]) in verbs())
        known = {name for each in commands()[verb].params for name in each.opts}
        assert {word for word in words if word.startswith("-")} <= known


def test_threads_name_options_as_their_command_does(monkeypatch):
    monkeypatch.setattr(evidence, "cores", lambda: 2)
    with click.Context(commands()["correlate"]), option_names.named_as_options():
        named = evidence.at_once(lambda seed: str(Argument("seed", seed)), [1, 2, 3])
    assert named == ["--seed 1", "--seed 2", "--seed 3"]


@pytest.mark.parametrize("texts", [["chrF=0.5", "chrF=0.6"], ["chrF=nan"], ["nan"]])
def test_a_passing_value_is_a_number_and_each_metric_has_one(texts):
    with pytest.raises(
        ParameterError, match=r"expected a number, or METRIC=NUMBER .* each metric once"
    ):
        passing(None, None, texts)
    assert passing(None, None, ["chrF=0.5", "BLEU=1"]) == {"chrF": 0.5, "BLEU": 1.0}


@pytest.mark.parametrize("texts", [["lm=0..1", "lm=0..2"], ["lm=nan..1"], ["lm=0..nan"]])
def test_a_bound_is_of_numbers_and_each_name_has_one(texts):
    with pytest.raises(click.BadParameter, match=r"expected NAME=LOW\.\.HIGH"):
        weight_bounds(None, None, texts)
    assert weight_bounds(None, None, ["lm=..", "n=0..1"])["n"] == (0.0, 1.0)
