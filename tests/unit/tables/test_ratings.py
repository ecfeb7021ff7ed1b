"""Rejoinder's own tables of ratings and comparisons, and the join of ratings to replies."""

import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.metrics.registry import METRICS
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import check_ratings, read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.schemas import PREFERENCES, RATINGS
from rejoinder.tables.write import write_preferences, write_ratings
from shared_data import EXAMPLES

ROWS = [
    ("c1", "bot", "r1", "fluency", 4.0),
    ("c1", "bot", "r1", "relevance", 2.5),
    ("c1", "bot", "r2", "fluency", 5.0),
    ("2", "a, b", "r1", "fluency", -1.0),
]


def ratings(*rows, schema=RATINGS):
    return pl.DataFrame(rows, schema=schema, orient="row")


def read(tmp_path, content, name="ratings.csv"):
    path = tmp_path / name
    path.write_text(content)
    return read_ratings(path).rows()


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "parquet"])
def test_ratings_come_back_as_they_were(tmp_path, suffix):
    path = tmp_path / f"ratings.{suffix}"
    write_ratings(ratings(*ROWS), path)
    assert read_ratings(path).equals(ratings(*ROWS))


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "parquet"])
def test_comparisons_come_back_as_they_were(tmp_path, suffix):
    path = tmp_path / f"pairs.{suffix}"
    given = ratings(
        ("1", "x", "y", "r1", "overall", "a"),
        ("1", "y", "x", "r1", "overall", "tie"),
        schema=PREFERENCES,
    )
    write_preferences(given, path)
    assert read_preferences(path).equals(given)


@pytest.mark.parametrize(
    ("name", "mark", "told"),
    [
        ("r.csv", "|", "parted by '|'; save it with commas"),
        ("r.tsv", ";", "parted by ';'; call the file .csv"),
        ("r.tsv", ",", "parted by commas; call the file .csv"),
        ("r.tsv", "|", "parted by '|'; save it with commas"),
    ],
)
def test_cells_parted_by_another_mark_are_told(tmp_path, name, mark, told):
    # The second row has a comma in a cell: the header is what is looked at first.
    rows = (("id", "system", "score"), ("c1", "bot, the", "4"))
    with pytest.raises(InputError, match="row 1: one column, 'id") as found:
        read(tmp_path, "".join(mark.join(row) + "\n" for row in rows), name)
    assert told in str(found.value)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_csv_parted_by_another_mark_is_read(tmp_path, mark, caplog):
    rows = (("id", "system", "score"), ("c1", "bot, the", "4"))
    text = "".join(mark.join(row) + "\n" for row in rows)
    assert read(tmp_path, text, "r.csv") == [("c1", "bot, the", "1", "overall", 4.0)]
    assert "no commas" in caplog.text


def test_rater_and_criterion_may_be_left_out(tmp_path):
    expected = [("c1", "bot", "1", "overall", 4.0), ("c2", "bot", "1", "overall", 3.0)]
    assert read(tmp_path, "id,system,score,text\nc1,bot,4,Hi\nc2,bot,3,Ho\n") == expected
    rows = '{"id": "c1", "system": "bot", "score": 4}\n{"id": "c2", "system": "bot", "score": 3}\n'
    assert read(tmp_path, rows, "ratings.jsonl") == expected
    # A reply may be judged once for each criterion without a rater's name.
    text = "id,system,criterion,score\nc1,bot,fluency,4\nc1,bot,relevance,3\n"
    assert [row[2:] for row in read(tmp_path, text)] == [
        ("1", "fluency", 4.0),
        ("1", "relevance", 3.0),
    ]


def test_whole_numbers_are_names_by_their_digits(tmp_path):
    path = tmp_path / "ratings.parquet"
    pl.DataFrame({"id": [1], "system": ["bot"], "rater": [7], "score": [4]}).write_parquet(path)
    assert read_ratings(path).rows() == [("1", "bot", "7", "overall", 4.0)]
    row = '{"id": 1, "system": "bot", "rater": 7, "score": 4}\n'
    assert read(tmp_path, row, "r.jsonl") == [("1", "bot", "7", "overall", 4.0)]


def test_a_missing_score_has_no_row_and_is_counted(tmp_path, caplog):
    text = "id,system,rater,score\nc1,bot,r1,4\nc1,bot,r2,\nc2,bot,r1, \n"
    assert read(tmp_path, text) == [("c1", "bot", "r1", "overall", 4.0)]
    assert "ratings.csv: 2 rows without a score left out" in caplog.text


def test_a_label_counts_as_the_number_in_front(tmp_path, caplog):
    labels = ["5 - very good", "4: good", "3. so so", "2 (bad)", "1 stars", "0=none", "-1 – worse"]
    cells = "".join(f"c{i},bot,{label}\n" for i, label in enumerate(labels))
    scores = [row[4] for row in read(tmp_path, "id,system,score\n" + cells)]
    assert scores == [5, 4, 3, 2, 1, 0, -1]
    assert "7 labels like '5 - very good' read as the number in front" in caplog.text


@pytest.mark.parametrize("cell", ["1-2", "3 of 5", "4/5", "4th", "3,5", "about 4", "5 -", "fair"])
def test_what_may_mean_two_things_is_no_score(tmp_path, cell):
    with pytest.raises(InputError, match="is no number"):
        read(tmp_path, f"id\tsystem\tscore\nc1\tbot\t{cell}\n", "r.tsv")


WIDE = "id,system,text,score1,score2,r3\nc1,bot,5 stars!,4,,\nc2,bot,So?,3,5 - good,\n"


def test_a_wide_table_has_a_column_per_rater(tmp_path, caplog):
    # Row by row; an empty cell is no rating; text and an empty column are no raters.
    assert read(tmp_path, WIDE) == [
        ("c1", "bot", "score1", "overall", 4.0),
        ("c2", "bot", "score1", "overall", 3.0),
        ("c2", "bot", "score2", "overall", 5.0),
    ]
    assert "2 columns without a number left out: text, r3" in caplog.text
    assert "1 label like '5 - good' read as" in caplog.text


@pytest.mark.parametrize(
    "name", ["judge_score", "LLM", "gpt-4o", "judgeScore", "autoEval", "ROUGE-L"]
)
def test_a_column_named_for_a_judge_beside_people_is_no_rater(tmp_path, name, caplog):
    rows = f"id,system,{name},human_1,Ann\nc1,bot,5,4,2\nc2,bot,5,3,1\n"
    assert {row[2] for row in read(tmp_path, rows)} == {"human_1", "Ann"}
    assert f"left out: {name}; scores=FILE reads such marks" in caplog.text
    mapped = read_ratings(tmp_path / "ratings.csv", columns={"rater_1": name})
    assert set(mapped["rater"]) == {"rater_1", "human_1", "Ann"}


def test_a_person_alone_beside_a_judge_is_a_rater_and_a_mean_is_not(tmp_path):
    rows = read(tmp_path, "id,system,llm,human\nc1,bot,5,4\n")
    assert rows == [("c1", "bot", "human", "overall", 4.0)]
    with pytest.raises(InputError, match="one column of numbers, 'human mean'"):
        read(tmp_path, "id,system,llm,human mean\nc1,bot,5,4\n")


@pytest.mark.parametrize(
    "names", ["judge_1,judge_2", "gpt4,Ann", "human_judge_1,rater_2", "r1,Matthew"]
)
def test_where_names_do_not_tell_each_column_is_a_rater(tmp_path, names):
    rows = read(tmp_path, f"id,system,{names}\nc1,bot,5,4\n")
    assert [row[2] for row in rows] == names.split(",")


def test_a_column_named_for_any_metric_is_no_rater_beside_people(tmp_path):
    names = METRICS.keys() - {"average"}  # that is a summary of the raters
    text = f"id,system,human,{','.join(names)}\nc1,bot,5{',1' * len(names)}\n"
    assert [row[2] for row in read(tmp_path, text)] == ["human"]


def test_a_wide_table_with_a_rater_has_a_column_per_criterion(tmp_path):
    text = "id,system,rater,fluency,relevance\nc1,bot,r1,4,5\nc1,bot,r2,3,\n"
    assert read(tmp_path, text) == [
        ("c1", "bot", "r1", "fluency", 4.0),
        ("c1", "bot", "r1", "relevance", 5.0),
        ("c1", "bot", "r2", "fluency", 3.0),
    ]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_column_for_each_system_is_read_where_the_columns_are_named(tmp_path, suffix):
    rows = pl.DataFrame(
        {"item": ["c1", "c2"], "rater": ["r1", "r1"], "tuned": [4, 5], "b 2": [2, None]}
    )
    path = tmp_path / f"wide.{suffix}"
    rows.write_csv(path) if suffix == "csv" else rows.write_ndjson(path)
    table = read_ratings(path, columns={"system": "tuned+b 2"})
    assert table.select("id", "system", "rater", "score").rows() == [
        ("c1", "tuned", "r1", 4.0),
        ("c1", "b 2", "r1", 2.0),
        ("c2", "tuned", "r1", 5.0),
    ]


def test_a_wide_table_may_have_a_criterion(tmp_path):
    text = "id,system,criterion,r1,r2\nc1,bot,fluency,4,5\nc1,bot,relevance,3,2\n"
    assert [row[2:] for row in read(tmp_path, text)] == [
        ("r1", "fluency", 4.0),
        ("r2", "fluency", 5.0),
        ("r1", "relevance", 3.0),
        ("r2", "relevance", 2.0),
    ]


def test_a_mean_alone_is_the_rater_mean(tmp_path):
    assert read(tmp_path, "id,system,Average\nc1,bot,4.2\n") == [
        ("c1", "bot", "mean", "overall", 4.2)
    ]


def test_several_files_are_one_table(tmp_path):
    for name, rater in (("a.csv", "r1"), ("b.jsonl", "r2")):
        write_ratings(ratings(("c1", "bot", rater, "overall", 3.0)), tmp_path / name)
    assert read_ratings(tmp_path / "a.csv", tmp_path / "b.jsonl")["rater"].to_list() == ["r1", "r2"]


def test_the_winner_is_a_side_or_a_system(tmp_path, caplog):
    path = tmp_path / "pairs.csv"
    path.write_text(
        "id,a,b,winner\nc1,cat,bot,bot\nc2,cat,bot,cat\nc3,bot,cat,B\nc4,cat,bot,Tie\nc5,cat,bot,\n"
    )
    assert read_preferences(path)["winner"].to_list() == ["b", "a", "b", "tie"]
    assert read_preferences(path).row(0) == ("c1", "cat", "bot", "1", "overall", "b")
    assert "pairs.csv: 1 row without a winner left out" in caplog.text


def test_ratings_join_replies_by_system_and_id():
    given = ratings(
        ("x", "bot", "r1", "overall", 1.0),
        ("y", "bot", "r1", "overall", 2.0),
        ("x", "cat", "r1", "overall", 3.0),
        ("z", "cat", "r2", "overall", 4.0),
    )
    replies = pl.DataFrame(
        {"system": ["bot", "bot", "dog"], "id": ["z", "x", "x"], "text": ["", "", ""]}
    )
    joined = check_ratings(given, replies)
    assert joined.ratings.rows() == given.rows()[:1]
    assert joined.unmatched.rows() == given.rows()[1:]
    assert joined.unrated.rows() == [("bot", "z"), ("dog", "x")]
    assert joined.notes == (
        "2 ratings without a reply, all of the system 'cat'",
        "1 rating without a reply",
        "1 reply without a rating, all of the system 'dog'",
        "1 reply without a rating",
    )


def test_ids_that_overlap_in_part_are_not_taken_for_shifted():
    def joined(rated, known):
        given = ratings(*((i, "bot", "r1", "overall", 1.0) for i in rated))
        return check_ratings(given, pl.DataFrame({"system": "bot", "id": known}))

    with pytest.raises(InputError, match="off by one: the ratings count from 1, those of the repl"):
        joined(["1", "2", "3"], ["0", "1", "2"])
    # A reply that is missing, or that was not rated, shifts nothing.
    assert joined(["1", "2", "3"], ["2", "3"]).unmatched.height == 1
    assert joined(["1", "2"], ["0", "1", "2", "3"]).unrated.height == 2


def test_the_ratings_of_the_examples():
    given = read_ratings(EXAMPLES / "ratings.csv")
    replies = read_responses(*sorted((EXAMPLES / "responses").iterdir()))
    joined = check_ratings(given, replies)
    assert joined.ratings.height == 66 * 3 * 5
    assert (joined.notes, joined.unmatched.height, joined.unrated.height) == ((), 0, 0)


def test_ratings_of_a_system_left_out_as_asked_are_told_apart():
    given = ratings(
        ("x", "bot", "r1", "overall", 1.0),
        ("x", "cat", "r1", "overall", 3.0),
        ("x", "cow", "r1", "overall", 3.0),
    )
    replies = pl.DataFrame({"system": ["bot"], "id": ["x"], "text": [""]})
    assert check_ratings(given, replies, ["cat"]).notes == (
        "1 rating without a reply, all of the system 'cow'",
        "1 rating not used, because the system was left out as asked",
    )
