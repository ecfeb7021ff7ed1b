"""The published formats of ratings, on small files of the same shape and on the real ones."""

import json

import polars as pl
import pytest

from rejoinder.errors import InputError
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import check_ratings, read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset
from shared_data import shared


def test_mean_ratings_of_dailydialog(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text('model,context_id,human_average_rating,response\nbot,0_1,4.2,"So, no"\n')
    assert read_ratings(path).rows() == [("0_1", "bot", "mean", "overall", 4.2)]


JUDGES = (
    "\ufeffJudgeID\tInstanceID\tSystemID\tRelevance\tInformativeness\n"
    "j1\tx\tbot\t4\t3\n"
    "j2\tx\tbot\t1\t\n"
    "j1\tx\tbot\t5\t3\n"  # again, with another score: the first one counts
    "j2\tx\tbot\t1\t\n"  # again, the same
    "j1\tAverage\tbot\t3\t3\n"
)


def test_dstc7_judges(tmp_path, caplog):
    path = tmp_path / "half-human-eval-per-judge.tsv"
    path.write_text(JUDGES, encoding="utf-8")
    expected = [
        ("x", "bot", "j1", "Relevance", 4.0),
        ("x", "bot", "j2", "Relevance", 1.0),
        ("x", "bot", "j1", "Informativeness", 3.0),
    ]
    assert read_ratings(path).rows() == expected
    assert "2 rows in which a judge judges a reply again left out (1 with the same" in caplog.text
    # Of a folder with both files, the single ratings are read.
    (tmp_path / "half-human_evaluation.tsv").write_text("InstanceID\tbot\nx\t3.00\n")
    assert read_ratings(tmp_path).rows() == expected


def test_dstc7_means(tmp_path):
    path = tmp_path / "means.tsv"
    path.write_text("InstanceID\tbot\tHuman\nx\t3.50\t4\ny\t\t2\nAverage\t3.50\t3\n")
    assert read_ratings(path).rows() == [
        ("x", "bot", "mean", "overall", 3.5),
        ("x", "Human", "mean", "overall", 4.0),
        ("y", "Human", "mean", "overall", 2.0),
    ]


@pytest.mark.parametrize("header", ["InstanceID\tReference1", "SystemID\tInstanceID\tResponse"])
def test_other_files_of_dstc7_are_no_ratings(tmp_path, header):
    path = tmp_path / "other.tsv"
    path.write_text(f"{header}\nx\ty\tz\n"[: -2 if header.startswith("I") else None])
    with pytest.raises(InputError, match="not ratings of DSTC7"):
        read_ratings(path, format="dstc7")


def judged(id, model, scores):
    return {"ID": id, "Dataset": "d", "DialogModel": model, "Response": "Hi", "HumanScores": scores}


def test_grade_items_are_counted_within_their_system(tmp_path):
    path = tmp_path / "human_judgement.json"
    rows = [judged(9, "two", [2]), judged(8, "two", "[1, 5]"), judged(0, "one", "[3]")]
    path.write_text(json.dumps(rows, indent=1))
    expected = [
        ("1", "one", "1", "overall", 3.0),
        ("1", "two", "1", "overall", 1.0),
        ("1", "two", "2", "overall", 5.0),
        ("2", "two", "1", "overall", 2.0),
    ]
    assert read_ratings(path).rows() == expected
    assert read_ratings(tmp_path).rows() == expected
    rows[0]["Dataset"] = "e"  # of several data sets, each counts its own, and is named
    path.write_text(json.dumps(rows))
    assert [row[:3] for row in read_ratings(path).rows()] == [
        ("d/1", "one", "1"),
        ("d/1", "two", "1"),
        ("d/1", "two", "2"),
        ("e/1", "two", "1"),
    ]


HEADER = (
    "HITId,WorkerId,AssignmentStatus,Input.id,Input.system,"
    "Answer.fluency,Answer.why,Answer.relevance.1,Answer.relevance.2\n"
)
BATCH = """\
h1,A1,Approved,c1,bot,4,fine,false,true
h1,A2,Submitted,c1,bot,3 - so so,"so, so",true,false
h1,A3,Rejected,c1,bot,1,spam,true,false
h2,A1,approved,c2,bot,,,false,true
h2,A2,Returned,c2,bot,,,,
"""


def test_mturk_batches(tmp_path, caplog):
    path = tmp_path / "batch.csv"
    path.write_text(HEADER + BATCH)
    assert read_ratings(path).rows() == [
        ("c1", "bot", "A1", "fluency", 4.0),
        ("c1", "bot", "A1", "relevance", 2.0),
        ("c1", "bot", "A2", "fluency", 3.0),
        ("c1", "bot", "A2", "relevance", 1.0),
        ("c2", "bot", "A1", "relevance", 2.0),
    ]
    for said in (
        "1 assignment left out: rejected",
        "1 assignment left out: returned",
        "1 column without a number left out: why",
        "1 label like '3 - so so' read as the number in front",
    ):
        assert said in caplog.text


def test_two_pressed_buttons_are_no_score(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(HEADER + BATCH.replace("false,true\nh1", "true,true\nh1", 1))
    with pytest.raises(InputError, match=r"row 2: column 'relevance': '1\|2' is no number"):
        read_ratings(path)


def annotation(by, *results, **more):
    return {"completed_by": by, "result": list(results), **more}


def result(kind, value, name="relevance"):
    return {"from_name": name, "to_name": "reply", "type": kind, "value": {kind: value}}


def test_label_studio_exports(tmp_path, caplog):
    path = tmp_path / "export.json"
    tasks = [
        {
            "id": 1,
            "annotations": [
                annotation(7, result("rating", 4), result("number", 2.5, "length")),
                annotation({"id": 8, "email": "x"}, result("choices", ["3 - fair"])),
                annotation(9, result("rating", 1), was_cancelled=True),
            ],
            "data": {"id": 5, "system": "bot", "text": "Hi"},
            "predictions": [],
        },
        {
            "id": 2,
            "annotations": [annotation(7, result("textarea", ["well"], "why"))],
            "data": {"id": "c6", "system": "bot"},
        },
    ]
    path.write_text(json.dumps(tasks, indent=2))
    assert read_ratings(path).rows() == [
        ("5", "bot", "7", "relevance", 4.0),
        ("5", "bot", "7", "length", 2.5),
        ("5", "bot", "8", "relevance", 3.0),
    ]
    assert "1 cancelled annotation left out" in caplog.text
    assert "1 result of the type 'textarea' left out" in caplog.text


def test_label_studio_without_renaming(tmp_path):
    path = tmp_path / "export.json"
    task = {"id": 12, "annotations": [annotation(7, result("rating", 4))]}
    path.write_text(json.dumps([task | {"data": {"model": "bot", "prompt": "Hi"}}]))
    assert read_ratings(path).rows() == [("12", "bot", "7", "relevance", 4.0)]
    path.write_text(json.dumps([task | {"data": {"item_id": "c1", "model_name": "bot"}}]))
    assert read_ratings(path).rows() == [("c1", "bot", "7", "relevance", 4.0)]


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_label_studio_flat_exports(tmp_path, suffix):
    row = {
        "id": 5, "model": "bot", "prompt": "Hi", "fluency": 4, "relevance": 3, "annotator": 7,
        "annotation_id": 31, "created_at": "2026-01-01", "updated_at": "2026-01-01", "lead_time": 2.5,
    }  # fmt: skip
    path = tmp_path / f"export{suffix}"
    if suffix == ".json":
        path.write_text(json.dumps([row]))
    else:
        path.write_text(f"{','.join(row)}\n{','.join(map(str, row.values()))}\n")
    assert read_ratings(path).rows() == [
        ("5", "bot", "7", "fluency", 4.0), ("5", "bot", "7", "relevance", 3.0),
    ]  # fmt: skip


def potato(tmp_path):
    """A folder of potato with its key."""
    folder = tmp_path / "task"
    folder.mkdir()
    (folder / "config.yaml").write_text("task_dir: .\n")
    (folder / "key.jsonl").write_text(
        '{"id": "1", "item": "c5", "system": "bot"}\n{"id": "2", "item": "c6", "system": "cat"}\n'
    )
    return folder


def test_potato_states(tmp_path, caplog):
    folder = potato(tmp_path)
    labels = {
        "2": [
            [{"schema": "relevance", "name": "-1"}, "-1"],
            [{"schema": "length", "name": "slider"}, "2.5"],
            [{"schema": "why", "name": "text_box"}, "9"],
        ],
        "1": [[{"schema": "relevance", "name": "3"}, True]],
    }
    place = folder / "annotation_output" / "ann" / "user_state.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"user_id": "ann", "instance_id_to_label_to_value": labels}))
    assert read_ratings(folder).rows() == [
        ("c6", "cat", "ann", "relevance", -1.0),
        ("c6", "cat", "ann", "length", 2.5),
        ("c5", "bot", "ann", "relevance", 3.0),
    ]
    assert "1 text of raters left out" in caplog.text


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv"])
def test_potato_exports(tmp_path, suffix):
    path = potato(tmp_path) / "exports" / f"annotations{suffix}"
    path.parent.mkdir()
    if suffix == ".jsonl":
        path.write_text(
            '{"instance_id": "1", "user_id": "ann", "labels": {"relevance": {"4": "4"}}, "spans": {}}\n'
            '{"instance_id": 2, "user_id": "bob", "labels": {"relevance": {"-1": "-1"}, "why": '
            '{"text_box": "well"}}, "spans": {}}\n'
        )
    else:
        text = (
            "instance_id,user_id,relevance.4,why.text_box,relevance.-1\n1,ann,4,,\n2,bob,,well,-1\n"
        )
        path.write_text(text if suffix == ".csv" else text.replace(",", "\t"))
    assert read_ratings(path).rows() == [
        ("c5", "bot", "ann", "relevance", 4.0),
        ("c6", "cat", "bob", "relevance", -1.0),
    ]


def argilla(**more):
    return {"id": "7", "fields": {"reply": "Hi"}, "suggestions": {}, "vectors": {}, **more}


def test_argilla_records(tmp_path, caplog):
    path = tmp_path / "records.json"
    by = [{"value": 4, "user_id": "u1"}, {"value": None, "user_id": "u2"}]
    ranked = [{"value": [{"value": "a", "rank": 1}], "user_id": "u1"}]
    poor = {"value": "2 - poor", "user_id": "u1"}
    records = [
        argilla(metadata={"item": "c5", "system": "bot"}, responses={"relevance": by, "order": ranked}),
        argilla(metadata={"model_name": "bot"}, responses={"relevance": [poor]}),
        argilla(metadata={"item": "c6", "system": "bot"}, responses={}),
    ]  # fmt: skip
    path.write_text(json.dumps(records))
    assert read_ratings(path).rows() == [
        ("c5", "bot", "u1", "relevance", 4.0),
        ("7", "bot", "u1", "relevance", 2.0),
    ]
    assert "1 response to the question 'order' left out" in caplog.text
    assert "1 response to the question 'relevance' left out" in caplog.text


SURVEY = ("StartDate", "Status", "Finished", "RecordedDate", "ResponseId")
IMPORT = [f'"{{""ImportId"":""{name}""}}"' for name in SURVEY]


def survey(path, names, labels, *answers):
    """An export of Qualtrics: names, texts, import ids, then the responses."""
    ids = [f'"{{""ImportId"":""QID{i}""}}"' for i, _ in enumerate(names)]
    rows = [[*SURVEY, *names], [*SURVEY, *labels], [*IMPORT, *ids]]
    for number, (status, finished, *cells) in enumerate(answers):
        rows.append(["2026", status, finished, "2026", f"R_{number}", *map(str, cells)])
    path.write_text("\n".join(",".join(row) for row in rows) + "\n")
    return path


def test_qualtrics(tmp_path, caplog):
    path = survey(
        tmp_path / "survey.csv", ["c1__bot__fluency", "Q7", "Q8"], ["How fluent?", "c1|cat|fluency", "Why?"],
        ("IP Address", "True", "4 - good", 5, "so"), ("Survey Preview", "True", 1, 1, ""),
        ("IP Address", "False", 1, 1, ""), ("IP Address", "True", "", 3, ""),
    )  # fmt: skip
    assert read_ratings(path).rows() == [
        ("c1", "bot", "R_0", "fluency", 4.0),
        ("c1", "cat", "R_0", "fluency", 5.0),
        ("c1", "cat", "R_3", "fluency", 3.0),
    ]
    assert "2 responses not finished, or a preview, left out" in caplog.text
    path = survey(
        tmp_path / "embedded.csv", ["Fluency", "item_id", "model"], ["How fluent?", "item_id", "model"],
        ("IP Address", "True", 4, "c1", "bot"), ("IP Address", "True", 2, "c2", "bot"),
    )  # fmt: skip
    assert read_ratings(path).rows() == [
        ("c1", "bot", "R_0", "Fluency", 4.0), ("c2", "bot", "R_1", "Fluency", 2.0),
    ]  # fmt: skip
    path = survey(tmp_path / "none.csv", ["Q1"], ["How fluent?"], ("IP Address", "True", 4))
    with pytest.raises(InputError, match="say in one of these ways which reply was rated"):
        read_ratings(path)


def test_real_mean_ratings_of_dailydialog():
    path = shared("data", "dailydialog-multiref", "mturk_rating_processed_output.csv")
    ratings = read_ratings(path)
    assert (ratings.height, ratings["id"].n_unique(), ratings["system"].n_unique()) == (500, 100, 5)
    assert ratings.select("rater", "criterion").unique().rows() == [("mean", "overall")]
    assert (ratings["score"].min(), ratings["score"].max()) == (1.0, 5.0)
    assert check_ratings(ratings, read_responses(path)).notes == ()
    assert read_ratings(path.parent).equals(ratings)


def test_real_dstc7_judges(caplog):
    folder = shared("data", "dstc7-task2")
    ratings = read_ratings(folder)
    # 11 systems x 500 contexts x 3 judgements, less the 31 in which a judge comes back to a reply.
    assert ratings.height == 2 * (16500 - 31)
    assert ratings.group_by("criterion").len().sort("criterion").rows() == [
        ("Informativeness", 16469),
        ("Relevance", 16469),
    ]
    assert (ratings["rater"].n_unique(), ratings["id"].n_unique()) == (310, 500)
    assert sorted(ratings["score"].unique()) == [1, 2, 3, 4, 5]
    assert "31 rows in which a judge judges a reply again left out (6 with the same" in caplog.text
    joined = check_ratings(ratings, read_responses(folder))
    # TeamEC was judged, and its replies were not published under this name.
    assert joined.unmatched["system"].unique().to_list() == ["TeamEC"]
    assert joined.notes == ("2996 ratings without a reply, all of the system 'TeamEC'",)
    assert (joined.ratings.height, joined.unrated.height) == (29942, 0)


def test_real_dstc7_means():
    folder = shared("data", "dstc7-task2")
    ratings = read_ratings(folder / "dstc7-task2-human_evaluation.tsv")
    assert (ratings.height, ratings["rater"].unique().to_list()) == (5000, ["mean"])
    assert check_ratings(ratings, read_responses(folder)).notes == ()
    human = ratings.filter(system="Human")["score"].mean()
    assert human == pytest.approx(3.5697, abs=5e-4)


def test_real_dstc7_means_of_one_team_pool_two_names():
    folder = shared("data", "dstc7-task2")
    published = read_ratings(folder / "dstc7-task2-human_evaluation.tsv").filter(system="TeamCE")

    def differing(*names):
        judged = read_ratings(folder).filter(pl.col("system").is_in(names))
        means = judged.group_by("id").agg(pl.col("score").mean().alias("own"))
        both = published.join(means, on="id")
        return both.filter((pl.col("own") - pl.col("score")).abs() > 0.0051).height

    # Published to two decimals. Judgements left out as repeated account for the rest.
    assert differing("TeamCE") > 450
    assert differing("TeamCE", "TeamEC") <= 5


def test_real_grade():
    folder = shared("data", "grade-dailydialog")
    ratings = read_ratings(folder / "human_judgement.json")
    # Not always ten: 25 replies have 9 ratings and 15 have 11, 260 x 10 + 25 x 9 + 15 x 11 = 2990.
    counts = ratings.group_by("system", "id").len()["len"].value_counts().sort("len").rows()
    assert counts == [(9, 25), (10, 260), (11, 15)]
    assert ratings.height == 2990
    assert set(ratings["id"]) == set(read_testset(folder).ids)
    assert check_ratings(ratings, read_responses(folder)).notes == ()
    assert read_ratings(folder).equals(ratings)


def prodigy(**task):
    return json.dumps(
        {"_input_hash": 7, "_task_hash": 8, "text": "Ho", "meta": {"system": "a"}, **task}
    )


def test_prodigy_annotations(tmp_path, caplog):
    path = tmp_path / "tasks.jsonl"
    options = {"options": [{"id": 4, "text": "good"}], "accept": [4]}
    lines = [
        prodigy(meta={"id": "c1", "system": "a"}, **options, answer="accept", _session_id="s"),
        prodigy(answer="reject", label="GOOD", _annotator_id="ann"),
        prodigy(answer="ignore"),
        prodigy(**options | {"accept": []}, answer="reject"),
    ]
    path.write_text("\n".join(lines))
    assert read_ratings(path).rows() == [
        ("c1", "a", "s", "overall", 4.0),
        ("7", "a", "ann", "GOOD", 0.0),
    ]
    assert "1 task answered with 'ignore' left out" in caplog.text
    for read in (read_testset, read_responses):  # its answer is no reference
        with pytest.raises(InputError, match=r"'prodigy' holds no .* can be read as ratings"):
            read(path)
    path.write_text(prodigy(**options | {"accept": [1, 4]}, answer="accept"))
    with pytest.raises(InputError, match="row 1: accept: 2 options; expected one"):
        read_ratings(path)


def test_a_crowd_form_of_mechanical_turk(tmp_path):
    path = tmp_path / "batch.csv"
    form = '[{""fluency"":{""1"":false,""4"":true},""relevance"":3}]'
    head = "HITId,WorkerId,Input.id,Input.system,Answer.taskAnswers\n"
    path.write_text(f'{head}h,A1,c1,a,"{form}"\n')
    assert read_ratings(path).select("criterion", "score").rows() == [
        ("fluency", 4.0),
        ("relevance", 3.0),
    ]
    twice = form.replace("false", "true")
    path.write_text(f'{head}h,A1,c1,a,"{form}"\ng,A1,c2,a,"{twice}"\n')
    with pytest.raises(InputError, match=r"'1\|4' is no number"):
        read_ratings(path)


def test_a_pair_of_label_studio_without_a_choice_is_refused(tmp_path):
    path = tmp_path / "export.json"
    result = {"type": "pairwise", "from_name": "better", "value": {}}
    made = [{"completed_by": 1, "result": [result]}]
    path.write_text(json.dumps([{"id": 1, "data": {"a": "x", "b": "y"}, "annotations": made}]))
    with pytest.raises(InputError, match="row 1: a pairwise result without 'selected'"):
        read_preferences(path)
