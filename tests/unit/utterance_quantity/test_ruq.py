"""RUQ from likelihoods written down by hand: no model is needed."""

import numpy as np
import polars as pl
import pytest

from rejoinder import TestSet, load_scores
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics.ruq import RUQ
from rejoinder.models.likelihood.backend import (
    NOT_FINITE,
    TOO_LONG,
    Likelihood,
    LikelihoodBackend,
    RequestBatch,
    RequestPlan,
)
from rejoinder.utterance_quantity.generic import generic_replies
from rejoinder.utterance_quantity.ruq import ruq

IDK = "I don't know."
SURE = "I'm not sure."
TESTSET = TestSet.from_lists(
    [["at nine", "at ten"], ["by bus"], [IDK], ["no one knows it here"]],
    [[1.0, 0.5], [None], [None], [None]],
    contexts=[["When?"], ["How?"], ["Why?"], ["Hi.", "Who?"]],
    ids=["a", "b", "c", "d"],
)


class Told(LikelihoodBackend):
    """Likelihoods from a table: by text the mean, or a list of log-probabilities, or a reason."""

    def __init__(self, table, name="m", notes=()):
        self.table, self.name, self.notes = table, name, notes

    @property
    def facts(self):
        return {"table": "told"}

    def plan(self, requests):
        return RequestPlan((RequestBatch(tuple(range(len(requests))), requests),), self.notes)

    def measure(self, batch):
        return [[self.one(text) for text in request.replies] for request in batch.work]

    def one(self, text):
        value = self.table[text]
        if isinstance(value, str):
            return Likelihood.none(value)
        return Likelihood.of(value if isinstance(value, list) else [value, value])


MEANS = {"at nine": -1.0, "at ten": -3.0, "by bus": [-1.0, -2.0], IDK: -2.0, SURE: -1.7,
         "no one knows it here": -4.0}  # fmt: skip


def values(found):
    return {
        (row["system"], row["metric"]): row["value"]
        for row in found.scores.systems().iter_rows(named=True)
    }


def test_wins_ties_and_the_strongest_by_hand():
    # a: the lowest reference has -3 and loses to -2 (the other would win); b: -1.5 wins over both;
    # c: the reference is the generic reply: a tie, and a loss to the other; d loses to both.
    found = ruq(TESTSET, [Told(MEANS)], generic=[IDK, SURE], resamples=100)
    assert found.scores.labels == ["RUQ (strongest)", f"RUQ ({IDK})", f"RUQ ({SURE})"]
    assert set(values(found).values()) == {0.25}
    assert found.scores.parts()[f"RUQ ({IDK})"]["m"] == {
        "wins": 1.0, "ties": 1.0, "losses": 2.0, "n": 4.0,
    }  # fmt: skip
    assert found.scores.parts()["RUQ (strongest)"]["m"]["ties"] == 0
    assert found.preferred() == {"m": 0.75}


def test_a_share_of_few_prompts_has_a_rough_interval_and_that_is_said():
    few = TestSet.from_lists([["at nine"], ["by bus"]], contexts=[["When?"], ["How?"]])
    told = ruq(few, [Told(MEANS)], generic=[IDK, SURE], resamples=100).scores
    assert "2 items alone: intervals of so few are rough; do not rely on them" in told.notes
    assert told.systems()["low"].is_finite().all()
    none = ruq(few, [Told(MEANS)], generic=[IDK, SURE], resamples=0).scores
    assert not any("interval" in note for note in none.notes)


def test_the_rule_picks_the_references():
    found = ruq(TESTSET, [Told(MEANS)], generic=[IDK], references="single", resamples=0)
    assert values(found)["m", f"RUQ ({IDK})"] == 0.5  # a now has -1
    assert found.scores.notes == ("1 reference left out by the rule 'single'",)


def test_a_reference_that_people_call_bad_need_not_win():
    testset = TestSet.from_lists([["at nine", "at ten"]], [[1.0, -0.5]], contexts=[["When?"]])
    found = ruq(testset, [Told(MEANS)], generic=[IDK])
    assert values(found)["m", f"RUQ ({IDK})"] == 1
    everything = ruq(testset, [Told(MEANS)], generic=[IDK], references="all")
    assert values(everything)["m", f"RUQ ({IDK})"] == 0


def test_two_models_are_compared_on_the_same_prompts():
    better = Told({**MEANS, "at ten": -1.9}, "better")
    found = ruq(TESTSET, [Told(MEANS), better], generic=[IDK], resamples=100)
    row = found.scores.compare("better", "m").filter(pl.col("metric") == f"RUQ ({IDK})")
    assert row["difference"].item() == pytest.approx(0.25)
    assert (row["wins"].item(), row["ties"].item(), row["losses"].item()) == (1, 3, 0)


def test_by_length_and_by_any_column():
    testset = TestSet(
        TESTSET.contexts.with_columns(topic=pl.Series(["time", "way", "way", "time"])),
        TESTSET.references,
    )
    found = ruq(testset, [Told(MEANS)], generic=[IDK])
    table = found.scores.by("topic").filter(pl.col("metric") == f"RUQ ({IDK})")
    assert dict(zip(table["topic"], table["value"], strict=True)) == {"time": 0.0, "way": 0.5}
    assert set(found.scores.by("reference_words")["reference_words"]) == {" 1 to 5"}


def test_the_prompts_where_the_generic_reply_wins_by_most():
    found = ruq(TESTSET, [Told(MEANS)], generic=[IDK, SURE])
    table = found.worst(2)
    assert table["id"].to_list() == ["d", "a"]
    assert table["margin"].to_list() == pytest.approx([2.3, 1.3])
    assert table["generic"].to_list() == [SURE, SURE]
    assert table["reference"].to_list() == [0, 1]  # of a the second reference, the lowest
    assert found.worst(0).is_empty()


def test_a_prompt_without_one_generic_reply_is_not_among_the_worst_nor_in_the_strongest():
    class Partly(Told):
        def measure(self, batch):
            held = super().measure(batch)
            lost = [request.id == "d" for request in batch.work]
            return [
                [Likelihood.none(TOO_LONG) if bad and text == SURE else each
                 for text, each in zip(request.replies, found, strict=True)]
                for bad, request, found in zip(lost, batch.work, held, strict=True)
            ]  # fmt: skip

    found = ruq(TESTSET, [Partly(MEANS)], generic=[IDK, SURE])
    assert found.scores.parts()["RUQ (strongest)"]["m"]["n"] == 3
    assert found.scores.parts()[f"RUQ ({IDK})"]["m"]["n"] == 4
    assert found.worst()["id"].to_list() == ["a", "c"]


def test_what_one_model_cannot_score_is_left_out_for_all():
    lacking = Told({**MEANS, "at ten": TOO_LONG, "by bus": NOT_FINITE}, "lacking")
    found = ruq(TESTSET, [Told(MEANS), lacking], generic=[IDK])
    # a keeps its first reference (-1, a win), b has none left; c ties, d loses.
    assert values(found) == pytest.approx(
        {(name, f"RUQ ({each})"): 1 / 3 for name in ("m", "lacking") for each in ("strongest", IDK)}
    )
    assert f"lacking: 1 reference dropped: {TOO_LONG}" in found.scores.notes
    assert f"RUQ ({IDK}): 1 of 4 items dropped" in found.scores.notes


def test_empty_references_and_prompts_are_dropped_and_counted():
    testset = TestSet.from_lists(
        [["by bus", ""], [" "], [], ["at nine"]], contexts=[["How?"], ["a"], ["b"], [" "]]
    )
    found = ruq(testset, [Told(MEANS)], generic=[IDK], resamples=0)
    assert found.scores.notes == (
        "2 empty references dropped",
        "2 of 4 items dropped: no reference is left",
        "1 of 4 items dropped: no turn to reply to",
    )
    assert values(found)["m", f"RUQ ({IDK})"] == 1


def test_a_model_of_nan_alone_is_told():
    table = {text: [float("nan")] for text in MEANS}
    with pytest.raises(InputError, match="float32"):
        ruq(TESTSET, [Told(table)], generic=[IDK])


def test_a_generic_reply_that_cannot_be_scored_is_told():
    with pytest.raises(InputError, match=r"no prompt can be scored.*longer than"):
        ruq(TESTSET, [Told({**MEANS, IDK: TOO_LONG, SURE: TOO_LONG})], generic=[IDK, SURE])


def test_no_prompt_is_told():
    with pytest.raises(InputError, match="no prompt with a reference"):
        ruq(TestSet.from_lists([["a"]]), [Told(MEANS)], generic=[IDK])


def test_notes_of_the_provider_are_passed_on():
    found = ruq(TESTSET, [Told(MEANS, notes=("cut",))], generic=[IDK], resamples=0)
    assert found.scores.notes == ("cut",)


def test_two_models_of_one_name_are_told():
    with pytest.raises(ParameterError, match="two models"):
        ruq(TESTSET, [Told(MEANS), Told(MEANS)], generic=[IDK])
    with pytest.raises(ParameterError, match="no model"):
        ruq(TESTSET, [], generic=[IDK])


def test_tokens_and_scores_survive_a_file(tmp_path):
    outputs = {"m": {"a": "by bus", "d": IDK}}
    found = ruq(TESTSET, [Told(MEANS)], generic=[IDK, SURE], outputs=outputs)
    found.save_tokens(tmp_path / "t.parquet")
    table = pl.read_parquet(tmp_path / "t.parquet")
    assert table.equals(found.replies)
    assert table.group_by("kind").len().sort("kind").rows() == [
        ("generic", 8), ("output", 2), ("reference", 5),
    ]  # fmt: skip
    of_a = table.filter((pl.col("id") == "a") & (pl.col("kind") == "reference"))
    assert of_a["counts"].to_list() == [False, True]
    assert table.filter(pl.col("kind") == "output")["mean"].to_list() == [-1.5, -2.0]
    assert set(table.filter(pl.col("kind") != "generic")["text"]) == {None}
    found.scores.save(tmp_path / "s.parquet")
    loaded = load_scores(tmp_path / "s.parquet")
    assert loaded.systems().equals(found.scores.systems(), null_equal=True)
    with pytest.raises(InputError, match="parquet"):
        found.save_tokens(tmp_path / "t.csv")


def test_the_metric_by_itself():
    metric = RUQ()
    assert metric.bounds == (0.0, 1.0)
    assert metric.ranks
    rows = metric.rows(np.array([[-1.0], [np.nan]]), np.array([[-2.0], [-2.0]]))
    assert rows.shape == (2, 1, 3)
    assert np.isnan(rows[1]).all()
    assert np.isnan(metric.score(np.zeros(3)))
    with pytest.raises(ParameterError, match="measures a model"):
        metric.corpus(["a"], [["b"]])
    with pytest.raises(ParameterError, match="empty"):
        RUQ(generic=" ")
    with pytest.raises(ParameterError, match="no rule"):
        RUQ(references="best")


def test_generic_sets(tmp_path):
    shipped = generic_replies()
    assert shipped[:2] == [IDK, "I don't know what to do."]
    assert any("sorry" in reply for reply in shipped)
    path = tmp_path / "de.txt"
    path.write_text("# Deutsch\nKeine Ahnung.\n\n  Weiß ich nicht.  \n", encoding="utf-8")
    assert generic_replies(path) == ["Keine Ahnung.", "Weiß ich nicht."]
    for text, told in (("a\na\n", "twice"), ("# none\n", "no generic"), ("strongest\n", "called")):
        path.write_text(text)
        with pytest.raises(InputError, match=told):
            generic_replies(path)
    with pytest.raises(InputError, match="no such file"):
        generic_replies(tmp_path / "none.txt")


RESPONSES = pl.DataFrame({"system": ["m", "m"], "id": ["a", "d"], "text": ["by bus", IDK]})


def test_outputs_are_a_table_of_responses_or_texts_by_model():
    texts = {"m": {"a": "by bus", "d": IDK}}
    one, other = (
        ruq(TESTSET, [Told(MEANS)], generic=[IDK], outputs=outputs, resamples=0)
        for outputs in (RESPONSES, texts)
    )
    assert one.replies.equals(other.replies)
    assert one.replies.filter(pl.col("kind") == "output").height == 2
    assert one.notes == ()


def test_outputs_of_one_system_are_those_of_one_model():
    found = ruq(TESTSET, [Told(MEANS, "n")], generic=[IDK], outputs=RESPONSES, resamples=0)
    assert found.replies.filter(pl.col("kind") == "output").height == 2
    assert found.notes == ("the outputs of system 'm' are used as those of model 'n'",)
    assert not any("outputs" in note for note in found.as_json()["notes"])


def test_outputs_of_other_systems_are_refused_before_the_work():
    class Idle(Told):
        def plan(self, requests):
            raise AssertionError

    models = [Idle(MEANS, "n"), Idle(MEANS, "o")]
    with pytest.raises(
        ParameterError, match="outputs: got systems 'm', expected models 'n' or 'o'"
    ):
        ruq(TESTSET, models, generic=[IDK], outputs=RESPONSES)


def test_the_object_for_json():
    told = ruq(TESTSET, [Told(MEANS)], generic=[IDK, SURE], resamples=0).as_json(
        by="reference_words", worst=1, fail_above=0.5
    )
    assert list(told) == [
        "systems", "parts", "leads", "groups", "worst", "preferred", "failed", "notes",
    ]  # fmt: skip
    assert (len(told["worst"]), told["failed"]) == (1, {"m": 0.75})
    assert {row["reference_words"] for row in told["groups"]} == {" 1 to 5"}


def test_a_single_model_needs_no_list(tmp_path):
    one, several = (ruq(TESTSET, models, generic=[IDK]) for models in (Told(MEANS), [Told(MEANS)]))
    assert one.as_json() == several.as_json()
    with pytest.raises(InputError, match="absent: no such"):
        ruq(TESTSET, tmp_path / "absent", generic=[IDK])
