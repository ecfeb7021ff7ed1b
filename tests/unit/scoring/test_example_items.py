"""The items in which two systems differ most, and the worst replies of one, with their texts."""

import json

import pytest

import rejoinder
from rejoinder.errors import ParameterError
from rejoinder.scoring.example_items import shown
from shared_data import SYSTEMS, TESTSET

REFERENCES = [["yes it is"], ["at nine"], ["no thanks"], ["well then"]]
TEXTS = {
    "good": ["yes it is", "at ten", "no thanks", "oh"],
    "half": ["yes it was", "at nine", "oh", "oh"],
    "bad": ["oh"] * 4,
}


def test_the_largest_difference_comes_first_and_equal_items_are_left_out():
    scores = rejoinder.score(REFERENCES, TEXTS, ["bleu:order=1"], resamples=0)
    rows = scores.differing_items("good", "half")
    # 3 of 3 words against 2 of 3; 1 of 2 against 2 of 2; 2 of 2 against none; nothing against nothing.
    assert rows["id"].to_list() == ["3", "2", "1"]
    assert rows.select("a_reply", "b_reply").row(0) == ("no thanks", "oh")
    assert [a - b for a, b in rows.select("a_value", "b_value").iter_rows()] == pytest.approx(
        [1, -1 / 2, 1 / 3]
    )
    assert scores.differing_items(most=2).select("a", "b").unique().rows() == [("good", "half")]
    assert scores.differing_items(b="bad")["a"][0] == "good"
    with pytest.raises(ParameterError, match="system 'other' is unknown"):
        scores.differing_items("other")
    with pytest.raises(ParameterError, match="'good' cannot be compared with itself; name two"):
        scores.differing_items("good", "good")
    with pytest.raises(ParameterError, match="one system alone"):
        scores.select(systems=["good"]).differing_items()
    for most in (-1, 0, 1.5):
        with pytest.raises(ParameterError, match="expected a number of items, 1 or more"):
            scores.differing_items(most=most)  # pyright: ignore[reportArgumentType]


def test_they_are_printed_and_kept_scores_have_none(command, tmp_path):
    words = [TESTSET, *SYSTEMS, "-m", "bleu", "--resamples", "100"]
    plain = json.loads(command("compare", *words, "--json")[1])
    made = json.loads(command("compare", *words, "-a", "tuned", "--examples", "2", "--json")[1])
    assert "examples" not in plain
    first = made["examples"][0]
    assert len(made["examples"]) == 2
    shown = " ".join(command("compare", *words, "-a", "tuned", "--examples", "2")[1].split())
    assert f"items in which tuned and {first['b']} differ most: BLEU-2" in shown
    assert first["a_reply"].split()[0] in shown
    # Without a number there are five of them, and another option may follow.
    usual = json.loads(command("compare", *words, "--examples", "--json")[1])
    assert len(usual["examples"]) == 5
    kept = tmp_path / "kept.parquet"
    assert command("score", *words, "--save", kept)[0] == 0
    status, _, err = command("compare", kept, "--examples", "2")
    assert (status, "these scores hold no texts" in err) == (2, True)


def test_without_contexts_the_first_reference_says_what_an_item_is_about():
    scores = rejoinder.score(REFERENCES, TEXTS, ["bleu:order=1"], resamples=0)
    rows = scores.differing_items("good", "half")
    assert rows["message"].to_list() == [""] * 3
    assert rows["reference"].to_list() == ["no thanks", "at nine", "yes it is"]
    (table,) = shown(rows, scores.measured["BLEU-1"].metric, None)
    assert [each.heading for each in table.columns][:2] == ["id", "reference"]
    contexts = rejoinder.TestSet.from_lists(REFERENCES, contexts=["is it", "when", "tea", "so"])
    rows = rejoinder.score(contexts, TEXTS, ["bleu:order=1"], resamples=0).differing_items()
    (table,) = shown(rows, scores.measured["BLEU-1"].metric, None)
    assert [each.heading for each in table.columns][:2] == ["id", "message"]


def test_the_worst_replies_come_first_and_ties_stay_in_order():
    scores = rejoinder.score(REFERENCES, TEXTS, ["bleu:order=1", "ter"], resamples=0)
    rows = scores.worst_replies("half", most=3)
    # Nothing of "oh" twice (items 3 and 4), then 2 of 3 words.
    assert rows["id"].to_list() == ["3", "4", "1"]
    assert rows["value"].to_list() == pytest.approx([0, 0, 2 / 3])
    assert rows["reply"].to_list() == ["oh", "oh", "yes it was"]
    assert rows["reference"][0] == "no thanks"
    assert set(rows["metric"]) == {"BLEU-1"}
    # Of several systems each; where lower is better the highest values are the worst.
    every = scores.worst_replies(most=1, metric="ter")
    assert every["system"].to_list() == ["good", "half", "bad"]
    segments = scores.segments()
    for system, value in every.select("system", "value").iter_rows():
        assert value == segments.filter(system=system)["TER"].max()
    with pytest.raises(ParameterError, match="'other'"):
        scores.worst_replies("other")
    for most in (-1, 0, 1.5):
        with pytest.raises(ParameterError, match="expected a number of items, 1 or more"):
            scores.worst_replies(most=most)  # pyright: ignore[reportArgumentType]
    alone = rejoinder.score(REFERENCES, TEXTS, ["distinct"], resamples=0)
    with pytest.raises(ParameterError, match="scores single replies"):
        alone.worst_replies()


def test_score_prints_the_worst_replies_of_a_system(command, tmp_path):
    words = ["score", TESTSET, *SYSTEMS, "-m", "chrf", "-m", "bleu", "--resamples", "100"]
    assert "examples" not in json.loads(command(*words, "--json")[1])
    made = json.loads(command(*words, "--system", "tuned", "--json")[1])["examples"]
    assert [(row["metric"], row["system"]) for row in made] == [("chrF", "tuned")] * 5
    shown = " ".join(command(*words, "--system", "tuned")[1].split())
    assert "replies that chrF scores worst" in shown
    assert made[0]["reply"].split()[0] in shown
    assert f"{100 * made[0]['value']:.1f}" in shown
    for other in ("--segments", "--by=topic"):
        status, _, err = command(*words, "--system", "tuned", other)
        assert status == 2
        assert "do not go together" in err
    kept = tmp_path / "kept.parquet"
    assert command(*words, "--save", kept)[0] == 0
    status, _, err = command("score", kept, "--system", "tuned")
    assert (status, "without texts" in err) == (2, True)
