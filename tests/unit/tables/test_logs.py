"""Logs of evaluation tools, in the shape in which these tools write them."""

import csv
import json
import math
import struct
import zipfile
import zlib
from contextlib import suppress

import pyarrow as pa
import pytest

from flipped_bits import every, flipped
from rejoinder.errors import InputError
from rejoinder.tables.external_scores import read_scores
from rejoinder.tables.format import FileHead
from rejoinder.tables.formats.format_choice import holds_all
from rejoinder.tables.formats.registry import formats_for
from rejoinder.tables.ratings import read_ratings
from rejoinder.tables.responses import read_responses
from rejoinder.tables.testset import read_testset

FORMATS = formats_for("test set", "responses")


def recognised(path):
    head = FileHead.of(path)
    return next(name for name, each in FORMATS.items() if each.recognises(head))


def scores(path):
    """``(system, id, name, value, sample)`` of the log at a path."""
    return read_scores(path).select("system", "id", "name", "value", "sample").rows()


def document(number, target, replies, after="strict", **more):
    """A row of lm-evaluation-harness 0.4.13, ``--log_samples``, of a task that generates."""
    return {
        "doc_id": number, "doc": {"question": f"Q{number}"}, "target": target,
        "arguments": {"gen_args_0": {"arg_0": f"Q: Q{number}\nA:", "arg_1": {"until": ["\n"]}}},
        "resps": [replies], "filtered_resps": replies[:1], "filter": after,
        "metrics": ["exact_match"], "doc_hash": "9c", "prompt_hash": "9b", "target_hash": "51",
        "exact_match": 1.0, **more,
    }  # fmt: skip


def lines(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_lm_evaluation_harness(tmp_path):
    path = lines(
        tmp_path / "org__bot" / "samples_toy_2026-11-22T08-21-03.131915.jsonl",
        document(0, "None left.", ["No.", "Yes."]),
        document(1, "Please.", ["Yes.", "No."]),
        document(0, "None left.", ["No.", "Yes."], "loose", exact_match=0.0),
        document(1, "Please.", ["Yes.", "No."], "loose", exact_match=0.5),
    )
    (path.parent / "results_2026-11-22T08-21-03.131915.json").write_text(
        '{"model_name": "org/bot"}'
    )
    assert recognised(path) == "lm-eval"
    testset = read_testset(path)
    assert testset.contexts.rows() == [("0", ["Q: Q0\nA:"]), ("1", ["Q: Q1\nA:"])]
    assert testset.references.get_column("text").to_list() == ["None left.", "Please."]
    assert read_responses(path).rows() == [
        ("org/bot", "0", "No.", "1"), ("org/bot", "0", "Yes.", "2"),
        ("org/bot", "1", "Yes.", "1"), ("org/bot", "1", "No.", "2"),
    ]  # fmt: skip
    assert scores(path) == [  # of the document: the harness has no score of each repeat
        ("org/bot", "0", "exact_match,strict", 1.0, None),
        ("org/bot", "0", "exact_match,loose", 0.0, None),
        ("org/bot", "1", "exact_match,strict", 1.0, None),
        ("org/bot", "1", "exact_match,loose", 0.5, None),
    ]
    assert holds_all(path, None, None)


def test_the_harness_has_scores_and_no_replies_where_likelihoods_are_compared(tmp_path):
    row = document(0, "0", [], "none", acc=1.0, metrics=["acc"])
    pairs = [["-0.1", "False"], ["-0.5", "False"]]
    path = lines(
        tmp_path / "samples_mc.jsonl",
        row | {"resps": [[p] for p in pairs], "filtered_resps": pairs},
    )
    assert scores(path) == [("samples_mc", "0", "acc", 1.0, None)]
    with pytest.raises(InputError, match="no sample has a reply of text"):
        read_responses(path)


def test_the_harness_by_columns_as_a_table(tmp_path):
    path = lines(tmp_path / "bot.jsonl", document(0, "None left.", ["No."]))
    columns = "id=doc_id,text=resps.0.0,reference=target,context=arguments.gen_args_0.arg_0"
    assert read_testset(path, columns=columns).references.get_column("text").to_list() == [
        "None left."
    ]
    assert read_responses(path, columns=columns).rows() == [("bot", "0", "No.")]


def sample(id, epoch, said, grade, given="Any milk?", target="None left.", **more):
    """A sample of an Inspect log of version 2."""
    message = {"id": "x", "content": said, "source": "generate", "role": "assistant"}
    return {
        "id": id, "epoch": epoch, "input": given, "target": target,
        "output": {
            "model": "mockllm/model",
            "choices": [{"message": message, "stop_reason": "stop"}],
            "completion": said,
        },
        "scores": {"match": {"value": grade, "answer": said, "history": []}},
        "metadata": {}, "attachments": {}, **more,
    }  # fmt: skip


HEAD = {
    "version": 2, "status": "success",
    "eval": {"eval_id": "a", "run_id": "b", "task": "toy", "model": "mockllm/model"},
    "plan": {}, "results": {}, "stats": {},
}  # fmt: skip
CHAT = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": [{"type": "text", "text": "Any tea?"}]},
]
LONG = "attachment://2e38"
SAMPLES = [
    sample("a", 1, "None left.", "C"),
    sample("a", 2, "Ja.", "I"),
    sample(10, 1, "Some.", {"polite": "P", "true": True}, given=LONG, attachments={"2e38": "Ham?"}),
    sample(2, 1, "Please.", "0.25", given=CHAT, target=["Yes", "Please"]),
    sample("b", 1, "", "N", given="Eggs?", error={"message": "broken"}, target=""),
]


def zstd_member(name, content):
    """The bytes of a zip archive's member as Inspect packs it: by zstd, method 93."""
    packed = pa.compress(content, codec="zstd", asbytes=True)
    numbers = (63, 0, 93, 0, 0, zlib.crc32(content), len(packed), len(content), len(name), 0)
    return struct.pack("<4s5H3L2H", b"PK\x03\x04", *numbers) + name.encode() + packed


def zstd_archive(path, members):
    data, directory = b"", b""
    for name, content in members.items():
        local = zstd_member(name, content)
        # The central directory repeats the header, with comments and the offset behind it.
        directory += struct.pack("<4sH", b"PK\x01\x02", 63) + local[4:30]
        directory += struct.pack("<3H2L", 0, 0, 0, 0, len(data)) + name.encode()
        data += local
    count = len(members)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(data), 0)
    path.write_bytes(data + directory + end)


@pytest.mark.parametrize("kind", ["deflated", "zstd", "json"])
def test_inspect(tmp_path, caplog, kind):
    path = tmp_path / ("log.json" if kind == "json" else "log.eval")
    members = {
        "_journal/start.json": HEAD,
        **{f"samples/{each['id']}_epoch_{each['epoch']}.json": each for each in SAMPLES},
        "header.json": HEAD,
    }
    members = {name: json.dumps(each).encode() for name, each in members.items()}
    if kind == "json":
        path.write_text(json.dumps(HEAD | {"samples": SAMPLES}, indent=2))
    elif kind == "zstd":
        zstd_archive(path, members)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    assert recognised(path) == "inspect"
    testset = read_testset(path)
    assert dict(testset.contexts.rows()) == {
        "a": ["Any milk?"], "10": ["Ham?"], "2": ["Any tea?"], "b": ["Eggs?"],
    }  # fmt: skip
    texts = testset.references.group_by("id").agg("text").rows()
    assert dict(texts) == {"a": ["None left."], "10": ["None left."], "2": ["Yes", "Please"]}
    model = "mockllm/model"
    assert set(read_responses(path).rows()) == {
        (model, "a", "None left.", "1"), (model, "a", "Ja.", "2"), (model, "10", "Some.", "1"),
        (model, "2", "Please.", "1"),
    }  # fmt: skip
    assert "1 sample without a reply left out" in caplog.text
    assert set(scores(path)) == {
        (model, "a", "match", 1.0, "1"), (model, "a", "match", 0.0, "2"),
        (model, "10", "match/polite", 0.5, "1"), (model, "10", "match/true", 1.0, "1"),
        (model, "2", "match", 0.25, "1"), (model, "b", "match", 0.0, "1"),
    }  # fmt: skip


def test_a_sample_of_inspect_that_could_not_be_scored_lacks_each_value(tmp_path):
    # inspect_ai writes NaN as such, which is no JSON.
    texts = [
        sample("a", 1, 'He said: "NaN", \\ Infinity.', {"bleu": 0.5, "chrf": -math.inf}),
        sample("b", 1, "No.", math.nan),
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(HEAD | {"samples": texts}))
    assert '"value": NaN' in path.read_text()
    assert read_responses(path)["text"].to_list() == ['He said: "NaN", \\ Infinity.', "No."]
    assert {row[1:4] for row in scores(path)} == {
        ("a", "match/bleu", 0.5), ("b", "match/bleu", None),
    }  # fmt: skip


def test_an_archive_is_opened_once_however_many_samples_it_has(tmp_path, monkeypatch):
    samples = {f"samples/{n}_epoch_1.json": {"id": n, "input": "Hi", "output": {"completion": f"Ho {n}"}}
               for n in range(30)}  # fmt: skip
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        for name, content in {"header.json": HEAD, **samples}.items():
            archive.writestr(name, json.dumps(content))
    opened = []
    plain = zipfile.ZipFile.__init__
    monkeypatch.setattr(
        zipfile.ZipFile, "__init__", lambda *given, **more: opened.append(plain(*given, **more))
    )
    assert read_responses(tmp_path / "a.eval")["text"].to_list() == [f"Ho {n}" for n in range(30)]
    assert len(opened) == 1


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_sample_that_is_in_an_archive_twice_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", json.dumps(HEAD))
        for text in ("Ho", "Hey"):
            content = {"id": 1, "input": "Hi", "output": {"completion": text}}
            archive.writestr("samples/1_epoch_1.json", json.dumps(content))
    with pytest.raises(InputError, match=r"'samples/1_epoch_1\.json' is in the archive twice"):
        read_responses(tmp_path / "a.eval")


@pytest.mark.parametrize("how", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_flipped_bit_of_an_archive_is_one_message(tmp_path, how):
    path = tmp_path / "a.eval"
    sample = json.dumps({"id": 1, "input": "Hi" * 50, "output": {"completion": "Ho" * 50}})
    with zipfile.ZipFile(path, "w", how) as archive:
        archive.writestr("header.json", json.dumps(HEAD))
        archive.writestr("samples/1_epoch_1.json", sample)
    assert read_responses(path)["text"].to_list() == ["Ho" * 50]
    raw = path.read_bytes()
    for place, bit in every(raw):
        path.write_bytes(flipped(raw, place, bit))
        with suppress(InputError):
            read_responses(path)


def test_an_archive_that_is_no_log_or_damaged(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(InputError, match=r"no header\.json in the archive"):
        read_testset(tmp_path / "a.eval")
    zstd_archive(tmp_path / "b.eval", {"header.json": json.dumps(HEAD).encode()})
    data = (tmp_path / "b.eval").read_bytes()
    for damaged in (
        data[:-9],
        data.replace(b"mockllm", b"nockllm"),
        data[:40] + b"\0\0" + data[42:],
    ):
        (tmp_path / "b.eval").write_bytes(damaged)
        with pytest.raises(InputError, match="log"):
            read_testset(tmp_path / "b.eval")


def test_batch_output(tmp_path):
    def answer(id, body, status=200, error=None):
        response = {"status_code": status, "request_id": "r", "body": body}
        return {"id": f"batch_req_{id}", "custom_id": id, "response": response, "error": error}

    def chat(*texts):
        choices = [
            {"index": i, "message": {"role": "assistant", "content": t}}
            for i, t in enumerate(texts)
        ]
        return {"id": "chatcmpl", "object": "chat.completion", "model": "gpt-x", "choices": choices}

    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Tea."}],
    }
    path = lines(
        tmp_path / "batch_1_output.jsonl",
        answer("c1", chat("No.", "Yes.")),
        answer("c2", {"model": "gpt-x", "output": [{"type": "reasoning", "summary": []}, said]}),
        answer("c3", {"error": {"message": "too long"}}, 400),
        answer("c4", {"model": "gpt-x", "choices": [{"text": "Ham."}]}),
    )
    assert recognised(path) == "batch-output"
    assert read_responses(path).rows() == [
        ("gpt-x", "c1", "No.", "1"), ("gpt-x", "c1", "Yes.", "2"), ("gpt-x", "c2", "Tea.", "1"),
        ("gpt-x", "c4", "Ham.", "1"),
    ]  # fmt: skip
    assert not holds_all(path, None, None)
    with pytest.raises(InputError, match="the format 'batch-output' holds no test set"):
        read_testset(path)
    message = {"model": "claude-x", "content": [{"type": "text", "text": "Hi."}]}
    path = lines(
        tmp_path / "results.jsonl",
        {"custom_id": "c1", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "c2", "result": {"type": "errored", "error": {}}},
    )
    assert read_responses(path).rows() == [("claude-x", "c1", "Hi.")]


def promptfoo_row(test, provider, output, **more):
    return {
        "promptIdx": 0, "testIdx": test, "provider": provider,
        "prompt": {"raw": f"Say: Q{test}", "label": "Say: {{question}}"},
        "vars": {"question": f"Q{test}", "style": "short"},
        "testCase": {"vars": {}, "assert": [{"type": "equals", "value": f"A{test}"}, {"type": "is-json"}]},
        "response": {"output": output, "tokenUsage": {}},
        "success": True, "score": 0.75, "namedScores": {"tone": 1}, "latencyMs": 3, **more,
    }  # fmt: skip


@pytest.mark.parametrize("version", [3, 4])
def test_promptfoo(tmp_path, version):
    rows = [
        promptfoo_row(test, {"id": f"p:{name}", "label": name}, f"{name}{test}")
        for test in (0, 1)
        for name in ("x", "y")
    ]
    rows[3] |= {"response": None, "error": "broken", "success": False, "score": 0}
    inside = {"version": 3, "timestamp": "t", "prompts": [], "results": rows, "stats": {}}
    content = {"evalId": "eval-1", "results": inside if version == 3 else rows, "config": {}}
    path = tmp_path / "results.json"
    path.write_text(json.dumps(content))
    assert recognised(path) == "promptfoo"
    testset = read_testset(path)
    assert testset.contexts.rows() == [("0", ["Q0"]), ("1", ["Q1"])]
    assert testset.references.get_column("text").to_list() == ["A0", "A1"]
    replies = [("x", "0", "x0"), ("y", "0", "y0"), ("x", "1", "x1")]
    assert read_responses(path).rows() == replies
    assert ("x", "0", "tone", 1.0, None) in scores(path)
    assert ("y", "1", "success", 0.0, None) in scores(path)


def test_promptfoo_json_lines(tmp_path):
    rows = [promptfoo_row(test, "p:x", f"x{test}", promptId="9c") for test in (0, 1)]
    path = lines(tmp_path / "results.jsonl", *rows)
    assert recognised(path) == "promptfoo"
    assert read_testset(path).contexts.rows() == [("0", ["Q0"]), ("1", ["Q1"])]
    assert read_responses(path).rows() == [("p:x", "0", "x0"), ("p:x", "1", "x1")]
    assert ("p:x", "1", "tone", 1.0, None) in scores(path)


def test_repetitions_of_promptfoo_are_samples_of_one_item(tmp_path, caplog):
    # 'promptfoo eval --repeat 3' gives each repetition of a test a testIdx of its own.
    rows = [
        promptfoo_row(3 * test + k, "p:x", f"x{test}{k}", success=k < 2, score=k)
        | {
            key: value
            for key, value in promptfoo_row(test, "", "").items()
            if key in ("vars", "testCase")
        }
        for test in (0, 1)
        for k in range(3)
    ]
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"evalId": "e", "results": rows, "config": {}}))
    assert read_testset(path).ids == ["0", "3"]
    assert read_responses(path).rows() == [
        ("p:x", str(3 * test), f"x{test}{k}", str(k + 1)) for test in (0, 1) for k in range(3)
    ]
    assert ("p:x", "3", "success", 0.0, "3") in scores(path)
    assert "4 tests with the variables and assertions of an earlier one" in caplog.text
    rows[1]["testCase"] = {"assert": [{"type": "equals", "value": "another"}]}
    path.write_text(json.dumps({"evalId": "e", "results": rows, "config": {}}))
    assert read_testset(path).ids == ["0", "1", "3"]
    # A variable of each provider's own, such as a session, makes no test anew.
    rows = [
        promptfoo_row(0, name, name) | {"vars": {"question": "Hi", "session": name}}
        for name in ("p:x", "p:y")
    ]
    path.write_text(json.dumps({"evalId": "e", "results": rows, "config": {}}))
    caplog.clear()
    assert read_responses(path).rows() == [("p:x", "0", "p:x"), ("p:y", "0", "p:y")]
    assert "of an earlier one" not in caplog.text


OF_OUTPUT = ("Status", "Score", "Named Scores", "Metric: tone", "Grader Reason", "Comment")


def test_promptfoo_csv(tmp_path):
    path = tmp_path / "results.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = ("[p:x] Say: {{question}}", *OF_OUTPUT, "[p:y] Say: {{question}}", *OF_OUTPUT)
        writer.writerow(("Description", "question", "answer", *names))
        tone = ("PASS", "0.75", '{"tone":1}', "1.00", "good", "")
        broken = ("", "ERROR", "0.00", "", "", "API error", "")
        writer.writerow(
            ("first", "Q0", "A0", "x, 0", *tone, "'=y0", "FAIL", "0.50", "", "", "", "")
        )
        writer.writerow(("", "Q1", "'-A1", "'tis\nx1", *tone, *broken))
    assert recognised(path) == "promptfoo"
    testset = read_testset(path)
    assert testset.contexts.rows() == [("0", ["Q0"]), ("1", ["Q1"])]
    assert testset.references.get_column("text").to_list() == ["A0", "-A1"]
    assert read_responses(path).rows() == [
        ("p:x", "0", "x, 0"), ("p:y", "0", "=y0"), ("p:x", "1", "'tis\nx1"),
    ]  # fmt: skip
    assert [row[:4] for row in scores(path)] == [
        ("p:x", "0", "tone", 1.0), ("p:x", "0", "score", 0.75), ("p:x", "0", "success", 1.0),
        ("p:y", "0", "score", 0.5), ("p:y", "0", "success", 0.0),
        ("p:x", "1", "tone", 1.0), ("p:x", "1", "score", 0.75), ("p:x", "1", "success", 1.0),
        ("p:y", "1", "score", 0.0), ("p:y", "1", "success", 0.0),
    ]  # fmt: skip
    assert holds_all(path, None, None)


def test_promptfoo_csv_of_earlier_versions(tmp_path):
    path = tmp_path / "results.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("question", "answer", "[p:x] Say it", "[p:x] Whisper it"))
        fail = "[FAIL] (0.25)\n\nNo.\n\nNever.\n\nFail Reason: not equal"
        writer.writerow(("Q0", "A0", "[PASS] (1.00, tone: 0.50)\n\nYes.\n\nPass Reason: all", fail))
        writer.writerow(("Q1", "A1", "[ERROR] (0.00)\n\nAPI error", "[PASS] Short."))
    assert recognised(path) == "promptfoo"
    say, whisper = "p:x with Say it", "p:x with Whisper it"
    assert read_responses(path).rows() == [
        (say, "0", "Yes."), (whisper, "0", "No.\n\nNever."), (whisper, "1", "Short."),
    ]  # fmt: skip
    assert (say, "0", "tone", 0.5, None) in scores(path)
    assert (whisper, "0", "score", 0.25, None) in scores(path)
    assert (say, "1", "success", 0.0, None) in scores(path)


def test_what_is_wrong_with_a_csv_of_promptfoo(tmp_path):
    path = tmp_path / "results.csv"
    header = "question,[p:x] q," + ",".join(OF_OUTPUT) + "\n"
    path.write_text(header + "Q0,x0,PASS,1.00\n")
    with pytest.raises(InputError, match=r"row 2: 4 cells, expected 8"):
        read_responses(path)
    path.write_text(header + "Q0,x0,PASS,1.00,tone,,,\n")
    with pytest.raises(InputError, match=r"row 2: Named Scores are no JSON object of numbers"):
        read_scores(path)


@pytest.mark.parametrize("snake", [False, True])
def test_deepeval(tmp_path, snake):
    names = ["testCases", "actualOutput", "expectedOutput", "metricsData"]
    if snake:
        names = ["test_cases", "actual_output", "expected_output", "metrics_data"]
    cases, actual, expected, data = names
    rows = [
        {"name": f"test_case_{i}", "input": f"Q{i}", actual: f"R{i}", expected: f"A{i}", "order": i,
         data: [{"name": "Tone", "threshold": 0.5, "success": True, "score": i / 2}]}
        for i in (0, 1)
    ]  # fmt: skip
    path = tmp_path / "test_run_1.json"
    path.write_text(json.dumps({cases: rows, "hyperparameters": {"model": "gpt-x"}}))
    assert recognised(path) == "deepeval"
    testset = read_testset(path)
    assert testset.contexts.rows() == [("test_case_0", ["Q0"]), ("test_case_1", ["Q1"])]
    assert testset.references.get_column("text").to_list() == ["A0", "A1"]
    assert read_responses(path).get_column("text").to_list() == ["R0", "R1"]
    assert scores(path) == [
        ("gpt-x", "test_case_0", "Tone", 0.0, None), ("gpt-x", "test_case_1", "Tone", 0.5, None),
    ]  # fmt: skip


def test_deepeval_of_conversations(tmp_path):
    def turns(*texts):
        roles = ("user", "assistant") * len(texts)
        return [
            {"role": r, "content": t, "order": i}
            for i, (r, t) in enumerate(zip(roles, texts, strict=False))
        ]

    rows = [
        {"name": f"conversational_test_case_{i}", "success": True, "turns": turns(*texts),
         "expectedOutcome": "The guest has a table.", "metricsData": [{"name": "Recall", "score": i / 4}]}
        for i, texts in enumerate((("Hi.", "Hello.", "A table?", "At nine."), ("Hi.", "Ho.", "Bye.")))
    ]  # fmt: skip
    path = tmp_path / "test_run_1.json"
    run = {"testCases": [], "conversationalTestCases": rows, "hyperparameters": None}
    path.write_text(json.dumps({"testRunData": run}))
    assert recognised(path) == "deepeval"
    assert read_responses(path).rows() == [
        ("test_run_1", "conversational_test_case_0", "At nine."),
        ("test_run_1", "conversational_test_case_1", "Ho."),
    ]
    assert [(id, value) for _, id, _, value, _ in scores(path)] == [
        ("conversational_test_case_0", 0.0), ("conversational_test_case_1", 0.25),
    ]  # fmt: skip
    assert (len(read_testset(path)), read_testset(path).references.height) == (2, 0)
    both = run | {
        "testCases": [{"name": "t", "input": "Q", "actualOutput": "R", "expectedOutput": "A"}]
    }
    path.write_text(json.dumps(both))
    assert read_testset(path).contexts.rows() == [
        ("t", ["Q"]),
        ("conversational_test_case_0", ["Hi.", "Hello.", "A table?"]),
        ("conversational_test_case_1", ["Hi."]),
    ]


def wmt(folder, **files):
    """A folder of mt-metrics-eval."""
    content = {
        "sources/en-de.txt": "Hi.\nTea?\n",
        "references/en-de.refA.txt": "Hallo.\nTee?\n",
        "references/en-de.refB.txt": "Guten Tag.\nEinen Tee?\n",
        "documents/en-de.docs": "news\tdoc1\nnews\tdoc2\n",
        "system-outputs/en-de/bot.txt": "Hey.\nTee da?\n",
        "system-outputs/en-de/refA.txt": "Hallo.\nTee?\n",
        "metric-scores/en-de/BLEU-refA.seg.score": "bot\t0.5\nbot\t0.25\n",
        "metric-scores/en-de/BLEU-refA.sys.score": "bot\t0.4\n",
        "human-scores/en-de.mqm.seg.score": "bot\t-1\nbot\tNone\nrefA\t0\nrefA\t-0.5\n",
    } | files
    for name, text in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_wmt(tmp_path):
    path = wmt(tmp_path / "wmt26")
    assert recognised(path) == "wmt"
    for each in (path, path / "system-outputs" / "en-de"):
        testset = read_testset(each)
        assert testset.contexts.columns == ["id", "context", "domain", "document"]
        assert testset.contexts.rows() == [
            ("1", ["Hi."], "news", "doc1"),
            ("2", ["Tea?"], "news", "doc2"),
        ]
        assert testset.references.get_column("text").to_list() == [
            "Hallo.", "Guten Tag.", "Tee?", "Einen Tee?",
        ]  # fmt: skip
        assert read_responses(each).rows() == [
            ("bot", "1", "Hey."), ("bot", "2", "Tee da?"), ("refA", "1", "Hallo."), ("refA", "2", "Tee?"),
        ]  # fmt: skip
        assert scores(each) == [
            ("bot", "1", "BLEU-refA", 0.5, None), ("bot", "2", "BLEU-refA", 0.25, None),
        ]  # fmt: skip


def test_ratings_of_wmt(tmp_path, caplog):
    path = wmt(tmp_path / "wmt26")
    rows = [
        ("1", "bot", "mean", "mqm", -1.0),
        ("1", "refA", "mean", "mqm", 0.0),
        ("2", "refA", "mean", "mqm", -0.5),
    ]
    assert read_ratings(path).rows() == rows
    assert read_ratings(path / "human-scores" / "en-de.mqm.seg.score").rows() == rows
    assert "1 segment without a score left out" in caplog.text


def test_files_of_scores_of_wmt(tmp_path):
    metric, human = "metric-scores/en-de/BLEU-refA", "human-scores/en-de.mqm"
    documents = {"documents/en-de.docs": "news\tdoc1\nchat\tdoc2\n"}
    levels = {
        f"{metric}.doc.score": "bot\t0.5\nbot\t0.25\n",
        f"{human}.doc.score": "bot -1\nbot None\n",
    }
    domains = {f"{metric}.domain.score": "news\tbot\t0.5\nchat\tbot\t0.25\n"}
    path = wmt(tmp_path / "wmt26", **documents, **levels, **domains)
    expected = {
        "seg": [("bot", "1", "BLEU-refA", 0.5, None), ("bot", "2", "BLEU-refA", 0.25, None)],
        "doc": [("bot", "doc1", "BLEU-refA.doc", 0.5, None), ("bot", "doc2", "BLEU-refA.doc", 0.25, None)],
        "domain": [
            ("bot", "news", "BLEU-refA.domain", 0.5, None), ("bot", "chat", "BLEU-refA.domain", 0.25, None),
        ],
        "sys": [("bot", "all", "BLEU-refA.sys", 0.4, None)],
    }  # fmt: skip
    for level, rows in expected.items():
        assert scores(path / f"{metric}.{level}.score") == rows
    assert read_ratings(path / f"{human}.doc.score").rows() == [
        ("doc1", "bot", "mean", "mqm", -1.0)
    ]
    # By itself a file says neither documents nor segments: they are counted.
    alone = tmp_path / "mine.doc.score"
    alone.write_text("a\t1\na\t2\nb\t3\nb\t4\n")
    assert [row[:4] for row in scores(alone)] == [
        ("a", "1", "mine.doc", 1.0), ("a", "2", "mine.doc", 2.0),
        ("b", "1", "mine.doc", 3.0), ("b", "2", "mine.doc", 4.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("m.doc.score", "bot\t1\n", "1 score of 'bot', expected 2, one for each document"),
        ("m.seg.score", "bot\t1\nbot\tx\n", "row 2: 'x' is no number"),
        ("m.seg.score", "bot\t1\n", "expected 2, one for each line of the source"),
        (
            "m.sys.score",
            "bot\t1\nbot\t1\n",
            "2 scores of 'bot', expected 1, one for the whole test set",
        ),
        ("m.domain.score", "bot\t1\n", "row 1: 2 cells; expected a domain, a system and its score"),
        ("m.domain.score", "d bot 1\nd bot 2\n", "several scores of 'bot' in the domain 'd'"),
    ],
)
def test_what_is_wrong_with_a_file_of_scores_of_wmt(tmp_path, name, text, words):
    path = wmt(tmp_path / "wmt26") / "metric-scores" / "en-de" / name
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_scores(path)


def test_what_is_wrong_with_a_folder_of_wmt(tmp_path):
    two = wmt(tmp_path / "two", **{"system-outputs/de-en/bot.txt": "Hi.\n"})
    with pytest.raises(InputError, match=r"2 language pairs .*name the folder of one: .*de-en"):
        read_testset(two)
    short = wmt(tmp_path / "short", **{"system-outputs/en-de/bot.txt": "Hi.\n"})
    with pytest.raises(InputError, match=r"bot\.txt: 1 line, expected 2"):
        read_testset(short)
    docs = wmt(tmp_path / "docs", **{"documents/en-de.docs": "news\tdoc1\n"})
    with pytest.raises(InputError, match=r"en-de\.docs: 1 line, expected 2"):
        read_testset(docs)
    less = wmt(tmp_path / "less", **{"metric-scores/en-de/BLEU-refA.seg.score": "bot\t0.5\n"})
    with pytest.raises(InputError, match="1 score of 'bot', expected 2"):
        read_responses(less)


def test_a_log_that_contradicts_itself(tmp_path):
    path = lines(tmp_path / "s.jsonl", document(0, "A", ["x"]), document(0, "B", ["x"]))
    with pytest.raises(InputError, match="another context or reference at id '0' than in row 1"):
        read_testset(path)


def test_a_score_of_the_harness_that_is_no_number_is_left_out_with_a_note(tmp_path, caplog):
    """Its BLEU is computed over all replies: a row holds the two texts in place of a number."""
    both = {"metrics": ["exact_match", "bleu"], "bleu": ["None left.", "No."]}
    path = lines(tmp_path / "samples_toy.jsonl", document(0, "None left.", ["No."], **both))
    assert {row[2] for row in scores(path)} == {"exact_match"}
    assert "bleu left out: not a number for any reply" in caplog.text
    none = {"metrics": ["bleu"], "bleu": ["None left.", "No."]}
    lines(path, document(0, "None left.", ["No."], **none))
    with pytest.raises(InputError, match="no scores in this log; expected at least one number"):
        scores(path)


def one(kind, **changed):
    """A log of one sample, with some of its values changed."""
    if kind == "promptfoo":
        row = {
            "provider": "p",
            "promptIdx": 0,
            "testIdx": 0,
            "prompt": {"raw": "q", "label": "q"},
            "vars": {"question": "q"},
            "response": {"output": "Ho"},
        }
        return "r.json", {"evalId": "e", "results": {"results": [row | changed]}}
    if kind == "deepeval":
        return "t.json", {
            "testCases": [{"input": "q", "actualOutput": "Ho", "name": "a"} | changed]
        }
    if kind == "inspect":
        sample = {"id": 1, "input": "q", "output": {"completion": "Ho"}}
        return "l.json", HEAD | {"samples": [sample | changed]}
    if kind == "batch":
        body = {"model": "m", "choices": [{"message": {"content": "Ho"}}]}
        return "b.jsonl", {
            "custom_id": "1",
            "response": {"status_code": 200, "body": body},
        } | changed
    return "samples_t.jsonl", {"doc_id": 0, "resps": [["Ho"]], "filtered_resps": ["Ho"]} | changed


@pytest.mark.parametrize(
    ("kind", "changed", "message"),
    [
        ("promptfoo", {"vars": "q"}, "row 1: vars: got text; expected an object"),
        ("promptfoo", {"vars": ["q"]}, "row 1: vars: got a list; expected an object"),
        ("promptfoo", {"testCase": {"assert": 3}}, "row 1: assert: got a whole number; expected a list"),
        ("promptfoo", {"testCase": {"assert": [3]}}, r"row 1: assert\[0\]: got a whole"),
        ("promptfoo", {"namedScores": [1]}, "row 1: namedScores: got a list"),
        ("promptfoo", {"testIdx": "0"}, "row 1: testIdx: got text; expected a whole number"),
        ("promptfoo", {"provider": ["p"]}, "row 1: provider: got a list; expected text"),
        ("deepeval", {"actualOutput": ["Ho"]}, "row 1: actualOutput: got a list; expected text"),
        ("deepeval", {"actualOutput": {"text": "Ho"}}, "row 1: actualOutput: got an object; expected text"),
        ("deepeval", {"metricsData": [0.5]}, r"row 1: metricsData\[0\]: got a number"),
        ("inspect", {"output": "Ho"}, "row 1: output: got text; expected an object"),
        ("inspect", {"output": {"choices": ["Ho"]}}, r"row 1: choices\[0\]: got text"),
        ("inspect", {"scores": [1]}, "row 1: scores: got a list"),
        ("inspect", {"epoch": "one"}, "row 1: epoch: got text; expected a whole number"),
        ("inspect", {"id": {"n": 1}}, "row 1: id: got an object; expected text"),
        ("inspect", {"input": {"role": "user"}}, "row 1: messages: got an object; expected a list"),
        ("batch", {"custom_id": [1]}, "row 1: custom_id: got a list; expected text"),
        ("batch", {"response": ["Ho"]}, "row 1: response: got a list; expected an object"),
        ("lm-eval", {"doc_id": True}, "row 1: doc_id: got true or false; expected text"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_in_a_log_is_named(tmp_path, kind, changed, message):
    for given, expected in (({}, None), (changed, message)):
        name, content = one(kind, **given)
        (tmp_path / name).write_text(json.dumps(content) + "\n")
        if expected is None:
            assert read_responses(tmp_path / name)["text"].to_list() == ["Ho"]
        else:
            with pytest.raises(InputError, match=expected):
                read_responses(tmp_path / name)


def test_an_expected_value_that_is_no_text_is_its_json(tmp_path):
    name, content = one("promptfoo", testCase={"assert": [{"type": "equals", "value": {"sum": 4}}]})
    (tmp_path / name).write_text(json.dumps(content))
    assert read_testset(tmp_path / name).references["text"].to_list() == ['{"sum":4}']


def test_results_that_name_their_test_in_some_rows_alone_are_refused(tmp_path):
    name, content = one("promptfoo")
    rows = content["results"]["results"]
    rows.append({key: value for key, value in rows[0].items() if key != "testIdx"})
    (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(InputError, match="row 2: no testIdx, which other rows have"):
        read_responses(tmp_path / name)


def test_a_document_without_the_first_filter_keeps_its_reply(tmp_path):
    rows = [
        {"doc_id": n, "resps": [[f"Ho {n}"]], "filtered_resps": [""], "filter": name, "f1": n / 4}
        for n, name in ((0, "none"), (0, "take"), (1, "take"))
    ]
    path = tmp_path / "samples_t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_responses(path)["text"].to_list() == ["Ho 0", "Ho 1"]


def test_metrics_that_are_no_names_are_refused(tmp_path):
    name, content = one("lm-eval", metrics=[["f1"]], f1=0.5)
    (tmp_path / name).write_text(json.dumps(content) + "\n")
    with pytest.raises(InputError, match="row 1: metrics: got a list; expected text"):
        scores(tmp_path / name)


def test_a_status_of_promptfoo_that_is_none_is_refused(tmp_path):
    path = tmp_path / "r.csv"
    for status, message in (
        ("pass", "row 2: got the status 'pass'; expected PASS, FAIL or ERROR"),
        (" ", "got the status"),
    ):
        path.write_text(f"question,[a] q,Status,Score,Named Scores\nHi,Ho,{status},0.5,\n")
        with pytest.raises(InputError, match=message):
            scores(path)


def test_a_reply_without_a_content_is_none_and_no_empty_one(tmp_path, caplog):
    talk = {"turns": [{"role": "user", "content": "q"}, {"role": "assistant", "content_": "Ho"}]}
    whole = {"turns": [{"role": "user", "content": "q"}, {"role": "assistant", "content": ""}]}
    (tmp_path / "t.json").write_text(json.dumps({"conversationalTestCases": [talk, whole]}))
    assert read_responses(tmp_path / "t.json")["text"].to_list() == [""]
    assert "1 sample without a reply left out" in caplog.text
    sample = {"id": 1, "input": "q", "output": {"choices": [{"message": {"role": "assistant"}}]}}
    other = {"id": 2, "input": "q", "output": {"choices": [{"message": {"content": ""}}]}}
    (tmp_path / "l.json").write_text(json.dumps(HEAD | {"samples": [sample, other]}))
    assert read_responses(tmp_path / "l.json").select("id", "text").rows() == [("2", "")]
