"""Tables of scores that other tools made: long and wide, in every format, and what is wrong with one."""

import polars as pl
import pytest

from rejoinder import External, read_responses, read_scores
from rejoinder.errors import InputError, ParameterError
from rejoinder.tables.schemas import SCORES
from shared_data import shared

ROWS = [("a", "1", "judge", 4.0), ("a", "2", "judge", None), ("b", "1", "judge", 2.5)]
LONG = pl.DataFrame(ROWS, schema=["system", "id", "name", "value"], orient="row")
WIDE = pl.DataFrame(
    {
        "system": ["a", "a", "b"],
        "id": ["1", "2", "1"],
        "text": ["yes", "no", "yes"],
        "judge": [4.0, None, 2.5],
        "comet": [0.5, 0.25, 1.0],
    }
)


def write(frame, path):
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_long_and_wide_tables_of_every_format(tmp_path, suffix):
    long = read_scores(write(LONG, tmp_path / f"long{suffix}"))
    assert dict(long.schema) == SCORES
    assert long.select("system", "id", "name", "value").rows() == ROWS
    wide = read_scores(write(WIDE, tmp_path / f"wide{suffix}"))
    assert wide.filter(name="judge").select("system", "id", "name", "value").rows() == ROWS
    assert wide.filter(name="comet")["value"].to_list() == [0.5, 0.25, 1.0]
    assert wide["name"].unique().sort().to_list() == ["comet", "judge"]


def test_a_note_says_which_columns_are_metrics(tmp_path, caplog):
    read_scores(write(WIDE.with_columns(tag=pl.lit("x")), tmp_path / "wide.csv"))
    assert "each column of numbers is a metric: judge, comet" in caplog.text
    assert "1 column without a number left out: tag" in caplog.text


OF_RUNS = ["position", "seconds", "time", "tstamp", "latency", "cost", "tokens", "execution_time",
           "duration", "elapsed", "Latency (ms)", "totalTokens", "time_taken", "prompt_tokens",
           "created_at", "startedAt", "end_date", "date", "item_number", "number"]  # fmt: skip


@pytest.mark.parametrize("name", OF_RUNS)
def test_positions_times_and_costs_are_metrics_only_where_they_are_named(tmp_path, caplog, name):
    frame = WIDE.with_columns(pl.Series(name, [1.0, 2.0, 3.0]))
    path = write(frame.select("system", "id", "comet", name), tmp_path / "wide.csv")
    assert read_scores(path)["name"].unique().to_list() == ["comet"]
    assert f"1 column of ids, positions, times or costs left out: {name}" in caplog.text
    assert read_scores(path, columns={"value": name})["value"].to_list() == [1.0, 2.0, 3.0]
    assert External(name, frame).title == name
    with pytest.raises(InputError, match="no column of numbers that is a metric"):
        read_scores(write(frame.select("system", "id", name), tmp_path / "only.csv"))


LIKE_RUNS = ["timeliness", "costly", "positive", "time_consistency", "s", "recall_at_1", "pass_at_1",
             "ndcg_at_10", "hit_at_5", "matched_at_1", "correct_number", "up_to_date"]  # fmt: skip


@pytest.mark.parametrize("name", LIKE_RUNS)
def test_a_metric_of_a_like_name_is_one(tmp_path, name):
    frame = WIDE.select("system", "id", pl.col("comet").alias(name))
    assert read_scores(write(frame, tmp_path / "wide.csv"))["name"].unique().to_list() == [name]


def test_the_file_names_the_system_and_the_only_metric(tmp_path):
    path = write(pl.DataFrame({"id": ["1", "2"], "score": [1.0, 0.0]}), tmp_path / "comet.csv")
    assert read_scores(path).select("system", "name").unique().rows() == [("comet", "comet")]
    path = write(LONG.drop("name"), tmp_path / "judge.v2.csv")
    assert read_scores(path)["name"].unique().to_list() == ["judge"]


def test_names_of_other_tools_and_columns_that_the_user_names(tmp_path):
    frame = LONG.rename({"name": "metric", "value": "score", "system": "model", "id": "item_id"})
    assert read_scores(write(frame, tmp_path / "a.csv"))["name"].to_list() == ["judge"] * 3
    frame = LONG.rename({"id": "item"})
    assert read_scores(write(frame, tmp_path / "c.csv"))["id"].to_list() == LONG["id"].to_list()
    frame = LONG.rename({"value": "out"})
    path = write(frame, tmp_path / "b.csv")
    assert read_scores(path, columns="value=out")["value"].to_list() == [4.0, None, 2.5]


def test_true_and_false_are_1_and_0(tmp_path):
    frame = pl.DataFrame({"system": "a", "id": ["1", "2"], "correct": [True, False]})
    for name in ("a.parquet", "a.jsonl", "a.csv"):
        assert read_scores(write(frame, tmp_path / name))["value"].to_list() == [1.0, 0.0]
        long = frame.rename({"correct": "value"})
        assert read_scores(write(long, tmp_path / name))["value"].to_list() == [1.0, 0.0]


def test_passes_and_failures_in_words_are_1_and_0_and_a_reply_is_none(tmp_path):
    for yes, no in (("pass", "fail"), ("yes", "no"), ("True", "False"), ("PASSED", "FAILED")):
        frame = pl.DataFrame(
            {"system": "a", "id": ["1", "2"], "response": ["yes", "no"], "correct": [yes, no]}
        )
        read = read_scores(write(frame, tmp_path / "a.csv"))
        assert read["name"].unique().to_list() == ["correct"]
        assert read["value"].to_list() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,id,name,value\na,1,m,x\n", "row 2: value 'x' is no number"),
        (
            "system,id,name,value\na,1,m,inf\n",
            "row 2: value inf at id '1'; expected a finite number",
        ),
        ("system,id,name,value\n,1,m,3\n", "row 2: no system at id '1'"),
        ("system,id,name,value\na,,m,3\n", "row 2: the id is empty"),
        ("system,id,name,value\na,1,,3\n", "row 2: no name at id '1'"),
        ("system,id,name,value\na,1,m|n,3\n", "row 2: name 'm|n' contains '|'"),
        (
            "system,id,name,value\na,1,m,3\na,1,m,4\n",
            "row 3: duplicate score (name 'm', system 'a', id '1'), first at",
        ),
        ("system,id,name,value,probability\na,1,m,3,0\n", "row 2: probability 0 at id '1'"),
        ("system,id,topic\na,1,x\n", "no column of numbers; got system, id, topic"),
        ("system,judge\na,3\n", "no column 'id'"),
        ("id,judge\n1,3\n2,4\n1,5\n2,3\n", "no column 'system', and id '1' has several scores"),
        (
            "id,name,value\n1,m,3\n1,m,4\n",
            "or write a file for each system",
        ),
        ("id,topic\n1,x\n", "no column of numbers; got id, topic; expected"),
        (
            "id,a,b,rater,winner,first\n1,s,t,m,a,a\n1,s,t,m,b,b\n",
            "holds comparisons of two systems (a column for each of them), and no scores; summarise them "
            "with 'rejoinder preferences'",
        ),
        ("system,id,judge\na,1,3\na,2,4\nb,1,x\n", "row 4: column 'judge': 'x' is no number"),
    ],
    ids=lambda value: value[:30] if "\n" in value else "",
)
def test_what_is_wrong_is_named_with_its_row(tmp_path, text, message):
    path = tmp_path / "scores.csv"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_scores(path)
    assert str(path) in str(error.value)
    assert message in str(error.value)


def test_a_duplicate_names_the_columns_that_would_tell_two_scores_apart():
    frame = pl.concat([LONG, LONG])
    with pytest.raises(InputError, match="say in a column 'sample' or 'rater' what they are of"):
        External("judge", frame)


def test_a_metric_is_a_column_or_a_name_of_the_frame():
    assert External("comet", WIDE).known == 3
    assert External("judge", LONG).known == External("judge", WIDE).known == 2
    assert External("mine", LONG).label == "mine"
    with pytest.raises(
        ParameterError, match="no metric is called 'mine'; choose 'judge' or 'comet'"
    ):
        External("mine", WIDE)
    with pytest.raises(ParameterError, match="scores is str, expected a frame"):
        External("judge", "scores.csv")
    with pytest.raises(InputError, match="no column 'system'"):
        External("judge", WIDE.drop("system"))


def test_pandas_frames_are_frames_too():
    frame = WIDE.to_pandas()
    assert External("judge", frame).signature() == External("judge", WIDE).signature()


def test_the_marks_of_three_judges():
    table = read_scores(shared("data", "judges-dailydialog-zhao", "scores.csv"))
    assert table.height == 1350
    counts = table.group_by("name").len()
    assert set(counts["name"]) == {"judge_openai", "judge_google", "judge_anthropic"}
    assert set(counts["len"]) == {450}


@pytest.mark.parametrize("name", ["run", "Epoch", "candidate"])
def test_a_column_that_tells_scores_of_one_reply_apart_is_the_sample(tmp_path, name):
    rows = {"system": ["a"] * 4, "id": ["1", "1", "2", "2"], name: [1, 2, 1, 2]}
    wide = pl.DataFrame(rows | {"correct": [1, 0, 1, 1]})
    for frame in (wide, wide.rename({"correct": "value"})):
        read = read_scores(write(frame, tmp_path / "a.csv"))
        assert read["sample"].to_list() == ["1", "2", "1", "2"]
        assert read["value"].to_list() == [1.0, 0.0, 1.0, 1.0]
    once = wide.filter(pl.col(name) == 1)
    assert read_scores(write(once, tmp_path / "b.csv"))["name"].unique().to_list() == ["correct"]


@pytest.mark.parametrize("name", ["sample", "name"])
def test_an_object_is_the_name_of_nothing(tmp_path, name):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"system": "a", "id": 1, "{name}": {{"model": "x"}}, "value": 1}}\n')
    with pytest.raises(InputError, match=f"row 1: {name}: got an object; expected"):
        read_scores(path)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_a_column_that_tells_replies_apart_is_the_sample(tmp_path, suffix):
    rows = {"system": "a", "id": ["1", "1", "2"], "run": [1, 2, 1], "text": ["yes", "no", "ok"]}
    path = write(pl.DataFrame(rows), tmp_path / f"a.{suffix}")
    assert read_responses(path)["sample"].to_list() == ["1", "2", "1"]
    with pytest.raises(InputError, match="duplicate reply"):
        read_responses(write(pl.DataFrame(rows | {"run": [1, 1, 1]}), path))
    assert "sample" not in read_responses(write(pl.DataFrame(rows)[1:], path)).columns


def test_a_sample_is_named_for_each_score_of_a_reply_or_for_none(tmp_path):
    one, other = LONG.head(1), LONG.head(1).with_columns(sample=pl.lit("1"))
    paths = write(one, tmp_path / "one.csv"), write(other, tmp_path / "other.csv")
    with pytest.raises(InputError, match="expected a sample for each or for none"):
        read_scores(*paths)


@pytest.mark.parametrize("word", ["rates", "pass_rate"])
def test_a_kind_that_is_no_rate_is_named(tmp_path, caplog, word):
    read_scores(write(LONG.with_columns(kind=pl.lit(word)), tmp_path / "long.csv"))
    assert f"words of the column 'kind' that are not read: {word}; expected 'rate'" in caplog.text


@pytest.mark.parametrize(
    ("values", "bounds", "noted"),
    [
        ([1, 2, 3, 4, 5] * 4 + [55], None, True),
        ([1, 2, 3, 4, 5] * 4 + [55], (0, 100), False),  # a scale that the user names
        ([1, 2, 3, 4, 5.5] * 4 + [55], None, False),  # numbers, and no grades
        ([*range(12), *range(12), 55], None, False),  # counts of something
        ([1, 2, 3, 4, 5] * 4, None, False),
    ],
)
def test_a_mark_far_from_all_others_is_named(values, bounds, noted):
    """A judge's answer that was read wrongly would otherwise decide which system is best."""
    rows = {"system": "a", "id": [f"{n}" for n in range(len(values))], "judge": values}
    metric = External("judge", pl.DataFrame(rows, strict=False), bounds=bounds)
    expected = (
        "values: 55 is an outlier (given once, next to 5); if it is an error, correct the row of 'a' at "
        f"id '{len(values) - 1}'"
    )
    assert metric.notes() == [expected] * noted
