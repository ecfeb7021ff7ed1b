"""What a file does not say is not guessed: ids, grades, systems, samples and turns."""

from __future__ import annotations

import json
import logging
import random

import pytest

import rejoinder
from rejoinder.errors import InputError


@pytest.fixture
def put(tmp_path):
    """Writes a file: text as it stands, rows as JSON Lines, or as one list under ``.json``."""

    def write(name, content):
        path = tmp_path / name
        if not isinstance(content, str):
            whole = name.endswith(".json")
            content = json.dumps(content) if whole else "\n".join(map(json.dumps, content))
        path.write_text(content)
        return path

    return write


def test_one_table_of_all_gives_items_replies_and_ratings_the_same_ids(put):
    prompts = list(range(1, 41))
    random.Random(1).shuffle(prompts)
    lines = ["prompt,reference,response,system,rater,score"]
    for prompt in prompts:
        for system in "ab":
            words = (prompt * 7 + ord(system)) % 5 + 1
            lines.append(f"{prompt},w w w,{'w ' * words},{system},r1,{words}")
    path = put("one.csv", "\n".join(lines))
    testset, replies = rejoinder.read_testset(path), rejoinder.read_responses(path)
    ratings = rejoinder.read_ratings(path)
    words = {(system, id): len(text.split()) for system, id, text in replies.rows()}
    assert {(each["system"], each["id"]): each["score"] for each in ratings.to_dicts()} == words
    assert set(testset.contexts["id"]) == {id for _, id in words}


def test_prompts_beside_their_replies_are_no_ids(put):
    path = put("m.csv", "prompt,response,rating\nGPT-4,x,3\nGPT-4,y,4\niphone15,z,2\n")
    assert rejoinder.read_ratings(path)["id"].to_list() == ["1", "2", "3"]


def test_numbered_prompts_alone_are_ids(put):
    path = put("q.csv", "question,system,rater,score\nq17,a,r,3\nq4,a,r,4\n")
    assert rejoinder.read_ratings(path)["id"].to_list() == ["q17", "q4"]


def test_flags_beside_grades_are_neither_raters_nor_criteria(put):
    ratings = rejoinder.read_ratings(
        put("a.csv", "id,system,ann1,ann2,approved\n1,a,1,0,true\n2,a,1,1,false\n")
    )
    assert set(ratings["rater"]) == {"ann1", "ann2"}
    rated = {"system": "a", "rater": "r"}
    rows = [{"id": str(n), **rated, "fluency": n, "cached": n > 1} for n in (1, 2)]
    cells = "id,system,rater,fluency,attention_check\n1,a,r,3,true\n2,a,r,4,false\n"
    for path in (put("f.csv", cells), put("f.jsonl", rows)):
        assert set(rejoinder.read_ratings(path)["criterion"]) == {"fluency"}
    alone = put("t.csv", "id,system,rater,helpful\n1,a,r,TRUE\n2,a,r,FALSE\n")
    assert rejoinder.read_ratings(alone)["score"].to_list() == [1.0, 0.0]
    with pytest.raises(InputError, match="no column of numbers"):
        rejoinder.read_ratings(put("n.csv", "id,system,ok,sound\n1,a,true,true\n2,a,false,true\n"))


@pytest.mark.parametrize(
    "row", [{"topic": "x", "respones": "hi"}, {"model_answer": "x", "finish": "stop"}]
)
def test_rows_with_a_misspelt_reply_are_refused(put, row):
    with pytest.raises(InputError, match="no column 'text'"):
        rejoinder.read_responses(put("a.jsonl", [{"id": "1", **row}, {"id": "2", **row}]))


def test_the_systems_of_wide_rows_are_named(put, caplog):
    caplog.set_level(logging.INFO)
    replies = rejoinder.read_responses(put("a.jsonl", [{"id": "1", "mybot": "a", "bare": "b"}]))
    assert replies["system"].to_list() == ["mybot", "bare"]
    assert "each of these columns is a system" in caplog.text


def span(number, text, **more):
    messages = {
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": json.dumps(
            [{"role": "user", "parts": [{"type": "text", "content": f"q{number}"}]}]
        ),
        "gen_ai.output.messages": json.dumps(
            [{"role": "assistant", "parts": [{"type": "text", "content": text}]}]
        ),
    }
    return {"name": "chat", "span_id": str(number), "trace_id": "t", "attributes": messages, **more}


def test_a_span_around_one_with_messages_is_no_reply_once_more(put):
    step = {
        "name": "step",
        "span_id": "2",
        "trace_id": "t",
        "attributes": {},
        "parent_span_id": "1",
    }
    rows = [span(1, "outer"), step, span(3, "inner", parent_span_id="2"), span(4, "other")]
    replies = rejoinder.read_responses(put("o.jsonl", rows))
    assert replies.rows() == [("m", "3", "inner"), ("m", "4", "other")]


@pytest.mark.parametrize(
    ("history", "turns"),
    [
        ([("user", "hi"), ("assistant", "hello"), ("user", "now?")], ["hi", "hello", "now?"]),
        ([("user", "hi"), ("assistant", "hello")], ["hi", "hello", "now?"]),
        ([("user", "hi"), ("assistant", "now?")], ["hi", "now?", "now?"]),
    ],
)
def test_a_question_that_ends_the_history_stands_once(put, history, turns):
    before = [{"role": role, "content": text} for role, text in history]
    inputs = {"question": "now?", "chat_history": before}
    row = {"run_type": "chain", "id": "1", "inputs": inputs, "outputs": {"answer": "yes"}}
    assert rejoinder.read_testset(put("h.jsonl", [row])).contexts["context"].to_list() == [turns]


def test_experiments_are_systems(put):
    rows = [
        {"id": f"{run}{n}", "dataset_record_id": f"d{n}", "span_id": f"{run}{n}", "root_span_id": f"{run}{n}",
         "is_root": True, "input": f"q{n}", "output": f"{run} {n}", "experiment_name": run,
         "metadata": {"model": "gpt"}}
        for run in ("old", "new") for n in (1, 2)
    ]  # fmt: skip
    both = rejoinder.read_responses(put("b.jsonl", rows))
    assert both.rows() == [
        ("gpt old", "d1", "old 1"), ("gpt old", "d2", "old 2"),
        ("gpt new", "d1", "new 1"), ("gpt new", "d2", "new 2"),
    ]  # fmt: skip
    assert set(rejoinder.read_responses(put("c.jsonl", rows[:2]))["system"]) == {"gpt"}


def test_a_threshold_is_no_score(put):
    row = {"inputs.query": "q", "inputs.response": "r", "outputs.relevance.relevance": 4,
           "outputs.relevance.relevance_threshold": 3}  # fmt: skip
    path = put("az.json", {"rows": [row], "metrics": {}, "studio_url": None})
    scores = rejoinder.read_scores(path)
    assert "threshold" not in str(scores.rows())
    assert scores.height == 1


def chat(*texts, **facts):
    roles = ("user", "assistant") * len(texts)
    turns = zip(roles, texts, strict=False)
    return facts | {"messages": [{"role": role, "content": text} for role, text in turns]}


def test_rows_of_one_conversation_are_numbered(put):
    rows = [chat("a", "b", conversation_id="c1"), chat("a", "b", "c", "d", conversation_id="c1")]
    path = put("c.jsonl", rows)
    testset = rejoinder.read_testset(path)
    assert testset.contexts["id"].to_list() == ["1", "2"]
    assert testset.contexts["conversation_id"].to_list() == ["c1", "c1"]
    assert rejoinder.read_responses(path)["id"].to_list() == ["1", "2"]
    null = put("n.jsonl", [chat("a", "b", question_id=7), chat("a", "c", question_id=None)])
    assert rejoinder.read_responses(null)["id"].to_list() == ["1", "2"]
    named = put("d.jsonl", [chat("a", "b", conversation_id=c, model=m) for c in "xy" for m in "mn"])
    assert rejoinder.read_responses(named)["id"].to_list() == ["x", "x", "y", "y"]


LOG = [
    {"span_id": "p1", "root_span_id": "p1", "is_root": True, "input": "q", "output": "a",
     "scores": {"Fact": 0.5}, "metadata": {"model": "gpt"}},
]  # fmt: skip


@pytest.mark.parametrize("columns", [{"text": "respnse"}, {"id": "span_idd"}])
def test_a_misspelt_column_of_a_log_is_refused(put, columns):
    with pytest.raises(InputError, match=r"no column '(respnse|span_idd)'"):
        rejoinder.read_responses(put("b.jsonl", LOG), columns=columns)


def test_columns_of_another_file_are_not_looked_for_in_a_log(put):
    columns = {"id": "frage", "score": "grade"}
    assert rejoinder.read_responses(put("b.jsonl", LOG), columns=columns).height == 1


def test_rows_of_a_table_are_no_messages_of_a_channel(put):
    facts = {"type": "x", "user": "u", "ts": 1}
    rows = [{"id": "1", "system": "s", "text": "hello", **facts}]
    assert rejoinder.read_responses(put("c.json", rows)).rows() == [("s", "1", "hello")]
    with pytest.raises(InputError, match="messages of a channel"):
        rejoinder.read_responses(put("d.json", [{"text": "hello", **facts}]))
