"""Every reader of JSON refuses an object that has a key twice, and names file, row and key.

A format that reads JSON and has no row here fails.
"""

import re

import pytest

from rejoinder.errors import InputError
from rejoinder.models.likelihood.store import RecordedBackend
from rejoinder.tables.formats.registry import formats_for
from rejoinder.tables.logs.exports import EXPORTS
from rejoinder.tables.preferences import read_preferences
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset

FORMATS = formats_for("test set", "responses")
RATING_FORMATS = formats_for("ratings")

PLUSPLUS = '{"id": 1, "context": ["Hi"], "positive_responses": ["Ho"], "id": 2}'
MULTIREF = '{"dialogue": [{"text": "Hi", "responses": []}, {"text": "Ho", "responses": ["a"], "text": "x"}]}'
CHAT = (
    '{"id": "1", "messages": [{"role": "user", "content": "Hi"}, '
    '{"role": "assistant", "content": "Ho", "content": "x"}]}'
)
TASK = (
    '{"data": {"id": 1, "system": "bot"}, "annotations": [{"completed_by": 1, "result": '
    '[{"type": "rating", "from_name": "fluency", "value": {"rating": 4, "rating": 5}}]}]}'
)
JUDGED = '{"ID": 0, "DialogModel": "bot", "HumanScores": "[4]", "HumanScores": "[5]"}'
DUEL = '{"id": 1, "a": "x", "b": "y", "winner": "a", "winner": "b"}'
SCORED = '{"id": "a", "text": "x", "total": -1, "tokens": 1, "total": -2}'

SAMPLES = '{"doc_id": 0, "resps": [], "filtered_resps": [], "target": "a", "target": "b"}'
PAIR = '{"prompt": "Hi", "chosen": "a", "rejected": "b", "chosen": "c"}'
RATED = '[{"context": "Hi", "responses": [{"response": "a", "model": "m", "Overall": [1], "Overall": [2]}]}]'
LIKED = '{"index": 0, "value": "Hi", "liked": true, "liked": false}'
INSTANCE = '{"id": "c1__a", "label_annotations": {"tone": {"1": "1", "1": "2"}}}'
WORLD = '{"dialog": [[{"id": "a", "text": "Hi"}, {"id": "b", "text": "Ho", "text": "x"}]]}'
ANSWER = '{"question_id": 1, "choices": [{"index": 0, "turns": ["Hi"], "turns": ["Ho"]}]}'
BATCH = '{"custom_id": "a", "response": {}, "custom_id": "b"}'

FLAT = '[{"id": 1, "system": "b", "lead_time": 1, "annotation_id": 1, "annotation_id": 2}]'

ANNOTATED = '{"instance_id": "1", "user_id": "a", "user_id": "b", "labels": {}}'
RECORDED = (
    '[{"id": "1", "fields": {}, "metadata": {"item": "1", "system": "a"}, "responses": '
    '{"q": [{"value": 1, "user_id": "a", "user_id": "b"}]}}]'
)


def marked(names):
    """A row with the keys that tell an export, and one twice."""
    return "{" + "".join(f'"{name}": {{}}, ' for name in names.split()) + '"x": 1, "x": 2}'


# Reader, format, file, content, key, row.
ROWS = [
    (read_testset, "jsonl", "t.jsonl", '{"id": 1, "references": [{"text": "a", "text": "b"}]}', "text"),
    (read_testset, "json", "t.json", '[{"id": 1, "references": [], "topic": "a", "topic": "b"}]', "topic"),
    (read_testset, "lm-eval", "s.jsonl", SAMPLES, "target"),
    (read_testset, "dpo", "p.jsonl", PAIR, "chosen"),
    (read_testset, "usr", "u.json", RATED, "Overall"),
    (read_ratings, "usr", "u.json", RATED, "Overall"),
    (read_responses, "gradio-likes", "l.jsonl", LIKED, "liked"),
    (read_ratings, "gradio-likes", "l.jsonl", LIKED, "liked"),
    (read_ratings, "potato-instances", "i.jsonl", INSTANCE, "1"),
    (read_testset, "parlai-worlds", "w.jsonl", WORLD, "text"),
    (read_responses, "mt-bench", "m.jsonl", ANSWER, "turns"),
    (read_responses, "batch-output", "b.jsonl", BATCH, "custom_id"),
    (read_testset, "dailydialog++", "t.jsonl", PLUSPLUS, "id"),
    (read_testset, "dailydialog-multiref", "multireftest.json", MULTIREF, "text"),
    (read_testset, "chat", "t.jsonl", CHAT, "content"),
    (read_testset, "chat-turns", "t.jsonl", CHAT, "content"),
    (read_responses, "jsonl", "bot.jsonl", '{"id": "a", "text": "x", "text": "y"}', "text"),
    (read_responses, "chat", "bot.jsonl", CHAT, "content"),
    (read_ratings, "jsonl", "r.jsonl", '{"id": "a", "system": "b", "score": 1, "score": 2}', "score"),
    (read_ratings, "json", "r.json", '[{"id": "a", "system": "b", "score": 1, "score": 2}]', "score"),
    (read_ratings, "label-studio-min", "m.json", FLAT, "annotation_id"),
    (read_ratings, "label-studio", "r.json", f"[{TASK}]", "rating"),
    (read_ratings, "potato", "p.jsonl", ANNOTATED, "user_id"),
    (read_ratings, "prodigy", "p.jsonl", '{"_task_hash": 1, "text": "x", "text": "y"}', "text"),
    (read_ratings, "argilla", "a.json", RECORDED, "user_id"),
    (read_ratings, "grade", "human_judgement.json", f"[{JUDGED}]", "HumanScores"),
    (read_preferences, "jsonl", "p.jsonl", DUEL, "winner"),
    (RecordedBackend, None, "s.jsonl", SCORED, "total"),
    *(
        (read_testset if e.prompt else read_responses, e.name, "export.jsonl", marked(e.marks[0]), "x")
        for e in EXPORTS
    ),
    *((read_ratings, e.name, "export.jsonl", marked(e.marks[0]), "x") for e in EXPORTS if e.people),
]  # fmt: skip

LOGS = {
    "inspect": ("log.json", '{"status": "success", "eval": {"run_id": "a", "run_id": "b"}}'),
    "promptfoo": (
        "results.json",
        '{"evalId": "a", "results": [{"provider": "x", "provider": "y"}]}',
    ),
    "gradio-chatbot": ("c.json", '[{"role": "user", "content": "Hi", "content": "Ho"}]'),
    "deepeval": ("run.json", '{"testCases": [{"input": "x", "input": "y"}]}'),
}
"""Logs that are one value of JSON, and have no rows to name."""


@pytest.mark.parametrize("name", LOGS)
def test_a_key_twice_in_a_log_is_refused(tmp_path, name):
    path = tmp_path / LOGS[name][0]
    path.write_text(LOGS[name][1])
    with pytest.raises(InputError, match=re.escape(f"{path}: duplicate key ")):
        read_testset(path)


NO_JSON = {
    *("csv", "tsv", "parquet", "text", "dailydialog", "dstc7", "mturk", "xlsx", "wmt", "qualtrics"),
    *("parlai", "fbdialog", "dialogpt", "google-forms", "study", "moses"),
    "datasets",  # Arrow, named in a JSON file that the library writes
}
"""Formats that read no objects of JSON."""


def test_every_format_has_a_row_or_reads_no_json():
    named = {name for read, name, *_ in ROWS if read is not read_ratings}
    known = set(FORMATS)
    assert (
        known - named - NO_JSON - LOGS.keys() - {"grade"} == set()
    )  # GRADE's texts are lines, its ratings JSON
    rated = {name for read, name, *_ in ROWS if read is read_ratings}
    known = set(RATING_FORMATS)
    assert known - rated - NO_JSON - {"dailydialog-multiref"} == set()  # those ratings are a CSV


@pytest.mark.parametrize(
    ("read", "form", "name", "content", "key"), ROWS, ids=[f"{r[0].__name__}-{r[1]}" for r in ROWS]
)
@pytest.mark.parametrize("recognised", [True, False])
def test_a_key_twice_is_refused(tmp_path, read, form, name, content, key, recognised):
    path = tmp_path / name
    path.write_text(content + "\n")
    named = {} if recognised or form is None else {"format": form}
    if recognised and form == "chat-turns":
        pytest.skip("by name alone")
    message = f"{path}, row 1: duplicate key '{key}' in one object; keep the value"
    with pytest.raises(InputError, match=re.escape(message)):
        read(path, **named)


def test_the_row_of_a_list_is_named(tmp_path):
    path = tmp_path / "export.json"
    sound = TASK.replace(', "rating": 5', "")
    path.write_text(f"[{sound},\n  {sound.replace('1', '2')},\n  {TASK}]")
    with pytest.raises(InputError, match="row 3: duplicate key 'rating'"):
        read_ratings(path)
