"""Why a number is not known does not contradict the number that another row has."""

import polars as pl

from rejoinder.document.parts import reasons
from rejoinder.planning.plan_tables import with_own_reasons

NEVER = "even a million items are not enough"


def rows(*reasons_of_raters):
    return pl.DataFrame(
        {
            "subject": "people",
            "a": "x",
            "b": "y",
            "raters": [1, 3, 5][: len(reasons_of_raters)],
            "references": pl.Series([None] * len(reasons_of_raters), dtype=pl.Int64),
            "reason": pl.Series(reasons_of_raters, dtype=pl.String),
        }
    )


def said(*reasons_of_raters):
    return [str(each.text) for each in reasons(with_own_reasons(rows(*reasons_of_raters)))]


def test_a_reason_names_the_raters_that_it_is_of_where_others_have_a_number():
    (line,) = said(NEVER, NEVER, None)
    assert "people with 1 rater, x and y" in line
    assert "people with 3 raters, x and y" in line
    assert NEVER in line
    assert "5 raters" not in line


def test_a_reason_of_all_names_the_subject_alone():
    (line,) = said(NEVER, NEVER)
    assert line.startswith("people, x and y")
    assert "with" not in line
