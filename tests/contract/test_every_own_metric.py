"""What holds for metrics outside the registry: functions, classes of the user's, scores of other tools."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

from contract_texts import CONTEXTS, HYPOTHESES, REFERENCES, WEIGHTS
from rejoinder import External, TestSet, load_scores, metric, score
from rejoinder.metrics import MeanMetric, mean_rows

TESTSET = TestSet.from_lists(REFERENCES, WEIGHTS, CONTEXTS)
RESPONSES = pl.DataFrame(
    {
        "system": ["a"] * 60 + ["b"] * 60,
        "id": TESTSET.ids * 2,
        "text": HYPOTHESES + [reply[::-1] for reply in HYPOTHESES],
    }
)


@metric(bounds=(0, 1))
def shared(reply, references, context):
    """The share of the reply's words that stand in a reference or in the context."""
    words = reply.split()
    known = {word for text in (*references, *context) for word in text.split()}
    return sum(word in known for word in words) / max(1, len(words))


@metric(higher_is_better=False)
def lengths(replies, weights):
    """How many characters each reply has."""
    return [len(reply) for reply in replies]


@dataclass(frozen=True)
class Vowels(MeanMetric):
    """The share of vowels."""

    name: ClassVar[str] = "vowels"
    source: ClassVar[str] = "this test"
    needs: ClassVar[frozenset[str]] = frozenset()
    vowels: str = "aeiou"

    def statistics(self, batch):
        counts = [
            sum(c in self.vowels for c in text) / max(1, len(text)) for text in batch.hypotheses
        ]
        return mean_rows(np.array(counts))


def marks():
    """A made-up judge's marks: a number of each reply's own."""
    values = [len(text) % 5 + 1.0 for text in RESPONSES["text"]]
    return RESPONSES.select("system", "id", judge=pl.Series(values))


CASES = {
    "function": (shared, shared),
    "lists": (lengths, lengths),
    "class": (Vowels("aei"), Vowels),
    "external": (External("judge", marks()), None),
    "bounded": (External("judge", marks(), higher_is_better=False, bounds=(1, 5)), None),
}
"""Each metric, and what its saved scores are opened with; None where they need nothing."""


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture
def own(case):
    return case[0]


def measured(own, testset=TESTSET, responses=RESPONSES, **options):
    return score(testset, responses, [own], **({"resamples": 100} | options))


def values(scores):
    return dict(scores.systems().select("system", "value").rows())


def test_declares_its_facts(own):
    low, high = own.bounds
    assert low < high
    assert len(own.source) > 5
    assert own.label
    assert own.summable
    assert own.columns == ("sum", "count")
    with pytest.raises(AttributeError):
        own.label = "other"


def test_the_score_is_the_mean_of_segments_within_bounds(own):
    scores = measured(own)
    segments = scores.segments()
    low, high = own.bounds
    assert segments[own.label].is_between(low, high).all()
    means = dict(segments.group_by("system").agg(pl.col(own.label).mean()).rows())
    assert values(scores) == pytest.approx(means, abs=1e-12)
    for row in scores.systems().iter_rows(named=True):
        assert low <= row["low"] <= row["value"] <= row["high"] <= high


def test_the_order_of_items_and_systems_is_irrelevant(own):
    order = np.random.default_rng(1).permutation(60)
    shuffled = TestSet(TESTSET.contexts[order], TESTSET.references)
    responses = RESPONSES.sample(fraction=1.0, shuffle=True, seed=4)
    one, other = measured(own), measured(own, shuffled, responses)
    assert values(one) == pytest.approx(values(other), abs=1e-12)


def test_some_items_are_some_rows(own):
    mask = np.arange(60) % 3 == 0
    contexts = TESTSET.contexts.filter(pl.Series(mask))
    ids = contexts["id"].implode()
    part = TestSet(contexts, TESTSET.references.filter(pl.col("id").is_in(ids)))
    responses = RESPONSES.filter(pl.col("id").is_in(ids))
    selected, alone = measured(own).select(mask), measured(own, part, responses)
    assert values(selected) == pytest.approx(values(alone), abs=1e-12)


def test_two_systems_are_each_alone(own):
    both = values(measured(own))
    for system in "ab":
        alone = measured(own, responses=RESPONSES.filter(system=system))
        assert values(alone)[system] == pytest.approx(both[system], abs=1e-12)


def test_the_best_stands_first_and_leads(own):
    scores = measured(own)
    numbers = scores.systems()["value"]
    assert numbers.is_sorted(descending=own.higher_is_better)
    assert scores.compare()["difference"][0] == pytest.approx(
        values(scores)["a"] - values(scores)["b"]
    )
    if own.ranks:
        assert scores.leads()["a"][0] == scores.systems()["system"][0]


def test_scores_survive_a_file(case, tmp_path):
    own, opened_with = case
    scores = measured(own)
    scores.save(tmp_path / "scores.parquet")
    given = [] if opened_with is None else [opened_with]
    for metrics in ((), given):
        loaded = load_scores(tmp_path / "scores.parquet", metrics=metrics)
        assert loaded.systems().equals(scores.systems())
        assert loaded.segments().equals(scores.segments())
        assert loaded.compare().equals(scores.compare())
    assert loaded.notes == scores.notes


def test_the_signature_is_the_same_in_every_run(own):
    one, other = (measured(own).measured[own.label].signature for _ in range(2))
    assert one == other
    assert own.label in one


def test_inputs_are_left_untouched(own):
    before = RESPONSES.clone(), TESTSET.references.clone(), TESTSET.contexts.clone()
    measured(own)
    after = RESPONSES, TESTSET.references, TESTSET.contexts
    assert all(one.equals(other) for one, other in zip(before, after, strict=True))
