"""Exports of tools that trace and evaluate: where words stand in objects, and what is no reply."""

import contextlib
import json
from unittest.mock import Mock

import pytest

import rejoinder
from format_examples import IDS, TALKS, write
from kinds import tools
from kinds.kind import world
from rejoinder.errors import InputError
from rejoinder.tables import every_eval_ever
from rejoinder.tables.convert import convert
from rejoinder.tables.external_scores import read_scores
from rejoinder.tables.formats.format_choice import format_of
from rejoinder.tables.logs.exports import EXPORTS
from rejoinder.tables.logs.said import replies_in, turns_of_prompt
from rejoinder.tables.notes import taking_notes
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset

NAMES = [
    "langfuse", "langsmith", "langsmith-dataset", "phoenix", "phoenix-experiment", "opik", "mlflow",
    "mlflow-traces", "ragas", "helm", "helm-predictions", "lighteval", "every-eval-ever", "weave",
    "openai-evals", "vertex-batch", "gemini-batch", "braintrust", "otel-genai", "azure-evaluation",
]  # fmt: skip


def test_every_export_is_tried():
    tried = [*NAMES, "batch-output"]  # by test_logs.py and the kinds
    assert [each.name for each in EXPORTS if each.name not in tried] == []


@pytest.mark.parametrize("form", NAMES)
def test_an_export_is_read(form, tmp_path):
    name, content = tools.small(form, TALKS)
    write(tmp_path / name, content)
    path = tmp_path / name
    roles = tools.ROLES.get(form, ("testset", "responses", "scores"))
    kind = "test set" if roles == ("testset",) else "responses"
    assert format_of(path, None, kind).name == form
    if "testset" in roles:
        texts = [turns[-1] for turns in read_testset(path).contexts.get_column("context")]
        assert texts == [talk.message for talk in TALKS]
    if "responses" in roles:
        assert read_responses(path).get_column("text").to_list() == [t.reply for t in TALKS]
    if "scores" in roles:
        assert set(read_scores(path).get_column("value")) > {0.0}


def in_capitals(value, upper):
    """The keys of all objects with a capital, or in capitals; camelCase has the first alone."""
    if isinstance(value, list):
        return [in_capitals(each, upper) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        n.upper() if upper and n.islower() else n[:1].upper() + n[1:]: in_capitals(each, upper)
        for n, each in value.items()
    }


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("form", NAMES)
def test_keys_in_capitals_are_read_like_others_or_refused(form, upper, tmp_path):
    name, content = tools.small(form, TALKS)
    if not isinstance(content, bytes) or not name.endswith((".json", ".jsonl")):
        return
    lines = content.splitlines() if name.endswith(".jsonl") else [content]
    rows = [in_capitals(json.loads(line), upper) for line in lines]
    (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / name).write_bytes(content)
    for read in (read_responses, read_scores):
        with contextlib.suppress(InputError):
            rows = read(tmp_path / name).rows()
            assert rows == read(tmp_path / "plain" / name, format=form).rows()


WORDS = {
    "langfuse": (tools.langfuse_traces, "scores", {"source": "ANNOTATION", "authorUserId": "ann"}),
    "opik": (tools.opik_traces, "feedback_scores", {"source": "ui", "created_by": "ann"}),
}


@pytest.mark.parametrize("tool", WORDS)
def test_words_of_people_are_ratings_by_the_table_of_words(tool, tmp_path):
    make, key, person = WORDS[tool]
    path, rows = tmp_path / "traces.json", make(TALKS)
    for n, row in enumerate(rows):
        given = {"polite": ("yes", "no")[n % 2], "tone": ("warm", "cold")[n % 2], "useful": 1 + n}
        row[key] = [{"name": name, "value": value, **person} for name, value in given.items()]
    path.write_text(json.dumps(rows))
    with taking_notes(quiet=True) as notes:
        ratings = read_ratings(path, format=tool)
    by = ratings.partition_by("criterion", as_dict=True)
    assert by["polite",]["score"].to_list() == [float(n % 2 == 0) for n in range(len(rows))]
    assert by["useful",]["score"].to_list() == [1.0 + n for n in range(len(rows))]
    assert ("tone",) not in by
    assert f"{len(rows)} ratings without a number left out" in " ".join(map(str, notes))
    named = read_ratings(path, format=tool, values={"warm": 2, "cold": 0, "yes": 5, "no": 3})
    by = named.partition_by("criterion", as_dict=True)
    assert by["tone",]["score"].to_list() == [2.0 - 2 * (n % 2) for n in range(len(rows))]
    assert by["polite",]["score"].to_list() == [5.0 - 2 * (n % 2) for n in range(len(rows))]


def message(content, role="assistant"):
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("Yes.", ["Yes."]),
        ("", [""]),
        (None, []),
        (message(""), [""]),
        (message(None), []),  # a call of a tool
        ([message("Hi", "user"), message("Ho")], ["Ho"]),
        ([message("Hi", "user")], []),
        ({"messages": [message("Hi", "user"), message("Ho"), message("42", "tool")]}, ["Ho"]),
        ({"choices": [{"index": 0, "message": message("A")}]}, ["A"]),
        ({"choices": [{"text": "A"}, {"text": "B"}]}, ["A", "B"]),
        ([{"text": "A", "logprob": -1}, {"text": "B", "logprob": -2}], ["A", "B"]),
        ({"generations": [[{"text": "A", "type": "ChatGeneration"}]]}, ["A"]),
        ({"generations": [[{"text": "A", "type": "ChatGeneration", "message": {
            "lc": 1, "id": ["langchain", "AIMessage"], "kwargs": {"content": "A", "type": "ai"}}}]]}, ["A"]),
        ({"candidates": [{"content": {"parts": [{"text": "Hm", "thought": True}, {"text": "A"}]}}]}, ["A"]),
        (message([{"type": "text", "text": "A"}, {"type": "image_url", "image_url": {}}]), ["A"]),
        (message([{"type": "tool_use", "id": "x", "name": "f", "input": {}}]), []),
        ([{"type": "output_text", "text": "A"}, {"type": "output_text", "text": "B"}], ["AB"]),
        ({"type": "ai", "data": {"content": "A"}}, ["A"]),
        ({"output": "A", "tokens": 3, "cached": False}, ["A"]),
        ({"answer": "A", "source": "B"}, ["A"]),
        ({"answer": "", "source": "B"}, [""]),  # an empty reply, and no reply
        ({"answer": None, "source": "B"}, []),
        ({"choices": [{"text": "", "finish_reason": "stop"}]}, [""]),
        ([{"role": "assistant", "content": [{"type": "text", "text": {"value": "A"}}]}], ["A"]),
        ({"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["A"]}}, ["A"]),
        ('{"role": "assistant", "content": "A"}', ["A"]),
        ("{'role': 'assistant', 'content': 'A'}", ["A"]),
        ('{"verdict": "A"}', ['{"verdict": "A"}']),  # a reply that is JSON
        ("[1, 2]", ["[1, 2]"]),
        ("{[1]: 2}", ["{[1]: 2}"]),  # a list is no key, in Python neither
        (5, ["5"]),
    ],
)  # fmt: skip
def test_replies_stand_in_objects_of_every_kind(value, texts):
    assert replies_in(value, "here") == texts


def test_a_prompt_has_turns_without_instructions():
    turns = [message("Be nice", "system"), message("Hi", "user"), message("Ho")]
    assert turns_of_prompt(turns, "here") == ["Hi", "Ho"]
    assert turns_of_prompt(json.dumps({"messages": turns}), "here") == ["Hi", "Ho"]
    assert turns_of_prompt({"contents": [{"parts": [{"text": "Hi"}]}]}, "here") == ["Hi"]
    assert turns_of_prompt({"self": "weave:///a/b", "question": "Hi", "k": 3}, "here") == ["Hi"]


def test_an_object_with_several_texts_is_refused_and_named_by_columns(tmp_path):
    path = tmp_path / "traces.jsonl"
    rows = [
        {"id": i, "traceId": i, "input": "Hi", "output": {"draft": "A", "final": "B"}} for i in IDS
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=r"row 1: .*draft, final.*'text': COLUMN.KEY"):
        read_responses(path)
    named = read_responses(path, columns={"id": "id", "context": "input", "text": "output.final"})
    assert named.get_column("text").to_list() == ["B"] * 5


def test_scores_that_contradict_each_other_under_one_name_are_none(tmp_path):
    path = tmp_path / "traces.json"
    rows = tools.langfuse_traces(TALKS)
    for row in rows:
        row["scores"] += [{"name": "tone", "value": "kind"}, {"name": "helpful", "value": None}]
    rows[0]["scores"].append({"name": "helpful", "value": 9})
    rows[1]["scores"] *= 2
    path.write_text(json.dumps(rows))
    with taking_notes(quiet=True) as notes:
        scores = read_scores(path)
    assert set(scores.get_column("name")) == {"helpful"}
    assert scores.get_column("value").to_list() == [None, *(tools.value(n) for n in range(1, 5))]
    assert "under which a reply has several different scores" in " ".join(map(str, notes))


PEOPLE = {
    "langfuse": (tools.langfuse_traces, "scores", {"source": "ANNOTATION", "authorUserId": "ann"}),
    "opik": (tools.opik_traces, "feedback_scores", {"source": "ui", "created_by": "ann"}),
    "phoenix-experiment": (
        tools.phoenix_runs,
        "annotations",
        {"annotator_kind": "HUMAN", "user_id": "ann"},
    ),
}


@pytest.mark.parametrize("tool", PEOPLE)
def test_scores_by_people_are_ratings(tool, tmp_path):
    make, key, person = PEOPLE[tool]
    path = tmp_path / "traces.json"
    rows = make(TALKS)
    for n, row in enumerate(rows):
        row[key] = [
            *row.get(key, []),
            {"name": "polite", "value": 1 + n % 3, "score": 1 + n % 3} | person,
            {"name": "tone", "value": "kind", "score": "kind"} | person,
        ]
    path.write_text(json.dumps(rows))
    ratings = read_ratings(path, format=tool)
    assert ratings.select("criterion", "rater").unique().rows() == [("polite", "ann")]
    assert ratings.get_column("score").to_list() == [1 + n % 3 for n in range(len(rows))]
    assert "polite" not in set(read_scores(path, format=tool).get_column("name"))
    kinds = {each.kind: each for each in rejoinder.look(path, format=tool).readings}
    assert {"test set", "responses", "ratings", "scores"} == set(kinds)
    assert "ratings without a number left out" in " ".join(kinds["ratings"].notes)


CELLS = {
    "langfuse": (
        "timestamp,input,output,scores\n2026,Hi,A,",
        [{"name": "helpful", "value": 0.5}, {"name": "polite", "value": 4, "source": "ANNOTATION"}],
    ),
    "opik": (
        "project_id,start_time,input,output,feedback_scores\np,2026,Hi,A,",
        [{"name": "helpful", "value": 0.5, "source": "sdk"}, {"name": "polite", "value": 4, "source": "ui"}],
    ),
    "mlflow-traces": (
        "trace_id,request,response,assessments\n1,Hi,A,",
        [{"assessment_name": "helpful", "feedback": {"value": 0.5}},
         {"assessment_name": "expected_response", "expectation": {"value": "B"}},
         {"assessment_name": "polite", "feedback": {"value": 4}, "source": {"source_type": "HUMAN"}}],
    ),
}  # fmt: skip


@pytest.mark.parametrize("tool", CELLS)
@pytest.mark.parametrize("cell", [json.dumps, repr])
def test_a_cell_that_is_a_list_of_scores_is_read(tool, cell, tmp_path):
    start, given = CELLS[tool]
    path = tmp_path / "traces.csv"
    text = cell(given).replace('"', '""')
    path.write_text(f'{start}"{text}"\n')
    assert read_scores(path, format=tool).select("name", "value").rows() == [("helpful", 0.5)]
    assert read_ratings(path, format=tool)["score"].to_list() == [4.0]
    references = read_testset(path, format=tool).references["text"].to_list()
    assert references == ["B"] * (tool == "mlflow-traces")
    path.write_text(path.read_text() + start.splitlines()[1] + '"[{cut"\n')
    with taking_notes(quiet=True) as notes:
        read_scores(path, format=tool)
    assert "1 cell of scores with an incomplete list or object left out" in " ".join(
        map(str, notes)
    )


def test_each_author_of_a_score_of_opik_is_a_person_or_none_by_his_own_source(tmp_path):
    rows = tools.opik_traces(TALKS)
    for row in rows:
        authors = {"ann": {"value": 5, "source": "ui"}, "judge": {"value": 1, "source": "sdk"}}
        score = {"name": "polite", "value": 3, "source": row["feedback_scores"][0]["source"]}
        row["feedback_scores"] = [score | {"value_by_author": authors}]
    rows[0]["feedback_scores"][0]["source"] = "ui"
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(rows))
    assert read_scores(path)["value"].to_list() == [1.0] * len(rows)
    ratings = read_ratings(path)
    assert ratings.select("rater", "score").rows() == [("ann", 5.0)] * len(rows)


def test_rows_of_an_error_have_no_reply(tmp_path):
    path = tmp_path / "results.jsonl"
    rows = [*tools.gemini(TALKS), {"key": "x", "error": {"code": 400, "message": "bad"}}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_responses(path).height == len(TALKS)


def test_runs_that_repeat_an_example_are_samples(tmp_path):
    path = tmp_path / "runs.json"
    runs = tools.langsmith_runs(TALKS)[:-1]
    path.write_text(json.dumps([*runs, *runs]))
    responses = read_responses(path)
    assert responses.height == 2 * len(TALKS)
    assert set(responses.get_column("sample")) == {"1", "2"}


def test_instances_of_every_eval_ever_are_written_and_read_back(tmp_path):
    source, written = tmp_path / "runs.json", tmp_path / "x_samples.jsonl"
    source.write_text(json.dumps(tools.langsmith_runs(world())))
    assert convert(source, written, kind="every-eval-ever") == ("every-eval-ever", 5)
    before, after = read_testset(source).contexts, read_testset(written).contexts
    assert before.select("id", "context").rows() == after.select("id", "context").rows()
    assert read_responses(source).rows() == read_responses(written).rows()
    assert read_scores(source).rows() == read_scores(written).rows()
    first = json.loads(written.read_text().splitlines()[0])
    # what the schema of instances requires, and which of its two forms an interaction has
    required = {
        "schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id",
        "interaction_type", "input", "answer_attribution", "evaluation",
    }  # fmt: skip
    assert required <= set(first)
    assert (first["interaction_type"], first["messages"]) == ("single_turn", None)
    assert first["evaluation"] == {"score": 0.0, "is_correct": False}


def test_an_aggregate_of_every_eval_ever_stands_beside_the_lines_where_the_validator_looks(
    tmp_path, monkeypatch
):
    source, uuid = tmp_path / "runs.json", "b2f7f067-523c-4573-a4f9-193c78bc122c"
    source.write_text(json.dumps(tools.langsmith_runs(world())))
    folder = tmp_path / "data" / "chat" / "dev" / "m1"
    folder.mkdir(parents=True)
    lines = folder / f"{uuid}_samples.jsonl"
    assert convert(source, lines, kind="every-eval-ever")[1] == 5
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    made = json.loads((folder / f"{uuid}.json").read_text())
    assert {made["evaluation_id"]} == {row["evaluation_id"] for row in rows}
    assert {made["model_info"]["id"]} == {row["model_id"] for row in rows}
    assert made["detailed_evaluation_results"] == {
        "format": "jsonl", "file_path": f"data/chat/dev/m1/{uuid}_samples.jsonl", "total_rows": 5,
    }  # fmt: skip
    (result,) = made["evaluation_results"]
    mean = sum(row["evaluation"]["score"] for row in rows) / 5
    assert result["score_details"]["score"] == pytest.approx(mean)
    # the keys that the schema requires
    assert made.keys() == {
        "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
        "eval_library", "evaluation_results", "detailed_evaluation_results",
    }  # fmt: skip
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert len(before) == 2
    monkeypatch.setattr("time.time", lambda: 5)
    convert(source, lines, kind="every-eval-ever")  # the same: its time stays too
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    # What people wrote there stays, and where one of the two cannot be written neither is.
    aggregate = folder / f"{uuid}.json"
    completed = before[aggregate.name].replace(b'"unknown"', b'"us"', 1)
    aggregate.write_bytes(completed)
    with pytest.raises(InputError, match="another aggregate file stands there"):
        convert(source, lines, kind="every-eval-ever")
    assert {path.read_bytes() for path in folder.iterdir()} == {completed, before[lines.name]}
    for each in folder.iterdir():
        each.unlink()
    full = Mock(side_effect=[None, OSError(28, "No space left on device")])
    monkeypatch.setattr(every_eval_ever, "to_disk", full)
    with pytest.raises(InputError, match="No space left"):
        convert(source, lines, kind="every-eval-ever")
    assert list(folder.iterdir()) == []
    monkeypatch.undo()
    two = tmp_path / "two.csv"
    two.write_text("id,system,user_input,response,f1\n1,a,Hi,A,1\n1,b,Hi,B,0\n")
    with pytest.raises(InputError, match=r"scores of 2 systems \(a, b\).*; convert a file of each"):
        convert(two, lines, kind="every-eval-ever", format="ragas")
    with taking_notes(quiet=True) as notes:
        convert(source, tmp_path / "x.jsonl", kind="every-eval-ever")
    assert "no aggregate file" in " ".join(map(str, notes))


def test_a_file_without_scores_has_no_instances(tmp_path):
    path = tmp_path / "ragas.jsonl"
    path.write_bytes(tools.lines(tools.ragas(TALKS, scores=False)))
    with pytest.raises(InputError, match="no scores"):
        convert(path, tmp_path / "x.jsonl", kind="every-eval-ever")


OWN = {
    "gem.csv": "key,system,response,reference\n1,a,A,hi\n1,b,B,hi\n",
    "lf.csv": "id,system,timestamp,input,output,tags\n1,a,2026,Hi,A,x\n1,b,2026,Hi,B,x\n",
    "mlf.csv": "id,system,inputs,outputs,targets\n1,a,Hi,A,hey\n1,b,Hi,B,hey\n",
    "pe.csv": "example_id,repetition_number,output,system,input\n1,1,A,a,Hi\n1,1,B,b,Hi\n",
    "vert.csv": "id,system,request,response,status\n1,a,Hi,A,ok\n1,b,Hi,B,ok\n",
    "ragas.csv": "id,user_input,response,reference,generator\n1,Hi,A,hey,a\n1,Hi,B,hey,b\n",
    "spec.csv": "id,system,text,spec\n1,a,A,x\n1,b,B,y\n",
    "opik.csv": "id,system,trace,spans,text\n1,a,x,y,A\n1,b,x,y,B\n",
    "fb.csv": "id,system,text,instance,result\n1,a,A,x,y\n1,b,B,x,y\n",
    "rows.jsonl": '{"id": "1", "system": "a", "instance": "i", "result": "r", "text": "A"}\n'
    '{"id": "1", "system": "b", "instance": "i", "result": "r", "text": "B"}\n',
    "exp.json": '{"experiment": "x", "items": [{"id": "1", "system": "a", "text": "A"}, '
    '{"id": "1", "system": "b", "text": "B"}]}',
    "info.json": '{"info": {"name": "x"}, "data": [{"id": "1", "system": "a", "text": "A"}, '
    '{"id": "1", "system": "b", "text": "B"}]}',
}


@pytest.mark.parametrize("name", OWN)
def test_a_table_with_a_column_of_systems_is_no_export(name, tmp_path):
    (tmp_path / name).write_text(OWN[name])
    read = read_responses(tmp_path / name)
    assert read.select("system", "id", "text").rows() == [("a", "1", "A"), ("b", "1", "B")]


@pytest.mark.parametrize("column", ["system", "system_name", "generator"])
def test_an_export_with_a_column_of_systems_keeps_them(column, tmp_path):
    path = tmp_path / "spans.jsonl"
    path.write_text(
        "".join(
            json.dumps({"id": "1", "traceId": s, "input": "Hi", "output": t, column: s}) + "\n"
            for s, t in (("a", "A"), ("b", "B"))
        )
    )
    assert read_responses(path).rows() == [("a", "1", "A"), ("b", "1", "B")]


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ({"choices": [{"message": message("A")}, {"message": message("B")}]}, ["A", "B"]),
        (json.dumps({"choices": [{"message": message("A")}, {"message": message("B")}]}), ["A", "B"]),
        ({"output": {"choices": [{"message": message("A")}, {"message": message("B")}]}}, ["A", "B"]),
        ({"candidates": [{"content": {"role": "model", "parts": [{"text": each}]}} for each in "AB"]},
         ["A", "B"]),
        ({"generations": [[{"text": each, "type": "ChatGeneration", "message": {
            "lc": 1, "id": ["langchain", "AIMessage"], "kwargs": {"content": each, "type": "ai"}}}
            for each in "AB"]]}, ["A", "B"]),
        ('{"choices": ["red", "blue"]}', ['{"choices": ["red", "blue"]}']),
        ('{"data": [1, 2, 3]}', ['{"data": [1, 2, 3]}']),
        ('[{"text": "A"}]', ['[{"text": "A"}]']),
        ({"answer": "A", "data": [1, 2]}, ["A"]),
    ],
)  # fmt: skip
def test_each_choice_is_a_reply_and_json_without_messages_is_one(value, texts):
    assert replies_in(value, "here") == texts


def test_the_question_of_an_object_is_its_prompt_whatever_stands_beside_it():
    assert turns_of_prompt({"output": {"a": "b"}, "question": "Hi"}, "here") == ["Hi"]
    for beside in ({"data": [1, 2]}, {"content": ["a page"]}):
        assert turns_of_prompt({**beside, "question": "Hi"}, "here") == ["Hi"]
        assert turns_of_prompt(json.dumps({**beside, "question": "Hi"}), "here") == ["Hi"]


@pytest.mark.parametrize(("reply", "count"), [("", 5), (None, 4)])
def test_an_empty_reply_is_a_reply(reply, count, tmp_path):
    path = tmp_path / "traces.jsonl"
    rows = [{"id": i, "traceId": i, "input": "Hi", "output": "Ho"} for i in IDS]
    rows[0]["output"] = reply
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_responses(path).height == count


def test_an_empty_cell_is_no_reply(tmp_path):
    path = tmp_path / "traces.csv"
    path.write_text("id,traceId,input,output\n1,1,Hi,\n2,2,Hi,Ho\n")
    assert read_responses(path).get_column("text").to_list() == ["Ho"]


@pytest.mark.parametrize(
    "scores",
    [
        {"A": {"one": 1.0, "two": 0.0}, "B": {"two": 0.9}},
        {"A": {"two": 0.0}, "B": {"one": 0.4, "two": 0.9}},
        {"A": {"two": 0.0, "one": 1.0}, "B": {"one": 0.4, "two": 0.9}},
    ],
)
def test_the_scores_of_a_reply_stay_with_it(scores, tmp_path):
    source, written = tmp_path / "ragas.jsonl", tmp_path / "x_samples.jsonl"
    rows = [
        {"id": "1", "user_input": "Hi", "response": reply, "reference": "hey"}
        | {name: values.get(reply) for name, values in scores.items()}
        for reply in ("one", "two")
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    convert(source, written, kind="every-eval-ever")
    keys = ["system", "id", "sample"]
    read = read_scores(written).drop_nulls("value").join(read_responses(written), on=keys)
    found = {name: dict[str, float]() for name in scores}
    for name, text, value in read.select("name", "text", "value").iter_rows():
        found[name][text] = value
    assert found == scores


def test_a_score_of_a_missing_reply_is_of_no_other(tmp_path):
    source, written = tmp_path / "ragas.jsonl", tmp_path / "x_samples.jsonl"
    rows = [
        {"id": "1", "user_input": "Hi", "response": reply, "reference": "hey", "f1": value}
        for reply, value in (("one", 1.0), (None, 0.0))
    ]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with taking_notes() as notes:
        assert convert(source, written, kind="every-eval-ever") == ("every-eval-ever", 1)
    assert "1 score missing or of no reply left out" in [each.text for each in notes]
    assert json.loads(written.read_text())["evaluation"]["score"] == 1.0


def test_all_cells_of_a_column_decide_whether_it_is_a_metric(tmp_path):
    path = tmp_path / "ragas.csv"
    path.write_text(
        "user_input,response,reference,f1,session,comment,turn,conversation,latency\n"
        "Hi,A,hey,0.5,1_2,10,1,7,3\nHow,B,good,,1_3,nice,2,7,4\nYo,C,so,error,1_4,good,3,8,5\n"
        "Ey,D,so,1,1_4,good,3,8,5\n"
    )
    scores = read_scores(path)
    assert scores.select("id", "name", "value").rows() == [
        ("1", "f1", 0.5), ("2", "f1", None), ("3", "f1", None), ("4", "f1", 1.0),
    ]  # fmt: skip


def test_columns_that_nothing_is_read_from_are_named(tmp_path):
    path = tmp_path / "ragas.csv"
    path.write_text(
        "user_input,response,reference,f1,session,conversation,empty\nHi,A,hey,0.5,s,7,\n"
    )
    with taking_notes() as notes:
        read_responses(path)
    assert "columns not read: session, conversation" in [each.text for each in notes]
