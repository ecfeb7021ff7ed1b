"""The systems of Galley et al. (2015): weights that reach what they can, and a study that goes on."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.metrics import registry
from rejoinder.recipes.systems2015 import systems2015
from rejoinder.recipes.systems2015.study import TUNED_ON, VARIANTS
from rejoinder.recipes.systems2015.weights import tuned_weights
from rejoinder.responders.phrase.trained import FEATURES, PhraseResponder, as_lists
from rejoinder.responders.replies import messages_of
from rejoinder.tables.nbest_lists import NBestLists
from rejoinder.tables.testset import TestSet
from rejoinder.training.responder import train_responder
from tiny_corpora import DRINKS, PLACES, little_corpus

FEW = {"rounds": 1, "nbest": 4, "starts": 1, "beam": 4, "resamples": 0, "tuning_items": 4}
SETTINGS = {"external": 0}


def _items(weight=None):
    """Messages of the little corpus with three references each, the last of which is a bad one."""
    rows = [(a, b) for a in DRINKS[:2] for b in PLACES[:3]]
    references = [[f"Yes, the {b} has {a}.", f"Yes, it has {a}.", "Then go back."] for a, b in rows]
    weights = None if weight is None else [[1.0, 1.0, weight] for _ in rows]
    return TestSet.from_lists(
        references, weights, contexts=[[f"Is there any {a} at the {b}?"] for a, b in rows]
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "s"
    given = {"validation": _items(-1.0), "settings": SETTINGS, **FEW}
    return folder, given, systems2015(little_corpus(), _items(), folder, **given)


def test_every_system_is_scored_by_every_metric(study):
    _, _, result = study
    tuned = [f"{variant}-{metric}" for variant in VARIANTS for metric in TUNED_ON]
    systems = ["by-hand", *tuned, "mbr", "random", "message", "people"]
    assert set(result.table["system"]) == set(systems)
    assert result.table.height == 3 * len(systems)
    assert result.table["value"].null_count() == 0
    by_system = {row["system"]: row for row in result.table.iter_rows(named=True)}
    assert [by_system[f"{each}-bleu"]["features"] for each in VARIANTS] == [
        len(each) for each in VARIANTS.values()
    ] == [5, 9, 11, 14]  # fmt: skip
    assert by_system["tuned-2-chrf"]["tuned_on"] == "chrf"
    assert by_system["random"]["tuned_on"] is None
    assert result.agreement.height == 4 * 3
    assert result.agreement["same"].is_between(0, 1).all()
    # People's replies are the first references, which are nobody's references then.
    people = result.replies.filter(result.replies["system"] == "people")["text"].to_list()
    assert people == _items().references["text"].to_list()[::3]
    assert by_system["people"]["value"] < 1
    json.dumps(result.as_json())


def test_notes_of_the_search_name_the_systems(tmp_path):
    items = _items()
    contexts = items.contexts.with_columns(context=pl.lit(["qqq zzz"]))
    given = {**FEW, "validation": _items(-1.0), "settings": SETTINGS}
    result = systems2015(
        little_corpus(), TestSet(contexts, items.references), tmp_path / "s", **given
    )
    (note,) = [each for each in result.notes if "the search found no phrase" in each]
    assert note.startswith("by-hand, tuned-1-bleu, tuned-1-deltableu, tuned-1-chrf, tuned-2-bleu")
    assert "6 replies are empty" in note


def test_the_same_call_changes_nothing_and_another_is_refused(study):
    folder, given, result = study
    again = systems2015(little_corpus(), _items(), folder, **given)
    assert again.table.equals(result.table)
    with pytest.raises(InputError, match="beam"):
        systems2015(little_corpus(), _items(), folder, **(given | {"beam": 5}))


@pytest.mark.slow
def test_an_interrupted_study_goes_on_to_the_same_result(study, tmp_path):
    _, given, result = study

    def stop_at(step):
        def stop(done, total):
            if done == step:
                raise KeyboardInterrupt

        return stop

    for step in (1, 2, 9, 25):
        with pytest.raises(KeyboardInterrupt):
            systems2015(little_corpus(), _items(), tmp_path / "s", progress=stop_at(step), **given)
    again = systems2015(little_corpus(), _items(), tmp_path / "s", **given)
    assert again.table.equals(result.table)
    assert again.weights == result.weights
    (tmp_path / "s" / "weights" / "tuned-1-bleu.json").write_text("{}")
    with pytest.raises(InputError, match="cut or altered"):
        systems2015(little_corpus(), _items(), tmp_path / "s", **given)


def test_tuning_raises_the_metric_that_it_tunes(tmp_path):
    train_responder(little_corpus(), tmp_path / "m", kind="phrase", **SETTINGS)
    responder, items = PhraseResponder.load(tmp_path / "m"), _items()
    messages, metric = messages_of(items), registry.metric("bleu")
    bad = replace(responder, weights={"words": -1.0, "language_model": 0.1})

    weights, reached = tuned_weights(bad, messages, items, metric, FEATURES, rounds=4, count=20)
    found = bad.weighted(weights).respond(messages)
    lists = [items.references["text"].to_list()[3 * k : 3 * k + 3] for k in range(len(messages))]
    now = metric.corpus(found, lists).value
    assert now > metric.corpus(bad.respond(messages), lists).value
    assert now == pytest.approx(reached, abs=0.15)
    assert weights["language_model"] > 0
    assert np.abs(list(weights.values())).sum() == pytest.approx(1)


def test_lists_are_what_the_search_ranks(tmp_path):
    train_responder(little_corpus(), tmp_path / "m", kind="phrase", **SETTINGS)
    responder, items = PhraseResponder.load(tmp_path / "m"), _items()
    found = responder.candidates(messages_of(items), 4)
    lists = NBestLists(as_lists("phrase", items.ids, found))
    totals = lists.matrix(list(responder.weights)) @ list(responder.weights.values())
    for begin, end in zip(lists.bounds[:-1], lists.bounds[1:], strict=True):
        assert (np.diff(totals[begin:end]) <= 1e-9).all()
