"""The items in which two systems differ most, with what both replied."""

import json

import pytest

import rejoinder
from rejoinder.errors import ParameterError
from rejoinder.scoring.differing_items import shown
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
