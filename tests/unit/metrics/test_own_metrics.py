"""Metrics of the user's own: functions, modules, installed packages, and what their files say."""

import json
import sys
from importlib.metadata import EntryPoint

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder import TestSet, load_scores
from rejoinder.cli.app import run
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import importing, registry

TESTSET = TestSet.from_lists(
    [["yes please", "yes"], ["at nine"], ["no"]] * 4,
    weights=[[0.5, 1.0], [1.0], [-0.5]] * 4,
    contexts=[["Tea?"], ["Now?", "When?"], ["Late?"]] * 4,
)
REPLIES = pl.concat(
    pl.DataFrame({"system": s, "id": TESTSET.ids, "text": texts * 4})
    for s, texts in (("a", ["yes", "at ten", "no"]), ("b", ["no", "at nine", "oh"]))
)

MODULE = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import rejoinder
from rejoinder.metrics import MeanMetric, mean_rows


@rejoinder.metric(bounds=(0, 1))
def exact(reply, references):
    """Whether the reply is one of its references."""
    return reply in references


def plain(reply):
    return len(reply)


@dataclass(frozen=True)
class Longest(MeanMetric):
    """The longest word."""

    name: ClassVar[str] = "longest"
    source: ClassVar[str] = "this test"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    most: int = 100

    def statistics(self, batch):
        longest = [max(map(len, text.split()), default=0) for text in batch.hypotheses]
        return mean_rows(np.minimum(np.array(longest, dtype=float), self.most))


NUMBER = 3
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("mine", None)


def values(metric, **options):
    scores = rejoinder.score(TESTSET, REPLIES, [metric], **options)
    return dict(scores.systems().select("system", "value").rows())


def test_a_function_of_a_reply_and_its_references():
    @rejoinder.metric
    def exact(reply, references):
        return reply in references

    assert values(exact) == {"a": 2 / 3, "b": 1 / 3}
    assert exact("yes", ["yes"]) is True
    assert exact.label == "exact"
    assert exact.segments(["yes", "oh"], [["yes"], ["no"]]).tolist() == [1.0, 0.0]


def test_a_function_of_lists_is_the_same_metric():
    @rejoinder.metric(name="length in words", higher_is_better=False)
    def lengths(replies, contexts):
        assert all(isinstance(turns, list) for turns in contexts)
        return np.array([len(text.split()) for text in replies])

    @rejoinder.metric
    def length(reply, context):
        return len(reply.split())

    assert values(lengths) == values(length)
    assert lengths.label == "length in words"
    assert (lengths.higher_is_better, length.higher_is_better) == (False, True)


def test_every_argument_is_that_of_the_reply():
    seen = []

    @rejoinder.metric
    def watch(reply, references, weights, context):
        seen.append((reply, references, weights, context))
        return 0

    values(watch)
    assert ("yes", ["yes please", "yes"], [0.5, 1.0], ["Tea?"]) in seen
    assert ("at nine", ["at nine"], [1.0], ["Now?", "When?"]) in seen
    assert len(seen) == 24


def test_what_a_function_needs_is_asked_of_the_items():
    @rejoinder.metric
    def exact(reply, references):
        return reply in references

    bare = TestSet(TESTSET.contexts, TESTSET.references.filter(pl.col("id") != "2"))
    with pytest.raises(InputError, match="exact: item '2' has no reference"):
        rejoinder.score(bare, REPLIES, [exact])
    with pytest.raises(InputError, match="it reads the context of a reply, and there is none"):
        rejoinder.metric(lambda reply, context: 1).corpus(["yes"], [["yes"]])


def test_a_function_of_replies_alone_ranks_systems():
    @rejoinder.metric
    def polite(reply):
        return "please" in reply

    assert polite.ranks
    assert rejoinder.score(TESTSET, REPLIES, [polite]).leads().height == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: 1, "the function takes nothing"),
        (
            lambda text: 1,
            "the function's parameters are text; expected reply and any of 'references'",
        ),
        (lambda reply, replies: 1, "parameters are reply, replies"),
        (lambda references: 1, "parameters are references"),
        (lambda replies, context: 1, "or replies and any of 'references', 'weights' or 'contexts'"),
        (int, "is no function"),
        (3, "is no function"),
    ],
)
def test_functions_that_cannot_be_metrics(call, message):
    with pytest.raises(ParameterError, match=message):
        rejoinder.metric(call)


@pytest.mark.parametrize("value", [None, "good", float("nan"), float("inf"), [1, 2], 2])
def test_what_is_no_number_within_the_bounds_is_named_with_its_reply(value):
    @rejoinder.metric(bounds=(0, 1))
    def odd(reply):
        return value

    with pytest.raises(
        InputError, match=r"returned .* for the reply 'yes'; expected a number within"
    ):
        values(odd)


@pytest.mark.parametrize("value", [None, 3, [1], "four"])
def test_a_function_of_lists_returns_a_list(value):
    @rejoinder.metric
    def odd(replies):
        return value

    with pytest.raises(InputError, match="expected a list with a number for each"):
        values(odd)


def test_the_signature_tells_one_function_from_another():
    def first(reply):
        return 1

    def second(reply):
        return 2

    signatures = [rejoinder.metric(name="m")(each).signature() for each in (first, second)]
    assert signatures[0] != signatures[1]
    assert signatures[0].startswith("m|function:test_own_metrics.test_the_signature_tells")


def test_a_function_in_a_saved_file(tmp_path):
    @rejoinder.metric(bounds=(0, 1))
    def exact(reply, references):
        return reply in references

    scores = rejoinder.score(TESTSET, REPLIES, ["bleu", exact])
    scores.save(tmp_path / "kept.parquet")
    kept = load_scores(tmp_path / "kept.parquet")
    assert kept.systems().equals(scores.systems())
    assert kept.compare().equals(scores.compare())
    assert (
        "test_own_metrics.test_a_function_in_a_saved_file.<locals>.exact) is not part"
        in kept.notes[-1]
    )
    again = load_scores(tmp_path / "kept.parquet", metrics=[exact])
    assert again.notes == scores.notes
    assert again.systems().equals(scores.systems())


def test_a_metric_of_a_module_by_its_name(module):
    assert registry.metric("mine:exact").label == "exact"
    assert registry.metric("mine:plain").label == "plain"
    assert registry.metric("mine:Longest").most == 100
    assert registry.metric("mine:Longest:most=4").most == 4
    assert values("mine:Longest:most=4") == values(registry.metric("mine:Longest:most=4"))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("nowhere:Thing", "there is no metric 'nowhere', and no module 'nowhere' to import"),
        ("mine.deeper:Thing", "no module 'mine.deeper' to import"),
        ("mine:Thing", "the module 'mine' has no 'Thing'; choose 'exact' or 'Longest'"),
        ("mine:NUMBER", "it names 3; expected a class of metrics"),
        ("mine:exact:order=3", "it takes no parameters; leave 'order=3' out"),
        ("mine:Longest:order=3", "'order=3' is no parameter"),
        ("broken:Thing", "importing 'broken' failed with ZeroDivisionError: division by zero"),
        (
            "absent:Thing",
            "importing 'absent' failed with ModuleNotFoundError: No module named 'gone'",
        ),
    ],
)
def test_names_of_modules_that_lead_to_no_metric(module, tmp_path, wanted, message):
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "absent.py").write_text("import gone\n")
    with pytest.raises(ParameterError) as error:
        registry.metric(wanted)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "wanted", ["bleu:order", "bleu:json", "json", "os.path", "bleu:order=json"]
)
def test_nothing_is_imported_that_no_one_named(wanted, monkeypatch):
    imported = []
    monkeypatch.setattr(importing.importlib, "import_module", imported.append)
    with pytest.raises(ParameterError):
        registry.metric(wanted)
    assert imported == []


def test_a_metric_that_a_package_declares(module, monkeypatch, tmp_path, capfd):
    declared = (EntryPoint("longest", "mine:Longest", importing.GROUP),)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: declared)
    assert registry.metric("longest:most=3").most == 3
    assert set(importing.installed()) == {"longest"}
    assert run(["metrics", "--json"]) == 0
    (listed,) = (each for each in json.loads(capfd.readouterr().out) if each["name"] == "longest")
    assert listed["parameters"] == {"most": 100}
    assert run(["metrics"]) == 0
    assert "longest" in capfd.readouterr().out
    scores = rejoinder.score(TESTSET, REPLIES, ["longest"])
    scores.save(tmp_path / "kept.parquet")
    sys.modules.pop("mine")
    kept = load_scores(tmp_path / "kept.parquet")
    assert "mine" not in sys.modules  # a saved file imports nothing
    assert kept.systems().equals(scores.systems())
