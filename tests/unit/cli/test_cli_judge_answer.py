"""The sentences of ``rejoinder judge``: no more than the tables have."""

import dataclasses
import re

import numpy as np
import polars as pl
import pytest

import rejoinder
from rejoinder.meta_evaluation import judge_sentences
from rejoinder.meta_evaluation.judge_sentences import CONSTANT_STANDS_IN
from shared_data import EXAMPLES

NUMBER = r"-?\d\.\d\d"
SPAN = rf"{NUMBER} \[{NUMBER}, {NUMBER}\]"


def report(raters=4, items=60, bias=0.0, follow=1.0, seed=0):
    """A judge that adds ``bias`` to the marks of x, beside so many raters."""
    rng = np.random.default_rng(seed)
    quality = np.clip(rng.normal(3, 1, size=(2, items)), 1, 5)
    rows, marks = [], []
    for s, system in enumerate("xy"):
        for i in range(items):
            for r in range(raters):
                grade = float(np.clip(np.round(quality[s, i] + 0.7 * rng.normal()), 1, 5))
                rows.append((f"c{i}", system, f"r{r}", "overall", grade))
            mark = 3 + follow * (quality[s, i] - 3) + 0.3 * rng.normal() + bias * (system == "x")
            marks.append((system, f"c{i}", "judge", float(mark)))
    schema = ["id", "system", "rater", "criterion", "score"]
    ratings = pl.DataFrame(rows, schema=schema, orient="row")
    scores = pl.DataFrame(marks, schema=["system", "id", "name", "value"], orient="row")
    return rejoinder.judge(rejoinder.Scores.from_segments(scores), ratings)


def answer(of, judge):
    return judge_sentences.answer(of.measures, of.errors, of.tests, of.notes, judge)


def number(report, measure, column):
    return report.measures.filter(pl.col("measure") == measure)[column][0]


def test_a_good_judge():
    whole = report()
    words = answer(whole, "judge")
    value, low, high = (number(whole, "within", name) for name in ("value", "low", "high"))
    assert words.startswith(
        "Can the marks of judge be trusted? Within a system they follow people's ratings (r within "
        f"{value:.2f} [{low:.2f}, {high:.2f}]); whether mean ratings of as many other raters would do so "
        f"more closely ({number(whole, 'reliability', 'value'):.2f} ["
    )
    assert re.search(
        r" Between systems they are not shown to favour one \(smallest p Holm [\d.]+\), but the intervals "
        rf"allow errors of up to {NUMBER} in units of the ratings\. ",
        words,
    )
    assert words.endswith(
        " judge can replace a rater: in the alternative annotator test it beats 4 of 4 raters."
    )
    so_would = dataclasses.replace(whole, notes=(f"{CONSTANT_STANDS_IN} (it beats 4 of 4): ",))
    assert answer(so_would, "judge").endswith(
        "4 of 4 raters, but one and the same grade for every reply would too."
    )


def test_favours():
    words = answer(report(bias=1.0), "judge")
    assert re.search(
        rf" Between systems no: they favour x \({SPAN}\) and disfavour y \({SPAN}\) in units of",
        words,
    )
    # The marks of x are 1 higher, and those of y are not: 0.5 on average.
    words = answer(report(bias=1.0, follow=0.5), "judge")
    (by,) = re.findall(rf"As grades no: on average they lie above ratings, by ({NUMBER}) \[", words)
    assert float(by) == pytest.approx(0.5, abs=0.1)
    below = answer(report(bias=-1.0, follow=0.5), "judge")
    assert "on average they lie below ratings, by -0." in below
    assert "As grades" not in answer(report(), "judge")


@pytest.mark.parametrize(
    ("raters", "end"),
    [(1, "there is 1; ask two more raters"), (2, "there are 2; ask a third rater")],
)
def test_the_test_that_was_not_done(raters, end):
    words = answer(report(raters), "judge")
    assert words.endswith(
        " Whether judge can replace a rater is not known: the alternative annotator test was not done, "
        f"since it needs three raters or more, and {end}."
    )
    unknown = "what people reach among themselves is not known: each reply has one rating"
    assert (unknown in words) == (raters == 1)


def test_too_few_items():
    words = answer(report(items=20), "judge")
    assert words.endswith(
        "the alternative annotator test was not done, since every rater has fewer than 30 contexts or "
        "clusters that another rated too; have more rated."
    )


def test_a_judge_that_follows_nothing():
    words = answer(report(follow=0.0), "judge")
    assert words.startswith(
        "Can the marks of judge be trusted? Within a system that is not known: they are not shown to follow "
        "people's ratings (r within "
    )
    assert " Between systems that is not known: the judge's marks follow" in words
    assert " The test does not show that judge can replace a rater: in the " in words
    assert words.endswith("and half are needed.")
    assert "Within a system no: they correlate negatively with people's ratings" in answer(
        report(follow=-1.0), "judge"
    )


@pytest.mark.parametrize(
    ("judge", "people", "words"),
    [
        ((0.5, 0.4, 0.69), (0.8, 0.7, 0.9), "in part: they follow people's ratings"),
        ((0.5, 0.4, 0.7), (0.8, 0.7, 0.9), "is not shown"),  # the intervals touch
        ((0.95, 0.9, 0.99), (0.8, 0.7, 0.9), "is not shown"),
        ((0.95, 0.91, 0.99), (0.8, 0.7, 0.9), "more closely than mean ratings of as many"),
    ],
)
def test_beside_other_people_no_more_is_said_than_the_intervals_show(judge, people, words):
    whole = report()
    ends = {"within": judge, "reliability": people}
    rows = [
        row
        | dict(
            zip(("value", "low", "high"), ends.get(row["measure"], (row["value"],)), strict=False)
        )
        for row in whole.measures.to_dicts()
    ]
    measures = pl.DataFrame(rows, schema=whole.measures.schema)
    assert words in answer(dataclasses.replace(whole, measures=measures), "judge").split(". ")[0]


def reversed_judge(turned=("y",), lower=False):
    """Passes of 120 items by which other systems are better than by people, who rate 20 items.

    Within a system marks have nothing to do with ratings, so that its error cannot be tested.
    """
    rng = np.random.default_rng(3)
    marks, rows = [], []
    for system in "xyz"[: 1 + len(turned)]:
        for i in range(120):
            passes = rng.random() < (0.7 if system in turned else 0.3)
            marks.append((system, f"c{i}", "judge", float(passes != lower)))
            if i < 20:
                low = 1.5 * (system in turned)
                grades = (float(round(4 - low + rng.normal(0, 0.6))) for _ in "ab")
                rows += [
                    (f"c{i}", system, r, "overall", each)
                    for r, each in zip("ab", grades, strict=True)
                ]
    schema = ["id", "system", "rater", "criterion", "score"]
    scores = pl.DataFrame(marks, schema=["system", "id", "name", "value"], orient="row")
    given = rejoinder.Scores.from_segments(scores, lower=["judge"] * lower)
    return given, pl.DataFrame(rows, schema=schema, orient="row")


@pytest.mark.parametrize("lower", [False, True])
def test_a_judge_and_people_who_significantly_prefer_opposite_systems(lower):
    both = reversed_judge(lower=lower)
    compared = rejoinder.compare_with_people(*both)
    p = dict(compared.pairs.select("by", "p_holm").iter_rows())
    opposed = (
        rf"y to x \(p {p['judge']:.2g}, 120 items\), and people x to y \(p {p['people']:.2g}, 20 rated "
        r"items\)"
    )
    assert max(p["judge"], p["people"]) < 0.05
    found = re.findall(f"judge significantly prefers {opposed}", compared.to_markdown())
    assert len(found) == 1
    whole = rejoinder.judge(*both)
    assert number(whole, "slope", "n") == 40
    assert whole.errors["p"].is_nan().all()
    says = (
        rf"Between systems no: they significantly prefer {opposed}; how far they err is not known: "
    )
    assert re.search(says, answer(whole, "judge"))
    assert whole.to_markdown().count("20 rated items") == 1  # the answer says it, and no note again
    assert any("prefers" in each for each in whole.as_json()["notes"])


def test_pairs_in_which_a_judge_and_people_are_opposed_are_counted():
    words = answer(rejoinder.judge(*reversed_judge(("y", "z"))), "judge")
    assert (
        "20 rated items); the same holds in 2 of 2 pairs that people tell apart; how far" in words
    )
    assert "prefer" not in answer(rejoinder.judge(*reversed_judge(())), "judge")
    assert "prefer" not in answer(report(bias=1.0), "judge")


def test_equal_marks_and_one_system():
    scores = pl.DataFrame({"system": "x", "id": [f"c{i}" for i in range(40)], "judge": 3.0})
    ratings = scores.select("id", "system", rater=pl.lit("r"), criterion=pl.lit("overall"))
    ratings = ratings.with_columns(score=pl.Series([1.0, 2, 3, 4] * 10))
    scores = scores.select("system", "id", name=pl.lit("judge"), value="judge")
    words = answer(rejoinder.judge(rejoinder.Scores.from_segments(scores), ratings), "judge")
    assert (
        "Within a system that is not known: no correlation can be computed (all marks are equal). "
        in words
    )
    assert "Between systems that is not known: one system alone is marked. " in words


def test_a_reason_is_given_once():
    """Of raters in two groups: in the sentence and in the note that has the remedy, and nowhere else."""
    ratings = pl.DataFrame(
        [
            (f"c{i}", s, f"{s}{r}", float((i * (r + 3)) % 5 + 1))
            for i in range(40)
            for s in "xy"
            for r in range(2)
        ],
        schema=["id", "system", "rater", "score"],
        orient="row",
    ).with_columns(criterion=pl.lit("overall"))
    marks = [(s, f"c{i}", "judge", float(i % 9)) for i in range(40) for s in "xy"]
    scores = pl.DataFrame(marks, schema=["system", "id", "name", "value"], orient="row")
    whole = rejoinder.judge(rejoinder.Scores.from_segments(scores), ratings)
    words = whole.to_markdown()
    assert words.count("severity cannot be told from quality") == 1
    assert words.count("not on the ratings' scale") == 1


def test_the_sentences_are_printed_and_no_table_is_changed(command):
    judge, ratings = EXAMPLES / "judge.csv", EXAMPLES / "ratings.csv"
    out = command("judge", "--scores", judge, "--ratings", ratings, "--criterion", "relevance")[1]
    assert "they follow people's ratings (r within 0.78 [0.72, 0.85]), but" in " ".join(out.split())
    assert "divided by the slope" in " ".join(out.split())
