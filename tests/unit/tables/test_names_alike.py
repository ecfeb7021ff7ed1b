"""Names that differ in white space alone are refused, in every table; in case alone they are noted."""

import polars as pl
import pytest

import rejoinder
from rejoinder import read_preferences, read_ratings, read_responses, read_scores, read_testset
from rejoinder.errors import InputError
from rejoinder.tables.notes import taking_notes
from rejoinder.tables.schemas import COLUMNS
from rejoinder.tables.types import Preferences, Ratings

READERS = {
    "contexts": (read_testset, "id,context,reference\n", "i1,Hi,Ho\n", "{id},Hi,Ho\n"),
    "responses": (
        read_responses,
        "system,id,sample,text\n",
        "alpha,i1,1,Hi\n",
        "{system},{id},{sample},Ho\n",
    ),
    "ratings": (
        read_ratings,
        "id,system,rater,criterion,against,score\n",
        "i1,alpha,bob,fluency,beta,4\n",
        "{id},{system},{rater},{criterion},{against},3\n",
    ),
    "preferences": (
        read_preferences,
        "id,a,b,rater,criterion,winner\n",
        "i1,alpha,beta,bob,fluency,a\n",
        "{id},{a},{b},{rater},{criterion},a\n",
    ),
    "scores": (
        read_scores,
        "system,id,name,sample,rater,value\n",
        "alpha,i1,judge,1,bob,4\n",
        "{system},{id},{name},{sample},{rater},3\n",
    ),
}
NAMES = {
    "id": "i1",
    "system": "alpha",
    "rater": "bob",
    "criterion": "fluency",
    "sample": "1",
    "name": "judge",
    "against": "beta",
    "a": "alpha",
    "b": "beta",
}
OTHERS = {
    "id": "i2",
    "system": "gamma",
    "rater": "eve",
    "criterion": "wit",
    "sample": "2",
    "name": "length",
    "against": "delta",
    "a": "gamma",
    "b": "delta",
}
ROWS = [
    (kind, each.name)
    for kind in READERS
    for each in COLUMNS[kind]
    if each.noun and f"{{{each.name}}}" in READERS[kind][3]
]

CASE = " differ in case alone and count as different"
ALIKE = "; write them alike if they are one"


def test_every_column_of_names_has_a_row():
    declared = {(kind, each.name) for kind in READERS for each in COLUMNS[kind] if each.noun}
    assert set(ROWS) == declared


def written(tmp_path, kind, changes):
    """A file of a kind with two rows: names, and other names but for the changes."""
    _, header, row, pattern = READERS[kind]
    path = tmp_path / "data.csv"
    path.write_text(header + row + pattern.format(**{**OTHERS, **changes}))
    return path


@pytest.mark.parametrize("padded", ["{} ", " {}", "\u00a0{}\t"])
@pytest.mark.parametrize(("kind", "column"), ROWS)
def test_a_name_with_white_space_beside_the_plain_one_is_refused(tmp_path, kind, column, padded):
    name = padded.format(NAMES[column])
    path = written(tmp_path, kind, {column: name})
    noun = next(each.noun for each in COLUMNS[kind] if each.name == column)
    what, plural = ("id", "ids") if noun == "item" else (noun, "names")
    with pytest.raises(InputError) as refused:
        READERS[kind][0](path)
    assert str(refused.value) == (
        f"{path}, row 3: {what} {name!r} differs from {NAMES[column]!r} ({path}, row 2) in white space "
        f"alone; write both alike if they are one {noun}, or else give them different {plural}"
    )


@pytest.mark.parametrize(("kind", "column"), ROWS)
def test_a_name_with_white_space_stays_where_no_other_is_like_it(tmp_path, kind, column):
    READERS[kind][0](written(tmp_path, kind, {column: f"{OTHERS[column]} "}))


def ratings(raters, systems=("alpha",), criterion="q"):
    n = len(raters)
    systems = [systems[i % len(systems)] for i in range(n)]
    ids = [f"i{i}" for i in range(n)]
    columns = {"id": ids, "system": systems, "rater": raters, "criterion": criterion}
    return pl.DataFrame({**columns, "score": 3.0})


def refusal(kind, frame):
    with pytest.raises(InputError) as refused:
        kind(frame)
    return str(refused.value)


def test_the_padded_name_is_the_one_to_mend_also_where_it_stands_first():
    message = refusal(Ratings, ratings(["bob ", "eve", "bob", "bob"]))
    assert message.startswith("ratings, row 1: rater 'bob ' differs from 'bob' (ratings, row 3) in")
    assert "like it" not in message


def test_all_rows_of_other_spellings_are_counted():
    message = refusal(Ratings, ratings(["bob", "bob ", " bob", "bob ", "eve", " eve"]))
    assert message.startswith("ratings, row 2: rater 'bob ' differs from 'bob' (ratings, row 1) in")
    assert "white space alone (and 3 more rows like it);" in message


def test_of_two_padded_names_the_later_one_is_named():
    message = refusal(Ratings, ratings(["bob ", " bob"]))
    assert message.startswith("ratings, row 2: rater ' bob' differs from 'bob ' (ratings, row 1)")


def test_both_columns_of_systems_are_looked_at_together():
    rows = {
        "id": ["1", "2"],
        "a": ["alpha", "gamma"],
        "b": ["beta", "alpha "],
        "winner": ["a", "b"],
    }
    frame = pl.DataFrame({**rows, "rater": "r", "criterion": "q"})
    message = refusal(Preferences, frame)
    assert message.startswith("preferences, row 2: system 'alpha ' differs from 'alpha' (pref")
    in_one_row = frame.with_columns(b=pl.Series(["alpha ", "beta"]))
    assert "row 1: system 'alpha ' differs" in refusal(Preferences, in_one_row)
    against = ratings(["bob", "eve"], ["alpha", "beta"]).with_columns(
        against=pl.Series([None, "alpha "])
    )
    assert "row 2: system 'alpha ' differs" in refusal(Ratings, against)


def test_names_of_several_files_are_looked_at_together(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    ratings(["bob"]).write_csv(one)
    ratings(["eve", "bob "]).write_csv(other)
    with pytest.raises(InputError) as refused:
        read_ratings(one, other)
    assert f"{other}, row 3: rater 'bob ' differs from 'bob' ({one}, row 2)" in str(refused.value)


def notes_of(*paths, read=read_ratings):
    with taking_notes() as notes:
        read(*paths)
    return [str(each) for each in notes]


def test_names_in_two_cases_are_noted(tmp_path):
    path = tmp_path / "ratings.csv"
    ratings(["Bob", "eve", "bob"]).write_csv(path)
    assert notes_of(path) == [f"{path}: the raters 'Bob' and 'bob'{CASE} raters{ALIKE}"]
    ratings(["Bob", "eve", "bob", "BOB", "Eve", "ann"], ["Alpha", "alpha"]).write_csv(path)
    assert notes_of(path) == [
        f"{path}: the systems 'Alpha' and 'alpha'{CASE} systems{ALIKE}",
        f"{path}: the raters 'Bob', 'bob' and 'BOB'{CASE} raters{ALIKE} (and 1 more case like it)",
    ]
    both = pl.concat([ratings(["r"], criterion=each) for each in ("Fluency", "fluency")])
    both.write_csv(path)
    assert notes_of(path) == [f"{path}: the criteria 'Fluency' and 'fluency'{CASE} criteria{ALIKE}"]


@pytest.mark.parametrize("columns", [["id", "system", "rater", "score"], None])
def test_names_of_a_frame_are_noted_whether_it_is_complete_or_not(columns):
    frame = ratings(["Bob", "bob"])
    with taking_notes() as notes:
        rejoinder.ratings(frame if columns is None else frame.select(columns))
    assert [str(each) for each in notes if "case alone" in str(each)] == [
        f"ratings: the raters 'Bob' and 'bob'{CASE} raters{ALIKE}"
    ]


def test_a_note_names_the_files_of_both_names(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    ratings(["bob"]).write_csv(one)
    ratings(["eve", "Bob"]).write_csv(other)
    (text,) = notes_of(one, other)
    assert text == f"{one}, {other}: the raters 'bob' and 'Bob'{CASE} raters{ALIKE}"


def test_both_columns_of_systems_are_noted_together(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("id,a,b,winner\ni1,alpha,beta,a\ni2,gamma,Alpha,b\n")
    assert notes_of(path, read=read_preferences) == [
        f"{path}: the systems 'alpha' and 'Alpha'{CASE} systems{ALIKE}"
    ]


def test_ids_in_two_cases_are_not_noted(tmp_path):
    path = tmp_path / "ratings.csv"
    table = ratings(["bob", "bob"]).with_columns(id=pl.Series(["i1", "I1"]))
    table.write_csv(path)
    assert notes_of(path) == []
