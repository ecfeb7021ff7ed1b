"""Strengths as arenas have them: ties, covariates, judges, ranks."""

import math

import polars as pl
import pytest

import rejoinder
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.schemas import PREFERENCES


def votes(*outcomes, **columns):
    """Comparisons of x and y, an item each, and further columns."""
    rows = [(f"c{i}", "x", "y", "ann", "overall", each) for i, each in enumerate(outcomes)]
    frame = pl.DataFrame(rows, schema=PREFERENCES, orient="row")
    return frame.with_columns(pl.Series(name, values) for name, values in columns.items())


def test_davidson_gives_nu_and_the_odds_of_a_win():
    # shares 6 : 3 : 2, so log odds log 3 and nu 3 / sqrt(12)
    table = votes(*"aaaaaa", *["tie"] * 3, *"bb")
    summary = rejoinder.preferences(table, ties="davidson")
    assert summary.strengths["strength"][0] == pytest.approx(math.log(3) / 2)
    (row,) = summary.parameters.to_dicts()
    assert (row["parameter"], row["name"]) == ("tie", "nu")
    assert row["value"] == pytest.approx(3 / math.sqrt(12))
    assert 0 < row["low"] < row["value"] < row["high"]
    assert "ties:davidson" in summary.signature
    assert summary.as_json()["parameters"] == summary.parameters.to_dicts()
    assert "parameters" not in rejoinder.preferences(table).as_json()


def test_no_resamples_no_intervals():
    strengths = rejoinder.preferences(votes(*"aaaabb"), resamples=0).strengths
    assert strengths["strength"][0] == pytest.approx(math.log(2) / 2)
    assert strengths["low"].is_nan().all()
    assert strengths["reason"].is_null().all()


def test_a_covariate_is_what_a_has_more_of():
    # x wins where its reply is longer and loses where it is shorter: 4 of 5 times each.
    outcomes = [*"aaaab", *"bbbba"]
    length = {"length_a": [9.0] * 5 + [4.0] * 5, "length_b": [4.0] * 5 + [9.0] * 5}
    summary = rejoinder.preferences(votes(*outcomes, **length), covariates=["length"])
    assert summary.strengths["strength"].to_list() == pytest.approx([0, 0], abs=1e-9)
    (row,) = summary.parameters.to_dicts()
    assert row["value"] == pytest.approx(math.log(4) / 5)  # log odds of 4 to 1 for 5 more
    # the same said by the other side, and as a difference
    turned = votes(*outcomes, **length).select(
        "id", "rater", "criterion", a="b", b="a",
        winner=pl.col("winner").replace({"a": "b", "b": "a"}),
        length_a="length_b", length_b="length_a",
    )  # fmt: skip
    again = rejoinder.preferences(turned, covariates=["length"]).parameters.to_dicts()[0]
    assert again["value"] == pytest.approx(row["value"])
    as_difference = votes(*outcomes, style=[5] * 5 + [-5] * 5)
    style = rejoinder.preferences(as_difference, covariates=["style"]).parameters.to_dicts()[0]
    assert style["value"] == pytest.approx(row["value"])


def test_length_and_markdown_are_measured_of_the_texts():
    long, short = "# A\n- one\n- **two** of three", "yes"
    outcomes = [*"aaaab", *"bbbba"]
    texts = {"text_a": [long] * 5 + [short] * 5, "text_b": [short] * 5 + [long] * 5}
    rows = {
        name: rejoinder.preferences(
            votes(*outcomes, **texts), covariates=[name]
        ).parameters.to_dicts()[0]
        for name in ("length", "markdown")
    }
    # 8 words ("#", "A", "-", "one", "-", "**two**", "of", "three") beside 1; 4 marks beside none
    assert rows["length"]["value"] == pytest.approx(math.log(4) / math.log(9 / 2))
    assert rows["markdown"]["value"] == pytest.approx(math.log(4) / math.log(5))


def test_ranks_follow_the_corrected_tests():
    rows = []
    for i in range(40):
        for a, b, won in (("x", "y", i % 10 > 0), ("x", "z", i % 10 > 1), ("y", "z", i % 2 > 0)):
            rows.append((f"c{i}", a, b, "ann", "overall", "a" if won else "b"))
    table = pl.DataFrame(rows, schema=PREFERENCES, orient="row")
    strengths = rejoinder.preferences(table, ranks=True).strengths
    ranks = {row["system"]: (row["best_rank"], row["worst_rank"]) for row in strengths.to_dicts()}
    assert ranks == {"x": (1, 1), "y": (2, 3), "z": (2, 3)}
    assert "best_rank" not in rejoinder.preferences(table).strengths.columns


def test_what_makes_no_sense_is_refused():
    table = votes(*"aab", length_a=["3", "many", "2"], length_b=["1", "1", "1"])
    with pytest.raises(InputError, match=r"row 2: 'many' in the column 'length_a'"):
        rejoinder.preferences(table, covariates=["length"])
    with pytest.raises(ParameterError, match="no columns 'depth_a' and 'depth_b'"):
        rejoinder.preferences(table, covariates=["depth"])
    with pytest.raises(ParameterError, match="twice"):
        rejoinder.preferences(table, covariates=["length", "length"])
    with pytest.raises(ParameterError, match="no rater is called 'bob'"):
        rejoinder.preferences(table, judges=["bob"])
    with pytest.raises(ParameterError, match="all raters are named as judges"):
        rejoinder.preferences(table, judges=["ann"])
    with pytest.raises(ParameterError, match="ties='third' is unknown"):
        rejoinder.preferences(table, ties="third")
    texts = votes(*"ab", text_a=["yes", None], text_b=["no", "no"])
    with pytest.raises(InputError, match="row 2: no text in the column 'text_a'"):
        rejoinder.preferences(texts, covariates=["length"])
    with pytest.raises(ParameterError, match="bootstrap=True and ranks=True do not"):
        rejoinder.preferences(table, bootstrap=True, ranks=True)


@pytest.mark.parametrize(
    ("raters", "given", "effects"),
    [
        (4, None, "random"),
        (4, "fixed", "fixed"),
        (2, None, "fixed"),
        (3, "random", "random"),
    ],
)
def test_the_signature_has_the_rule_on_raters_that_intervals_follow(raters, given, effects):
    table = votes(*"aabbaabaabab", rater=[f"r{i % raters}" for i in range(12)])
    summary = rejoinder.preferences(table, rater_effects=given)
    assert f"|rater_effects:{effects}|" in summary.signature


def test_votes_by_nobody_named_are_not_by_one_rater():
    notes = rejoinder.preferences(votes(*"aabbaabb", rater=["1"] * 8)).notes
    assert "fixed rater effects: raters have no names" in " ".join(notes)
