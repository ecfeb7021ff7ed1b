"""Why numbers are missing: one line for each reason, behind what it is said of."""

import polars as pl

from rejoinder.document.parts import reasons


def texts(*frames, **more):
    return [line.text for line in reasons(*frames, **more)]


def frame(**columns):
    return pl.DataFrame(columns)


def test_the_criterion_is_named_where_there_are_several():
    one = frame(criterion=["fit"], measure=["alpha"], reason=["one rater"])
    other = frame(criterion=["tone"], system=["a"], reason=["one rater"])
    assert texts(one) == ["alpha: one rater"]
    assert texts(one, other) == ["fit, alpha; tone, a: one rater"]


def test_a_judge_a_pair_and_a_correlation_are_named():
    judged = frame(judge=["j", "j"], measure=["slope", "severity"], reason=["no ratings", None])
    assert texts(judged) == ["j, slope: no ratings"]
    pairs = frame(subject=["people"], a=["x"], b=["y"], reason=["too few items"])
    assert texts(pairs) == ["people, x and y: too few items"]
    coefficients = frame(metric=["m", "m"], correlation=["pearson", "spearman"], why=["tied"] * 2)
    assert texts(coefficients, reason="why", where=" within systems") == ["m within systems: tied"]


def test_so_many_are_named():
    measures = frame(measure=["x", "y", "z"], reason=["no data"] * 3)
    assert texts(measures, most=1) == ["x and 2 more: no data"]
