"""Judges beside people: the tables, what they rest on, and what is said."""

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder.errors import InputError, ParameterError

SCHEMA = ["id", "system", "rater", "criterion", "score"]


def world(seed=0, items=60, raters=4, noise=0.7, follow=1.0):
    """Ratings of two systems by several raters, and a judge's marks on their scale."""
    rng = np.random.default_rng(seed)
    quality = np.clip(rng.normal(3, 1, size=(2, items)), 1, 5)
    rows, marks = [], []
    for s, system in enumerate("xy"):
        for i in range(items):
            for r in range(raters):
                grade = float(np.clip(np.round(quality[s, i] + noise * rng.normal()), 1, 5))
                rows.append((f"c{i}", system, f"r{r}", "overall", grade))
            mark = 3 + follow * (quality[s, i] - 3) + 0.3 * rng.normal()
            marks.append((system, f"c{i}", "judge", float(np.clip(mark, 1, 5))))
    ratings = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return ratings, pl.DataFrame(marks, schema=["system", "id", "name", "value"], orient="row")


def measured(report, measure):
    return report.measures.filter(pl.col("measure") == measure).row(0, named=True)


def test_a_good_judge_follows_and_stands_in():
    ratings, marks = world()
    report = rejoinder.judge(rejoinder.Scores.from_segments(marks), ratings)
    assert measured(report, "slope")["value"] == pytest.approx(1, abs=0.15)
    assert measured(report, "corrected")["value"] > measured(report, "within")["value"] > 0.7
    test = report.tests.row(0, named=True)
    assert test["passed"]
    assert (test["raters"], test["beaten"]) == (4, 4)
    assert test["rater_advantage"] < test["advantage"]
    assert report.panel is None
    assert report.errors.get_column("level").to_list() == ["x", "y"]
    assert set(report.as_json()) == {
        "measures", "errors", "repeats", "tests", "raters", "panel", "signature", "notes",
    }  # fmt: skip


def test_the_severity_of_raters_is_taken_off_and_named():
    ratings, marks = world()
    scores = rejoinder.Scores.from_segments(marks)
    apart = {"r0": -1.0, "r1": 0.0, "r2": 0.0, "r3": 1.0}
    severe = ratings.with_columns(pl.col("score") + pl.col("rater").replace_strict(apart))
    plain, ours = (rejoinder.judge(scores, each) for each in (ratings, severe))
    for name in ("slope", "reliability", "within", "severity"):
        assert measured(ours, name)["value"] == pytest.approx(measured(plain, name)["value"])
    assert ours.errors["value"].to_list() == pytest.approx(plain.errors["value"].to_list())
    (note,) = [note for note in ours.notes if "the severity of raters is taken off" in note]
    assert "('r0')" in note
    assert "('r3')" in note
    assert "|rater_severity:adjusted|" in ours.signature
    mean = rejoinder.judge(scores, severe, rater_severity="kept")
    assert measured(mean, "slope")["value"] > 1.2 * measured(plain, "slope")["value"]
    assert not any("severity of raters" in note for note in mean.notes)
    with pytest.raises(
        ParameterError, match="rater_severity='z' is unknown; choose 'adjusted' or 'kept'"
    ):
        rejoinder.judge(scores, severe, rater_severity="z")


def test_raters_of_one_system_each_accuse_no_judge():
    ratings, marks = world(raters=1)
    tied = ratings.with_columns(
        rater=pl.when(pl.col("system") == "x").then(pl.lit("ann")).otherwise(pl.lit("bob")),
        score=pl.col("score") + (pl.col("system") == "x"),
    )
    report = rejoinder.judge(rejoinder.Scores.from_segments(marks), tied)
    assert report.errors["value"].is_nan().all()
    assert report.errors["reason"].str.starts_with("raters fall into groups").all()
    assert any("2 groups" in note and "(ann of x; bob of y)" in note for note in report.notes)
    # One reply that a stranger rated alone takes nothing away from the others.
    ratings, marks = world()
    other = ratings.filter((pl.col("id") != "c0") | (pl.col("system") != "x")).vstack(
        pl.DataFrame([("c0", "x", "eve", "overall", 3.0)], schema=SCHEMA, orient="row")
    )
    report = rejoinder.judge(rejoinder.Scores.from_segments(marks), other)
    assert measured(report, "slope")["n"] == 119
    assert any(
        note.startswith("judge: 1 rated reply left out, whose raters") for note in report.notes
    )


def test_where_few_replies_have_several_ratings_a_panel_is_hardly_known():
    ratings, marks = world()
    other = marks.with_columns(name=pl.lit("other"), value=pl.col("value") * 0.9 + 0.3)
    scores = rejoinder.Scores.from_segments(pl.concat([marks, other]))
    item = pl.col("id").str.slice(1).cast(pl.Int64)
    few = ratings.filter((pl.col("rater") == "r0") | (item % 3 == 0))
    of_all, of_few = (rejoinder.judge(scores, each) for each in (ratings, few))
    words = (
        "40 of 120 rated replies have several ratings, so that the raters' noise is hardly known"
    )
    assert [words in " ".join(each.notes) for each in (of_all, of_few)] == [False, True]
    (note,) = (each for each in of_few.notes if words in each)
    assert "panel" in note
    alone = rejoinder.judge(rejoinder.Scores.from_segments(marks), few)
    assert not any("of a panel" in each for each in alone.notes)


def test_a_panel_of_judges_who_marked_other_replies():
    """What is taken as known of the raters' noise does not depend on the order of the judges."""
    ratings, marks = world()
    fewer = marks.filter(~pl.col("id").is_in(["c0", "c1"]))
    noise = pl.Series(np.random.default_rng(1).normal(0, 0.5, fewer.height))
    named = {"judge": marks, "other": fewer.with_columns(value=pl.col("value") + noise)}
    tables = [each.with_columns(name=pl.lit(name)) for name, each in named.items()]
    panels = [
        rejoinder.judge(
            rejoinder.Scores.from_segments(pl.concat(order), missing="pairwise"), ratings
        ).panel
        for order in (tables, tables[::-1])
    ]
    assert panels[0].value > 1
    assert panels[0][:4] == pytest.approx(panels[1][:4])


def test_lower_is_better_turns_the_marks():
    ratings, marks = world()
    scores = [rejoinder.Scores.from_segments(marks, lower=lower) for lower in ([], ["judge"])]
    up, down = (measured(rejoinder.judge(each, ratings), "correlation") for each in scores)
    assert down["value"] == pytest.approx(-up["value"])


def test_marks_that_pass_the_test_turned_around_are_not_said_to_replace_a_rater():
    ratings, marks = world()
    errors = marks.with_columns(pl.col("value") * -10)  # words changed, of another scale
    (turned,), (named,) = (
        [
            line
            for line in rejoinder.judge(scores, ratings).to_markdown().splitlines()
            if "can replace a rater" in line
        ]
        for scores in (
            rejoinder.Scores.from_segments(errors, lower=lower) for lower in ([], ["judge"])
        )
    )
    assert "Within a system no: they correlate negatively" in turned
    assert (
        "Turned around, as where lower is better, the marks of judge can replace a rater" in turned
    )
    assert ". judge can replace a rater: " in named


def test_a_constant_that_would_stand_in_is_said():
    # raters who agree in nothing: whoever stays in the middle is close to all of them
    rng = np.random.default_rng(1)
    rows = [
        (f"c{i}", "x", f"r{r}", "overall", float(rng.integers(1, 6)))
        for i in range(80)
        for r in range(5)
    ]
    ratings = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    marks = pl.DataFrame(
        [("x", f"c{i}", "judge", 3.0 + 0.01 * (i % 2)) for i in range(80)],
        schema=["system", "id", "name", "value"],
        orient="row",
    )
    report = rejoinder.judge(rejoinder.Scores.from_segments(marks), ratings)
    assert report.tests["passed"].to_list() == [True]
    assert any("one and the same grade" in note for note in report.notes)
    good = rejoinder.judge(rejoinder.Scores.from_segments(world()[1]), world()[0])
    assert not any("one and the same grade" in note for note in good.notes)


def test_replies_without_a_text_are_not_empty_replies():
    ratings, marks = world()
    texts = [
        ("x" if s == "x" else "y", f"c{i}", "w " * (1 + i % 7)) for s in "xy" for i in range(60)
    ]
    responses = pl.DataFrame(texts, schema=["system", "id", "text"], orient="row")
    scores = rejoinder.Scores.from_segments(marks)
    whole = rejoinder.judge(scores, ratings, responses=responses)
    assert "length" in whole.errors.get_column("factor").to_list()
    half = rejoinder.judge(scores, ratings, responses=responses.head(60))
    assert "length" not in half.errors.get_column("factor").to_list()
    assert any("60 rated replies without a text" in note for note in half.notes)


def test_repeated_marks_have_a_reliability():
    ratings, marks = world()
    again = pl.concat([marks, marks.with_columns(pl.col("value") + 0.1)])
    repeats = again.with_columns(sample=pl.Series([0] * 120 + [1] * 120))
    scores = rejoinder.Scores.from_segments(repeats)
    report = rejoinder.judge(scores, ratings, repeats=repeats)
    (row,) = report.repeats.to_dicts()
    assert (row["replies"], row["marks"]) == (120, 240)
    assert 0.95 < row["single"] < row["mean"] < 1


def test_a_panel_and_a_seed():
    ratings, marks = world()
    other = marks.with_columns(pl.lit("other").alias("name"))
    report = rejoinder.judge(rejoinder.Scores.from_segments(pl.concat([marks, other])), ratings)
    assert report.panel.value == pytest.approx(1)
    with pytest.raises(ParameterError, match="seed=-1"):
        rejoinder.judge(rejoinder.Scores.from_segments(marks), ratings, seed=-1)


def test_the_ratings_themselves_are_no_judge():
    ratings, _ = world()
    marks = ratings.select("system", "id", "rater", name=pl.lit("judge"), value="score")
    words = "judge: its marks of all 120 rated replies are equal to the mean ratings"
    with pytest.raises(InputError, match=words):
        rejoinder.judge(rejoinder.Scores.from_segments(marks), ratings)
    # One rater's grades, as they would be called by another name.
    one = ratings.filter(rater="r1")
    alone = one.select("system", "id", name=pl.lit("judge"), value="score")
    with pytest.raises(InputError, match="seem to be the ratings themselves"):
        rejoinder.judge(rejoinder.Scores.from_segments(alone), one)
    # Beside other raters these are the marks of somebody who errs.
    rejoinder.judge(rejoinder.Scores.from_segments(alone), ratings)
    # One other mark in 120 is an error.
    first = pl.int_range(pl.len()) == 0
    changed = alone.with_columns(value=pl.when(first).then(3.5).otherwise("value"))
    rejoinder.judge(rejoinder.Scores.from_segments(changed), one)


def test_a_judge_among_the_raters_is_not_compared_with_itself():
    ratings, marks = world()
    scores = rejoinder.Scores.from_segments(marks)
    itself = marks.select(
        "id", "system", rater=pl.lit("gpt"), criterion=pl.lit("overall"), score="value"
    )
    expected = rejoinder.judge(scores, ratings)
    found = rejoinder.judge(scores, pl.concat([ratings, itself.select(ratings.columns)]))
    assert found.measures.equals(expected.measures)
    assert found.tests.equals(expected.tests)
    (note,) = {*found.notes} - {*expected.notes}
    assert "equal to the grades of rater 'gpt' on every reply that both have" in note
    # With one grade apart, or on a few replies, it is a rater like others.
    apart = itself.with_columns(score=pl.col("score") + (pl.int_range(pl.len()) == 0))
    for rater in (apart, itself.head(9), itself.head(59)):
        both = rejoinder.judge(scores, pl.concat([ratings, rater.select(ratings.columns)]))
        assert not any("rater 'gpt' on every reply" in each for each in both.notes)
    half = rejoinder.judge(scores, pl.concat([ratings, itself.head(60).select(ratings.columns)]))
    assert any("rater 'gpt' on every reply" in each for each in half.notes)


def test_two_grades_are_equal_by_chance_on_few_replies():
    ratings, _ = world()
    ratings = ratings.with_columns(score=(pl.col("score") > 3).cast(pl.Float64))
    one = ratings.filter(rater="r1")
    for n, is_same in ((49, False), (50, True)):
        judged = one.head(n).select("system", "id", name=pl.lit("judge"), value="score")
        report = rejoinder.judge(rejoinder.Scores.from_segments(judged), ratings)
        assert any("rater 'r1' on every reply" in each for each in report.notes) is is_same


def test_judges_that_are_all_the_raters_are_refused():
    ratings, _ = world()
    ratings = ratings.filter(pl.col("rater").is_in(["r1", "r2"]))
    marks = ratings.select("system", "id", name="rater", value="score")
    with pytest.raises(InputError, match="r1, r2: the marks are equal to the grades of the raters"):
        rejoinder.judge(rejoinder.Scores.from_segments(marks), ratings)


def test_marks_of_several_raters_beside_ratings_of_one_may_be_swapped():
    ratings, marks = world()
    several = ratings.select("system", "id", "rater", name=pl.lit("judge"), value="score")
    one = marks.select(
        "id", "system", rater=pl.lit("r"), criterion=pl.lit("overall"), score="value"
    )
    words = (
        "judge: the marks have 4 raters, and the ratings have one; if the two tables are swapped"
    )
    swapped = rejoinder.judge(rejoinder.Scores.from_segments(several), one)
    assert any(note.startswith(words) for note in swapped.notes)
    right = rejoinder.judge(rejoinder.Scores.from_segments(marks), ratings)
    assert not any("swapped" in note for note in right.notes)


def test_marks_that_are_all_equal_are_said_to_be():
    ratings, marks = world()
    equal = marks.with_columns(value=pl.lit(4.375))
    report = rejoinder.judge(rejoinder.Scores.from_segments(equal), ratings)
    assert any("all marks are equal (4.375)" in note for note in report.notes)
    for name in ("slope", "correlation", "within", "corrected"):
        assert measured(report, name)["reason"] == "all marks are equal", name


@pytest.mark.parametrize(
    ("lowest", "highest", "scale", "on", "words"),
    [
        # Ratings from 1 to 5: marks may reach 1 beyond, a quarter of it.
        (1, 5, None, True, None),
        (0, 6, None, True, "ratings lie from 1 to 5, and marks from 0 to 6: they are taken"),
        (1, 6, (1, 7), True, None),
        (1, 6.5, None, False, "if both have one scale, scale=(LOW, HIGH) names it"),
        (1, 6.5, (1, 7), True, None),
        (1, 6.5, (1, 6), False, "marks are not on the ratings' scale (1 to 6)"),
        (0, 1, None, False, "marks are not on the ratings' scale (1 to 5)"),  # a metric of texts
        (3, 4, None, True, None),  # a judge that gives two grades
    ],
)
def test_the_scale_is_guessed_in_words(lowest, highest, scale, on, words):
    ratings, marks = world()
    value = pl.col("value")
    share = (value - value.min()) / (value.max() - value.min())
    marks = marks.with_columns(value=lowest + (highest - lowest) * share)
    report = rejoinder.judge(rejoinder.Scores.from_segments(marks), ratings, scale=scale)
    assert (measured(report, "severity")["reason"] is None) == on
    of_scale = [note for note in report.notes if "scale" in note]
    assert len(of_scale) == (words is not None)
    if words is not None:
        assert words in of_scale[0]
        remedy = "scale=(0.0, 6.0) says so" if on else "if both have one scale"
        assert (remedy in of_scale[0]) == (scale is None and (lowest, highest) != (0, 1))


def test_correlate_says_what_judge_cannot_give():
    """Raters in two groups without a reply in common: the one has no numbers, the other says so."""
    ratings, marks = world()
    apart = ratings.with_columns(
        rater=pl.format("{} of {}", "rater", pl.col("id").str.slice(1).cast(int) % 2)
    )
    scores = rejoinder.Scores.from_segments(marks)
    assert measured(rejoinder.judge(scores, apart), "within")["reason"].startswith("raters fall")
    (note,) = [each for each in rejoinder.correlate(scores, apart).notes if "raters fall" in each]
    assert note.startswith("the raters fall into 2 groups that rated no reply in common: ")
    assert not any("raters fall" in each for each in rejoinder.correlate(scores, ratings).notes)
