"""Tasks for other platforms, and their results back as ratings."""

import csv
import json
from dataclasses import replace

import polars as pl
import pytest

import studies
from rejoinder.annotation.platforms import label_studio, mturk
from rejoinder.annotation.platforms.questions import shuffled
from rejoinder.annotation.platforms.registry import PLATFORMS, tasks
from rejoinder.annotation.task import Criterion, Task
from rejoinder.errors import InputError, ParameterError
from rejoinder.files.provenance import read_record
from rejoinder.files.replacing import write_texts
from rejoinder.tables.ratings import read_ratings

TASK = Task(criteria=(Criterion("relevance"),))
EVIL = "<script>alert(1)</script>\n${id}"


@pytest.fixture
def study(tmp_path):
    return studies.study(tmp_path, TASK, items=4)


def text_of(study, platform):
    """The one file of a platform, and the number of questions."""
    texts, number = tasks(study, PLATFORMS[platform])
    return texts[""], number


def test_results_of_mechanical_turk_are_ratings(study, tmp_path):
    text, number = text_of(study, "mturk")
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
    given = json.loads(text_of(study, "label-studio")[0])
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
    table = mturk.table(study)
    assert set(table["reply"]) == {"&lt;script&gt;alert(1)&lt;/script&gt;<br>$&#123;id}"}
    assert "<script" not in table.write_csv()
    assert label_studio.tasks(study)[0]["data"]["reply"] == EVIL


FOLDERS = ("potato", "argilla")


def exported(study, tmp_path, platform):
    """The folder of a platform, as the command writes it."""
    texts, number = tasks(study, PLATFORMS[platform])
    assert number == 8
    write_texts(tmp_path / platform, texts)
    return tmp_path / platform


def labels_of(ids):
    """What two people choose: the first the number of the instance modulo 5, the second 5."""
    ids = list(ids)
    return {
        rater: {number: str(int(number) % 5 + 1) if rater == "ann" else "5" for number in ids}
        for rater in ("ann", "bob")
    }


def expected(study, given):
    """The ratings that these choices are, by item, system and rater."""
    every = shuffled(study)
    return {
        (every[int(number) - 1].item, every[int(number) - 1].system, rater, float(score))
        for rater, choices in given.items()
        for number, score in choices.items()
    }


def state_of(rater, choices):
    """``user_state.json``, as potato 2.12 keeps it."""
    labels = {
        number: [
            [{"schema": "relevance", "name": score}, score],
            [{"schema": "comment", "name": "text_box"}, "7 of 10"],
        ]
        for number, score in choices.items()
    }
    return {
        "user_id": rater,
        "current_instance_index": 3,
        "instance_id_to_label_to_value": labels,
        "instance_id_to_span_to_value": {},
    }


def write_potato(folder, given, shape):
    """The annotations in a folder of potato; the path that is read."""
    if shape in ("state", "older state"):
        for rater, choices in given.items():
            state = state_of(rater, choices)
            if shape == "older state":
                state["instance_id_to_label_to_value"] = {
                    number: {"relevance": {score: True}, "comment": {"text_box": "fine"}}
                    for number, score in choices.items()
                }
            place = folder / "annotation_output" / rater / "user_state.json"
            place.parent.mkdir(parents=True)
            place.write_text(json.dumps(state))
        return folder
    exports = folder / "annotation_output" / "exports"
    exports.mkdir(parents=True)
    path = exports / f"annotations.{shape}"
    rows = [
        (number, rater, score) for rater, each in given.items() for number, score in each.items()
    ]
    if shape == "jsonl":
        lines = [
            {
                "instance_id": number, "user_id": rater, "spans": {}, "links": {},
                "labels": {"relevance": {score: score}, "comment": {"text_box": "fine"}},
            }
            for number, rater, score in rows
        ]  # fmt: skip
        path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    else:
        scores = sorted({score for *_, score in rows})
        with path.open("w", newline="") as file:
            writer = csv.writer(file, delimiter="," if shape == "csv" else "\t")
            names = [f"relevance.{score}" for score in scores]
            writer.writerow(["instance_id", "user_id", *names, "comment.text_box"])
            for number, rater, score in rows:
                cells = [score if score == each else "" for each in scores]
                writer.writerow([number, rater, *cells, "fine"])
    return path


@pytest.mark.parametrize("shape", ["state", "older state", "jsonl", "csv", "tsv"])
def test_annotations_of_potato_are_ratings(tmp_path, shape):
    study = studies.study(tmp_path, replace(TASK, comments=True), items=4)
    folder = exported(study, tmp_path, "potato")
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    assert [each["id"] for each in items] == [str(k) for k in range(1, 9)]
    assert items[0]["dialogue"][1]["speaker"] == "B"
    given = labels_of(each["id"] for each in items)
    path = write_potato(folder, given, shape)
    ratings = read_ratings(path)
    assert set(ratings.get_column("criterion")) == {"relevance"}
    got = set(ratings.select("id", "system", "rater", "score").rows())
    assert got == expected(study, given)
    assert ratings.height == 16


@pytest.mark.parametrize("shape", ["state", "older state", "jsonl"])
@pytest.mark.parametrize("zero", [0, 0.0, "0"])
def test_the_zero_of_a_slider_is_a_rating(study, tmp_path, shape, zero):
    folder = exported(study, tmp_path, "potato")
    labels = {"relevance": {"slider": zero}, "rejected": {"3": False, "4": None, "5": "false"}}
    if shape == "jsonl":
        path = folder / "a.jsonl"
        path.write_text(json.dumps({"instance_id": "1", "user_id": "ann", "labels": labels}))
    else:
        of_one = labels if shape == "older state" else [
            [{"schema": schema, "name": name}, value]
            for schema, each in labels.items()
            for name, value in each.items()
        ]  # fmt: skip
        state = {"user_id": "ann", "instance_id_to_label_to_value": {"1": of_one}}
        place = folder / "annotation_output/ann/user_state.json"
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps(state))
        path = folder
    ratings = read_ratings(path)
    assert ratings.select("criterion", "score").rows() == [("relevance", 0.0)]


def test_responses_of_argilla_are_ratings(study, tmp_path):
    folder = exported(study, tmp_path, "argilla")
    records = json.loads((folder / "records.json").read_text())
    assert [each["id"] for each in records] == [str(k) for k in range(1, 9)]
    given = labels_of(each["id"] for each in records)
    for each in records:  # as Dataset.to_disk of argilla 2.8 writes them
        responses = [
            {"value": choices[each["id"]], "user_id": rater} for rater, choices in given.items()
        ]
        comments = [{"value": "7", "user_id": "ann"}, {"value": None, "user_id": "bob"}]
        each |= {
            "responses": {"relevance": responses, "comment": comments},
            "status": "completed",
            "_server_id": "0",
        }
    (tmp_path / "export.json").write_text(json.dumps(records))
    ratings = read_ratings(tmp_path / "export.json")
    assert set(ratings.get_column("criterion")) == {"relevance"}
    got = set(ratings.select("id", "system", "rater", "score").rows())
    assert got == expected(study, given)


def judged(study, tmp_path, platform):
    """A file of one person's judgements on a platform, in which every reply has the grade 3."""
    texts, _ = tasks(study, PLATFORMS[platform])
    if platform == "mturk":
        rows = list(csv.DictReader(texts[""].splitlines()))
        results = [
            {f"Input.{name}": value for name, value in row.items()}
            | {"WorkerId": "ann", "AssignmentStatus": "Approved", "Answer.relevance": "3"}
            for row in rows
        ]
        pl.DataFrame(results).write_csv(tmp_path / "batch.csv")
        return tmp_path / "batch.csv"
    if platform.startswith("label-studio"):
        given = json.loads(texts[""])
        result = {"from_name": "relevance", "type": "choices", "value": {"choices": ["3"]}}
        for number, each in enumerate(given, start=1):
            each |= {"id": number, "annotations": [{"completed_by": "ann", "result": [result]}]}
        (tmp_path / "export.json").write_text(json.dumps(given))
        return tmp_path / "export.json"
    folder = exported(study, tmp_path, platform)
    if platform == "potato":
        items = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
        assert all("probability" not in each for each in items)
        return write_potato(folder, {"ann": {each["id"]: "3" for each in items}}, "state")
    records = json.loads((folder / "records.json").read_text())
    for each in records:
        each["responses"] = {"relevance": [{"value": "3", "user_id": "ann"}]}
    (folder / "records.json").write_text(json.dumps(records))
    return folder / "records.json"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_ratings_of_drawn_items_come_back_with_their_probabilities(study, tmp_path, platform):
    with study.database.transaction() as db:
        db.execute("UPDATE question SET probability = item / 5.0")
    ratings = read_ratings(judged(study, tmp_path, platform))
    assert set(ratings.get_column("criterion")) == {"relevance"}
    got = set(ratings.select("id", "probability").rows())
    assert got == {(str(k), k / 5) for k in range(1, 5)}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_ratings_of_a_study_that_asks_about_every_item_have_no_probability(
    study, tmp_path, platform
):
    ratings = read_ratings(judged(study, tmp_path, platform))
    assert ratings.height == 8
    assert "probability" not in ratings.columns


def test_flat_exports_of_label_studio_have_the_probability_of_the_draw(study, tmp_path):
    with study.database.transaction() as db:
        db.execute("UPDATE question SET probability = item / 5.0")
    rows = [
        {**each["data"], "annotator": 7, "annotation_id": k, "lead_time": 1.5, "relevance": 3}
        for k, each in enumerate(json.loads(text_of(study, "label-studio")[0]))
    ]
    (tmp_path / "flat.json").write_text(json.dumps([each | {"dialogue": ""} for each in rows]))
    ratings = read_ratings(tmp_path / "flat.json")
    assert set(ratings.get_column("criterion")) == {"relevance"}
    assert set(ratings.select("id", "probability").rows()) == {(str(k), k / 5) for k in range(1, 5)}


def test_argilla_gets_the_setting_of_the_probability(study, tmp_path):
    def names(folder):
        given = json.loads((folder / ".argilla/settings.json").read_text())["metadata"]
        return [(each["name"], each["settings"]["type"]) for each in given]

    (tmp_path / "all").mkdir()
    every = names(exported(study, tmp_path / "all", "argilla"))
    assert every == [("item", "terms"), ("system", "terms")]
    with study.database.transaction() as db:
        db.execute("UPDATE question SET probability = 0.5")
    drawn = names(exported(study, tmp_path, "argilla"))
    assert drawn == [*every, ("probability", "float")]


def argilla_file(tmp_path, **responses):
    """Records of Argilla, one for each response; every question has so many."""
    number = len(next(iter(responses.values())))
    records = [
        {
            "id": str(k), "fields": {"reply": "Hi"}, "metadata": {"item": str(k), "system": "ann"},
            "responses": {
                name: [{"value": values[k], "user_id": "u"}] for name, values in responses.items()
            },
        }
        for k in range(number)
    ]  # fmt: skip
    path = tmp_path / "records.json"
    path.write_text(json.dumps(records))
    return path


def test_texts_of_argilla_are_left_out_and_counted_whatever_their_question_is_called(
    tmp_path, caplog
):
    path = argilla_file(
        tmp_path, relevance=["3", 4], why=["a good reply", "it fits"], comment=["7", None]
    )
    ratings = read_ratings(path)
    assert ratings.select("criterion", "score").rows() == [("relevance", 3.0), ("relevance", 4.0)]
    assert "2 responses to the question 'why' left out" in caplog.text
    assert "2 responses to the question 'comment' left out" in caplog.text


def test_a_rating_question_called_comment_is_a_criterion(tmp_path):
    ratings = read_ratings(argilla_file(tmp_path, comment=[3, 4]))
    assert ratings.select("criterion", "score").rows() == [("comment", 3.0), ("comment", 4.0)]


@pytest.mark.parametrize("second", ["4", "fair"])
def test_a_label_that_is_no_number_is_refused_where_it_may_be_a_rating(tmp_path, second):
    with pytest.raises(InputError, match=r"row 1: score 'bad' is no number"):
        read_ratings(argilla_file(tmp_path, relevance=["bad", second]))


@pytest.mark.parametrize("tail", ["", " ein langer Text" * 500])
def test_records_of_argilla_are_recognised_however_long_their_texts_are(study, tmp_path, tail):
    with study.database.transaction() as db:
        db.execute("UPDATE question SET content = json_set(content, '$.context[0]', ?)", (tail,))
    assert read_ratings(judged(study, tmp_path, "argilla")).height == 8


def test_what_raters_get_to_see_does_not_say_whose_a_reply_is(tmp_path):
    study = studies.study(tmp_path, TASK, items=4)
    with study.database.transaction() as db:
        db.execute("UPDATE question SET content = json_set(content, '$.replies[0]', 'A reply.')")
    folder = exported(study, tmp_path, "potato")
    for name in ("config.yaml", "items.jsonl"):  # potato sends every column of the items
        assert "ann" not in (folder / name).read_text().replace("annotation", "")
        assert "bot" not in (folder / name).read_text()
    settings = json.loads(
        (exported(study, tmp_path, "argilla") / ".argilla/settings.json").read_text()
    )
    assert {each["name"]: each["visible_for_annotators"] for each in settings["metadata"]} == {
        "item": False,
        "system": False,
    }


def test_hostile_texts_end_no_script_of_potato_and_no_line_of_its_configuration(tmp_path):
    criterion = Criterion("relevance", 'a "b": #\n\u2028c', 1, 2, ("{x}: y", "\x07"))
    study = studies.study(tmp_path, Task(criteria=(criterion,), title="- [\n'"), items=4)
    evil = "</SCRIPT><!--<script>"
    with study.database.transaction() as db:
        db.execute("UPDATE question SET content = json_set(content, '$.replies[0]', ?)", (evil,))
        db.execute("UPDATE question SET content = json_set(content, '$.context[0]', ?)", (evil,))
    folder = exported(study, tmp_path, "potato")
    text = (folder / "items.jsonl").read_text().lower()
    assert not any(sign in text for sign in ("</script", "<!--", "<script"))
    lines = (folder / "config.yaml").read_text("utf-8").split("\n")
    assert 'annotation_task_name: "- [\\n\'"' in lines
    assert '    description: "a \\"b\\": #\\n\\u2028c"' in lines
    assert '      - {name: "2", displayed_label: "2: \\u0007"}' in lines


@pytest.mark.parametrize("platform", FOLDERS)
@pytest.mark.parametrize("name", ["Relevance", "wie gut?", "a.b", "-", "reply", "comment"])
def test_names_that_a_platform_refuses_are_refused(tmp_path, platform, name):
    study = studies.study(tmp_path, Task(criteria=(Criterion(name),)))
    with pytest.raises(ParameterError, match=r"takes lower-case letters, digits, '-' and '_'"):
        tasks(study, PLATFORMS[platform])


@pytest.mark.parametrize("platform", PLATFORMS)
def test_only_grades_have_a_way_back(tmp_path, platform):
    study = studies.study(tmp_path, Task("head-to-head"))
    with pytest.raises(
        ParameterError, match="a head-to-head study has no tasks for other platforms"
    ):
        tasks(study, PLATFORMS[platform])


@pytest.mark.parametrize("platform", FOLDERS)
def test_a_folder_is_new_and_whole_and_has_its_record(tmp_path, command, platform):
    study = studies.study(tmp_path, TASK, items=3)
    study.close()
    folder = tmp_path / "task"
    words = ["annotate", "page", "--db", study.database.path, "--platform", platform, "-o", folder]
    status, out, err = command(*words, "--json")
    assert (status, json.loads(out)["questions"]) == (0, 6), err
    names = sorted(
        each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()
    )
    record = read_record(folder)
    assert record is not None
    assert sorted([*record["files"], ".provenance.json"]) == names
    (folder / "annotation_output").mkdir()  # what people do there is not overwritten
    status, _, err = command(*words)
    assert status == 2
    assert "a folder with other things in it" in err
    assert json.loads(command("verify", folder, "--json")[1])["state"] == "unchanged"
    (tmp_path / "file").write_text("mine")
    assert command(*words[:-1], tmp_path / "file")[0] == 2
    assert (tmp_path / "file").read_text() == "mine"


def test_the_provenance_of_potatos_ratings_leads_to_the_study(tmp_path, command):
    study = studies.study(tmp_path, TASK, items=3)
    study.close()
    folder = tmp_path / "task"
    page = ["annotate", "page", "--db", study.database.path, "--platform", "potato", "-o", folder]
    assert command(*page)[0] == 0
    path = write_potato(folder, labels_of(["1", "2", "3"]), "state")
    assert command("ratings", path, "--save", tmp_path / "r.csv")[0] == 0
    (given,) = json.loads(command("verify", tmp_path / "r.csv", "--json")[1])["inputs"]
    assert (given["name"], given["state"]) == ("task", "unchanged")
    assert given["command"][:3] == ["rejoinder", "annotate", "page"]
    assert [each["role"] for each in given["inputs"]] == ["--db"]
    (folder / "key.jsonl").write_text('{"id": "1", "item": "other", "system": "ann"}\n')
    (given,) = json.loads(command("verify", tmp_path / "r.csv", "--json")[1])["inputs"]
    assert (given["state"], given["command"]) == ("changed", None)


@pytest.mark.parametrize(("platform", "name"), [("mturk", "t.json"), ("label-studio", "t.csv")])
def test_a_platform_has_its_own_kind_of_file(tmp_path, command, platform, name):
    study = studies.study(tmp_path, TASK, items=3)
    study.close()
    words = ["annotate", "page", "--db", study.database.path, "--platform", platform]
    status, _, err = command(*words, "-o", tmp_path / name)
    assert status == 2
    assert f"got the suffix '.{name[2:]}', expected" in err


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
