"""N-best lists: those of Moses in both forms, rows with samples, several systems; and their errors."""

import polars as pl
import pytest

from rejoinder import read_responses, read_scores
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.external_scores import SegmentScores
from rejoinder.tables.in_memory import read_as
from rejoinder.tables.look import look
from rejoinder.tables.nbest_lists import NBestLists

FORMS = {
    "labels that end in a colon, no blank before the first bar": (
        "0||| a b  ||| d: 0 -7.5 lm: -4 w: -9 ||| -14.6\n"
        "0||| a c  ||| d: 0 -6 lm: -5 w: -8 ||| -14.7\n"
        "1||| e ||| d: 1 2 lm: -1 w: -1 ||| -2\n"
    ),
    "labels that end in an equals sign": (
        "0 ||| a b ||| d= 0 -7.5 lm= -4 w= -9 ||| -14.6 ||| 0-0 1-1\n"
        "0 ||| a c ||| d= 0 -6 lm= -5 w= -8 ||| -14.7\n"
        "1 ||| e ||| d= 1 2 lm= -1 w= -1 ||| -2\n"
    ),
}


@pytest.mark.parametrize("suffix", ["out", "100best", "txt", "nbest"])
@pytest.mark.parametrize("form", FORMS)
def test_both_forms_of_moses(tmp_path, form, suffix):
    path = tmp_path / f"lists.{suffix}"
    path.write_text(FORMS[form])
    lists = NBestLists.of(path, ids=["x", "y", "z"])
    assert lists.ids == ["x", "y"]
    assert lists.bounds.tolist() == [0, 2, 3]
    assert lists.names == ["d_1", "d_2", "lm", "w", "total"]
    assert lists.features() == ["d_1", "d_2", "lm", "w"]
    assert lists.frame.get_column("text").to_list() == ["a b", "a c", "e"]
    assert lists.matrix(["d_2", "total"]).tolist() == [[-7.5, -14.6], [-6.0, -14.7], [2.0, -2.0]]


def test_lists_of_moses_are_samples_with_scores(tmp_path):
    path = tmp_path / "lists.out"
    path.write_text(FORMS["labels that end in an equals sign"])
    assert look(path).readings
    assert read_responses(path).select("id", "sample").rows() == [
        ("1", "1"),
        ("1", "2"),
        ("2", "1"),
    ]
    assert read_scores(path).filter(name="lm")["value"].to_list() == [-4.0, -5.0, -1.0]


def test_a_feature_that_a_line_lacks_is_0(tmp_path):
    path = tmp_path / "sparse.out"
    path.write_text("0 ||| a ||| lm= -1 rare= 2\n0 ||| b ||| lm= -2\n")
    assert NBestLists.of(path).matrix(["rare"]).ravel().tolist() == [2.0, 0.0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0 ||| a ||| lm= x ||| 1", "got 'x' among the features"),
        ("7 ||| a ||| lm= 1 ||| 1", "list 7, but the test set has 2 items"),
        ("one ||| a ||| lm= 1", "the first of them 'one'"),
        ("0 ||| b ||| lm= 1 2", "row 2: 2 values of 'lm'; expected 1, as on the lines above"),
        ("0 ||| b ||| 3 lm= 1", "row 2: 1 value without a label; expected 0"),
    ],
)
def test_wrong_lines_of_moses(tmp_path, line, words):
    path = tmp_path / "wrong.out"
    path.write_text(f"0 ||| a ||| lm= 1\n{line}\n")
    with pytest.raises(InputError, match=words.replace("|", r"\|")):
        NBestLists.of(path, ids=["x", "y"])


def test_lists_of_moses_count_from_0(tmp_path):
    """From 1 on, and one list fewer than items: every list would go to the item before."""
    path = tmp_path / "lists.out"
    path.write_text("1 ||| a ||| lm= 1\n2 ||| b ||| lm= 1\n")
    with pytest.raises(InputError, match="the first number is 1; expected 0"):
        NBestLists.of(path, ids=["x", "y", "z"])
    path.write_text("x ||| a ||| lm= 1\ny ||| b ||| lm= 1\n")
    with pytest.raises(InputError, match=r"number .* is the place of the item in the test set"):
        NBestLists.of(path, ids=["x", "y", "z"])


def test_rows_with_samples_and_rows_of_systems():
    rows = {"id": ["1", "1", "2"], "text": ["a", "b", "c"], "lm": [1.0, 2.0, 3.0]}
    by_sample = NBestLists.of(pl.DataFrame({**rows, "sample": ["0", "1", "0"]}))
    by_system = NBestLists.of(pl.DataFrame({**rows, "system": ["p", "q", "p"]}))
    for lists in (by_sample, by_system):
        assert lists.bounds.tolist() == [0, 2, 3]
        assert lists.matrix(["lm"]).ravel().tolist() == [1.0, 2.0, 3.0]
    assert by_system.frame.get_column("system").to_list() == ["p", "q", "p"]


def test_numbers_called_a_and_b_compare_no_systems():
    rows = {"id": ["1", "1"], "text": ["x", "y"], "sample": ["0", "1"], "a": [1, 2], "b": [0.5, 3]}
    assert NBestLists.of(pl.DataFrame(rows)).names == ["a", "b"]
    names = pl.DataFrame({"id": ["1"], "a": ["p"], "b": ["q"], "winner": ["a"]})
    for table in (names, names.with_columns(a=1, b=2)):
        with pytest.raises(InputError, match="comparisons of two systems"):
            read_as(SegmentScores, [table])


def test_numbers_of_another_table_and_their_mean_over_raters():
    rows = pl.DataFrame({"id": ["1", "1"], "text": ["a", "b"], "sample": ["0", "1"]})
    marks = {"id": ["1"] * 3, "sample": ["0", "0", "1"], "name": "judge", "value": [1.0, 3.0, 5.0]}
    table = pl.DataFrame({**marks, "rater": ["x", "y", "x"], "system": "reranked"})
    assert NBestLists.of(rows, [table]).matrix(["judge"]).ravel().tolist() == [2.0, 5.0]


def test_what_is_missing_is_named():
    rows = {"id": ["1", "1"], "text": ["a", "b"], "sample": ["0", "1"], "lm": [1.0, None]}
    lists = NBestLists.of(pl.DataFrame(rows))
    with pytest.raises(InputError, match="candidate 2 of id '1' has no value of 'lm'"):
        lists.matrix(["lm"])
    with pytest.raises(ParameterError, match="no number of that name; expected 'lm'"):
        lists.features(["tm"])
    with pytest.raises(InputError, match="which the test set does not have"):
        lists.of_items(["2", "3"])
    with pytest.raises(ParameterError, match="no feature"):
        NBestLists.of(pl.DataFrame(rows).drop("lm")).features()


def test_a_label_that_is_there_again_has_more_values(tmp_path):
    path = tmp_path / "a.nbest"
    path.write_text("0 ||| a ||| lm= -1 tm= -2 lm= -3 ||| -6\n0 ||| b ||| lm= -4 -5 tm= 0 ||| -9\n")
    scores = read_scores(path, format="moses").pivot("name", index="sample", values="value")
    assert scores.select("lm_1", "lm_2", "tm").rows() == [(-1, -3, -2), (-4, -5, 0)]
    path.write_text("0 ||| a ||| lm= -1 ||| 1_0\n")
    with pytest.raises(InputError, match="got '1_0' among the features"):
        read_scores(path, format="moses")


def test_two_tables_with_one_name_of_a_number_are_joined_or_refused(tmp_path):
    for name, lists in (("a", "0 ||| x ||| lm= -1\n"), ("b", "0 ||| y ||| lm= -2\n")):
        (tmp_path / f"{name}.nbest").write_text(lists)
    paths = [tmp_path / "a.nbest", tmp_path / "b.nbest"]
    lists = NBestLists.of(paths, format="moses")
    assert lists.frame.select("text", "lm").rows() == [("x", -1.0), ("y", -2.0)]
    other = tmp_path / "more.csv"
    other.write_text("system,id,sample,lm\na,1,1,-7\n")
    with pytest.raises(InputError, match="two tables with different numbers called 'lm'"):
        NBestLists.of(paths[:1], [other])
