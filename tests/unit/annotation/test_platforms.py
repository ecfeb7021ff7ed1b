"""Tasks for other platforms, and their results back as ratings."""

import csv
import json

import polars as pl
import pytest

import studies
from rejoinder.annotation.platforms import label_studio_tasks, mturk_table, tasks
from rejoinder.annotation.task import Criterion, Task
from rejoinder.errors import ParameterError
from rejoinder.tables.ratings import read_ratings

TASK = Task(criteria=(Criterion("relevance"),))
EVIL = "<script>alert(1)</script>\n${id}"


@pytest.fixture
def study(tmp_path):
    return studies.study(tmp_path, TASK, items=4)


def test_results_of_mechanical_turk_are_ratings(study, tmp_path):
    text, number = tasks(study, ".csv")
    rows = list(csv.DictReader(text.splitlines()))
    assert number == len(rows) == 8
    assert {(row["system"], row["id"]) for row in rows} == {
        (system, str(k)) for system in ("ann", "bot") for k in range(1, 5)
    }
    assert [row["id"] for row in rows] != sorted(row["id"] for row in rows)
    assert {row["context"] for row in rows if row["id"] == "1"} == {
        "A: Hello 0.<br>B: Where is bus 0?"
    }
    results = [
        {f"Input.{name}": value for name, value in row.items()}
        | {"WorkerId": worker, "AssignmentStatus": "Approved", "Answer.relevance": grade}
        for row in rows
        for worker, grade in (("w1", "2"), ("w2", "4"))
    ]
    pl.DataFrame(results).write_csv(tmp_path / "batch.csv")
    ratings = read_ratings(tmp_path / "batch.csv")
    assert ratings.height == 16
    assert set(ratings.select("criterion", "rater", "score").rows()) == {
        ("relevance", "w1", 2.0),
        ("relevance", "w2", 4.0),
    }


def test_an_export_of_label_studio_is_ratings(study, tmp_path):
    given = json.loads(tasks(study, ".json")[0])
    assert given[0].keys() == {"data"}
    assert given[0]["data"]["dialogue"][1]["author"] == "B"
    for number, each in enumerate(given, start=1):
        result = {"from_name": "relevance", "type": "choices", "value": {"choices": ["3"]}}
        each |= {"id": number, "annotations": [{"completed_by": 7, "result": [result]}]}
    (tmp_path / "export.json").write_text(json.dumps(given))
    ratings = read_ratings(tmp_path / "export.json")
    assert set(ratings.select("system", "rater", "score").rows()) == {
        ("ann", "7", 3.0),
        ("bot", "7", 3.0),
    }


def test_no_text_is_markup_in_the_form_of_mechanical_turk(study):
    with study.database.transaction() as db:
        db.execute("UPDATE question SET content = json_set(content, '$.replies[0]', ?)", (EVIL,))
        db.execute("UPDATE question SET content = json_set(content, '$.context[0]', ?)", (EVIL,))
    table = mturk_table(study)
    assert set(table["reply"]) == {"&lt;script&gt;alert(1)&lt;/script&gt;<br>$&#123;id}"}
    assert "<script" not in table.write_csv()
    assert label_studio_tasks(study)[0]["data"]["reply"] == EVIL


def test_only_grades_have_a_way_back(tmp_path):
    study = studies.study(tmp_path, Task("head-to-head"))
    for suffix in (".csv", ".json"):
        with pytest.raises(
            ParameterError, match="a head-to-head study has no tasks for other platforms"
        ):
            tasks(study, suffix)


@pytest.mark.parametrize("name", ["hits.csv", "tasks.json"])
def test_the_command_adds_no_rater_and_replaces_its_own_file(tmp_path, command, name):
    study = studies.study(tmp_path, TASK, items=3)
    study.close()
    words = ["annotate", "page", "--db", study.database.path, "-o", tmp_path / name, "--json"]
    for _ in range(2):
        status, out, err = command(*words)
        assert status == 0, err
        assert (json.loads(out)["rater"], json.loads(out)["questions"]) == (None, 6)
    assert "of an earlier run will be replaced" in err
    (tmp_path / name).write_text("mine\n")
    assert command(*words)[0] == 2
