"""What the table of variety says of copies, equal and empty replies, other scripts and what is missing."""

import numpy as np
import polars as pl
import pytest

from rejoinder import External, TestSet, variety
from rejoinder.diversity.measures import vendi
from rejoinder.diversity.variety import _summary
from rejoinder.errors import ParameterError
from rejoinder.statistics.clusters import Groups
from rejoinder.statistics.proportions import share_size, wilson


def replies(systems):
    """By system and prompt a list of samples."""
    rows = [
        (name, id, str(k), text)
        for name, prompts in systems.items()
        for id, texts in prompts.items()
        for k, text in enumerate(texts)
    ]
    return pl.DataFrame(rows, schema=["system", "id", "sample", "text"], orient="row")


def value(result, measure, system="a"):
    return result.systems.filter(measure=measure, system=system).item(0, "value")


WORDS = ["river stone", "window lamp", "harbour bread", "winter music"]


def test_closeness_is_to_all_references_and_coverage_to_those_that_are_no_copy():
    testset = TestSet.from_lists([[each, "quite another matter"] for each in WORDS])
    said = {
        "copy": {str(i + 1): [each] for i, each in enumerate(WORDS)},
        "near": {str(i + 1): [f"{each[:-1]}!"] for i, each in enumerate(WORDS)},
        "far": {str(i + 1): [each.split()[0]] for i, each in enumerate(WORDS)},
    }
    result = variety(replies(said), testset, samples=1, permutations=0)
    assert value(result, "closeness chrF", "copy") == pytest.approx(1)
    assert 0.5 < value(result, "closeness chrF", "near") < 1
    assert abs(value(result, "coverage chrF", "copy")) < 0.2
    assert abs(value(result, "coverage chrF", "near")) < 0.2 < value(result, "coverage chrF", "far")
    left_out = (
        "4 references that repeat a reply of the system to the same prompt, or nearly, left out of "
    )
    assert [each for each in result.notes if "repeat" in each] == [
        f"{name}: {left_out}the coverage (not of the closeness)" for name in ("copy", "near")
    ]


@pytest.mark.parametrize("text", ["", "ok", "今天天气很好"])
def test_equal_samples_are_one_reply(text):
    result = variety(replies({"a": {"1": [text] * 4, "2": [text] * 4}}))
    for name in ("Vendi chrF", "Vendi exact match", "pairwise chrF", "pairwise sBLEU-2"):
        assert value(result, name) == pytest.approx(1), name


def test_equal_samples_of_two_systems_have_no_gap():
    same = {"1": ["", "", "ok"], "2": ["", "ok", "ok"], "3": ["", "", ""]}
    empty = variety(replies({"a": same, "b": same})).pairs.row(0, named=True)
    filled = {id: [each or "why" for each in texts] for id, texts in same.items()}
    other = variety(replies({"a": filled, "b": filled})).pairs.row(0, named=True)
    assert empty["within"] == pytest.approx(other["within"])
    assert empty["between"] == pytest.approx(other["between"])


def test_texts_without_spaces_have_a_note_and_a_tokenizer():
    chinese = {str(i): ["今天天气很好我们去公园", "你喜欢吃什么水果呢"] for i in range(3)}
    plain = variety(replies({"a": chinese}))
    assert any(
        "tokenizer '13a' does not separate the words of 6 of 6" in each for each in plain.notes
    )
    assert value(plain, "distinct-2") is None
    cut = variety(replies({"a": chinese}), tokenizer="zh")
    assert value(cut, "distinct-2") == 1
    assert not any("does not separate" in each for each in cut.notes)
    assert "tok:zh" in cut.signatures["sBLEU-2"]


def test_unanswered_prompts_and_undefined_measures_are_counted():
    result = variety(
        replies({"a": {"1": ["x y", "z y"], "2": ["x", "z"]}, "b": {"1": ["x y", "u v"]}})
    )
    assert "b: no reply to 1 of 2 prompts" in result.notes
    assert "a: distinct-2 is undefined for 1 of its prompts" in result.notes


def test_one_prompt_has_closeness_and_a_reason_for_no_coverage():
    testset = TestSet.from_lists([["river stone"]])
    result = variety(replies({"a": {"1": ["river", "lamp"]}}), testset)
    assert value(result, "closeness chrF") > 0
    (row,) = result.systems.filter(measure="coverage chrF").to_dicts()
    assert row["value"] is None
    assert "no two prompts" in row["reason"]


def test_given_scores_are_the_quality_beside_variety():
    said = replies({"a": {str(i): ["x y", "z"] for i in range(6)}})
    marks = said.select("system", "id", "sample").with_columns(
        judge=pl.Series([1.0, 5.0] * 5 + [None] * 2),
        passed=pl.Series([1.0] * 10 + [0.0, 1.0]),
    )
    judge = External("judge", marks.drop("passed"), bounds=(1, 5))
    result = variety(said, scores=[judge, External("passed", marks.drop("judge"))])
    assert result.quality == {"judge": 1, "passed": 100}
    assert "a: judge is undefined for 1 of its prompts" in result.notes
    of_judge, passed = (result.systems.filter(measure=m).row(0, named=True) for m in result.quality)
    assert (of_judge["value"], of_judge["n"], passed["n"]) == (3, 5, 6)
    expected = wilson(11 / 12, share_size(np.array([1.0] * 5 + [0.5]), Groups.of(None, 6)))
    assert (passed["low"], passed["high"]) == pytest.approx((expected.low, expected.high))
    assert "x100 but for Vendi, judge" in result.to_markdown()
    assert result.plot().axes[0].get_ylabel() == "judge"
    assert result.plot("passed").axes[0].get_ylabel() == "passed (x100)"
    taken = External("distinct-1", marks.select("system", "id", "sample", pl.col("judge")))
    with pytest.raises(ParameterError, match="'distinct-1' is a measure of variety itself"):
        variety(said, scores=[taken])


def test_a_conversation_without_a_value_is_noted():
    testset = TestSet.from_lists([[each] for each in WORDS])
    contexts = testset.contexts.with_columns(conversation=pl.Series(["c", "c", None, "d"]))
    said = replies({"a": {str(i + 1): ["river", "lamp"] for i in range(4)}})
    result = variety(said, TestSet(contexts, testset.references))
    assert any("column 'conversation' is empty for item '3'" in each for each in result.notes)
    assert result.parameters["cluster"] == "conversation"


def test_pairs_say_why_an_interval_is_missing_and_of_how_many_prompts_the_gap_is():
    said = {"a": {"1": ["x y", "z"], "2": ["x"]}, "b": {"1": ["x", "u"], "2": ["y"]}}
    row = variety(replies(said), samples=1).pairs.row(0, named=True)
    assert (row["n"], row["gap_n"]) == (2, 1)
    assert (row["low"], row["gap_low"]) == (None, None)
    assert row["reason"]
    assert row["gap_reason"]


@pytest.mark.parametrize(
    ("measure", "least", "most"),
    [
        ("distinct-1", 0, 1),
        ("pairwise chrF", 0, 1),
        ("pairwise sBLEU-2", 0, 1),
        ("pairwise cosine", -1, 1),
        ("closeness cosine", -1, 1),
        ("coverage chrF", -1, 1),
        ("good less bad coverage chrF", -2, 2),
        ("Vendi chrF", 1, 3),
    ],
)
def test_intervals_end_where_the_measure_does(measure, least, most):
    middle = (least + most) / 2
    for end, column in ((least, "low"), (most, "high")):
        values = np.where(np.arange(30) == 0, middle, float(end))
        row = _summary("a", measure, values, np.arange(30), 3)
        assert least <= row[column] <= most


def test_the_vendi_score_of_unknown_similarities_is_unknown():
    assert np.isnan(vendi(np.full((1, 3, 3), np.nan))[0])
