"""The table of drawn items, as it is written, read, and put in the place of probabilities."""

import polars as pl
import pytest

import studies
from rejoinder.annotation.questions import make_questions
from rejoinder.annotation.task import Task
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.drawn_items import drawn_so_far, read_drawn, with_probabilities
from rejoinder.tables.schemas import DRAWN
from rejoinder.tables.write import write_drawn

ROWS = [("=1", 0.5, 0.2, "rated"), ("a,b", 0.25, 0.0, "next"), ("007", 1 / 3, 0.1, "left")]
TABLE = pl.DataFrame(ROWS, schema=DRAWN, orient="row")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_what_is_written_is_read_again(tmp_path, suffix):
    write_drawn(TABLE, tmp_path / f"drawn{suffix}")
    assert read_drawn(tmp_path / f"drawn{suffix}").equals(TABLE)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (",0.5,0,next", "row 2: no id"),
        ("a,none,0,next", "probability None at id 'a'"),
        ("a,0,0,left", "probability 0.0 at id 'a'; expected a number in"),
        ("a,0.5,nan,left", "earlier nan at id 'a'"),
        ("a,0.5,0,rated", "above 0 where the item was rated"),
        ("a,0.5,0,", "status ''; expected 'rated', 'next' or 'left'"),
    ],
)
def test_a_row_that_breaks_a_rule_is_named(tmp_path, row, message):
    path = tmp_path / "drawn.csv"
    path.write_text(f"id,probability,earlier,status\n{row}\n")
    with pytest.raises(InputError, match=message):
        read_drawn(path)


def test_a_table_without_rows_is_refused(tmp_path):
    path = tmp_path / "drawn.csv"
    path.write_text("id,probability,earlier,status\n")
    with pytest.raises(InputError, match=r"no drawn items|empty|no row"):
        read_drawn(path)


def test_a_draw_that_is_rated_whole_has_its_own_probabilities():
    so_far = drawn_so_far(TABLE, pl.Series(["=1", "a,b"]))
    assert so_far["probability"].to_list() == TABLE["probability"].to_list()
    none = drawn_so_far(TABLE, pl.Series(["=1"]))
    assert none["probability"].to_list() == TABLE["earlier"].to_list()
    nothing_next = TABLE.filter(pl.col("status") != "next")
    same = drawn_so_far(nothing_next, pl.Series(["=1"]))["probability"]
    assert same.to_list() == nothing_next["probability"].to_list()


def test_they_take_the_place_of_the_ratings_own():
    ratings = pl.DataFrame({"id": ["a,b", "=1", "a,b"], "probability": [0.9] * 3})
    assert with_probabilities(ratings, TABLE)["probability"].to_list() == [0.25, 0.5, 0.25]
    with pytest.raises(InputError, match="item '008' is rated and is not in the table"):
        with_probabilities(pl.DataFrame({"id": ["008"]}), TABLE)


def drawn_of(testset, number):
    status = ["next"] * number + ["left"] * (len(testset) - number)
    chances = [0.1 + i / 100 for i in range(len(testset))]
    columns = {"id": testset.ids, "probability": chances, "earlier": 0.0, "status": status}
    return pl.DataFrame(columns, schema=DRAWN)


def test_a_study_asks_about_the_drawn_items_with_their_probabilities():
    testset = studies.items_of(6)
    drawn = drawn_of(testset, 4)[::-1]
    questions = make_questions(testset, studies.responses(testset), Task(), drawn)
    asked = {each.item: each.probability for block in questions.blocks for each in block}
    chances = dict(drawn.select("id", "probability").iter_rows())
    assert asked == {item: chances[item] for item in testset.ids[:4]}
    assert questions.notes[0] == "2 items of 6 not drawn"


@pytest.mark.parametrize("name", ["sample", "probability", "dialogues"])
def test_a_task_that_draws_items_too_is_refused(name):
    testset = studies.items_of(6)
    task = Task(**{name: 2 if name == "sample" else "id"})
    with pytest.raises(ParameterError, match=rf"{name}, drawn="):
        make_questions(testset, studies.responses(testset), task, drawn_of(testset, 2))
