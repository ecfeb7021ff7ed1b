"""The trivial baselines and what an audit says of them: worked by hand, and where there is little to say."""

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder import TestSet, audit, score
from rejoinder.auditing.trivial_baselines import (
    BASELINES,
    PREFIX,
    Baseline,
    _shuffled,
    leave_one_out,
    unread,
)
from rejoinder.errors import InputError, ParameterError
from rejoinder.metrics import BLEU
from rejoinder.tables.responses import check_responses
from shared_data import EXAMPLES, shared

REFERENCES = [
    ["the cat sat down", "a cat sat", "the cat"],
    ["we go home now", "let us go home"],
    ["yes of course", "yes i do"],
    ["no not yet", "not yet"],
]
CONTEXTS = [
    ["Hello.", "Where is the cat?"],
    ["It is late."],
    ["So?", "Really?", "Sure?"],
    ["Done?"],
]
SYSTEMS = {
    "good": ["the cat sat", "let us go home now", "yes i do", "not yet"],
    "fair": ["the cat ran", "we stay home", "yes", "no"],
    "poor": ["dogs bark", "rain", "i do not", "blue"],
}


def table(systems, ids):
    rows = [
        (system, item, text)
        for system, replies in systems.items()
        for item, text in zip(ids, replies, strict=True)
    ]
    return pl.DataFrame(rows, schema=["system", "id", "text"], orient="row")


def small(references=REFERENCES, contexts=CONTEXTS, systems=SYSTEMS, weights=None):
    testset = TestSet.from_lists(references, weights=weights, contexts=contexts)
    return testset, table(systems, testset.ids)


def baselines_of(testset, responses, constant="I don't know.", turns=2, seed=1):
    return unread(testset, check_responses(responses, testset), constant, turns, seed)


def row_of(found, metric, baseline):
    return found.table.filter(pl.col("metric") == metric, pl.col("baseline") == baseline).row(
        0, named=True
    )


def examples():
    testset = rejoinder.read_testset(EXAMPLES / "testset.jsonl")
    return testset, rejoinder.read_responses(*sorted((EXAMPLES / "responses").glob("*.jsonl")))


def test_what_the_baselines_say():
    replies = baselines_of(*small(), constant="Mhm.").replies
    assert replies["constant"] == ["Mhm."] * 4
    assert replies["echo"] == ["Where is the cat?", "It is late.", "Sure?", "Done?"]
    assert replies["context"] == [
        "Hello. Where is the cat?",
        "It is late.",
        "Really? Sure?",
        "Done?",
    ]
    assert baselines_of(*small(), turns=3).replies["context"][2] == "So? Really? Sure?"


def test_what_is_drawn_is_another_items():
    testset, responses = small()
    for seed in range(50):
        replies = baselines_of(testset, responses, seed=seed).replies
        for item in range(4):
            assert replies["random"][item] not in {texts[item] for texts in SYSTEMS.values()}
            originals = [few[0] for place, few in enumerate(REFERENCES) if place != item]
            assert replies["random-reference"][item] in originals


def test_draws_are_uniform_over_other_items_and_systems():
    # 400 seeds x 4 items; each item draws one of 3 others x 3 systems, so each of the 12 texts is
    # expected 1600 / 12 = 133 times, with a standard deviation of 11.
    testset, responses = small()
    counts = Counter(
        text
        for seed in range(400)
        for text in baselines_of(testset, responses, seed=seed).replies["random"]
    )
    assert len(counts) == 12
    assert all(85 < count < 181 for count in counts.values())


def test_a_draw_repeats_and_does_not_hang_on_the_other_baselines():
    testset, responses = small()
    silent, _ = small(contexts=[[]] * 4)
    assert (
        baselines_of(testset, responses).replies["random"]
        == baselines_of(silent, responses).replies["random"]
    )
    assert (
        baselines_of(testset, responses, seed=2).replies != baselines_of(testset, responses).replies
    )


def test_an_item_without_references_takes_one_and_gives_none():
    testset, responses = small(references=[["one"], [], ["three"], []])
    for seed in range(20):
        drawn = baselines_of(testset, responses, seed=seed).replies["random-reference"]
        assert (drawn[0], drawn[2]) == ("three", "one")
        assert {drawn[1], drawn[3]} <= {"one", "three"}


def test_the_copied_reference_is_taken_out_with_its_doubles():
    references = [["Yes , sure.", "yes, Sure. ", "no", "yes"], ["alone"], ["twice", "Twice"], []]
    testset, _ = small(references=references)
    reduced, copied = leave_one_out(testset, testset.ids, seed=1)
    assert reduced is not None
    assert reduced.references.get_column("text").to_list() == ["no", "yes"]
    assert copied.ids == reduced.ids == ["1"]
    assert copied.replies["copy"] == ["Yes , sure."]
    assert copied.notes == ("leave-one-out: 3 of 4 items left out, which have no second reference",)


def test_a_shuffle_has_the_same_words_in_another_order():
    rng = np.random.default_rng(1)
    for _ in range(50):
        assert _shuffled("go home", rng) == "home go"
        mixed = _shuffled("a b  a", rng)
        assert mixed.split() != ["a", "b", "a"]
        assert sorted(mixed.split()) == ["a", "a", "b"]
    assert _shuffled("no no", rng) == "no no"
    assert _shuffled("", rng) == ""


def test_values_by_hand():
    # BLEU-1, constant "not yet": matches 0, 0, 0, 2 of 8 tokens. Closest reference lengths to 2: 2
    # ("the cat"), 4, 3, 2 = 11 for 8 tokens: BP = exp(1 - 11/8). Value 2/8 exp(-3/8) = 0.17182.
    found = audit(*small(), ["bleu:order=1"], constant="not yet", resamples=0)
    row = row_of(found, "BLEU-1", "constant")
    assert row["value"] == pytest.approx(0.25 * 0.6872892787909722)
    # good: 3 + 4 + 3 + 2 of 13 tokens ("now" is in the other reference: 5); lengths 3, 4, 3, 2 = 12
    # make no penalty: 13 / 13. fair: 2 + 2 + 1 + 1 = 6 of 8; lengths 3, 4, 3, 2: exp(1 - 12/8).
    # poor: "i do not" holds 2, of 2 + 1 + 3 + 1 = 7; lengths 2, 4, 3, 2 = 11: exp(1 - 11/7).
    assert row["best"] == pytest.approx(1.0)
    assert row["median"] == pytest.approx(0.75 * 0.6065306597126334)
    assert row["lowest"] == pytest.approx(2 / 7 * 0.5647181220077593)
    assert [row[f"{p}_system"] for p in ("lowest", "median", "best")] == ["poor", "fair", "good"]
    assert (row["reached"], row["systems"], row["reaches"]) == (1, 3, "none")
    assert row["difference_median"] == pytest.approx(row["value"] - row["median"])
    assert row["p_median"] is None  # no resamples, no test


def test_the_copy_is_scored_as_if_its_reference_were_not_there():
    # Without the originals: ["a cat sat", "the cat"], ["let us go home"], ["yes i do"], ["not yet"].
    # "the cat sat down" 3 of 4 (each word in one of the two), "we go home now" 2 of 4, "yes of
    # course" 1 of 3, "no not yet" 2 of 3: 8 of 14. Lengths 3 + 4 + 3 + 2 = 12: no penalty.
    found = audit(*small(), ["bleu:order=1"], resamples=0)
    copy, shuffled = row_of(found, "BLEU-1", "copy"), row_of(found, "BLEU-1", "shuffled")
    assert copy["value"] == pytest.approx(8 / 14)
    assert shuffled["value"] == copy["value"]  # the same words
    assert copy["references"] == "leave-one-out"
    # fair anew: "the cat" 2, "home" 1, "yes" 1, "no" 0 = 4 of 8, exp(1 - 12/8).
    assert copy["median_system"] == "fair"
    assert copy["median"] == pytest.approx(0.5 * 0.6065306597126334)
    (verdict,) = found.verdicts
    assert (verdict.copy_reached, verdict.order_costs) == (2, 0.0)
    assert verdict.rewarded == ("shuffled",)  # a bag of words above the median system
    assert verdict.sentence.startswith("BLEU-1 ranks 'shuffled' at or above 2 of 3 systems;")
    assert verdict.sentence.endswith(
        "it ranks 'copy', an original reply, at or above 2 of 3 systems, and a shuffle of its words "
        "costs nothing."
    )


def test_a_baseline_that_equals_a_system_reaches_it():
    testset, responses = small(systems={**SYSTEMS, "dull": ["so"] * 4})
    row = row_of(audit(testset, responses, ["bleu:order=1"], constant="so"), "BLEU-1", "constant")
    # "so" and "dull" both score 0: 1 of 4 systems is reached, and the median of four is the second.
    assert (row["reached"], row["reaches"], row["median_system"]) == (1, "none", "poor")


def test_beating_everybody():
    testset, responses = small(systems={"a": ["x"] * 4, "b": ["y"] * 4})
    found = audit(testset, responses, ["bleu:order=1"], constant="yes the home not yet")
    row = row_of(found, "BLEU-1", "constant")
    assert (row["reached"], row["reaches"]) == (2, "best")
    assert "constant" in found.verdicts[0].rewarded
    compared = found.scores.compare(PREFIX + "constant", "a").row(0, named=True)
    assert row["p_best"] == compared["p_randomization"] == 2 / 2**4  # none and all of 4 swapped
    assert (row["low_best"], row["high_best"]) == (compared["low"], compared["high"])


def test_systems_are_scored_as_without_an_audit():
    testset, responses = small()
    found = audit(testset, responses, ["bleu", "rougeL"], resamples=200)
    alone = score(testset, responses, ["bleu", "rougeL"], resamples=200).systems()
    real = found.scores.systems().filter(pl.col("system").is_in(list(SYSTEMS)))
    assert real.equals(alone)


@dataclass(frozen=True)
class Errors(BLEU):
    """1 - BLEU: the lower the better."""

    name: ClassVar[str] = "errors"
    higher_is_better: ClassVar[bool] = False

    @property
    def label(self):
        return "errors"

    def score(self, totals):
        return 1 - super().score(totals)


def test_the_direction_of_a_metric_counts():
    testset, responses = small()
    upward = audit(testset, responses, [BLEU(order=1)])
    downward = audit(testset, responses, [Errors(order=1)])
    for baseline in BASELINES:
        up, down = row_of(upward, "BLEU-1", baseline), row_of(downward, "errors", baseline)
        for column in ("reached", "reaches", "median_system", "best_system", "p_median", "p_best"):
            assert up[column] == down[column], (baseline, column)
        assert down["difference_best"] == pytest.approx(-up["difference_best"])
    assert upward.verdicts[0].rewarded == downward.verdicts[0].rewarded
    assert downward.verdicts[0].order_costs is None  # a share of a score that should be low


def test_holm_is_over_the_baselines_of_a_metric():
    found = audit(*small(), ["bleu", "sbleu"], resamples=200)
    for label in ("BLEU-2", "sBLEU-2"):
        own = found.table.filter(pl.col("metric") == label)
        smallest = own.sort("p_median").row(0, named=True)
        assert own.height == 7
        assert smallest["p_holm_median"] == pytest.approx(min(1, 7 * smallest["p_median"]))
        assert (own["p_holm_median"] >= own["p_median"]).all()


def test_metrics_of_replies_alone_have_no_verdict():
    testset, responses = small()
    assert [each.metric for each in audit(testset, responses).verdicts] == [
        "BLEU-2",
        "sBLEU-2",
        "ROUGE-L",
    ]
    found = audit(testset, responses, ["length", "bleu", "distinct"], resamples=100)
    assert [each.metric for each in found.verdicts] == ["BLEU-2"]
    row = row_of(found, "length", "constant")
    assert row["value"] == 4.0  # I don 't know . -> I, don't, know, . under 13a
    assert row["reaches"] is row["median"] is row["p_median"] is None
    assert "no verdict on length, distinct-1: neither end of it is better" in found.notes


def test_no_context():
    found = audit(*small(contexts=[[]] * 4), ["bleu"], resamples=100)
    baselines = found.table.get_column("baseline").to_list()
    assert baselines == ["constant", "random", "random-reference", "copy", "shuffled"]
    assert "'echo' and 'context' are left out: no item has a context" in found.notes


def test_some_without_context_and_none_of_two_turns():
    found = audit(*small(contexts=[["Yes?"], [], ["No?"], []]), ["bleu"], resamples=100)
    assert "echo" in found.table.get_column("baseline").to_list()
    assert "context" not in found.table.get_column("baseline").to_list()
    assert any("empty for 2 of 4 items" in note for note in found.notes)
    assert any("it is 'echo'" in note for note in found.notes)


def test_one_system_alone():
    found = audit(*small(systems={"good": SYSTEMS["good"]}), ["bleu:order=1"], resamples=100)
    row = row_of(found, "BLEU-1", "constant")
    assert row["lowest"] == row["median"] == row["best"]
    assert (row["reached"], row["systems"]) == (0, 1)
    assert "below the only system" in found.verdicts[0].sentence


def test_one_item_has_no_interval_and_no_test():
    found = audit(*small(REFERENCES[:1], CONTEXTS[:1], {"a": ["a cat"]}), ["bleu:order=1"])
    assert found.table.get_column("baseline").to_list() == [
        "constant",
        "echo",
        "context",
        "copy",
        "shuffled",
    ]
    assert found.table.get_column("low").is_nan().all()
    assert found.table.get_column("p_median").is_null().all()
    told = " ".join(found.notes)
    assert "'random' is left out: there is no other item" in told
    assert "'random-reference' is left out" in told
    assert "fewer than 4 items: no interval and no test for BLEU-1" in told


def test_one_reference_each():
    found = audit(*small(references=[few[:1] for few in REFERENCES]), ["bleu"], resamples=100)
    assert found.left_out is None
    assert not {"copy", "shuffled"} & set(found.table.get_column("baseline"))
    assert any("no item has a second reference" in note for note in found.notes)
    assert found.verdicts[0].copy_reached is None
    assert "copy" not in found.verdicts[0].sentence


def test_weights_that_leave_nothing_good():
    # Without the originals deltaBLEU has no reference of positive weight; BLEU does not mind.
    weights = [[0.9, -0.5, -0.5], [0.9, -0.5], [0.9, -0.5], [0.9, -0.5]]
    found = audit(*small(weights=weights), ["deltableu", "bleu"], resamples=100)
    rows = found.table.filter(pl.col("references") == "leave-one-out")
    assert rows.get_column("metric").to_list() == ["BLEU-2", "BLEU-2"]
    assert any(note.startswith("deltaBLEU-2: 'copy' and 'shuffled'") for note in found.notes)
    # One item that has one left is scored, and the others counted.
    weights[0][1] = 0.5
    found = audit(*small(weights=weights), ["deltableu", "bleu"], resamples=100)
    assert row_of(found, "deltaBLEU-2", "copy")["n"] == 1
    assert any("leave-one-out: deltaBLEU-2: 3 of 4 items dropped" in note for note in found.notes)


def test_missing_replies_follow_the_policy():
    testset, responses = small()
    gap = responses.filter((pl.col("system") != "fair") | (pl.col("id") != "2"))
    with pytest.raises(InputError, match="system 'fair' did not answer 1 of 4 items"):
        audit(testset, gap, ["bleu"])
    dropped = audit(testset, gap, ["bleu"], missing="drop", resamples=100)
    assert set(dropped.table.get_column("n")) == {3}
    assert "1 item dropped that a system did not answer" in dropped.notes
    filled = audit(testset, gap, ["bleu"], missing="empty", resamples=100)
    assert set(filled.table.get_column("n")) == {4}
    assert "1 missing reply of 'fair' scored as empty" in filled.notes


def test_a_system_may_have_the_name_of_a_baseline():
    testset, responses = small(systems={"random": SYSTEMS["good"], "echo": SYSTEMS["poor"]})
    row = row_of(audit(testset, responses, ["bleu:order=1"], resamples=100), "BLEU-1", "echo")
    assert (row["best_system"], row["lowest_system"]) == ("random", "echo")


def test_a_system_that_quotes_references_is_named_and_can_be_left_out():
    human = {"human": ["The cat sat down", "x", "yes of  course", "no not yet"]}
    testset, responses = small(systems={**SYSTEMS, **human})
    found = audit(testset, responses, ["bleu"], resamples=100)
    (note,) = (note for note in found.notes if "by construction" in note)
    assert note.startswith("'human' gives a reference of the very item in 3 of 4 items")
    without = audit(testset, responses, ["bleu"], without=["human"], resamples=100)
    plain = audit(*small(), ["bleu"], resamples=100)
    assert without.table.equals(plain.table)
    with pytest.raises(ParameterError, match="system 'people' is unknown; choose 'good'"):
        audit(testset, responses, ["bleu"], without=["people"])
    with pytest.raises(ParameterError, match="no system is left"):
        audit(testset, responses, ["bleu"], without=[*SYSTEMS, "human"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"turns": 0}, "turns=0 must be a whole number, 1 or more"),
        ({"turns": True}, "turns=True"),
        ({"constant": None}, "constant=None must be a text"),
        ({"seed": -1}, "seed=-1"),
        ({"resamples": -1}, "resamples=-1"),
        ({"metrics": []}, "no metric is wanted"),
        ({"metrics": ["blue"]}, "metric 'blue' is unknown"),
    ],
)
def test_mistakes_name_what_is_wrong(arguments, told):
    with pytest.raises(ParameterError, match=told):
        audit(*small(), **arguments)


def test_the_examples():
    metrics = ["bleu:order=1", "bleu:order=2", "bleu:order=3"]
    found = audit(*examples(), metrics, resamples=200)
    copies = [row_of(found, f"BLEU-{n}", "copy") for n in (1, 2, 3)]
    shuffles = [row_of(found, f"BLEU-{n}", "shuffled") for n in (1, 2, 3)]
    # 13a cuts some commas and stops by what follows them: the tokens are nearly the same.
    assert shuffles[0]["value"] == pytest.approx(copies[0]["value"], abs=0.005)
    assert shuffles[1]["value"] < 0.75 * copies[1]["value"]
    assert shuffles[2]["value"] < 0.75 * copies[2]["value"]
    # Fewer references: no system scores higher without them.
    for n in (1, 2, 3):
        assert (
            row_of(found, f"BLEU-{n}", "copy")["best"] < row_of(found, f"BLEU-{n}", "echo")["best"]
        )
    # With the reference in its place a copy would match all of its n-grams.
    assert copies[1]["value"] < 0.2


def test_an_audit_repeats():
    one = audit(*examples(), resamples=100)
    two = audit(*examples(), resamples=100)
    assert one.table.equals(two.table)
    assert one.verdicts == two.verdicts
    assert not one.table.equals(audit(*examples(), resamples=100, seed=7).table)


def test_published_data_holds_people_who_wrote_the_references():
    folder = shared("data", "dstc7-task2")
    testset = rejoinder.read_testset(folder)
    responses = rejoinder.read_responses(folder / "dstc7-task2-system_responses.tsv")
    found = audit(testset, responses, ["sbleu"], drop_unusable=True, resamples=100)
    assert any(note.startswith("'Human' gives a reference") for note in found.notes)
    # "I don't know." is above every system that is no human, under sentence BLEU.
    row = row_of(found, "sBLEU-2", "constant")
    assert (row["reached"], row["best_system"]) == (9, "Human")


def test_an_interval_that_is_wide_for_want_of_matches_is_explained():
    testset = TestSet.from_lists([["no match here at all"]] * 39 + [["yes we can go now"]])
    responses = table({"a": ["yes no"] * 40, "b": ["no match here"] * 40}, testset.ids)
    words = "BLEU-4: the interval of 'constant' is more than 3 times as wide as its score"
    for constant, wide in (("yes we can go now", True), ("no match here at all", False)):
        found = audit(testset, responses, ["bleu:order=4"], constant=constant, resamples=100)
        row = row_of(found, "BLEU-4", "constant")
        assert (row["high"] - row["low"] > 3 * row["value"]) == wide
        assert any(note.startswith(words) for note in found.notes) == wide


def test_a_new_baseline_is_a_row_and_moves_no_draws(monkeypatch):
    testset, responses = small()
    before = baselines_of(testset, responses).replies
    last = max(each.draws for each in BASELINES.values()) + 1
    assert len({each.draws for each in BASELINES.values()}) == len(BASELINES)

    def reply(items, rng):
        return [str(rng.integers(9)) for _ in items.contexts]

    rows = {"dice": Baseline("a number", last, reply), **BASELINES}
    monkeypatch.setattr("rejoinder.auditing.trivial_baselines.BASELINES", rows)
    after = dict(baselines_of(testset, responses).replies)
    assert len(after.pop("dice")) == len(testset)
    assert after == before


def test_several_samples_of_a_prompt_are_audited_by_their_mean():
    testset, replies = small()
    order = [*range(1, replies.height), 0]
    other = replies.with_columns(text=replies["text"].gather(order), sample=pl.lit("b"))
    both = pl.concat([replies.with_columns(sample=pl.lit("a")), other])
    expected = score(testset, both, ["length"]).systems()
    found = audit(testset, both, ["bleu", "length"])
    values = found.scores.systems().filter(
        pl.col("metric") == "length", ~pl.col("system").str.starts_with(PREFIX)
    )
    assert values.sort("system")["value"].to_list() == expected.sort("system")["value"].to_list()
    assert found.left_out is not None
    alone = audit(testset, replies, ["bleu", "length"])
    baselines = pl.col("baseline").is_in(["constant", "echo", "copy"])
    for column in ("metric", "baseline", "value"):
        assert found.table.filter(baselines)[column].equals(alone.table.filter(baselines)[column])
