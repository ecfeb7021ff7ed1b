"""The rows that a call asks for."""

import polars as pl
import pytest

from rejoinder import correlate, preferences, ratings
from rejoinder.errors import ParameterError
from rejoinder.tables.schemas import PREFERENCES
from rejoinder.tables.selection import criterion_notes, of_criterion

TABLE = pl.DataFrame(
    {"criterion": ["Fluency", "Relevance", "relevance", "Relevance"], "n": [1, 2, 3, 4]}
)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("fluency", [1]),
        ("FLUENCY", [1]),
        ("Relevance", [2, 4]),
        ("relevance", [3]),
        (None, [1, 2, 3, 4]),
    ],
)
def test_a_criterion_in_another_case(name, rows):
    selected = of_criterion(TABLE, name)
    assert selected.get_column("n").to_list() == rows
    expected = ["criterion 'Fluency', which is used"] if rows == [1] else []
    notes = criterion_notes(selected, name)
    assert [note.replace(f"'{name}': the judgements call it ", "") for note in notes] == expected


@pytest.mark.parametrize("name", ["RELEVANCE", "fluent", ""])
def test_a_criterion_that_is_not_one_alone(name):
    with pytest.raises(
        ParameterError, match="is unknown; choose 'Fluency', 'Relevance' or 'relevance'"
    ):
        of_criterion(TABLE, name)


def test_results_say_which_criterion_was_used():
    rows = [
        (f"c{i}", s, r, "Tone", float(1 + (i + len(r)) % 5))
        for i in range(9)
        for s in "ab"
        for r in ("x", "yy")
    ]
    table = pl.DataFrame(rows, schema=["id", "system", "rater", "criterion", "score"], orient="row")
    note = "criterion 'tone': the judgements call it 'Tone', which is used"
    assert note in ratings(table, criterion="tone", resamples=0).notes
    duels = pl.DataFrame(
        [(f"c{i}", "a", "b", "x", "Tone", "ab"[i % 2]) for i in range(9)],
        schema=PREFERENCES,
        orient="row",
    )
    assert note in preferences(duels, criterion="tone", resamples=0).notes
    values = table.select("system", "id", pl.lit("m").alias("name"), pl.col("score").alias("value"))
    from rejoinder import Scores

    scores = Scores.from_segments(values.unique(["system", "id"], maintain_order=True), resamples=0)
    result = correlate(scores, table, criterion="TONE", resamples=0, permutations=0)
    assert note.replace("'tone'", "'TONE'") in result.notes
    assert "|criterion:Tone|" in result.signature
